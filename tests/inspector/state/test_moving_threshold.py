"""What stands on screen while a threshold moves is what the shell prints for the same query, to the last digit."""

import math

import pytest
from msgspec.structs import replace

import making
import step_making
from inspector.state.opening import inspect
from inspector.state.subject import every_benchmark
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.selection.result_set import row_order
from scoring.workspace.filtering.filters import Facet
from step_reference import Step
from thoroughness import THOROUGH
from views import metrics_view


@pytest.fixture(scope="module", params=["F1", "PRMScore"])
def query(request, tmp_path_factory):
    root = tmp_path_factory.mktemp("moving") / "w"
    cases, scorers = making.study()
    if request.param == "F1":
        making.workspace(root, cases, scorers, **making.labels(cases))
    else:
        told = []
        for one, rows in scorers:
            items = [
                Step(case, step_making.CLASSES[index % len(step_making.CLASSES)], None, None)
                for index, case in enumerate(rows)
            ]
            told.append((replace(one, comparison="<="), items))
        step_making.workspace(root, told[0][1], told)
    return Query(workspace=str(root))


def printed(state):
    """Value and interval of the official figure, as `prm-inspect metrics` prints them for what is on screen."""
    rows = metrics_view(load(every_benchmark(state).query)).rows.to_dicts()
    wanted = ("prmscore", "all") if state.summary.headline.metric == "PRMScore" else ("f1", "average")
    return [
        (row["value"], row["low"], row["high"])
        for row in rows
        if (row["metric"], row["subset"]) == wanted and row["scorer"] == state.focus.scorer
    ]


def test_every_threshold_shows_what_the_shell_prints(query):
    start = inspect(load(query))
    for now in (start, start.selected(chosen=replace(start.filter, where=("n_steps > 2",)))):
        thresholds = now.summary.sweep.thresholds.tolist()
        # Beyond the ends of the curve, between two of its points, and on some of them.
        for threshold in [*thresholds[:: 1 if THOROUGH else 8], 0.123456789, -1.0, 2.0]:
            moved = now.moved(threshold, order=row_order(now.results))
            assert printed(moved) == [
                (moved.summary.headline.score, moved.summary.headline.low, moved.summary.headline.high)
            ]
            if threshold in thresholds:
                score = float(now.summary.sweep.score[thresholds.index(threshold)])
                assert moved.summary.headline.score == (None if math.isnan(score) else pytest.approx(score, abs=1e-12))


def test_rows_and_counts_follow_a_condition_on_what_moves(query):
    start = inspect(load(query))
    kept = start.selected(chosen=start.filter.toggled(start.focus.outcome_column, "exact"))
    assert Facet(start.focus.outcome_column, ("exact",)).sql in kept.results.query.where
    for threshold in (0.15, 0.45, 0.6):
        moved = kept.moved(threshold, order=row_order(kept.results))
        outcomes = moved.results.evaluated.column(moved.focus.outcome_column).to_list()
        assert moved.shown.tolist() == [row for row in row_order(kept.results).tolist() if outcomes[row] == "exact"]
        assert moved.summary.outcome_counts["exact"] == moved.shown.size
        assert sorted(load(moved.results.query).shown.tolist()) == sorted(moved.shown.tolist())
