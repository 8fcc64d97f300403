"""Keys in texts that came from a server: found, and masked before such a text is shown, logged or stored."""

import re

MASK = "***"
_PREFIXED = (
    r"sk-[A-Za-z0-9_*-]{16,}|(?:hf|gsk|pplx|r8|fw|tgp_v1|ghp|gho)_[A-Za-z0-9]{16,}|github_pat_\w{20,}|glpat-[\w-]{16,}|"
    r"(?:xai|nvapi|key|together)-[A-Za-z0-9_-]{20,}|AIza[A-Za-z0-9_-]{30,}|(?:AKIA|ASIA)[A-Z0-9]{16}"
)
KEY_LIKE = rf"(?:^|[^A-Za-z0-9])((?:{_PREFIXED})|(?i:bearer)\s+[A-Za-z0-9._~+/=-]{{16,}})"
"""Matches, in Python and in polars, a text that holds what may be a key; `key_like` says which of these are."""
_KEY_LIKE = re.compile(KEY_LIKE)
_SHORTEST = 6
"""Characters from which on a key is masked wherever it stands. Shorter ones are stand-ins such as "EMPTY" or "x" for
servers that want any key at all, and masking them would tear holes into answers."""
_STAND_INS = frozenset({"anything", "nothing", "ollama", "secret", "unused", "whatever"})
_secrets: set[str] = set()


def keep_secret(secret: str) -> None:
    """Mask `secret` in every text from now on, in this process."""
    if len(secret) >= _SHORTEST and secret.lower() not in _STAND_INS:
        _secrets.add(secret)


def masked(text: str) -> str:
    """`text` with `***` in the place of every key of this process and of whatever looks like one."""
    # One key may hold another: of the longer one nothing is to be left.
    for secret in sorted(_secrets, key=len, reverse=True):
        text = text.replace(secret, MASK)
    if _KEY_LIKE.search(text) is None:
        return text
    return _KEY_LIKE.sub(lambda match: match[0].replace(match[1], MASK) if _is_key(match[1]) else match[0], text)


def key_like(text: str) -> bool:
    """Return whether `text` holds a key of this process or what looks like one."""
    return masked(text) != text


def _is_key(text: str) -> bool:
    """Keys are drawn by lot: they hold digits. Names such as `sk-learn-based-approach` do not."""
    return any(sign.isdigit() or sign == "*" for sign in text)
