import statistics

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import judged
import making
from reference import Case
from scoring.data.schema import REWARDS
from scoring.evaluation.evaluation import evaluate
from scoring.evaluation.gold import Gold
from scoring.metrics import resampling
from scoring.metrics.first_error import ERROR_ACC, F1_SCORE, NAMES
from scoring.metrics.first_error_draws import Marks
from scoring.metrics.first_error_family import FIRST_ERRORS
from scoring.metrics.metrics_by_subset import MetricsBySubset, metric_rows
from scoring.metrics.resampling import RESAMPLES
from thoroughness import up_to

NO_REWARDS = pl.DataFrame(schema=REWARDS)


def judge(cases, runs, problems=None):
    """One critic with a ballot a case and run; None = the run did not get to the case, "" = nothing readable."""
    columns = {} if problems is None else {"problem_id": problems}
    frame = making.frame(cases, **columns)
    votes = pl.concat(
        judged.votes(frame["key"], [[] if one is None else [one or None] for one in ballots], run)
        for run, ballots in enumerate(runs)
    )
    return evaluate(Gold(frame), making.scorer("judge", kind="critic"), NO_REWARDS, votes=votes)


def rows_of(found, unparsed="wrong", **options):
    rows = metric_rows(FIRST_ERRORS, found, np.ones(found.codes.size, dtype=bool), unparsed, **options)
    return {(row["subset"], row["metric"]): row for row in rows}


FOUR = [Case(2, 0), Case(2, 0), Case(2, -1), Case(2, -1)]


def test_a_mean_over_runs_by_hand():
    """Error_acc .5 and 1, correct_acc 1 and .5, F1 2/3 in both runs."""
    found = judge(FOUR, [["0", "1", "-1", "-1"], ["0", "0", "-1", "1"]])
    rows = rows_of(found)
    assert len(found.runs) == 2
    error_acc, correct_acc, f1 = (rows["one", metric] for metric in NAMES)
    assert (error_acc["value"], correct_acc["value"]) == (0.75, 0.75)
    assert error_acc["sd"] == pytest.approx(0.5 / 2**0.5)
    assert f1["value"] == pytest.approx(2 / 3)
    assert f1["sd"] == pytest.approx(0)
    assert {(row["runs"], row["small"]) for row in rows.values()} == {(2, True)}
    assert (error_acc["n"], f1["n"]) == (2, 4)
    assert found.verdicts.tolist() == [0, 1, -1, -1]


def test_a_case_that_one_run_did_not_answer_is_in_the_others_denominators_alone():
    found = judge(FOUR, [["0", "1", "-1", "-1"], ["0", None, "-1", ""]])
    wrong, drop = rows_of(found)["all", "error_acc"], rows_of(found, "drop")["all", "correct_acc"]
    assert (wrong["value"], wrong["n"]) == (0.75, 2)
    assert (drop["value"], rows_of(found)["all", "correct_acc"]["value"]) == (1.0, 0.75)


def test_a_run_that_did_not_get_to_a_subset_is_in_no_mean_with_it():
    cases = [*FOUR, Case(2, 0, subset="two"), Case(2, -1, subset="two")]
    rows = rows_of(judge(cases, [["0", "0", "-1", "-1", "0", "-1"], ["1", "0", "-1", "-1", None, None]]))
    runs = {subset: rows[subset, "f1"]["runs"] for subset in ("one", "two", "all", "average")}
    assert runs == {"one": 2, "two": 1, "all": 1, "average": 1}
    assert (rows["average", "f1"]["value"], rows["average", "f1"]["sd"]) == (1.0, None)


def test_where_no_run_got_to_all_there_is_no_average():
    cases = [Case(2, 0), Case(2, -1, subset="two")]
    row = rows_of(judge(cases, [["0", None], [None, "-1"]]))["average", "error_acc"]
    assert (row["value"], row["reason"]) == (None, "no run tried cases of every subset")


def test_a_mean_is_undefined_where_a_run_is_unless_the_official_figure_is_asked_for():
    found = judge(FOUR, [["0", "0", "-1", "-1"], ["1", "1", "0", "0"]])
    row, official = rows_of(found)["all", "f1"], rows_of(found, official=0.0)["all", "f1"]
    assert (row["value"], row["reason"]) == (None, "undefined in 1 of 2 runs")
    assert (official["value"], official["low"], official["reason"]) == (0.5, None, "undefined in 1 of 2 runs")


BALLOTS = st.sampled_from(("0", "0", "1", "-1", "-1", "", None))


