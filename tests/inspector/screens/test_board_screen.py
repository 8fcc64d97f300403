import json
import re
import shlex

import example
import making
from inspector.analyses import load
from inspector.cli import main
from inspector.screens.board import BoardScreen
from inspector.screens.cases import CasesScreen
from inspector.state.case_list.listed import cleared
from inspector.state.filtering.facets import offered_counts
from inspector.state.subject import subject
from inspector.widgets.frame_table import FrameTable
from opened import inspected, listed, opened
from scoring.formats.benchmarks.case_format import Imported
from scoring.selection.query import Query
from scoring.workspace.cache import RewardParts
from scoring.workspace.workspace import Workspace
from screen_text import press, rests, screen_text, shows, table_lines, type_ahead, until


def row(pilot, scorer):
    """Return the percentages on a scorer's line and the number of scored cases."""
    line = next(line for line in table_lines(pilot.app) if line[1:].startswith(scorer))
    return [*re.findall(r"\d+\.\d", line), line.split()[-1]]


async def test_a_row_a_scorer_the_best_first_with_metric_interval_outcomes_threshold_and_coverage(query):
    async with opened(query) as pilot:
        for size in ((200, 50), (80, 24)):
            await pilot.resize_terminal(*size)
            text = await rests(pilot, "9 cases · 6 with an error · 3 clean", "2 scorers", "F1: mean of 2 subsets")
            assert text.index("beta") < text.index("alpha")
            assert row(pilot, "alpha") == ["45.0", "33.3", "75.0", "9"]
            assert row(pilot, "beta") == ["83.3", "75.0", "100.0", "7/9"]
            assert all("├" in line for line in table_lines(pilot.app)[1:3])
            await shows(pilot, "alpha: verdicts", "= exact", "! false alarm")
        # An optimistic threshold is called so on a narrow board.
        await press(pilot, "t", "v", "m", "enter")
        await shows(pilot, "Threshold 0.550: optimistic")
        # The column cursor says what its column is, and all of it is under the question mark.
        assert "harmonic mean" not in screen_text(pilot.app)
        await press(pilot, "l")
        await shows(pilot, "F1: in percent, the harmonic mean")
        pilot.app.screen.query_one(FrameTable).cell_name = "outcomes"
        text = await rests(pilot, "outcomes: the share of each: = exact", "x refused")
        assert "unparsed" not in text
        await press(pilot, "question_mark", *"(column) harmonic")
        await shows(pilot, "F1 (column)", "the harmonic mean")


async def test_the_cursor_says_which_scorer_is_in_focus_and_a_moved_threshold_changes_its_row_alone(query):
    """Also of keys typed ahead. Esc gives back the exact screen."""
    async with opened(query) as pilot:
        await rests(pilot, "Alpha reads the text.")
        assert inspected(pilot).focus.scorer == "alpha"
        rows = pilot.app.screen.frame
        type_ahead(pilot, *["up", "down"] * 5, "up")
        await shows(pilot, "Beta knows the labels.")
        assert inspected(pilot).focus.scorer == pilot.app.state.focus.scorer == "beta"
        assert pilot.app.screen.frame is rows, "rows are made anew for a cursor that moves"
        type_ahead(pilot, *["down", "up"] * 5, "down")
        await shows(pilot, "Alpha reads the text.")
        assert inspected(pilot).focus.scorer == "alpha"
        # Enter typed twice opens one list, and its first case.
        type_ahead(pilot, "enter", "enter")
        await shows(pilot, "1 of 5", "Step 0 of")
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, CasesScreen)
        await shows(pilot, "5 of 9 cases")
        assert listed(pilot) == example.FAILURES
        assert pilot.app.state is inspected(pilot)
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, BoardScreen)
        # A click selects a row, and a second opens it.
        await pilot.click(FrameTable, offset=(5, 2))
        await shows(pilot, "Beta knows the labels.")
        assert isinstance(pilot.app.screen, BoardScreen)
        await pilot.click(FrameTable, offset=(5, 2))
        await shows(pilot, "bench ▸ beta ▸ failures")
        assert listed(pilot) == ["bench/exact-one"]
        assert inspected(pilot).focus.scorer == "beta"
        await press(pilot, "g", "b", "g", "l")
        await shows(pilot, "9 of 9 cases", "beta", "x refused")
        await press(pilot, "g", "b", "down")
        before = await rests(pilot, "Alpha reads the text.")
        # Escape on the board stays on the board.
        await press(pilot, "escape", "escape")
        assert pilot.app.is_running
        assert screen_text(pilot.app) == before
        beta = row(pilot, "beta")
        was = pilot.app.state
        await press(pilot, "t", *["right"] * 3)
        await shows(pilot, "60.0 +15.0", "missed 1 (−1)", "exact 3 (+1)")
        assert row(pilot, "alpha")[0] == "60.0"
        assert row(pilot, "beta") == beta
        await press(pilot, "escape")
        await until(pilot, lambda: screen_text(pilot.app) == before)
        assert inspected(pilot) is pilot.app.state is was
        # Going up or down with the rail open keeps the threshold.
        await press(pilot, "t", "right", "right", "right", "up")
        text = await rests(pilot, "Beta knows the labels.")
        assert "* best" not in text
        assert row(pilot, "alpha")[0] == "60.0"


