"""Every number of every board opens exactly the cases that it counts: counted here one by one, in plain loops."""

from pathlib import Path

import polars as pl
import pytest

import example
import judged
import making
import published_spaces
import reference
import step_making
from inspector.analyses.board.arrangement import MEANINGS
from inspector.analyses.board.board_rows import board_frame, pieces, published_frame
from inspector.analyses.board.drills import NO_NUMBER, PRINTED, board_drill
from inspector.render.lines import CaseLink
from inspector.state.case_links import drilled
from inspector.state.opening import inspect
from scoring.evaluation.verdicts import OUTCOMES
from scoring.formats.benchmarks.case_format import Imported
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.cache import RewardParts
from scoring.workspace.workspace import Workspace
from step_reference import Step
from thoroughness import THOROUGH, one_of

COUNTS = (*OUTCOMES, "cases")
SHARES = {
    **dict.fromkeys(("score", "interval", "n", "bias"), None),
    **dict.fromkeys(("on_wrong", "fp", "fn"), True),
    "on_right": False,
}
"""Columns whose denominators hold cases; whether these are the erroneous ones, None for both sides."""


def two_benchmarks(root: Path) -> Query:
    """`example` beside a benchmark with refused, unscored and unlabelled cases, which one scorer has in common."""
    query = example.write(root)
    cases, scorers = making.study(n=24)
    found = making.full_frame(cases, "other")
    Workspace.open(root).add([Imported("other", "made.jsonl", "made", "0-based", found.height, found, ())])
    rows = next(rows for scorer, rows in scorers if scorer.name == "gpt4")
    RewardParts(root / "rewards" / example.ALPHA.folder).append(making.rewards(rows, found["key"]))
    return Query(workspace=query.workspace)


def answers(root: Path) -> Query:
    """Labels, votes of which some cannot be read, and one number a solution."""
    judged.workspace(root)
    return Query(workspace=str(root))


def demo(_: Path) -> Query:
    return Query(benchmarks=("demo",), baselines=True)


SPACES = {"demo": demo, "two benchmarks": two_benchmarks, "answers": answers}


@pytest.fixture(scope="module", params=SPACES)
def results(request, tmp_path_factory):
    return load(SPACES[request.param](tmp_path_factory.mktemp("drills") / "w"))


def rows_of(results, *, subsets=True):
    """Every row with its piece."""
    found = {(piece.benchmark, piece.subset): piece for piece in pieces(results, subsets=subsets)}
    for row in board_frame(results, subsets=subsets).iter_rows(named=True):
        yield row, found[row["benchmark"], row["subset"]]


def in_turn(results, small=20):
    """Every row with its piece and the columns to try there: all of a small board, of a large one a fifth each time."""
    rows = list(rows_of(results))
    turns = 1 if THOROUGH or len(rows) < small else 5
    for number, (row, piece) in enumerate(rows):
        yield row, piece, list(MEANINGS)[number % turns :: turns]


def counted(results, row, column):
    """How many cases a cell is about, from the outcomes and gold labels of the cases, one after the other."""
    evaluation, n = results.evaluation(row["scorer"]), 0
    drops = results.unparsed(row["benchmark"]) == "drop"
    for place, case in enumerate(results.cases.iter_rows(named=True)):
        if case["benchmark"] != row["benchmark"] or row["subset"] not in {None, case["subset"]}:
            continue
        outcome, gold = OUTCOMES[evaluation.codes[place]], case["earliest_error"]
        if column in {"coverage", "threshold"}:
            n += outcome not in {"unparsed", "refused", "unscored", "dev"}
            continue
        left_out = {"unscored", "dev", "no_gold", *(("unparsed", "refused") if drops else ())}
        if gold is None or outcome in left_out or evaluation.coverage.nothing:
            continue
        n += SHARES[column] is None or SHARES[column] == (gold >= 0)
    return n


def test_every_number_of_every_row_opens_exactly_its_cases(results):
    start, opened, tried = inspect(results), 0, set()
    for row, piece, columns in in_turn(results):
        tried.update(columns)
        for column in columns:
            drill = board_drill(results, piece, row, column)
            if isinstance(drill, str):
                none = column == "runs" or row.get(column) in {0, None}
                assert drill == NO_NUMBER or none, (row["row"], column, drill)
                continue
            opened += 1
            assert drill.n == len(drilled(start, drill).shown), (row["row"], column)
            assert drilled(start, drill).focus.scorer == row["scorer"]
            if column in COUNTS:
                assert drill.n == row[column]
            elif column == "coverage":
                assert drill.n == (row["scored"] or row["cases"])
            elif column in SHARES or column == "threshold":
                assert drill.n == counted(results, row, column), (row["row"], column)
    assert opened > 50
    assert tried == set(MEANINGS)


def test_what_is_listed_has_the_outcome_and_the_side_that_the_number_is_about(results):
    start = inspect(results)
    sides = {"on_wrong": lambda gold: gold >= 0, "on_right": lambda gold: gold < 0}
    for row, piece in rows_of(results):
        for column in ("early", *sides):
            drill = board_drill(results, piece, row, column)
            if isinstance(drill, str):
                continue
            shown = drilled(start, drill)
            listed = shown.cases[shown.shown.tolist()]
            assert set(listed["benchmark"]) == {row["benchmark"]}
            assert row["subset"] is None or set(listed["subset"]) == {row["subset"]}
            if column == "early":
                assert set(shown.rows.get_column(f"{row['scorer']}.outcome").gather(shown.shown)) == {"early"}
            else:
                assert all(map(sides[column], listed["earliest_error"]))