@up_to(40, 5)
@given(data=st.data(), unparsed=st.sampled_from(("wrong", "drop")))
def test_means_are_those_of_evaluating_each_run_alone(data, unparsed):
    cases = [
        Case(2, gold, subset=subset)
        for gold, subset in data.draw(
            st.lists(st.tuples(st.sampled_from((-1, 0, 1)), st.sampled_from(("a", "b"))), min_size=1, max_size=8)
        )
    ]
    runs = data.draw(st.lists(st.lists(BALLOTS, min_size=len(cases), max_size=len(cases)), min_size=1, max_size=3))
    alone = [rows_of(judge(cases, [ballots]), unparsed) for ballots in runs]
    there = {subset for rows in alone for subset, _ in rows if subset not in {"all", "average"}}
    for (subset, metric), row in rows_of(judge(cases, runs), unparsed).items():
        wanted = there if subset in {"all", "average"} else {subset}
        of_runs = [rows[subset, metric] for rows in alone if all((name, metric) in rows for name in wanted)]
        if not there:
            assert row["value"] is None
            continue
        values = [one["value"] for one in of_runs]
        if not values or None in values:
            assert row["value"] is None
            assert row["reason"]
            continue
        assert (row["value"], row["runs"]) == (pytest.approx(statistics.mean(values)), len(values))
        assert row["sd"] == (pytest.approx(statistics.stdev(values)) if len(values) > 1 else None)
        assert row["n"] == of_runs[0]["n"]


# -- intervals


def test_runs_that_say_the_same_have_the_interval_of_one():
    ballots = [["0", "1"][index % 3 == 0] if index < 30 else ["-1", "0"][index % 4 == 0] for index in range(60)]
    cases = [Case(2, 0 if index < 30 else -1) for index in range(60)]
    problems = [f"p{index // 2}" for index in range(60)]
    one, three = (rows_of(judge(cases, [ballots] * n, problems))["average", "f1"] for n in (1, 3))
    assert (three["low"], three["high"]) == pytest.approx((one["low"], one["high"]))
    assert (three["sd"], one["sd"]) == (0.0, None)


def test_all_runs_are_on_the_same_draws():
    """What one run has right the other has wrong, so that their mean is the same in every resample of the cases."""
    cases = [Case(2, 0)] * 40 + [Case(2, -1)] * 40
    left = ["0" if index % 2 else "1" for index in range(40)] + ["-1"] * 40
    right = ["1" if index % 2 else "0" for index in range(40)] + ["-1"] * 40
    row = rows_of(judge(cases, [left, right]))["all", "error_acc"]
    assert (row["low"], row["value"], row["high"]) == (0.5, 0.5, 0.5)


def test_cases_that_share_a_problem_are_resampled_together_in_all_subsets():
    rng = np.random.default_rng(3)
    n = 60
    problems, groups, erroneous = np.arange(n) // 3, rng.integers(0, 2, n), rng.random(n) < 0.5
    right = rng.random((n, 1)) < 0.6
    marks = Marks(right, np.ones((n, 1), dtype=bool), erroneous, problems, groups, 2)
    assert marks.related
    tally = marks.tally(0)
    drawn = tally.drawn(F1_SCORE)[..., 0]
    times = np.concatenate(list(resampling._problems_drawn(20, 0)), axis=1).astype(float)
    f1 = []
    for resample in range(RESAMPLES):
        shares = []
        for group in range(2):
            sides = []
            for wrong in (True, False):
                members = [case for case in range(n) if groups[case] == group and erroneous[case] == wrong]
                total = sum(times[problems[case], resample] for case in members)
                sides.append(sum(times[problems[case], resample] for case in members if right[case, 0]) / total)
            shares.append(sides)
        each = [2 * a * b / (a + b) if a + b else 0.0 for a, b in shares]
        assert drawn[resample] == pytest.approx(np.array(each))
        f1.append(statistics.mean(each))
    assert tally.drawn_mean(F1_SCORE)[:, 0] == pytest.approx(np.array(f1))


def test_a_figure_that_many_resamples_leave_undefined_has_no_interval_and_says_so():
    """One problem holds the only clean cases: a resample without it has none."""
    cases = [Case(2, -1), Case(2, -1), *[Case(2, 0)] * 4]
    found = judge(cases, [["-1", "-1", "0", "0", "1", "0"]], ["p", "p", "q", "r", "s", "t"])
    row = rows_of(found)["all", "correct_acc"]
    assert (row["value"], row["low"], row["high"], row["n"]) == (1.0, None, None, 2)
    assert row["reason"].startswith("no interval: undefined in ")


def test_without_shared_problems_the_bootstrap_is_the_exact_stratified_one():
    found = judge(FOUR, [["0", "1", "-1", "-1"]])
    told = MetricsBySubset.of(FIRST_ERRORS, found, np.ones(4, dtype=bool))
    assert not told.related
    error_acc = told._of_counts(told._counted).drawn(ERROR_ACC)[:, 0, 0]
    assert set(error_acc.tolist()) == {0.0, 0.5, 1.0}
    assert error_acc.mean() == pytest.approx(0.5, abs=0.05)


def test_only_cases_in_the_denominators_make_a_shared_problem():
    found = judge(FOUR, [["0", "1", "-1", None]], ["p", "q", "r", "r"])
    assert not MetricsBySubset.of(FIRST_ERRORS, found, np.ones(4, dtype=bool)).related
    assert not MetricsBySubset.of(FIRST_ERRORS, found, np.array([True, True, True, False])).related


def test_leaving_cases_out_leaves_them_out_of_every_run():
    found = judge(FOUR, [["0", "1", "-1", "-1"], ["0", "0", "-1", "1"]])
    rest = found.without(np.array([False, True, False, False]))
    row = rows_of(rest)["all", "error_acc"]
    assert (row["value"], row["n"], row["runs"], row["sd"]) == (1.0, 1, 2, 0.0)
