"""Commands of two keys: wait for the second key, then do what the two say."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from textual.binding import ActiveBinding
from textual.css.query import DOMQuery
from textual.widget import AwaitMount

from inspector.screens.controller import AnyWidget, ControlledScreen, Controller
from inspector.widgets.key_line import WhichKey
from inspector.widgets.key_spelling import written
from inspector.widgets.key_table import COMMANDS
from inspector.widgets.key_table.command import CLOSE, FIRST, GO

if TYPE_CHECKING:
    from textual.timer import Timer


HESITATION = 0.4
"""Seconds after the first of two keys until it is shown which may follow."""


class BoundScreen(ControlledScreen, Protocol):
    """What commands of two keys use of their screen."""

    @property
    def active_bindings(self) -> Mapping[str, ActiveBinding]: ...
    @property
    def is_attached(self) -> bool: ...
    def mount(self, widget: WhichKey, /) -> AwaitMount: ...
    def query(self, selector: type[AnyWidget], /) -> DOMQuery[AnyWidget]: ...


class TwoKeys(Controller[BoundScreen]):
    """Waits for the second of two keys, and does what they say."""

    first = ""
    """The first of two keys, while the second is waited for."""
    _hesitates: "Timer | None" = None

    def action_first_key(self, first: str) -> None:
        """Wait for the second key; whoever hesitates is told what there is."""
        self.forget()
        self.first = first
        self._hesitates = self.screen.set_timer(HESITATION, self.offer)

    def offer(self) -> None:
        """Show which keys may come now."""
        if not self.first or not self.screen.is_attached:
            # The second key came when this was on its way already.
            return
        title = next(command.title for command in COMMANDS if command.action == f"first_key('{self.first}')")
        self.screen.mount(WhichKey(title, self._second_keys))

    @property
    def _second_keys(self) -> list[tuple[str, str]]:
        """The keys that may come now, and what they do; that for the first line is the first one again."""
        bound = self.screen.active_bindings.items()
        first = f"{self.first} "
        keys = [
            (written(key.removeprefix(first)), at.binding.description) for key, at in bound if key.startswith(first)
        ]
        return sorted([*keys, *([(GO, "First line")] if self.first == GO else ())])

    def forget(self) -> None:
        """Wait for no second key any more."""
        self.first = ""
        if self._hesitates is not None:
            self._hesitates.stop()
            self._hesitates = None
        self.screen.query(WhichKey).remove()

    async def second(self, key: str) -> None:
        """Do what the two keys say."""
        first = self.first
        self.forget()
        if key == CLOSE:
            return
        bound = self.screen.active_bindings.get(FIRST if first == key == GO else f"{first} {key}")
        if bound is None:
            self.screen.say(f"{first} {written(key)} does nothing here; {first} alone shows what does.")
        elif bound.enabled:
            await self.screen.app.run_action(bound.binding.action, bound.node)
