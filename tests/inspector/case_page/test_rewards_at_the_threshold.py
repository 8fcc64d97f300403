"""A reward that rounds to the threshold is written so that it does not seem to be the threshold."""

import re

import pytest

import making
import reference
from inspector.analyses.report.document import report_document
from inspector.case_page.columns import CELL, DIGITS, MOST_DIGITS, ScorerColumn, columns
from inspector.case_page.open_case import DisplayOptions
from inspector.case_page.reward_cells import cells
from inspector.case_page.tracks import track
from inspector.render.charts.glyphs import Glyphs
from inspector.render.texts.text import apart_from
from scoring.selection.loading import load
from scoring.selection.query import Query
from views import show_view

REWARDS = (0.9, 0.4996, 0.5004, 0.5, 0.4, 0.49999999)
WRITTEN = ("0.90", "0.4996", "0.5004", "0.50", "0.40", "0.49999999")


@pytest.mark.parametrize(("reward", "written"), zip(REWARDS, WRITTEN, strict=True))
def test_as_many_digits_as_tell_it_from_the_threshold(reward, written):
    assert apart_from(reward, 0.5) == written
    assert apart_from(reward, None) == f"{reward:.2f}"


@pytest.mark.parametrize(
    ("reward", "threshold"), [(0.4957, 0.4961), (0.4961, 0.4957), (-0.004, 0.0), (123.4561, 123.456)]
)
def test_it_holds_for_other_thresholds_and_ranges(reward, threshold):
    text = apart_from(reward, threshold)
    assert (float(text) < threshold) == (reward < threshold)
    assert round(threshold, len(text.partition(".")[2])) != float(text)


def evaluation():
    case = reference.Case(len(REWARDS), 1, REWARDS)
    return making.evaluation([case])


def row_of(column, step):
    return "".join(text for text, _ in cells(column, step, DisplayOptions(glyphs=Glyphs(), width=120)))


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_list_of_steps_tells_them_from_the_threshold(width):
    (column,) = columns([track(evaluation(), 0, "")], width)
    assert DIGITS <= column.digits <= MOST_DIGITS
    for step, written in enumerate(WRITTEN):
        # What needs more room than there is says on which side it lies.
        expected = written if len(written) <= column.digits else "<0.50"
        mark = "✗" if REWARDS[step] < 0.5 else " "
        assert re.search(rf"[▼ ]{expected}{mark}", row_of(column, step))


@pytest.mark.parametrize(("digits", "second", "third"), [(4, "<0.5✗", ">0.5"), (5, ".4996✗", ".5004")])
def test_where_there_is_no_room_the_zero_goes_first_and_then_the_side_is_told(digits, second, third):
    column = ScorerColumn(track(evaluation(), 0, ""), 0, digits)
    shown = [row_of(column, step) for step in range(len(REWARDS))]
    assert second in shown[1]
    assert third in shown[2]
    assert "0.50" in shown[3]


def test_a_cell_of_six_columns_tells_them_apart_as_well():
    """Bug: the narrow cell of another scorer showed `0.50✗` at a threshold of 0.500."""
    case = reference.Case(3, 1, (0.9, 0.496, 0.504))
    column = ScorerColumn(track(making.evaluation([case]), 0, "B"), 0, CELL, beside=True)
    assert [row_of(column, step) for step in range(3)] == [" 0.90  ", "◂.496✗ ", " .504  "]


def test_a_page_a_report_and_a_table_do_so_too(tmp_path):
    cases = [reference.Case(len(REWARDS), 4, REWARDS)]
    making.workspace(tmp_path / "w", cases, [(making.scorer("one"), cases)])
    results = load(Query(workspace=str(tmp_path / "w")))
    view = show_view(results, 0)
    for page in (view.render("markdown"), view.render("html"), report_document(results).render("html")):
        assert "0.4996" in page
        assert "0.5004" in page
    # Programs get the numbers as they are.
    assert all(repr(reward) in view.render("csv") for reward in REWARDS)