async def test_the_panes_follow_what_people_say_where_a_condition_speaks_of_it(tmp_path):
    cases, scorers = making.study(n=60)
    making.workspace(tmp_path / "w", cases, scorers)
    async with opened(Query(workspace=str(tmp_path / "w"), where=("ruling IS NULL",)), size=(160, 60)) as pilot:
        await rests(pilot, ": verdicts", "F1 by threshold")
        now = inspected(pilot)
        now.results.labels.journal.rule(now.cases["case"].to_list()[:45], "model wrong")
        pilot.app.put(now.triaged())
        await rests(pilot)
        left = subject(cleared(inspected(pilot)), (now.focus.scorer,))
        assert left.shown.size == 15
        assert "15 of 60 cases" in screen_text(pilot.app)
        details = pilot.app.screen.details
        await until(pilot, lambda: details._facts is not None and sum(one.n for one in details._facts.outcomes) == 15)
        told = load("highlights").view(left).rows
        assert [fact.words for fact in details._facts.highlights] == told["fact"].to_list()


async def test_without_a_scorer_the_cases_come_first_and_the_board_says_why_it_is_empty(tmp_path):
    async with opened(example.write(tmp_path / "workspace", scored=False)) as pilot:
        await shows(pilot, "bench ▸ cases", "9 of 9 cases")
        await press(pilot, "t", "o", "e")
        text = await rests(pilot, "The 9 cases on screen")
        assert "metrics" not in text
        await press(pilot, "escape", "escape")
        await shows(pilot, "9 cases not scored yet. Enter opens them, S scores them", "0 scorers")
        await press(pilot, "t", "e")
        await shows(pilot, "CSV file")
        await press(pilot, "escape", "g", "l")
        await shows(pilot, "9 of 9 cases")


async def test_of_two_benchmarks_the_one_under_the_cursor_is_listed_counted_and_exported(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    query = example.write(tmp_path / "ws")
    cases, scorers = making.study(n=12)
    found = making.full_frame(cases, "other")
    Workspace.open(tmp_path / "ws").add([Imported("other", "made.jsonl", "made", "0-based", found.height, found, ())])
    rows = next(rows for scorer, rows in scorers if scorer.name == "gpt4")
    RewardParts(tmp_path / "ws" / "rewards" / example.ALPHA.folder).append(making.rewards(rows, found["key"]))
    async with opened(query, size=(140, 30)) as pilot:
        await rests(pilot, "benchmark", "21 cases", "2 scorers")
        assert [line[1:].split()[:2] for line in table_lines(pilot.app)[1:4]] == [
            ["beta", "bench"],
            ["alpha", "bench"],
            ["alpha", "other"],
        ]
        await press(pilot, "G", "g", "l")
        await shows(pilot, "other ▸ alpha ▸ cases", "12 of 12 cases")
        assert set(listed(pilot, "benchmark")) == {"other"}
        await press(pilot, "f")
        await shows(pilot, "outcome of alpha", "subset")
        assert sum(count for _, count in offered_counts(inspected(pilot))["subset"]) == 12
        await press(pilot, "f", "e", "c")
        await shows(pilot, "Wrote 12 rows to other-cases.csv")
        command = json.loads((tmp_path / "other-cases.provenance.json").read_bytes())["command"]
        assert main([*shlex.split(command)[1:], "--quiet", "-o", "again.csv"]) == 0
        assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "other-cases.csv").read_bytes()
        await press(pilot, "o")
        await shows(pilot, "other ▸ alpha ▸ cases", "12 of 12 cases")
        await press(pilot, "escape")
        await shows(pilot, "21 cases")
        assert inspected(pilot).focus.benchmark == "other"
