"""Where to begin: what `prm-inspect` asks where nothing was imported yet."""

import os
from collections.abc import Sequence
from itertools import islice
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import Input

from inspector.render.texts.text import clean
from inspector.screens.dialog import Narrowing
from inspector.state.visit import HERE, Visit
from inspector.widgets.pick_list import Pick, PickList
from scoring.data.storage.files import expand_home
from scoring.formats.benchmarks.demo import NAME as DEMO
from scoring.importing.source_locations import HUB, is_source_address
from scoring.workspace.workspace import MARK

_OFFERED, _LOOKED_AT = 50, 1000


class PathList(Narrowing[str]):
    """A few places, and any path that is typed: the value is one of them."""

    PLACEHOLDER = "type a path"
    NOTHING = "There is nothing of this name here."
    ENTER = "Open"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("tab", "complete", "Complete the path", priority=True)]

    def __init__(self, title: str, about: str, picks: Sequence[Pick], visit: Visit = HERE) -> None:
        """`picks` are offered before anything is typed; what is typed is looked for as `visit` may."""
        super().__init__(title, about)
        self._picks, self._visit = list(picks), visit

    def lines(self, typed: str) -> tuple[Sequence[Pick], int]:
        held = [pick for pick in self._picks if typed.lower() in pick.label.lower()]
        elsewhere = (
            [Pick(typed, typed, "not on this disk")] if is_source_address(typed) or typed.startswith(HUB) else []
        )
        if "/" in typed and not elsewhere and not self._visit.reaches(expand_home(typed)):
            elsewhere = [Pick(typed, typed, "outside the workspace's folder")]
        picks = {pick.key: pick for pick in (*held, *elsewhere, *path_picks(typed, self._visit))}
        # The path that the text names comes first, then paths that extend it.
        ordered = sorted(picks.values(), key=lambda pick: (not _names(typed, pick), not pick.label.startswith(typed)))
        return ordered if typed else self._picks, 0

    def answer(self, key: str) -> str:
        return key

    def action_complete(self) -> None:
        """Replace the text with the path under the cursor, if the path extends it."""
        self._catch_up()
        line, pick = self.query_one(Input), self.query_one(PickList).pick
        if pick is not None and pick.key != DEMO and pick.label.startswith(line.value):
            line.value = pick.label
            line.cursor_position = len(line.value)


def start_list(recent: Sequence[str], files: Sequence[str]) -> PathList:
    """Ask where to begin; `recent` are folders of workspaces, `files` those of this folder that would be recognised."""
    picks = [
        Pick(DEMO, "the demo", "240 cases of elementary mathematics and seven scorers, small and real"),
        *(Pick(name, name, "a file of this folder that would be recognised") for name in files),
        *(Pick(place, place, "a workspace that you looked at") for place in recent),
    ]
    about = "Nothing was imported here yet. Choose, or type the path of results, of a benchmark or of a workspace."
    return PathList("prm-inspect", about, picks)


def import_list(visit: Visit = HERE) -> PathList:
    """Ask what to import; what is in this folder is offered first, to a visitor what is in the workspace's."""
    elsewhere = ", a folder" if visit.root else ", a folder, hf:NAME or https://"
    about = f"Rewards, verdicts, answers or cases: any file{elsewhere}. Type its path, or choose."
    return PathList("Import", about, path_picks(f"{visit.root}/" if visit.root else "", visit), visit)


def path_picks(typed: str, visit: Visit = HERE) -> list[Pick]:
    """Return files and folders whose path begins with what was typed; if it ends with a slash, that folder too."""
    before = typed[: typed.rfind("/") + 1]
    beginning = typed.removeprefix(before)
    if not visit.reaches(expand_home(before or ".")):
        return []
    try:
        with os.scandir(expand_home(before or ".")) as entries:
            names = sorted(entry.name for entry in islice(entries, _LOOKED_AT) if _may_be(entry.name, beginning))
    except OSError:
        return []
    if beginning:
        # The folder may hold more entries than are listed.
        there = os.path.exists(expand_home(typed)) and visit.reaches(expand_home(typed))  # noqa: PTH110  # may raise
        itself = [typed] if there else []
    else:
        itself = [before.rstrip("/") or "/"] if before else []
    return [_path_pick(path) for path in dict.fromkeys((*itself, *(f"{before}{name}" for name in names[:_OFFERED])))]


def _names(typed: str, pick: Pick) -> bool:
    return pick.key.rstrip("/") == typed.rstrip("/")


def _may_be(name: str, beginning: str) -> bool:
    hidden = name.startswith(".") and not beginning.startswith(".")
    return name.startswith(beginning) and not hidden and clean(name) == name


def _path_pick(path: str) -> Pick:
    place = expand_home(path)
    if not place.is_dir():
        return Pick(path, path, "a file")
    if (place / MARK).is_file():
        return Pick(path, path, "a workspace")
    named = f"{path.rstrip('/')}/"
    return Pick(named, named, "a folder: all that is recognised in it")
