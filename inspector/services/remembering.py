"""What was in focus, and how screens were arranged, is found again at the next start."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inspector.app import InspectApp
    from inspector.inspection import Inspection
    from inspector.selection import Selection
    from inspector.terminal.remembered import Left, Remembered

SAVE_SECONDS = 1.0
"""How often what is remembered is written where it changed."""


class Remembering:
    """Keeps how the workspace was left."""

    def __init__(self, app: "InspectApp") -> None:
        self._app = app
        self._warned = False

    def recall(self, selection: "Selection") -> "Remembered":
        """Give how this workspace was left; in any thread."""
        from inspector.terminal.remembered import Remembered
        from inspector.workspace_place import demo_workspace

        if self._app.state is None:
            return Remembered()
        root = selection.workspace.root
        # The demo is the same with and without rewards of one's own.
        return Remembered.of_workspace(None if root == demo_workspace() else root, self._app.state)

    def begin(self, selection: "Selection") -> None:
        """Begin to write what changes; where the workspace is, is found again where there is none at the next start."""
        root, remembered = selection.workspace.root, self._app.remembered
        if remembered is not None and root is not None and remembered.left.place != str(root.resolve()):
            remembered.keep(place=str(root.resolve()))
        self._app.set_interval(SAVE_SECONDS, self._save_changes)

    def _save_changes(self) -> None:
        """In a thread: a slow disk must not stop the keys."""
        remembered = self._app.remembered
        if remembered is None:
            return
        if remembered.changed:
            self._app.run_in_thread(remembered.save, "remember")
        elif remembered.problem and not self._warned:
            self._warned = True
            self._app.warn(remembered.problem)

    def keep_focus(self, now: "Inspection") -> None:
        """Keep what is in focus."""
        remembered = self._app.remembered
        if remembered is not None and now.scorer is not None:
            left = remembered.left
            if (now.benchmark, now.scorer) != (left.benchmark, left.scorer):
                remembered.keep(benchmark=now.benchmark, scorer=now.scorer)

    def save(self) -> None:
        """Write what changed since."""
        if self._app.remembered is not None:
            self._app.remembered.save()


def as_left(inspection: "Inspection", left: "Left", *, asked: bool) -> "Inspection":
    """Give it with the columns that were chosen, through the scorer that was in focus last.

    Unless one was `asked` for, or that has no rewards there any more.
    """
    inspection = inspection.arranged(inspection.selection.request.columns or left.columns)
    if asked or (left.benchmark, left.scorer) == (inspection.benchmark, inspection.scorer):
        return inspection
    names = [one.scorer.name for one in inspection.selection.evaluations if one.covers(left.benchmark)]
    return inspection.focused(left.scorer, left.benchmark) if left.scorer in names else inspection
