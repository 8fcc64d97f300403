"""The keys of commands as sentences name them."""

from collections.abc import Mapping

from msgspec import Struct, field

from inspector.widgets.key_spelling import plain_key, written
from inspector.widgets.key_table import COMMANDS
from inspector.widgets.key_table.command import GO, VIEW
from inspector.widgets.key_table.rail import RAIL

_TITLES = {one.id: one.title for one in (*COMMANDS, *RAIL)}
_USUAL = {one.id: written(one.keys.partition(",")[0]) for one in (*COMMANDS, *RAIL)}


class KeyWords(Struct, frozen=True):
    """How a sentence names the key of a command: by the usual one, unless a person chose others.

    `own` has the first key of every command that they changed, by its id, written as in the footer; "" where it has
    none. `plain` says that there is ASCII alone: arrows are words.
    """

    own: Mapping[str, str] = field(default_factory=dict)
    plain: bool = False

    def of(self, command: str) -> str:
        """Return the key of the command with this id; the palette where it has none. Raises KeyError for no command."""
        return self.written(command) or f"the palette ({_TITLES[command]})"

    def written(self, command: str) -> str:
        """Return the same; "" where it has no key."""
        keys = self.own.get(command, _USUAL[command])
        for first, waits in ((GO, "go"), (VIEW, "view")):
            if keys.startswith(f"{first} "):
                keys = f"{self.own.get(waits, first)}{keys.removeprefix(first)}"
        return plain_key(keys) if self.plain else keys


USUAL = KeyWords()
"""Where nobody chose others."""
