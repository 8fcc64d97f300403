"""Spelling of keys: from Textual's key names to what people read."""

from unicodedata import lookup

NO_KEY = "no_key"
"""The key of a command that only the palette and the list of all keys offer, until somebody gives it a key."""
_NAMES = {
    "escape": "Esc",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "space": "Space",
    "tab": "Tab",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    # What Textual calls otherwise than Unicode does.
    "minus": "-",
    "plus": "+",
    "slash": "/",
    "backslash": "\\",
    "at": "@",
    NO_KEY: "",
}
_ARROWS = {"↑": "up", "↓": "down", "←": "left", "→": "right", "⏎": "enter", "⌫": "backspace"}
"""Keys that are written as signs, and as ASCII."""


def written(key: str) -> str:
    """Write a key, or two that are pressed one after the other, as people do; a letter is itself."""
    return " ".join("+".join(map(_part, stroke.split("+"))) for stroke in key.split(" "))


def _part(name: str) -> str:
    if name in _NAMES:
        return _NAMES[name]
    if len(name) == 1:
        return name
    try:
        return lookup(name.replace("_", " "))
    except KeyError:
        return name.capitalize()


def plain_key(key: str) -> str:
    """Return a written key in ASCII: an arrow becomes a word."""
    for arrow, word in _ARROWS.items():
        key = key.replace(arrow, word)
    return key
