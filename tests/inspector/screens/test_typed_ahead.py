"""Letters that follow a key at once are typed into the line that it opens, and are nobody's keys."""

import pytest
from textual.screen import ModalScreen
from textual.widgets import Input, TextArea

import judged
from opened import opened
from scoring.selection.query import Query
from screen_text import hides, press, settled, shows, type_ahead


@pytest.fixture
def query(tmp_path):
    judged.workspace(tmp_path / "space")
    return Query(workspace=str(tmp_path / "space"))


async def test_the_first_letters_are_not_lost_and_do_nothing_else_and_the_list_stays_readable(query, tmp_path):
    async with opened(query, folder=tmp_path, behind_dialogs=True) as pilot:
        await press(pilot, "g", "l")
        await shows(pilot, "6 of 6 cases")
        for screen, key in [((), "colon"), ((), "w"), ((), "s"), (("enter",), "a")]:
            await press(pilot, *screen)
            # Each of them is a key of the screen beneath; q would leave it.
            type_ahead(pilot, key, *"qexm")
            await settled(pilot)
            assert isinstance(pilot.app.screen, ModalScreen), (screen, key)
            assert typed(pilot.app.screen) == "qexm", (screen, key)
            await shows(pilot, "6 of 6 cases" if pilot.app.screen_stack[-2].NAME == "cases" else "step 0 of 0")
            await press(pilot, "escape")
        assert pilot.app.screen.NAME == "case"


async def test_enter_may_be_typed_ahead_too_and_where_a_search_is_typed_they_are_letters(query, tmp_path):
    async with opened(query, folder=tmp_path) as pilot:
        await press(pilot, "g", "l")
        type_ahead(pilot, "slash", "slash", *"tsNwW", "colon")
        await shows(pilot, "/tsNwW:")
        await press(pilot, "escape")
        await hides(pilot, "tsNwW")
        type_ahead(pilot, "colon", *"n_steps = 3", "enter")
        await shows(pilot, "2 of 6 cases")


def typed(screen):
    lines = screen.query(Input)
    return lines[0].value if lines else screen.query_one(TextArea).text
