"""A server's own words in a sentence of ours."""

from scoring.secrets import masked

LONGEST = 240
"""Characters that are quoted."""


def quoted(text: str) -> str:
    """Words of a server on one line, without control characters, keys or a full stop, and not too many of them."""
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in masked(text)).split())
    return (line if len(line) <= LONGEST else line[: LONGEST - 1] + "…").rstrip(".")
