"""The keys of commands as sentences name them."""

from collections.abc import Mapping
from unicodedata import lookup

from msgspec import Struct, field

from inspector.commands import COMMANDS, RAIL
from inspector.commands.grammar import GO, NO_KEY, VIEW
from inspector.terminal.plain import plain_key

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
_TITLES = {one.id: one.title for one in (*COMMANDS, *RAIL)}


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


_USUAL = {one.id: written(one.keys.partition(",")[0]) for one in (*COMMANDS, *RAIL)}


class KeyWords(Struct, frozen=True):
    """How a sentence names the key of a command: by the usual one, unless a person chose others.

    `own` has the first key of every command that they changed, by its id, written as in the footer; "" where it has
    none. `plain` says that there is ASCII alone: arrows are words.
    """

    own: Mapping[str, str] = field(default_factory=dict)
    plain: bool = False

    def of(self, command: str) -> str:
        """The key of the command with this id; the palette where it has none. Raises KeyError for no command."""
        return self.written(command) or f"the palette ({_TITLES[command]})"

    def written(self, command: str) -> str:
        """The same; "" where it has no key."""
        shown = self.own.get(command, _USUAL[command])
        for first, waits in ((GO, "go"), (VIEW, "view")):
            if shown.startswith(f"{first} "):
                shown = f"{self.own.get(waits, first)}{shown.removeprefix(first)}"
        return plain_key(shown) if self.plain else shown


USUAL = KeyWords()
"""Where nobody chose others."""
