"""Keys come one after the other, however fast they are typed.

Textual 8.2 looks for a key that comes before those of widgets as soon as it arrives, while the key before it may still
be on its way through the widgets, and gives the next one to a screen that is not there yet. A note written after a
ruling would then be one on another case.
"""

import time
from collections import deque
from typing import TYPE_CHECKING

from textual.events import Event, Key, Paste
from textual.message_pump import MessagePump

from inspector.wiring.base import Wired

if TYPE_CHECKING:
    from textual.screen import Screen
    from textual.timer import Timer

LOOK = 0.01
"""Seconds between looks whether the widget that has a key is still there: it may go, and never pass it on."""
PATIENCE = 1.0
"""Seconds after which a key counts as done whatever was said."""
ROUNDS = 5
"""How often it is followed up again what a key set going; what paints the screen never ends."""
_AT_ONCE = frozenset({"ctrl+c", "ctrl+z"})
"""Keys that wait for nothing."""


class KeyOrder(Wired):
    """Keeps a key until the one before it has gone through every widget, and the screen that it opened is there."""

    _key_number = 0
    """How many keys have begun."""
    _key_under_way = False

    def on_load(self) -> None:
        self._keys_held: deque[Event] = deque()
        self._key_is_at: MessagePump = self
        self._key_began = 0.0
        self._key_screen: Screen[object] | None = None
        self._watching_key: Timer | None = None

    async def on_event(self, event: Event) -> None:
        waits = isinstance(event, (Key, Paste)) and not event.is_forwarded and self.is_mounted
        if not waits or (isinstance(event, Key) and event.key in _AT_ONCE):
            await super().on_event(event)
        elif self._key_under_way:
            self._keys_held.append(event)
            if self._watching_key is None:
                self._watching_key = self.set_interval(LOOK, self._see_who_has_it)
            self._watching_key.resume()
        else:
            await self._take_key(event)

    async def _take_key(self, event: Event) -> None:
        self._key_number += 1
        self._key_under_way, self._key_began, self._key_screen = True, time.monotonic(), self.screen
        at = self.focused or self.screen
        if not await self.took_second(event):
            await super().on_event(event)
        self._follow_key(self._key_number, ROUNDS, at)

    def _follow_key(self, number: int, rounds: int, at: MessagePump) -> None:
        """Behind the key in the queue of every widget that it comes to, up to the app."""
        above = at._parent  # noqa: SLF001  # what it bubbles to; `parent` is for widgets alone
        if number == self._key_number:
            self._key_is_at = at
        if at is self or above is None or not at.call_later(self._follow_key, number, rounds, above):
            self.call_later(self._key_came_through, number, rounds)

    async def _see_who_has_it(self) -> None:
        """Whoever has the key may be gone."""
        if self._key_under_way:
            gone = self._key_is_at is not self and not (self._key_is_at.is_running and self._key_is_at.is_attached)
            if time.monotonic() > self._key_began + PATIENCE:
                await self._let_go(self._key_number)
            elif gone:
                self._key_is_at = self
                self.call_later(self._key_came_through, self._key_number, ROUNDS)
        if not self._keys_held and self._watching_key is not None:
            self._watching_key.pause()

    async def _key_came_through(self, number: int, rounds: int) -> None:
        """The key is through; what it set going comes first: messages of widgets, another screen."""
        at: MessagePump = self.focused or self.screen
        waits = number == self._key_number and rounds > 0 and _is_busy(at)
        if waits and at.call_later(self._follow_key, number, rounds - 1, at):
            return
        if number == self._key_number and self.screen is not self._key_screen:
            # What a new screen shows may come with its first refresh.
            self._key_screen = self.screen
            if self.screen.call_after_refresh(self._follow_key, number, ROUNDS, self.focused or self.screen):
                return
        await self._let_go(number)

    async def _let_go(self, number: int) -> None:
        if number == self._key_number and self._key_under_way:
            self._key_under_way = False
            if self._keys_held:
                await self._take_key(self._keys_held.popleft())


def _is_busy(at: MessagePump) -> bool:
    """Whether anything waits for this or what is above it, or it is about to be there."""
    pump: MessagePump | None = at
    while pump is not None:
        if pump.message_queue_size or not pump.is_running:
            return True
        pump = pump._parent  # noqa: SLF001
    return False
