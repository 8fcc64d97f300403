"""The palette finds benchmarks, scorers and cases, and goes there."""

from functools import partial

from inspector.screens.case import CaseScreen
from inspector.widgets.frame_table import FrameTable
from opened import inspected, listed, opened
from screen_text import press, shows, type_ahead, until


async def ask(pilot, words, *told):
    """Type ahead into the palette, and take the first that it finds."""
    await press(pilot, "ctrl+p")
    type_ahead(pilot, *words)
    await shows(pilot, *told)
    await press(pilot, "enter")


async def test_cases_and_slices_are_found_from_any_screen_by_a_part_of_their_name(query):
    """A case that the filter leaves out is opened among all."""
    async with opened(query, size=(100, 30)) as pilot:
        for keys in ((), ("g", "l", "enter")):
            await press(pilot, *keys)
            await ask(pilot, "alarm-one", "bench/alarm-one", "Case: open it")
            await until(pilot, lambda: isinstance(pilot.app.screen, CaseScreen))
            await until(pilot, lambda: pilot.app.state.cases["case"][pilot.app.screen.row] == "bench/alarm-one")
            await press(pilot, "g", "b")
        for keys in (("g", "l"), ("g", "c")):
            await press(pilot, *keys)
            await ask(pilot, "false alarms", "slice: false alarms", "Slice: list its cases")
            await shows(pilot, "outcome = false alarm")
            assert listed(pilot) == ["bench/alarm-one"]
            await press(pilot, "x")
            await shows(pilot, "9 of 9 cases")
            await press(pilot, "g", "b")
        await press(pilot, "enter")
        row = list(inspected(pilot).cases["case"]).index("bench/exact-one")
        assert row not in inspected(pilot).shown
        await ask(pilot, "exact-one", "bench/exact-one")
        await until(pilot, lambda: getattr(pilot.app.screen, "row", None) == row)
        assert len(inspected(pilot).shown) == 9


async def test_a_scorer_is_looked_through_and_a_column_found_by_what_it_means_shown_and_gone_to(query):
    """What is listed says its key."""
    async with opened(query, size=(120, 30)) as pilot:
        await press(pilot, "g", "l")
        assert inspected(pilot).focus.scorer == "alpha"
        await ask(pilot, "beta", "Scorer: look through it")
        await until(pilot, lambda: pilot.app.state.focus.scorer == "beta")
        # On the board the cursor is on it: Enter opens what it stands on.
        await press(pilot, "g", "b")
        assert pilot.app.screen.line["scorer"] == "beta"
        await ask(pilot, "alpha", "Scorer: look through it")
        await until(pilot, lambda: pilot.app.screen.line["scorer"] == "alpha")
        await press(pilot, "home")
        for keys, typed, key in ((), "fp%", "fp"), (("g", "l"), "reward falls", "drop_at_gold"):
            await press(pilot, *keys)
            for does in ("Show it:", "To it:"):
                await ask(pilot, typed, "column: ", does)
                await until(pilot, lambda: pilot.app.screen.query(FrameTable))
                table = pilot.app.screen.query_one(FrameTable)
                await until(pilot, partial(_stands_on, table, key))
                table.cell_name = ""
        await press(pilot, "ctrl+p")
        type_ahead(pilot, *"facets")
        await shows(pilot, "f: Choose what to keep")


def _stands_on(table, key):
    return table.cell is not None and table.cell[0].name == key
