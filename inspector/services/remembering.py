"""What was in focus, how screens were arranged and what the first one showed is found again at the next start."""

import json
import os
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import asdict

from inspector.request import ENVIRONMENT
from inspector.terminal import kept_frame
from inspector.terminal.textual_compat import painted

if TYPE_CHECKING:
    from textual.strip import Strip

    from inspector.app import InspectApp
    from inspector.inspection import Inspection
    from inspector.selection import Selection
    from inspector.terminal.remembered import Left, RememberedState

SAVE_SECONDS = 1.0
"""How often what is remembered is written where it changed."""
LOOKS = 20
"""How often it is looked, once a second, whether the first screen is done and nobody has done anything yet."""
_LIBRARIES = ("textual", "rich", "polars", "numpy")
"""Packages by whose versions the first frame may differ."""


class Remembering:
    """Keeps how the workspace was left."""

    def __init__(self, app: "InspectApp") -> None:
        self._app = app
        self._warned = False
        self._began = time.time_ns()
        self._looks = LOOKS

    def recall(self, selection: "Selection") -> "RememberedState":
        """Return how this workspace was left; in any thread."""
        from inspector.terminal.remembered import RememberedState
        from inspector.workspace_place import demo_workspace

        if self._app.state is None:
            return RememberedState()
        root = selection.workspace.root
        # The demo is the same with and without rewards of one's own.
        return RememberedState.of_workspace(None if root == demo_workspace() else root, self._app.state)

    def begin(self, selection: "Selection") -> None:
        """Begin to write what changes; where the workspace is, is found again where there is none at the next start."""
        root, remembered = selection.workspace.root, self._app.remembered
        place = str(root.resolve()) if root is not None and selection.workspace.place == str(root) else ""
        place = place or selection.workspace.place
        if remembered is not None and root is not None and remembered.left.place != place:
            remembered.keep(place=place)
        self._app.set_interval(SAVE_SECONDS, self._save_changes)
        if self._app.state is not None:
            self._app.set_timer(SAVE_SECONDS, partial(self._keep_frame, self._app.state, selection))

    # -- the first frame

    def first_frame(self) -> "list[Strip]":
        """Return the lines that were on screen first the last time; none where anything has changed since."""
        if self._app.state is None:
            return []
        return kept_frame.recall(kept_frame.frame_file(self._app.state, self._settings()))

    def _keep_frame(self, state: Path, selection: "Selection") -> None:
        """Keep what is on screen once nothing is being computed any more, unless a person has done something."""
        app, now = self._app, self._app.inspection
        front, self._looks = app.front, self._looks - 1
        if now is None or now.selection is not selection or app.has_acted or front is None or front.NAME != "board":
            return
        if any(work.is_running for work in app.workers) or front.query("Toast"):
            if self._looks:
                app.set_timer(SAVE_SECONDS, partial(self._keep_frame, state, selection))
            return
        place = kept_frame.frame_file(state, self._settings())

        def keep() -> None:
            kept_frame.keep(place, self._inputs(selection), lines, before=self._began)

        lines = painted(front)
        app.run_in_thread(keep, "frame")

    def _settings(self) -> tuple[str, ...]:
        """What the first frame follows from beside files: what was asked for, where, by whom, and how it looks."""
        app = self._app
        variables = (os.environ.get(name, "") for name in (ENVIRONMENT, "XDG_DATA_HOME", "NO_COLOR"))
        looks = f"{app.size.width}x{app.size.height}", app.theme, str(app.ascii_only)
        return json.dumps(asdict(app.request)), str(Path.cwd()), app.visit.who, *looks, *variables

    def _inputs(self, selection: "Selection") -> Iterator[str]:
        """The files and folders that the first frame follows from, and those that are not there and would count."""
        from inspector.terminal.keymap import FILE
        from inspector.workspace_place import deciding_files
        from scoring.benchmarks import demo
        from scoring.plugins import installed_plugins
        from scoring.runs.plan import FOLDER as LEASES
        from scoring.storage.files import expand_home
        from scoring.workspace import BENCHMARKS, REWARDS

        request, workspace = self._app.request, selection.workspace
        yield from map(str, deciding_files(request.workspace))
        yield from kept_frame.files_under(demo.folder())
        if (root := workspace.root) is not None:
            # What else lies in it tells nothing of what the first screen shows.
            yield from map(str, (root, *(path for path in root.iterdir() if path.is_file())))
            yield from kept_frame.files_under(root / BENCHMARKS)
            yield from kept_frame.files_under(root / REWARDS, without=LEASES)
        if request.labels != "original" and workspace.triage is not None:
            yield str(workspace.triage)
            yield from kept_frame.files_under(workspace.triage)
        yield from () if self._app.config is None else [str(self._app.config / FILE)]
        yield from (str(expand_home(name)) for name in request.plugins)
        ours = {"inspector", "scoring", *(plugin.module.partition(".")[0] for plugin in installed_plugins().values())}
        for name, module in list(sys.modules.items()):
            known = name in _LIBRARIES or name.partition(".")[0] in ours
            if known and (file := getattr(module, "__file__", None)):
                yield file

    # -- what a person does

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


def as_left(inspection: "Inspection", left: "Left", *, chosen: bool) -> "Inspection":
    """Return it with the columns that were chosen, through the scorer that was in focus last.

    Unless one was `chosen` by name, or that has no rewards there any more.
    """
    inspection = inspection.arranged(inspection.selection.request.columns or left.columns)
    if chosen or (left.benchmark, left.scorer) == (inspection.benchmark, inspection.scorer):
        return inspection
    names = [
        evaluation.scorer.name for evaluation in inspection.selection.evaluations if evaluation.covers(left.benchmark)
    ]
    return inspection.focused(left.scorer, left.benchmark) if left.scorer in names else inspection
