"""What services use of the app that hosts them."""

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from textual.app import App

from inspector.state.message_history import MessageHistory
from inspector.state.visit import Visit
from scoring.selection.query import Query

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.notifications import SeverityLevel

    # They import polars, which the first paint does not wait for.
    from inspector.screens.base import AppScreen
    from inspector.state.remembered import RememberedState
    from inspector.state.screen_state import ScreenState


class ServiceHost(Protocol):
    """How the app was started, the state on screen, messages to the person, and threads.

    The host has `state` and `remembered` from the time when the workspace has been read.
    """

    initial_query: Query
    visit: Visit
    message_history: MessageHistory
    ascii_only: bool
    folder: Path
    state_folder: Path | None
    config: Path | None
    state: "ScreenState"
    remembered: "RememberedState"

    @property
    def app(self) -> App[object]:
        """The same app as Textual knows it: timers, callbacks and the stack of screens."""

    @property
    def front(self) -> "AppScreen | None":
        """The top screen that shows the state, or None before the first one."""

    @property
    def held(self) -> bool:
        """Whether a person is moving a threshold or searching, so that no other state may be shown."""

    @property
    def has_acted(self) -> bool:
        """Whether the person has done anything yet."""

    def put(self, state: "ScreenState") -> None:
        """Show a state that no screen made."""

    def tell(
        self,
        sentence: str,
        severity: "SeverityLevel" = "information",
        *,
        title: str = "",
        lines: bool = False,
    ) -> None:
        """Show a notification, from any thread; `lines` keeps line breaks."""

    def warn(self, sentence: str, *, title: str = "") -> None:
        """Show a warning, from any thread."""

    def run_in_thread(self, work: "Callable[[], object]", group: str, *, exclusive: bool = False) -> None:
        """Run slow work in a thread; `exclusive` cancels other work of its group."""

    def write(self, sequence: str) -> None:
        """Send an escape sequence to the terminal, if there is one."""
