"""The keys of commands as sentences name them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from inspector.commands import COMMANDS, RAIL

_NAMES = {"escape": "Esc", "pageup": "PgUp", "pagedown": "PgDn"}
_TITLES = {one.id: one.title for one in (*COMMANDS, *RAIL)}


def _usual(keys: str) -> str:
    first = keys.partition(",")[0]
    # A letter is itself: a capital one is another key.
    parts = [_NAMES.get(part, part.capitalize() if len(first) > 1 else part) for part in first.split("+")]
    return "+".join(parts)


_USUAL = {one.id: one.shown_key or _usual(one.keys) for one in (*COMMANDS, *RAIL)}


@dataclass(frozen=True)
class KeyWords:
    """How a sentence names the key of a command: by the usual one, unless a person chose others.

    `own` has the first key of every command that they changed, by its id, written as in the footer; "" where it has
    none.
    """

    own: Mapping[str, str] = field(default_factory=dict)

    def of(self, command: str) -> str:
        """The key of the command with this id; the palette where it has none. Raises KeyError for no command."""
        return self.written(command) or f"the palette ({_TITLES[command]})"

    def written(self, command: str) -> str:
        """The same; "" where it has no key."""
        return self.own.get(command, _USUAL[command])


USUAL = KeyWords()
"""Where nobody chose others."""
