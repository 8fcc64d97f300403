"""How every screen looks: dark and light, narrow and wide, in ASCII without colours, empty, with gaps, without hits.

The golden files in `tests/snapshots/` are text: the screen as it stands there, a map with a letter for the style of
every character, and a legend with what the letter is under the dark and under the light theme. One is 4 to 25 kB and a
change of it is read in a diff, where an SVG of the same screen has 50 to 115 kB that only a browser can read; the few
SVGs that there are come from `test_pictures`. Both themes stand in one file because the words must be the same under
both; the light one is put on while the app runs, so that whatever keeps a colour of the theme before is found as well.

`UPDATE_SNAPSHOTS=1 pytest tests/test_snapshots.py` writes them anew; then look at every one that changed.
"""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from textual.geometry import Size
from textual.pilot import Pilot
from textual.widgets import Input

from inspector.app import InspectApp
from inspector.request import Request
from inspector.screens.loading import too_small
from inspector.widgets.search_bar import SearchBar
from looks import Look, resting_look, written
from opened import opened
from scenes import NARROW, SCENES, WIDE, Scene
from screen_text import hides, press, shows
from thoroughness import one_of

FOLDER = Path(__file__).parent / "snapshots"
THEMES = {"dark": "prm-dark", "light": "prm-light"}
PICTURES = [(name, size) for name, scene in SCENES.items() for size in scene.sizes]


def golden(name: str, size: tuple[int, int]) -> Path:
    return FOLDER / f"{name}-{size[0]}x{size[1]}.txt"


@pytest.fixture(autouse=True)
def _nothing_moves(monkeypatch):
    """No cursor blinks, and every search takes as long."""
    tell = SearchBar.tell
    monkeypatch.setattr(Input, "_toggle_cursor", lambda _: None)
    monkeypatch.setattr(SearchBar, "tell", lambda bar, words: tell(bar, re.sub(r"\d+ ms", "12 ms", words)))


async def both(pilot: Pilot[Any]) -> dict[str, Look]:
    """What is on screen under each theme."""
    found = {}
    for theme, name in THEMES.items():
        pilot.app.theme = name
        found[theme] = await resting_look(pilot)
    return found


async def looks(scene: Scene, sizes: Sequence[tuple[int, int]]) -> dict[tuple[int, int], dict[str, Look]]:
    """What is on screen at each of these sizes: opened at the first, then resized."""
    first = NARROW if too_small(Size(*sizes[0])) else sizes[0]
    async with opened(scene.space(), size=first, ascii_only=scene.ascii_only, behind_dialogs=True) as pilot:
        # What a board computes behind is not there at once.
        await hides(pilot, "being computed")
        await press(pilot, *scene.keys)
        await hides(pilot, "being computed")
        found = {}
        for size in sizes:
            if size != pilot.app.size:
                await pilot.resize_terminal(*size)
            await shows(pilot, *scene.shows)
            if scene.hides:
                await hides(pilot, scene.hides)
            found[size] = await both(pilot)
        return found


def compare(name: str, size: tuple[int, int], found: dict[str, Look]) -> None:
    """With the golden file, or write it."""
    text = written(f"{name}, {size[0]}x{size[1]}", found)
    path = golden(name, size)
    if os.environ.get("UPDATE_SNAPSHOTS"):
        FOLDER.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    assert path.read_text(encoding="utf-8") == text, (
        "run UPDATE_SNAPSHOTS=1 pytest tests/test_snapshots.py and look at what changed"
    )


@pytest.mark.parametrize("name", SCENES)
async def test_the_screen_looks_as_it_did(name, tmp_path, monkeypatch):
    scene = SCENES[name]
    monkeypatch.chdir(tmp_path)
    if scene.no_color:
        monkeypatch.setenv("NO_COLOR", "1")
    else:
        monkeypatch.delenv("NO_COLOR", raising=False)
    # Usually at one of its sizes, another one than the scene before.
    sizes = scene.sizes if os.environ.get("UPDATE_SNAPSHOTS") else one_of(scene.sizes, list(SCENES).index(name))
    for size, found in (await looks(scene, sizes)).items():
        assert found["dark"].lines == found["light"].lines
        text = "\n".join(found["dark"].lines)
        assert not scene.ascii_only or text.isascii()
        assert str(tmp_path) not in text
        compare(name, size, found)


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_what_is_there_at_once_looks_as_it_did(size, monkeypatch):
    monkeypatch.setattr(InspectApp, "_load", lambda _: None)
    async with InspectApp(Request(benchmarks=("demo",))).run_test(size=size) as pilot:
        compare("loading", size, await both(pilot))


def test_every_golden_file_is_one_of_these():
    assert set(FOLDER.iterdir()) == {
        golden(*picture) for picture in [*PICTURES, ("loading", NARROW), ("loading", WIDE)]
    }
