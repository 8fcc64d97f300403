"""Where to begin: what `prm-inspect` asks where nothing was imported yet."""

import os
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import Input

from inspector.screens.narrowing import Narrowing
from inspector.terminal.themed import Themed
from inspector.terminal.themes import DEFAULT
from inspector.text import clean
from inspector.widgets.pick_list import Pick, PickList
from scoring.benchmarks.demo import NAME as DEMO
from scoring.files import expand_home
from scoring.workspace import MARK

_OFFERED, _LOOKED_AT = 50, 1000


class StartList(Narrowing[str]):
    """The demo, workspaces that were looked at, files here, and any path that is typed: the value is one of them."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("tab", "complete", "Complete", priority=True, show=False)]

    def __init__(self, recent: Sequence[str], files: Sequence[str]) -> None:
        """`recent` are folders of workspaces, `files` those of this folder that would be recognised."""
        super().__init__(
            "prm-inspect",
            "Nothing was imported here yet. Choose, or type the path of results, of a benchmark or of a workspace.",
            "Enter opens it, Tab completes a path, Esc leaves",
        )
        self._picks = [
            Pick(DEMO, "the demo", "240 cases of elementary mathematics and seven scorers, small and real"),
            *(Pick(name, name, "a file of this folder that would be recognised") for name in files),
            *(Pick(place, place, "a workspace that you looked at") for place in recent),
        ]

    def lines(self, typed: str) -> tuple[Sequence[Pick], int]:
        held = [pick for pick in self._picks if typed.lower() in pick.label.lower()]
        return [*held, *path_picks(typed)] if typed else self._picks, 0

    def answer(self, key: str) -> str:
        return key

    def action_complete(self) -> None:
        """Put the path under the cursor in place of what was typed of it."""
        pick = self.query_one(PickList).pick
        if pick is not None and pick.key != DEMO:
            line = self.query_one(Input)
            line.value = pick.label
            line.cursor_position = len(line.value)


def path_picks(typed: str) -> list[Pick]:
    """Files and folders whose path begins with what was typed, and that folder itself where it ends with a slash."""
    before = typed[: typed.rfind("/") + 1]
    beginning = typed.removeprefix(before)
    try:
        with os.scandir(expand_home(before or ".")) as entries:
            names = sorted(entry.name for entry in islice(entries, _LOOKED_AT) if _may_be(entry.name, beginning))
    except OSError:
        return []
    itself = [_path_pick(before.rstrip("/") or "/")] if before and not beginning else []
    return [*itself, *(_path_pick(f"{before}{name}") for name in names[:_OFFERED])]


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


class StartApp(Themed[str]):
    """Shows the list and ends with what was chosen."""

    CSS_PATH = "../inspector.tcss"
    ENABLE_COMMAND_PALETTE = False

    def __init__(
        self,
        recent: Sequence[str],
        files: Sequence[str],
        *,
        state: Path | None = None,
        theme: str = DEFAULT,
        ascii_only: bool = False,
    ) -> None:
        """`theme` is the one where none is kept in the folder `state`; for the others see `StartList`."""
        super().__init__()
        self._recent, self._files, self.ascii_only = recent, files, ascii_only
        self.take_theme(state, theme)

    def on_mount(self) -> None:
        self.push_screen(StartList(self._recent, self._files), self.exit)
