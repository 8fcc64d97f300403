"""Panels below the board: their counts, the cases behind their numbers, and the marks of the curve."""

import re

import polars as pl

import example
from inspector.analyses.board.board_rows import board_frame, pieces
from inspector.analyses.board.standings import Standings
from inspector.render.charts.glyphs import Glyphs
from inspector.render.lines import text_of
from inspector.screens.board_facts import ERRORS, row_facts
from inspector.screens.board_panels import DrawOptions, curve_lines
from inspector.screens.case import CaseScreen
from inspector.screens.threshold_bar.rail_lines import score_words
from inspector.state.opening import inspect
from inspector.widgets.frame_table import FrameTable
from inspector.widgets.key_table.key_words import USUAL
from inspector.widgets.sheet_view import SheetView
from opened import DEMO, inspected, opened
from scoring.selection.loading import load
from screen_text import press, rests, screen_lines, shows, table_lines, until


def facts_of(query, scorer):
    """Return the facts about a scorer's row for the whole benchmark."""
    state = inspect(load(query))
    (piece,) = pieces(state.results)
    frame = Standings().beside(board_frame(state.results))
    return row_facts(state, piece, frame.row(by_predicate=pl.col("scorer") == scorer, named=True), wide=True)


def test_a_refused_case_counts_on_the_side_of_its_label(tmp_path):
    facts = facts_of(example.write(tmp_path / "w"), "beta")
    sizes = {(outcome.group, outcome.name): outcome.n for outcome in facts.outcomes}
    assert sizes[ERRORS, "refused"] == 1
    assert sum(n for (group, _), n in sizes.items() if group == ERRORS) == facts.line["erroneous"]
    assert all(outcome.link.n == outcome.n for outcome in facts.outcomes)


def test_the_axis_of_a_curve_fits_it_and_its_marks_are_beside_each_other():
    """Bug E20: the axis went up to 100 although no value was above 57, and two marks shared a cell."""
    facts = facts_of(DEMO, "tiny-prm-m")
    for glyphs, default, best in ((Glyphs(), "▲", "★"), (Glyphs(ascii_only=True), "^", "*")):
        options = DrawOptions(glyphs, USUAL, 60, 20, wide=True, curve_size=(40, 16))
        lines = [text_of(line) for line in curve_lines(facts, options)]
        top = int(re.match(r" *(\d+)", lines[0])[1])
        assert 45 < top <= 60
        axis = next(line for line in lines if default in line and not line.strip().startswith(default))
        assert axis.count(default) == axis.count(best) == 1
        assert any(f"{default} default 0.500" in line for line in lines)
        assert any("optimistic" in line for line in lines)


def test_a_figure_that_is_missing_is_a_dash():
    """Bug E18: a missing F1 was a hyphen."""
    assert score_words(None) == "F1 –"
    assert score_words(None, ascii_only=True) == "F1 -"


async def test_the_board_explains_its_marks_and_every_outcome():
    async with opened(size=(120, 36)) as pilot:
        await rests(pilot, "★ best   ≈ tied with best", "= exact", "o missed", "! false alarm", "1 of 7")
        title, *rows = table_lines(pilot.app)[:8]
        assert re.search(r" 0 +20 +40 +60 ", title)
        # All intervals share an axis: that of the best scorer is furthest to the right.
        places = [line.index("●") for line in rows]
        assert places == sorted(places, reverse=True)
        await press(pilot, "right", "right")
        await shows(pilot, "95%: the interval of the score. tiny-prm-m: 35.7 to 50.9.")


async def test_a_number_of_a_panel_opens_its_cases_and_the_focus_shows_in_the_frames():
    async with opened(size=(120, 36)) as pilot:
        await rests(pilot, "tiny-prm-m: verdicts")
        assert screen_lines(pilot.app)[1].startswith("┏━ Scorers ━")
        await press(pilot, "tab")
        lines = (await rests(pilot)).splitlines()
        assert "━" not in lines[1]
        assert any(line.startswith("┏━ tiny-prm-m: verdicts ━") for line in lines)
        await press(pilot, "down", "down", "down", "enter")
        await shows(pilot, "66 of 240 cases")
        await press(pilot, "escape")
        await until(pilot, lambda: pilot.app.screen.query_one(FrameTable).display)


async def test_failures_are_shown_as_the_cursor_goes_and_open_their_case():
    async with opened(size=(200, 50)) as pilot:
        await rests(pilot, "Most instructive failures", "1 of 123", "─ demo/everyday-008 ─")
        sheet = pilot.app.screen.query_one("#highlights", SheetView)
        sheet.focus()
        sheet.enter_panel(sheet.panels[-1])
        await press(pilot, "down")
        await rests(pilot, "2 of 123", "─ demo/arithmetic-013 ─")
        await press(pilot, "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, CaseScreen))
        assert inspected(pilot).cases["case"][pilot.app.screen.row] == "demo/arithmetic-013"
        assert inspected(pilot).shown.size == 123


async def test_few_lines_have_the_table_alone():
    async with opened(size=(60, 16)) as pilot:
        await rests(pilot, "novelty", "Threshold 0.500")
        assert not pilot.app.screen.query_one("#highlights", SheetView).display
        await pilot.resize_terminal(40, 12)
        await rests(pilot, "novelty", "★ best")
