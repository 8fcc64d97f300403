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

from inspector.app.services.host import ServiceHost
from inspector.app.terminal import kept_frame
from inspector.widgets.textual_compat import painted
from scoring.data.environment import WORKSPACE

if TYPE_CHECKING:
    from textual.strip import Strip

    from inspector.state.remembered import LastView, RememberedState
    from inspector.state.screen_state import ScreenState
    from scoring.selection.result_set import ResultSet

SAVE_SECONDS = 1.0
"""How often what is remembered is written where it changed."""
LOOKS = 20
"""How often it is looked, once a second, whether the first screen is done and nobody has done anything yet."""
_LIBRARIES = ("textual", "rich", "polars", "numpy")
"""Packages by whose versions the first frame may differ."""


class Remembering:
    """Keeps how the workspace was left."""

    def __init__(self, host: ServiceHost) -> None:
        self._host = host
        self._recalled: RememberedState | None = None
        self._warned = False
        self._began = time.time_ns()
        self._looks = LOOKS

    def recall(self, results: "ResultSet") -> "RememberedState":
        """Return the saved view state of this workspace, or of the demo if it is shown alone. Thread-safe."""
        from inspector.state.remembered import RememberedState

        if self._host.state_folder is None:
            self._recalled = RememberedState()
        else:
            self._recalled = RememberedState.of_workspace(self._root(results), self._host.state_folder)
        return self._recalled

    def _root(self, results: "ResultSet") -> Path | None:
        """Return the folder of the workspace whose view state is kept; None for the demo alone, in any workspace."""
        from scoring.formats.benchmarks.demo import NAME as DEMO
        from scoring.workspace.workspace_place import demo_workspace

        root = results.loaded.workspace.root
        return None if results.query.benchmarks == (DEMO,) or root == demo_workspace() else root

    def begin(self, results: "ResultSet") -> None:
        """Begin to write what changes; where the workspace is, is found again where there is none at the next start."""
        root, remembered = self._root(results), self._host.remembered
        place = str(root.resolve()) if root is not None and results.loaded.workspace.place == str(root) else ""
        place = place or results.loaded.workspace.place
        if root is not None and remembered.left.place != place:
            remembered.keep(place=place)
        self._host.app.set_interval(SAVE_SECONDS, self._save_changes)
        if self._host.state_folder is not None:
            self._host.app.set_timer(SAVE_SECONDS, partial(self._keep_frame, self._host.state_folder, results))

    # -- the first frame

    def first_frame(self) -> "list[Strip]":
        """Return the lines that were on screen first the last time; none where anything has changed since."""
        if self._host.state_folder is None:
            return []
        return kept_frame.recall(kept_frame.frame_file(self._host.state_folder, self._settings()))

    def _keep_frame(self, state_folder: Path, results: "ResultSet") -> None:
        """Keep what is on screen once nothing is being computed any more, unless a person has done something."""
        host, now = self._host, self._host.state
        front, self._looks = host.front, self._looks - 1
        if now.results is not results or host.has_acted or front is None or front.NAME != "board":
            return
        if any(work.is_running for work in host.app.workers) or front.query("Toast"):
            if self._looks:
                host.app.set_timer(SAVE_SECONDS, partial(self._keep_frame, state_folder, results))
            return
        place = kept_frame.frame_file(state_folder, self._settings())

        def keep() -> None:
            kept_frame.keep(place, self._inputs(results), lines, before=self._began, left=host.remembered.file)

        lines = painted(front)
        host.run_in_thread(keep, "frame")

    def _settings(self) -> tuple[str, ...]:
        """What the first frame follows from beside files: what was asked for, where, by whom, and how it looks."""
        host, app = self._host, self._host.app
        variables = (os.environ.get(name, "") for name in (WORKSPACE, "XDG_DATA_HOME", "NO_COLOR"))
        looks = f"{app.size.width}x{app.size.height}", app.theme, str(host.ascii_only)
        return json.dumps(asdict(host.initial_query)), str(Path.cwd()), host.visit.who, *looks, *variables

    def _inputs(self, results: "ResultSet") -> Iterator[str]:
        """The files and folders that the first frame follows from, and those that are not there and would count."""
        from inspector.app.terminal.keymap import FILE
        from scoring.data.storage.files import expand_home
        from scoring.formats.benchmarks import demo
        from scoring.metrics.plugins import installed_plugins
        from scoring.runs.leases import FOLDER as LEASES
        from scoring.workspace.workspace import BENCHMARKS, REWARDS
        from scoring.workspace.workspace_place import deciding_files

        query, workspace = self._host.initial_query, results.loaded.workspace
        yield from map(str, deciding_files(query.workspace))
        yield from kept_frame.files_under(demo.folder())
        if (root := workspace.root) is not None:
            # What else lies in it tells nothing of what the first screen shows.
            yield from map(str, (root, *(path for path in root.iterdir() if path.is_file())))
            yield from kept_frame.files_under(root / BENCHMARKS)
            yield from kept_frame.files_under(root / REWARDS, without=LEASES)
        # Labels may follow from what people say, and so may which cases there are: a condition reads any column.
        by_people = query.labels != "original" or query.where or query.slices or query.search
        if by_people and workspace.triage is not None:
            yield str(workspace.triage)
            yield from kept_frame.files_under(workspace.triage)
        yield from () if self._host.config is None else [str(self._host.config / FILE)]
        yield from (str(expand_home(name)) for name in query.plugins)
        ours = {"inspector", "scoring", *(plugin.module.partition(".")[0] for plugin in installed_plugins().values())}
        for name, module in list(sys.modules.items()):
            known = name in _LIBRARIES or name.partition(".")[0] in ours
            if known and (file := getattr(module, "__file__", None)):
                yield file

    # -- what a person does

    def _save_changes(self) -> None:
        """In a thread: a slow disk must not stop the keys."""
        remembered = self._host.remembered
        if remembered.changed:
            self._host.run_in_thread(remembered.save, "remember")
        elif remembered.problem and not self._warned:
            self._warned = True
            self._host.warn(remembered.problem)

    def keep_focus(self, now: "ScreenState") -> None:
        """Keep what is in focus."""
        remembered = self._host.remembered
        if now.focus.scorer is not None:
            left = remembered.left
            if (now.focus.benchmark, now.focus.scorer) != (left.benchmark, left.scorer):
                remembered.keep(benchmark=now.focus.benchmark, scorer=now.focus.scorer)

    def save(self) -> None:
        """Write what changed since, if the workspace was read at all."""
        if self._recalled is not None:
            self._recalled.save()


def as_left(state: "ScreenState", left: "LastView", *, chosen: bool) -> "ScreenState":
    """Return it with the columns that were chosen, through the scorer that was in focus last.

    Unless one was `chosen` by name, or that has no rewards there any more.
    """
    from inspector.state.case_list.listed import arranged

    state = arranged(state, state.results.query.columns or left.columns)
    if chosen or (left.benchmark, left.scorer) == (state.focus.benchmark, state.focus.scorer):
        return state
    names = [
        evaluation.scorer.name for evaluation in state.results.evaluations if evaluation.coverage.covers(left.benchmark)
    ]
    return state.focused(left.scorer, left.benchmark) if left.scorer in names else state