def test_a_difference_opens_the_cases_that_both_have(results):
    start = inspect(results)
    frame = board_frame(results)
    against = frame["scorer"][0]
    alone = {row["row"]: (row, piece) for row, piece in rows_of(results)}
    for number, (row, piece) in enumerate(alone.values()):
        other = alone.get(piece.key(against))
        columns = ("score", "interval", "on_wrong", "on_right")
        for column in columns if len(alone) < 20 else one_of(columns, number):
            drill = board_drill(results, piece, row, column, against)
            own, its = (board_drill(results, piece, one, column) for one in (row, other[0] if other else row))
            if any(isinstance(one, str) for one in (drill, own, its)):
                continue
            mine, theirs, both = (set(drilled(start, one).shown.tolist()) for one in (own, its, drill))
            assert both == (mine & theirs if other else mine)
            assert drill.n == len(both)
            assert drill.others == ((against,) if other and row["scorer"] != against else drill.others)


def test_the_app_conditions_hold_for_what_is_opened(results):
    base = ("n_steps > 1",)
    for piece in pieces(results, base, subsets=True):
        frame = board_frame(results, base, subsets=True)
        for row in frame.filter(pl.col("row") == piece.key(frame["scorer"][0])).iter_rows(named=True):
            drill = board_drill(results, piece, row, "cases")
            assert drill == NO_NUMBER or drill.n == int(piece.rows.sum())
            assert (results.cases["n_steps"].to_numpy()[piece.rows] > 1).all()


def test_a_refused_case_counts_as_wrong_and_is_not_covered(tmp_path):
    results = load(Query(workspace=example.write(tmp_path / "w").workspace))
    row, piece = next(one for one in rows_of(results) if one[0]["scorer"] == "beta" and one[0]["subset"] is None)
    # Of beta, which never ran on one of six erroneous cases, was refused on another, and is right on the others.
    expected = {"on_wrong": 5, "on_right": 3, "coverage": 7, "score": 8, "exact": 4}
    assert {column: board_drill(results, piece, row, column).n for column in expected} == expected


ITEMS = (
    Step(reference.Case(3, 1, (0.9, 0.1, 0.9), error_steps=(1, 2)), "redundency", (0.1, 0.9, 0.2)),
    Step(reference.Case(2, 0, (0.9, 0.9), error_steps=(0, 1)), "circular"),
    Step(reference.Case(2, 0, None, "over length", error_steps=(0,)), "counterfactual"),
    Step(reference.Case(2, -1, (0.9, 0.2), error_steps=()), "multi_solutions"),
    Step(reference.Case(2, 1, (0.9, 0.2), error_steps=(1,)), "counterfactual"),
    Step(reference.Case(2, 1, None, error_steps=(1,)), "counterfactual"),
    # An error beyond the last step.
    Step(reference.Case(2, 3, (0.9, 0.8), error_steps=(3,)), "counterfactual"),
)


def test_of_steps_a_number_opens_the_cases_that_hold_such_a_step(tmp_path):
    step_making.workspace(tmp_path / "w", ITEMS, [(making.scorer("prm"), ITEMS)])
    results = load(Query(workspace=str(tmp_path / "w")))
    start = inspect(results)
    listed = {}
    for row, piece in rows_of(results):
        if row["subset"] is None:
            for column in ("score", "on_wrong", "on_right", "coverage", "fp"):
                drill = board_drill(results, piece, row, column)
                shown = drilled(start, drill)
                listed[column] = sorted(shown.shown.tolist())
                assert drill.n == len(listed[column])
    # Judged are 0, 1, 3, 4 and 6; of 1 no step is right.
    assert listed["score"] == [0, 1, 3, 4, 6]
    assert listed["on_wrong"] == [0, 1, 4]
    assert listed["on_right"] == [0, 3, 4, 6]
    assert listed["coverage"] == [0, 1, 3, 4, 6]
    # First errors: the refused case is left out, as PRMBench does.
    assert listed["fp"] == [0, 1, 4, 6]


def test_names_and_pictures_open_nothing_of_their_own_and_printed_figures_nothing_at_all(results):
    row, piece = next(rows_of(results))
    for column in ("scorer", "benchmark", "subset", "metric", "outcomes"):
        assert board_drill(results, piece, row, column) == NO_NUMBER
    printed = published_frame([("processbench", None)]).row(0, named=True)
    assert board_drill(results, piece, printed, "score") == PRINTED


def test_an_outcome_that_does_not_occur_is_said(results):
    row, piece = next(rows_of(results))
    assert row["dev"] == 0
    assert board_drill(results, piece, row, "dev") == "There are no cases with the outcome dev."


def test_on_mr_math_every_number_opens_its_cases(data_folder, tmp_path):
    results = load(published_spaces.mr_math(tmp_path / "w", data_folder))
    start, opened = inspect(results), 0
    for row, piece, columns in in_turn(results, small=0):
        for column in columns:
            drill = board_drill(results, piece, row, column)
            if isinstance(drill, CaseLink):
                opened += 1
                assert drill.n == len(drilled(start, drill).shown)
                assert column not in COUNTS or drill.n == row[column]
                assert column not in SHARES or drill.n == counted(results, row, column)
    assert opened > 30


def test_a_threshold_opens_its_cases_where_only_those_of_another_benchmark_differ_by_subset(tmp_path):
    """Dev sets tune the large benchmark: its rows have no one number. The small one is at the default."""
    for name, n in (("large", 160), ("small", 12)):
        making.workspace(tmp_path / "w", *making.study(n=n), benchmark=name)
    results = load(Query(workspace=str(tmp_path / "w"), thresholds=((None, "dev"),)))
    for row, piece in rows_of(results, subsets=False):
        drill = board_drill(results, piece, row, "threshold")
        assert isinstance(drill, CaseLink) == (row["benchmark"] == "small") == (row["threshold"] is not None)
        assert drill == NO_NUMBER or drill.n == counted(results, row, "threshold")
