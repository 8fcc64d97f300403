"""What every part of the app knows."""

from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import App

from inspector.commands.key_words import KeyWords
from inspector.request import Request
from inspector.visit import HERE, Visit

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.events import Event

    from inspector.case_view.manner import Manner
    from inspector.inspection import Inspection
    from inspector.paint import Brush
    from inspector.screens.base import InspectionScreen
    from inspector.terminal.remembered import Remembered
    from scoring.workspace import Workspace

INSPECT = "inspect"
"""The mode in which all screens are but the one that says that the terminal is too small."""


class Wired(App[int]):
    """An app with the value that is shown and how the workspace was left; its parts are one duty a file.

    `inspection` and `remembered` are None until the workspace has been read, `manner` (how cases are shown) until a
    person changes it. `keys` are those that sentences name. `visit` says who sits there and what they may do.
    """

    visit: Visit = HERE

    def __init__(
        self,
        request: Request,
        *,
        ascii_only: bool = False,
        folder: Path | None = None,
        state: Path | None = None,
        config: Path | None = None,
    ) -> None:
        """`folder` is where exports go, the current one by default; `state` is where it is remembered how one left.

        Without `state` nothing is read from there and nothing written. `config` is the folder of a person's settings.
        """
        super().__init__()
        self.request = request
        self.ascii_only = ascii_only
        self.folder = folder or Path()
        self.state = state
        self.config = config
        self.inspection: Inspection | None = None
        self.remembered: Remembered | None = None
        self.manner: Manner | None = None
        self.keys = KeyWords(plain=ascii_only)

    @property
    def front(self) -> "InspectionScreen | None":
        """The screen that shows the value, though a dialog may lie on it; None before there is one."""
        from inspector.screens.base import InspectionScreen

        screens = reversed(self.get_screen_stack(INSPECT))
        return next((screen for screen in screens if isinstance(screen, InspectionScreen)), None)

    @property
    def held(self) -> bool:
        """Whether nobody may put another value on screen now: under somebody's moving threshold or search."""
        return self.front is None or self.front.held

    async def took_second(self, event: "Event") -> bool:  # noqa: ARG002
        """Whether an event was the second key of two; then all is done."""
        return False

    def read_again(self, then: "Callable[[], object]" = lambda: None) -> None:
        """Read the workspace anew, in a thread, and do what is left once it is shown."""
        raise NotImplementedError

    def scored_workspace(self, workspace: "Workspace") -> Path:
        """Where rewards go; that of the demo is made where it is missing, and then read in the place of none.

        Raises:
            UnwritableWorkspace, DamagedWorkspace: it cannot be made.
        """
        from inspector.workspace_place import demo_workspace
        from scoring.workspace import Workspace

        if workspace.root is not None:
            return workspace.root
        root = demo_workspace()
        Workspace.create(root)
        self.read_again()
        return root

    def leave(self) -> None:
        """End the app, in good order."""
        self.exit(0)

    def brush(self) -> "Brush":
        """How pictures are drawn."""
        from inspector.paint import Brush

        return Brush(self.ascii_only)

    def benchmarks(self) -> list[str]:
        """The benchmarks whose cases were read."""
        return self.inspection.cases["benchmark"].unique().to_list() if self.inspection else []
