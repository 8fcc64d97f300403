"""The README's pictures come from here: `UPDATE_PICTURES=1 pytest tests/test_pictures.py` writes them anew."""

import os
import re
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from drawing import Frame, drawn
from inspector.widgets.sheet_view import SheetView
from opened import opened
from screen_text import press, rests, settled, until

FOLDER = Path(__file__).parent.parent / "assets" / "pictures"
_BESIDE = ("o", "j", "j", "space", "space", "enter")
"""The scorer in focus, and the two scorers after the next one."""
SHOTS = {
    "compare": ((120, 36), "g c", "two scorers on the same cases", ("g", "c", *["j"] * 3, "l")),
    "triage": (
        (120, 32),
        "g t",
        "is it the model that is wrong, or the label?",
        ("enter", "g", "t", "end", "enter", "1", "minus"),
    ),
    "case": (
        (124, 32),
        "o",
        "one case, three scorers",
        ("enter", "slash", *"course", "space", *"weeks", "enter", "x", "enter", *_BESIDE),
    ),
}
"""Picture -> its size, what its title says, and the keys that lead from the board to it."""
_TEN, _FIVE = ["right"] * 10, ["right"] * 5
TOUR = (
    ((), "prm-inspect demo", "every scorer, and what its F1 is made of", 4),
    (("enter",), "Enter", "the cases that tiny-prm-m gets wrong", 3),
    (("j", "j", "j", "enter"), "j j j Enter", "one of them, step by step", 5),
    (("escape", "t"), "Esc t", "the threshold under all of them", 2.5),
    (_TEN, "→ → →", "it moves, and every case is decided again", 2),
    (_FIVE, "→ → →", "it moves, and every case is decided again", 1.5),
    (_FIVE, "→ → →", "it moves, and every case is decided again", 2.5),
    (("v", "m"), "v m", "the best on these cases: optimistic, and called so", 3.5),
    (("enter", "escape"), "Enter Esc", "the board says what no longer compares", 4),
)
"""The moving picture: keys, how they are written, what they do, and for how many seconds it is shown."""


async def screenshot(pilot: Pilot[Any], keys: tuple[str, ...] | list[str]) -> str:
    for key in keys:
        await press(pilot, key)
        await rests(pilot)
    # What takes longer is filled in, and is in the picture.
    await until(pilot, lambda: not any(view.sheet.busy for view in pilot.app.screen.query(SheetView)))
    await rests(pilot)
    await settled(pilot)
    return pilot.app.export_screenshot()


def compared(name: str, svg: str) -> None:
    path = FOLDER / f"{name}.svg"
    if os.environ.get("UPDATE_PICTURES"):
        FOLDER.mkdir(exist_ok=True)
        path.write_text(svg, encoding="utf-8", newline="\n")
    assert path.read_text(encoding="utf-8") == svg, "run UPDATE_PICTURES=1 pytest tests/test_pictures.py and look at it"


@pytest.mark.parametrize("name", SHOTS)
async def test_the_picture_is_what_the_app_shows(name: str):
    size, keys, words, pressed = SHOTS[name]
    async with opened(size=size) as pilot:
        frame = Frame(await screenshot(pilot, pressed), keys, words)
    compared(name, drawn([frame], f"prm-inspect demo: {words}"))


async def test_the_moving_picture_is_what_the_app_shows_key_by_key():
    async with opened(size=(104, 28)) as pilot:
        frames = [Frame(await screenshot(pilot, keys), *words) for keys, *words in TOUR]
    compared("tour", drawn(frames, "prm-inspect demo: from the board to a case, and under a moving threshold"))


def test_every_picture_is_one_of_these_and_neither_loads_nor_runs_anything():
    assert {path.stem for path in FOLDER.iterdir()} == {*SHOTS, "tour"}
    for path in FOLDER.iterdir():
        text = path.read_text(encoding="utf-8")
        assert "<script" not in text
        assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
        assert "url(" not in text


def test_a_film_shows_one_frame_at_any_time_and_the_first_where_nothing_moves():
    svg = (FOLDER / "tour.svg").read_text(encoding="utf-8")
    assert ".f{visibility:hidden}.f0{visibility:visible}" in svg
    shown = []
    for number in range(len(TOUR)):
        (keyframes,) = re.findall(rf"@keyframes s{number}\{{(.*)\}}", svg)
        shown.append([(float(at), what) for at, what in re.findall(r"([\d.]+)%\{visibility:(\w+)\}", keyframes)])
    for at in range(100):
        now = [max(one for one in frames if one[0] <= at)[1] for frames in shown]
        assert now.count("visible") == 1, at


def test_the_readme_shows_pictures_that_are_there():
    readme = (FOLDER.parent.parent / "README.md").read_text(encoding="utf-8")
    shown = re.findall(r"\]\((assets/pictures/[^)]+)\)", readme)
    assert shown
    assert all((FOLDER.parent.parent / path).is_file() for path in shown)
