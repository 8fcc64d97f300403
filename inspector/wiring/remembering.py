"""What was in focus, and how screens were arranged, is found again at the next start."""

from typing import TYPE_CHECKING

from inspector.messages import Inspected
from inspector.text import clean
from inspector.wiring.base import Wired

if TYPE_CHECKING:
    from inspector.inspection import Inspection
    from inspector.selection import Selection
    from inspector.terminal.remembered import Left, Remembered

SAVE_SECONDS = 1.0
"""How often what is remembered is written where it changed."""


class Remembering(Wired):
    """Keeps how the workspace was left."""

    _told = False

    def recall(self, selection: "Selection") -> "Remembered":
        """How this workspace was left; in any thread."""
        from inspector.terminal.remembered import Remembered
        from inspector.workspace_place import demo_workspace

        if self.state is None:
            return Remembered()
        root = selection.workspace.root
        # The demo is the same with and without rewards of one's own.
        return Remembered.of_workspace(None if root == demo_workspace() else root, self.state)

    def as_left(self, inspection: "Inspection", left: "Left") -> "Inspection":
        """With the columns that were chosen, through the scorer that was in focus last.

        Unless another one was asked for, or that has no rewards there any more.
        """
        inspection = inspection.arranged(inspection.selection.request.columns or left.columns)
        if self.request.scorers or (left.benchmark, left.scorer) == (inspection.benchmark, inspection.scorer):
            return inspection
        names = [one.scorer.name for one in inspection.selection.evaluations if one.covers(left.benchmark)]
        return inspection.focused(left.scorer, left.benchmark) if left.scorer in names else inspection

    def remember(self) -> None:
        """Begin to write what changes; where the workspace is, is found again where there is none at the next start."""
        root = self.inspection.selection.workspace.root if self.inspection else None
        if self.remembered is not None and root is not None and self.remembered.left.place != str(root.resolve()):
            self.remembered.keep(place=str(root.resolve()))
        self.set_interval(SAVE_SECONDS, self._remember)

    def _remember(self) -> None:
        """In a thread: a slow disk must not stop the keys."""
        remembered = self.remembered
        if remembered is None:
            return
        if remembered.changed:
            self.run_worker(remembered.save, thread=True, group="remember", description="remember")
        elif remembered.problem and not self._told:
            self._told = True
            self.notify(clean(remembered.problem), severity="warning", markup=False, timeout=15)

    def on_inspected(self, message: Inspected) -> None:
        """A screen made a new value."""
        self.inspection = now = message.inspection
        if self.remembered is not None and now.scorer is not None:
            left = self.remembered.left
            if (now.benchmark, now.scorer) != (left.benchmark, left.scorer):
                self.remembered.keep(benchmark=now.benchmark, scorer=now.scorer)

    def on_unmount(self) -> None:
        if self.remembered is not None:
            self.remembered.save()
