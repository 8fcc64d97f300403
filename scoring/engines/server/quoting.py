"""A server's own words in a sentence of ours."""

from scoring.engines.server.keys import Key

LONGEST = 240
"""Characters that are quoted."""


def quoted(text: str, key: Key | None = None) -> str:
    """Words of a server on one line, without control characters, the key or a full stop, and not too many of them."""
    hidden = key.hidden(text) if key else text
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in hidden).split())
    return (line if len(line) <= LONGEST else line[: LONGEST - 1] + "…").rstrip(".")
