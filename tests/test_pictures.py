"""The README's pictures come from here: `UPDATE_PICTURES=1 pytest tests/test_pictures.py` writes them anew."""

import os
import re
from pathlib import Path

import pytest

from inspector.widgets.sheet_view import SheetView
from opened import opened
from screen_text import settled, under_way, until

FOLDER = Path(__file__).parent.parent / "assets" / "pictures"
_BESIDE = ("o", "j", "space", *["k"] * 5, "space", "enter")
"""The scorer in focus, the one after it and the one five before it."""
SHOTS = {
    "board": (),
    "cases": ("enter", "j", "j"),
    "threshold": ("enter", "t", *["right"] * 4),
    "compare": ("g", "c", *["j"] * 3, "l"),
    "triage": ("enter", "g", "t", "end", "enter", "1", *["down"] * 4, "minus"),
    "case": ("enter", "/", *"course", "space", *"weeks", "enter", "x", "enter", *_BESIDE),
}
"""Picture -> the keys that lead from the board to it."""


async def drawn(keys: tuple[str, ...]) -> str:
    async with opened(size=(132, 34)) as pilot:
        for key in keys:
            await pilot.press(key)
            await settled(pilot)
        # What takes longer is filled in, and is in the picture.
        await until(pilot, lambda: not any(view.sheet.busy for view in pilot.app.screen.query(SheetView)))
        # The pane follows when the cursor has rested.
        await until(pilot, lambda: not under_way(pilot.app))
        return pilot.app.export_screenshot(title="prm-inspect demo")


@pytest.mark.parametrize("name", SHOTS)
async def test_the_picture_is_what_the_app_shows(name: str):
    svg = await drawn(SHOTS[name])
    path = FOLDER / f"{name}.svg"
    if os.environ.get("UPDATE_PICTURES"):
        FOLDER.mkdir(exist_ok=True)
        path.write_text(svg, encoding="utf-8", newline="\n")
    assert path.read_text(encoding="utf-8") == svg, "run UPDATE_PICTURES=1 pytest tests/test_pictures.py and look at it"


def test_every_picture_is_one_of_these_and_loads_nothing_from_elsewhere_but_the_font():
    assert {path.stem for path in FOLDER.iterdir()} == set(SHOTS)
    for path in FOLDER.iterdir():
        assert "<script" not in path.read_text(encoding="utf-8")


def test_the_readme_shows_pictures_that_are_there():
    readme = (FOLDER.parent.parent / "README.md").read_text(encoding="utf-8")
    shown = re.findall(r"\]\((assets/pictures/[^)]+)\)", readme)
    assert shown
    assert all((FOLDER.parent.parent / path).is_file() for path in shown)
