"""Every number on every screen of analysis opens a list of exactly that many cases.

A screen that is new is walked without being named here: its key is the one of the command that opens it.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

import making
import published_spaces
import scenes
from inspector.screens.sheet import SheetScreen
from inspector.widgets.key_table import COMMANDS
from inspector.widgets.key_table.command import ANALYSES
from inspector.widgets.sheet_view import SheetView
from opened import inspected, listed, opened
from scoring.data.training_point import TrainingPoint
from scoring.selection.query import Query
from screen_text import press, rests, shows, strokes, type_ahead, until
from thoroughness import THOROUGH, also
from walking import walk

KEYS = {one.id: strokes(one) for one in COMMANDS}
SIZE = (160, 48)


def study(folder: Path) -> Query:
    """Three scorers with gaps and refusals, on two subsets: checkpoints of a training run."""
    cases, scorers = making.study(n=48)
    run = [(one.as_checkpoint(TrainingPoint("run", at)), rows) for at, (one, rows) in enumerate(scorers)]
    making.workspace(folder / "w", cases, run, **making.labels(cases))
    return Query(workspace=str(folder / "w"))


SPACES: dict[str, Callable[[Path], Query]] = {
    "noted": lambda _: scenes.noted(),
    "critic": lambda _: scenes.critic(),
    "no scorer": lambda _: scenes.unscored(),
    "study": study,
    **dict(
        also(
            ("kinds", lambda _: scenes.kinds()),
            ("one scorer", lambda _: scenes.single()),
            ("demo", lambda _: scenes.demo()),
            ("small", lambda _: scenes.small()),
        )
    ),
}
"""What is looked at, by name; each makes its workspace in the current folder."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def sheet_of(pilot):
    return pilot.app.screen.query_one(SheetView)


async def complete(pilot, screen: str):
    """The screen of this name, once nothing is being computed any more."""
    await until(
        pilot, lambda: getattr(pilot.app.screen, "NAME", "") == screen and bool(pilot.app.screen.query(SheetView))
    )
    await until(pilot, lambda: bool(sheet_of(pilot).sheet.lines) and not sheet_of(pilot).sheet.busy, timeout=60)


OWN = {
    "noted": ("highlights", "taxonomy"),
    "critic": ("metrics", "thresholds", "votes", "taxonomy"),
    "no scorer": ("stats",),
}
"""What has numbers there that the study, of which every screen is walked, has not."""
SILENT = {"paper", "taxonomy", "best-of-n", "votes"}
"""Of the study and the demo no paper prints a table, nobody noted anything, and nothing was answered twice."""


async def walked(pilot, screen: str) -> int:
    """Walk all pages of a screen, and leave it again; how many numbers there were.

    Enter is the same on all its pages, and pressed on the first that has a number under the cursor.
    """
    below = pilot.app.screen.NAME
    await press(pilot, *KEYS[screen])
    await complete(pilot, screen)
    front = pilot.app.screen
    assert isinstance(front, SheetScreen)
    places = pressed = 0
    for page in [one.name for one in front.PAGES] or [""]:
        if page:
            front.turn_to(page)
            await complete(pilot, screen)
        try:
            places += walk(inspected(pilot), sheet_of(pilot).sheet)
            if THOROUGH or not pressed:
                pressed += await first_is_listed(pilot, screen)
        except AssertionError as error:
            error.add_note(f"on {screen}, page {page or 'alone'}")
            raise
    await press(pilot, "escape")
    await until(pilot, lambda: below == pilot.app.screen.NAME)
    return places


async def first_is_listed(pilot, screen: str) -> bool:
    """Enter on the number under the cursor, if there is one, shows its cases; Esc gives back the sheet as it was."""
    drill = sheet_of(pilot).drill
    if drill is None or not drill.n:
        return False
    before, evaluation = sheet_of(pilot).sheet, inspected(pilot).evaluation
    await press(pilot, "enter")
    await until(pilot, lambda: pilot.app.screen.NAME == "cases")
    await until(pilot, lambda: len(listed(pilot)) == drill.n)
    await press(pilot, "escape")
    await complete(pilot, screen)
    assert sheet_of(pilot).sheet == before
    assert inspected(pilot).evaluation is evaluation
    return True


@pytest.mark.parametrize("name", SPACES)
async def test_every_number_opens_exactly_its_cases(name, folder):
    """On the study also under a filter and at another threshold."""
    async with opened(SPACES[name](folder), size=SIZE) as pilot:
        screens = OWN.get(name, tuple(one for one in ANALYSES if one not in SILENT))
        found = {screen: await walked(pilot, screen) for screen in (ANALYSES if THOROUGH else screens)}
        if name in {"demo", "study"}:
            # The scorers of the demo are no checkpoints.
            silent = {*SILENT, *(("timeline",) if name == "demo" else ())}
            assert all(count for screen, count in found.items() if screen not in silent), found
        assert (found.get("taxonomy", 0) > 0) == (name == "noted")
        if name != "study":
            return
        await press(pilot, "g", "l", "colon")
        type_ahead(pilot, *"n_steps > 2", "enter")
        await shows(pilot, "n_steps > 2")
        await press(pilot, "t", "right", "right", "right", "enter")
        for screen in ANALYSES if THOROUGH else ("metrics", "card", "breakdown"):
            await press(pilot, *KEYS[screen])
            await complete(pilot, screen)
            assert "n_steps > 2" in await rests(pilot, "n_steps")
            assert walk(inspected(pilot), sheet_of(pilot).sheet) or screen in SILENT
            await first_is_listed(pilot, screen)
            await press(pilot, "escape")
            await until(pilot, lambda: pilot.app.screen.NAME == "cases")


async def test_so_it_is_on_published_scores(folder, data_folder):
    async with opened(published_spaces.mr_math(folder / "w", data_folder), size=SIZE) as pilot:
        await shows(pilot, "12 scorers")
        # The paper's tables are of published scores alone; the others are walked above.
        for screen in ANALYSES if THOROUGH else ("paper",):
            await walked(pilot, screen)
