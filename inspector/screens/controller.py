"""What a screen is made of beside its widgets: a controller for each of its concerns."""

from collections.abc import Callable, Sequence
from typing import Generic, Literal, Protocol, TypeVar, overload

import numpy as np
import polars as pl
from textual.app import App
from textual.geometry import Size
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget
from textual.worker import Worker

from inspector.screens.screen_context import ScreenContext
from inspector.state.screen_state import ScreenState
from inspector.widgets.frame_table import FrameTable

AnyWidget = TypeVar("AnyWidget", bound=Widget)


class ControlledScreen(Protocol):
    """What controllers use of any screen. A controller that uses more of its screen extends this protocol."""

    context: ScreenContext
    state: ScreenState

    def put(self, state: ScreenState) -> None: ...
    def say(self, sentence: str) -> None: ...
    def close_rail(self) -> None: ...
    def show_if_open(self, show: Callable[..., object], *values: object) -> None: ...

    # Of Textual's `Screen`.

    @property
    def app(self) -> App[object]: ...
    @property
    def size(self) -> Size: ...
    @property
    def is_current(self) -> bool: ...
    @overload
    def query_one(self, selector: type[AnyWidget], /) -> AnyWidget: ...
    @overload
    def query_one(self, selector: str, expect_type: type[AnyWidget], /) -> AnyWidget: ...
    def notify(
        self,
        message: str,
        *,
        severity: Literal["information", "warning", "error"] = "information",
        timeout: float | None = None,
        markup: bool = True,
    ) -> None: ...
    def post_message(self, message: Message, /) -> bool: ...
    def refresh_bindings(self) -> None: ...
    def set_focus(self, widget: Widget | None, /) -> None: ...
    def set_timer(self, delay: float, callback: Callable[[], object], /) -> Timer: ...
    def call_later(self, callback: Callable[..., object], /, *values: object) -> bool: ...
    def call_after_refresh(self, callback: Callable[..., object], /, *values: object) -> bool: ...
    def run_worker(
        self, work: Callable[[], None], /, *, group: str, description: str, exclusive: bool = False, thread: bool
    ) -> Worker[None]: ...


class TableScreen(ControlledScreen, Protocol):
    """A screen with one table. While it is `held` there is a value to go back to."""

    @property
    def table(self) -> FrameTable: ...
    @property
    def held(self) -> bool: ...


class QueueScreen(ControlledScreen, Protocol):
    """A screen on which a queue of cases can be begun."""

    def listed(self, state: ScreenState) -> ScreenState | None: ...
    def go_through(self, row: int) -> None: ...


AnyScreen_co = TypeVar("AnyScreen_co", bound=ControlledScreen, covariant=True)


class Controller(Generic[AnyScreen_co]):
    """One concern of a screen: its state, and the actions that keys name for it.

    A screen takes the actions of its controllers by `control`. What a thread found comes back by `screen.call_later`,
    which may be called from any thread.
    """

    def __init__(self, screen: AnyScreen_co) -> None:
        self.screen = screen

    @property
    def context(self) -> ScreenContext:
        """What all screens share."""
        return self.screen.context

    @property
    def state(self) -> ScreenState:
        """What the screen shows."""
        return self.screen.state


def same_owners(first: Sequence[object], second: Sequence[object]) -> bool:
    """Return whether what was made of some things holds for others: arrays and words by value, frames as they are."""
    return len(first) == len(second) and all(map(_equal, first, second))


def _equal(first: object, second: object) -> bool:
    if isinstance(first, np.ndarray) or isinstance(second, np.ndarray):
        return isinstance(first, np.ndarray) and isinstance(second, np.ndarray) and np.array_equal(first, second)
    # Whether two frames are alike is no truth value.
    return first is second or (not isinstance(first, pl.DataFrame) and bool(first == second))
