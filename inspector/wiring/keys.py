"""A person's own keys, and how keys are written."""

import time
from typing import TYPE_CHECKING

from textual.binding import Binding
from textual.events import Event, Key

from inspector.commands.command import place_words
from inspector.text import clean
from inspector.wiring.base import Wired

if TYPE_CHECKING:
    from collections.abc import Mapping


ONE_ANSWER = 1.0
"""Seconds without such a key after which the next one is answered again."""


class OwnKeys(Wired):
    """Follows the keymap file, and says what in it cannot be followed."""

    _answered = float("-inf")
    """When a key that nobody has was pressed last."""
    _rebound: "Mapping[str, tuple[str, ...]] | None" = None
    """Ids of commands whose keys are not the usual ones, with their keys."""

    def follow_keymap(self) -> None:
        """Read the file, once; without a settings folder the usual keys hold."""
        if self.config is None:
            return
        from inspector.commands.key_words import KeyWords
        from inspector.terminal.keymap import FILE, read

        keymap = read(self.config / FILE)
        self._rebound = keymap.changed
        if keymap.changed:
            self.set_keymap(keymap.textual)
            self.keys = KeyWords(
                {name: self._written(keys[0]) if keys else "" for name, keys in keymap.changed.items()}, self.ascii_only
            )
        for problem in keymap.problems:
            self.notify(clean(problem), title="Keymap", severity="warning", markup=False, timeout=15)

    async def took_second(self, event: Event) -> bool:
        from inspector.screens.base import InspectionScreen

        screen = self.screen
        if not isinstance(event, Key) or not isinstance(screen, InspectionScreen) or not screen.first_key:
            return False
        await screen.second_key(event.key)
        return True

    def on_key(self, event: Key) -> None:
        """Answer a key that nobody has, and say where it has something to do."""
        from inspector.screens.base import InspectionScreen

        screen = self.screen
        if not event.is_printable or not isinstance(screen, InspectionScreen) or event.key in screen.active_bindings:
            return
        now = time.monotonic()
        # A path that somebody types here by mistake is one answer.
        if now - self._answered > ONE_ANSWER:
            screen.say(self._elsewhere(event.key))
        self._answered = now

    def _elsewhere(self, key: str) -> str:
        from inspector.commands import COMMANDS

        shown = self._written(key)
        command = next((one for one in COMMANDS if key in (self._rebound or {}).get(one.id, one.keys.split(","))), None)
        there = "" if command is None else f"; on {place_words(command.screens)} it is {command.title}"
        return f"{shown} does nothing here{there}. {self.keys.of('help')} lists what does."

    def get_key_display(self, binding: Binding) -> str:
        return self._written(binding.key) or "(no key)"

    def _written(self, key: str) -> str:
        """A key as the footer and sentences write it."""
        from inspector.commands.key_words import written
        from inspector.terminal.plain import plain_key

        return plain_key(written(key)) if self.ascii_only else written(key)
