"""How every screen looks at 80x24, some of them wide, under the light theme and in ASCII; and pages of analyses.

A screen is opened. A page of an analysis is a view, and what its first two screens say is laid out without an app.

The golden files in `tests/snapshots/` are text: the screen as it stands there, a map with a letter for the style of
every character, and a legend with what the letter is under the dark and under the light theme. One is 4 to 25 kB and a
change of it is read in a diff, where an SVG of the same screen has 50 to 115 kB that only a browser can read; the few
SVGs that there are come from `test_pictures`. Where there are both themes they stand in one file because the words must
be the same under both; the light one is put on while the app runs, so that whatever keeps a colour of the theme before
is found as well.

`UPDATE_SNAPSHOTS=1 pytest tests/test_snapshots.py` writes them anew; then look at every one that changed.
"""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from inspector.analyses import Params, load
from inspector.app.app import InspectApp
from inspector.render.lines import text_of
from inspector.state.opening import inspect
from inspector.state.subject import subject
from inspector.widgets.search_bar import SearchBar
from looks import Look, at_rest, resting_look, written
from opened import opened
from scenes import NARROW, SCENES, Scene, demo
from scoring.selection.loading import load as load_query
from scoring.selection.query import Query
from screen_text import hides, press, shows
from views import page_sheet

FOLDER = Path(__file__).parent / "snapshots"
PICTURES = [(name, size) for name, scene in SCENES.items() for size in scene.sizes] + [("loading", NARROW)]
TWO = ("tiny-prm-m", "tiny-prm-s")
VIEWS: dict[str, tuple[tuple[str, ...], Params]] = {
    "metrics": ((), Params()),
    "compare-cascade": (TWO, Params("cascade")),
    "compare-scorers": ((), Params("scorers")),
    "compare-upset": ((), Params("upset")),
    "card": (TWO[:1], Params()),
    "card-two": (TWO, Params()),
    **{
        f"breakdown-{page}": (TWO[:1], Params(page))
        for page in ("cells", "types", "position", "offset", "aligned", "step_position", "length")
    },
    "bias": (TWO[:1], Params()),
    "thresholds-ways": (TWO, Params("ways")),
    "thresholds-transfer": (TWO[:1], Params("transfer")),
    "thresholds-flips": (TWO[:1], Params("flips", {"flips": (0.3, 0.6)})),
    "thresholds-rewards": (TWO[:1], Params("rewards")),
    "thresholds-reliability": (TWO[:1], Params("reliability")),
    "stats": ((), Params()),
}
"""Pages of analyses: of whom, and which; the first word is the analysis."""
ASCII_VIEWS = ("compare-upset", "breakdown-cells", "thresholds-ways", "thresholds-reliability")
LINES = 48
PLAIN = [*VIEWS, *(f"{name}-ascii" for name in ASCII_VIEWS)]


def golden(name: str, size: tuple[int, int]) -> Path:
    return FOLDER / f"{name}-{size[0]}x{size[1]}.txt"


@pytest.fixture
def _nothing_moves(monkeypatch):
    """No cursor blinks, and every search takes as long."""
    tell = SearchBar.tell
    monkeypatch.setattr(Input, "_toggle_cursor", lambda _: None)
    monkeypatch.setattr(SearchBar, "tell", lambda bar, words: tell(bar, re.sub(r"\d+ ms", "12 ms", words)))


async def under(pilot: Pilot[Any], themes: Sequence[str]) -> dict[str, Look]:
    """What is on screen under each theme."""
    found = {}
    for theme in themes:
        pilot.app.theme = f"prm-{theme}"
        found[theme] = await resting_look(pilot)
    return found


async def looks(pilot: Pilot[Any], scene: Scene) -> dict[tuple[int, int], dict[str, Look]]:
    """What is on screen at each of its sizes: reached at the first, then resized."""
    await sized(pilot, scene.sizes[0])
    # What a board or a page computes behind is not there at once, and comes no more where a dialog is above it.
    await hides(pilot, "being computed")
    rested = None
    for key in scene.keys:
        if pilot.app.screen is not rested:
            await at_rest(pilot)
            rested = pilot.app.screen
        await press(pilot, key)
    await hides(pilot, "omputing", "being computed")
    seen = {}
    for size in scene.sizes:
        await sized(pilot, size)
        await shows(pilot, *scene.shows)
        seen[size] = await under(pilot, scene.themes)
    return seen


async def sized(pilot: Pilot[Any], size: tuple[int, int]) -> None:
    if size != pilot.app.size:
        await pilot.resize_terminal(*size)


def compare(path: Path, text: str) -> None:
    """With the golden file, or write it."""
    if os.environ.get("UPDATE_SNAPSHOTS"):
        FOLDER.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    assert path.read_text(encoding="utf-8") == text, (
        "run UPDATE_SNAPSHOTS=1 pytest tests/test_snapshots.py and look at what changed"
    )


def walks() -> list[list[str]]:
    """The scenes of a space that lead back to its first screen are walked one after the other, each other one alone."""
    walked: dict[Any, list[str]] = {}
    for name, scene in SCENES.items():
        walked.setdefault((scene.space, scene.ascii_only) if scene.after else name, []).append(name)
    return list(walked.values())


@pytest.mark.usefixtures("_nothing_moves")
@pytest.mark.parametrize("names", walks(), ids=" ".join)
async def test_the_screens_look_as_they_did(names, tmp_path, monkeypatch):
    first = SCENES[names[0]]
    monkeypatch.chdir(tmp_path)
    if first.ascii_only:
        monkeypatch.setenv("NO_COLOR", "1")
    else:
        monkeypatch.delenv("NO_COLOR", raising=False)
    async with opened(first.space(), size=first.sizes[0], ascii_only=first.ascii_only) as pilot:
        for scene, name in ((SCENES[name], name) for name in names):
            for size, found in (await looks(pilot, scene)).items():
                assert len({look.lines for look in found.values()}) == 1
                text = "\n".join(found["dark"].lines)
                assert not scene.ascii_only or text.isascii()
                assert str(tmp_path) not in text
                compare(golden(name, size), written(f"{name}, {size[0]}x{size[1]}", found))
            await press(pilot, *scene.after)


@pytest.mark.usefixtures("_nothing_moves")
async def test_what_is_there_at_once_looks_as_it_did(monkeypatch):
    monkeypatch.setattr(InspectApp, "_load", lambda _: None)
    async with InspectApp(Query(benchmarks=("demo",))).run_test(size=NARROW) as pilot:
        compare(golden("loading", NARROW), written("loading, 80x24", await under(pilot, ["dark"])))


@pytest.fixture(scope="module")
def state():
    return inspect(load_query(demo()))


@pytest.mark.parametrize("name", PLAIN)
def test_the_page_of_an_analysis_looks_as_it_did(name, state):
    ascii_only = name.endswith("-ascii")
    known = name.removesuffix("-ascii")
    scorers, params = VIEWS[known]
    view = load(known.partition("-")[0]).view(subject(state, scorers), params, intervals=not ascii_only)
    rows = page_sheet(view, NARROW, ascii_only=ascii_only).lines
    lines = [text_of(row) for row in rows]
    assert not ascii_only or "".join(lines).isascii()
    compare(golden(f"view-{name}", NARROW), "\n".join([line.rstrip() for line in lines[:LINES]] + [""]))


def test_every_golden_file_is_one_of_these():
    views = {golden(f"view-{name}", NARROW) for name in PLAIN}
    assert set(FOLDER.iterdir()) == {golden(*picture) for picture in PICTURES} | views
