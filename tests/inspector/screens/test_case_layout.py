"""Panes around the steps of a case: their presence, their visible lines, and moving between them."""

import pytest

import example
from inspector.case_page.open_case import Stop
from inspector.screens.case_layout import layout_for
from inspector.widgets.frame_table import FrameTable
from opened import DEMO, opened
from screen_text import pane_text, press, rests, screen_lines, shows, until


@pytest.mark.parametrize(
    ("size", "apart"),
    [
        ((40, 12), {"problem"}),
        ((80, 24), {"problem", "head"}),
        ((120, 24), {"problem", "head", "verdicts"}),
        ((120, 36), {"problem", "head", "verdicts", "why"}),
        ((200, 50), {"problem", "head", "verdicts", "why"}),
    ],
)
def test_there_are_as_many_panes_as_there_is_room_for(size, apart):
    layout = layout_for(*size, wide_body=False)
    assert layout.apart == apart
    assert layout.cases == (size[0] >= 160)
    # The body that replaces the steps takes the space of the side panes.
    wide = layout_for(*size, wide_body=True)
    assert not wide.cases
    assert "verdicts" not in wide.apart


async def test_the_problem_stays_in_sight_whatever_is_said_of_the_case_and_wherever_one_reads(tmp_path):
    """Bug: in triage, tags and notes pushed it off the screen, and a long case opened below it."""
    async with opened(example.write(tmp_path / "w"), size=(120, 36)) as pilot:
        await press(pilot, "enter", "g", "t", "enter")
        await shows(pilot, "1 of 5")
        await press(pilot, "w", *"units", "enter", "a", *"misread", "enter")
        for size in ((120, 36), (80, 24), (40, 12)):
            await pilot.resize_terminal(*size)
            await rests(pilot, "Problem of alarm-one")
            await press(pilot, "G")
            await rests(pilot, "Problem of alarm-one")
        await pilot.resize_terminal(120, 36)
        await until(pilot, lambda: "Tags units" in pane_text(pilot.app) and "Note misread" in pane_text(pilot.app))
        await pilot.resize_terminal(80, 24)
        await press(pilot, "g", "b", "g", "l", "G", "enter")
        await shows(pilot, "Step 12 of", "Problem of long-one")


async def test_the_cursor_goes_from_pane_to_pane_and_tab_as_well():
    async with opened(DEMO, size=(120, 36)) as pilot:
        await press(pilot, "enter", "enter", *["n"] * 15, "home")
        screen = pilot.app.screen
        assert (screen.cursor.part, screen.cursor.stop) == ("problem", Stop("problem"))
        assert pilot.app.focused.id == "problem"
        stops = []
        for _ in range(9):
            await press(pilot, "j")
            stops.append((screen.cursor.part, screen.cursor.stop.kind))
        assert stops[:8] == [*[("steps", "step")] * 6, ("why", "gold"), ("why", "facts")]
        assert pilot.app.focused.id == "why"
        # The verdicts have no cursor, so it does not move.
        await press(pilot, "tab")
        assert (screen.cursor.part, pilot.app.focused.id) == ("why", "verdicts")
        await press(pilot, "tab")
        assert (screen.cursor.part, screen.cursor.stop) == ("problem", Stop("problem"))
        await press(pilot, "shift+tab", "shift+tab")
        assert (screen.cursor.part, pilot.app.focused.id) == ("why", "why")
        # The cursor starts on the steps of another case.
        await press(pilot, "n")
        assert (screen.cursor.part, pilot.app.focused.id) == ("steps", "steps")


async def test_in_the_verdicts_the_step_keys_scroll_or_lead_back_to_the_cursor():
    async with opened(DEMO, size=(120, 17)) as pilot:
        await press(pilot, "enter", "enter", "j")
        screen = pilot.app.screen
        verdicts = screen.query_one("#verdicts")
        await until(pilot, lambda: verdicts.display and verdicts.max_scroll_y)
        stop = screen.cursor.stop
        verdicts.focus()
        await press(pilot, "j")
        assert (verdicts.scroll_offset.y, screen.cursor.stop) == (1, stop)
        assert pilot.app.focused is verdicts
        await pilot.resize_terminal(120, 50)
        await until(pilot, lambda: not verdicts.max_scroll_y)
        await press(pilot, "k")
        assert pilot.app.focused.id == screen.cursor.part


async def test_at_the_left_is_where_the_case_is_in_its_list():
    async with opened(DEMO, size=(200, 50)) as pilot:
        await press(pilot, "enter", "enter")
        table = pilot.app.screen.query_one("#near", FrameTable)
        await until(pilot, lambda: table.key == "demo/everyday-008")
        await press(pilot, "n", "n")
        await until(pilot, lambda: table.cursor == 2)
        assert "reasoning-034" in screen_lines(pilot.app)[0]
        await shows(pilot, "3 of 123 ─╯")
        await pilot.resize_terminal(120, 36)
        await rests(pilot)
        assert not table.display


async def test_formulas_are_readable_on_an_ascii_terminal():
    async with opened(DEMO, size=(120, 36), ascii_only=True) as pilot:
        await press(pilot, "enter", "enter")
        text = await rests(pilot, "20/4 = 5 seconds", "v^2/(2a)")
        assert "frac" not in text
        assert text.isascii()


async def test_a_figure_that_a_search_leaves_nothing_of_is_a_dash(tmp_path):
    async with opened(example.write(tmp_path / "w"), size=(120, 36)) as pilot:
        await press(pilot, "g", "l", "slash", *"28", "enter")
        await shows(pilot, "1 of 9 cases", "F1 –")
