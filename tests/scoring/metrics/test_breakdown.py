import itertools

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import making
import reference
from reference import Case
from scoring.evaluation.verdicts import OUTCOMES
from scoring.metrics.axes import axis
from scoring.metrics.breakdown import TOTAL, Cells, breakdown
from scoring.metrics.resampling import SMALL
from scoring.workspace.filtering.filters import passing
from thoroughness import up_to

SOME = up_to(40, 4, suppress_health_check=[HealthCheck.too_slow])
SIDES = {"fp": {"early"}, "fn": {"late", "missed"}, "late": {"late"}, "missed": {"missed"}, "exact": {"exact"}}
SIDES["unanswered"] = {"unparsed", "refused"}
SHARED = ("exact", "early", "late", "missed", "clean", "false_alarm", "unparsed", "refused")


@st.composite
def labelled(draw):
    """Cases, a generator and whether the final answer is right for each."""
    cases = draw(making.benches())
    generators = [draw(st.sampled_from(("one", "two'", None))) for _ in cases]
    answers = [draw(st.sampled_from((True, True, False, None))) for _ in cases]
    return cases, generators, answers


def slow(cases, answers, rule, unparsed):
    """Every metric of one cell, one case at a time; None where undefined."""
    outcomes = [reference.outcome(case, *rule) for case in cases]
    found = {"cases": len(cases)} | {f"count_{name}": outcomes.count(name) for name in OUTCOMES}
    inside = []
    for case, outcome, answer in zip(cases, outcomes, answers, strict=True):
        counts = reference.tried(case) if unparsed == "wrong" else reference.usable(case) is not None
        if case.gold is not None and counts:
            inside.append((case, outcome, answer))
    wrong = [one for one in inside if one[0].gold >= 0]
    clean = [one for one in inside if one[0].gold < 0]
    found["error_acc"] = reference.share([outcome == "exact" for _, outcome, _ in wrong])
    found["correct_acc"] = reference.share([outcome == "clean" for _, outcome, _ in clean])
    found["f1"] = reference.harmonic(found["error_acc"], found["correct_acc"])
    steps = [reference.step_accuracy(case, *rule) for case in cases]
    known = [value for value in steps if value is not None]
    found["step_accuracy"] = sum(known) / len(known) if known else None
    for name in SHARED:
        found[f"share_{name}"] = reference.share([outcome == name for _, outcome, _ in inside])
    for name, words in SIDES.items():
        found[name] = reference.share([outcome in words for _, outcome, _ in wrong])
    right = [case.gold >= 0 for case, answer in zip(cases, answers, strict=True) if answer and case.gold is not None]
    found["process_error_rate"] = reference.share(right)
    found["process_error_exact"] = reference.share([outcome == "exact" for _, outcome, answer in wrong if answer])
    return found


def made(cases, generators, answers, rule=(0.5, "<"), columns=("generator", "steps"), taken=None):
    evaluation = making.evaluation(cases, *rule, generator=generators, final_answer_correct=answers)
    rows = np.ones(len(cases), dtype=bool) if taken is None else np.array(taken)
    frame = evaluation.gold.cases
    return evaluation, Cells(tuple(axis(frame, name) for name in columns), rows)


@SOME
@given(study=labelled(), rule=making.rules(), unparsed=st.sampled_from(("wrong", "drop")))
def test_every_cell_and_total_is_what_its_cases_give_one_by_one(study, rule, unparsed):
    cases, generators, answers = study
    evaluation, cells = made(*study, rule)
    table = breakdown(evaluation, cells, unparsed)
    lengths = [("0 to 4", "5 to 9")[case.n_steps > 4] for case in cases]
    found = {}
    for row in table.iter_rows(named=True):
        found.setdefault((row["generator"], row["steps"]), {})[row["metric"]] = row["value"]
    expected = set()
    for generator, length in itertools.product({*generators, TOTAL}, {*lengths, TOTAL}):
        inside = [
            number
            for number in range(len(cases))
            if generator in {TOTAL, generators[number]} and length in {TOTAL, lengths[number]}
        ]
        if not inside:
            continue
        expected.add((generator, length))
        slowly = slow([cases[number] for number in inside], [answers[number] for number in inside], rule, unparsed)
        assert found[generator, length].keys() == slowly.keys()
        for metric, value in slowly.items():
            assert found[generator, length][metric] == (None if value is None else pytest.approx(value)), metric
    assert found.keys() == expected


@SOME
@given(study=labelled(), rule=making.rules(), unparsed=st.sampled_from(("wrong", "drop")))
def test_shares_have_intervals_in_0_to_1_and_nulls_have_reasons(study, rule, unparsed):
    evaluation, cells = made(*study, rule)
    for row in breakdown(evaluation, cells, unparsed).iter_rows(named=True):
        assert (row["value"] is None) == (row["reason"] is not None)
        if row["metric"] == "cases" or row["metric"].startswith("count_"):
            assert (row["low"], row["small"]) == (None, False)
            continue
        assert row["value"] is None or 0 <= row["value"] <= 1
        assert (row["low"] is None) == (row["value"] is None or row["metric"] == "step_accuracy")
        assert row["low"] is None or 0 <= row["low"] <= row["high"] <= 1
        assert row["small"] == (row["value"] is not None) or row["n"] >= SMALL


@SOME
@given(study=labelled(), taken=st.lists(st.booleans(), min_size=10, max_size=10))
def test_the_condition_of_a_cell_selects_its_cases_and_filters_compose(study, taken):
    cases = study[0]
    evaluation, cells = made(*study, taken=taken[: len(cases)])
    frame, table = evaluation.gold.cases, breakdown(evaluation, cells)
    for row in table.filter(pl.col("metric") == "cases").iter_rows(named=True):
        inside = passing(frame, [row["where"]]).to_numpy() & cells.rows
        assert inside.sum() == row["value"]
        # The same cases, selected and then not broken down, give the same numbers.
        alone = breakdown(evaluation, Cells((axis(frame, "benchmark"),), inside))
        alone = alone.filter(pl.col("benchmark") == TOTAL).select("metric", "value", "n")
        same = pl.col("generator").eq_missing(pl.lit(row["generator"])) & (pl.col("steps") == row["steps"])
        assert_frame_equal(table.filter(same).select("metric", "value", "n"), alone)


def test_a_table_worked_out_by_hand():
    """Generator a: one exact, one early, one missed, one clean; b: one false alarm, and one that nobody scored."""
    cases = [
        Case(3, 1, (0.9, 0.1, 0.9)),
        Case(3, 1, (0.1, 0.1, 0.9)),
        Case(3, 2, (0.9, 0.9, 0.9)),
        Case(2, -1, (0.9, 0.5)),
        Case(2, -1, (0.9, 0.4)),
        Case(2, -1),
    ]
    evaluation, cells = made(cases, list("aaaabb"), [True, True, False, True, False, True], columns=("generator",))
    table = breakdown(evaluation, cells)
    a, b, both = (
        dict(table.filter(pl.col("generator") == name).select("metric", "value").iter_rows())
        for name in ("a", "b", TOTAL)
    )
    assert (a["error_acc"], a["correct_acc"], a["f1"]) == (pytest.approx(1 / 3), 1, pytest.approx(0.5))
    assert (a["fp"], a["fn"], a["missed"], a["late"]) == (pytest.approx(1 / 3),) * 3 + (0,)
    assert (a["share_exact"], a["share_clean"]) == (0.25, 0.25)
    assert (a["process_error_rate"], a["process_error_exact"]) == (pytest.approx(2 / 3), 0.5)
    assert (b["error_acc"], b["correct_acc"], b["f1"], b["cases"], b["count_unscored"]) == (None, 0, None, 2, 1)
    assert b["process_error_rate"] == 0
    assert both["cases"] == 6
    assert a["step_accuracy"] == pytest.approx((1 + 1 / 2 + 2 / 3 + 1) / 4)
    assert table["where"].unique(maintain_order=True).to_list() == [
        "(generator IN ('a'))",
        "(generator IN ('b'))",
        "true",
    ]


def test_a_share_of_few_is_marked_and_one_of_enough_is_not():
    cases = [Case(1, 0, (0.1,))] * SMALL + [Case(1, -1, (0.9,))] * (SMALL - 1)
    evaluation, cells = made(cases, ["a"] * len(cases), [None] * len(cases), columns=("generator",))
    table = breakdown(evaluation, cells).filter(pl.col("generator") == "a")
    small = dict(table.select("metric", "small").iter_rows())
    assert (small["error_acc"], small["correct_acc"], small["f1"], small["share_exact"]) == (False, True, True, False)


def test_no_rows_give_an_empty_table_of_the_same_shape():
    evaluation, cells = made([Case(1, 0, (0.1,))], ["a"], [None], taken=[False])
    assert breakdown(evaluation, cells).height == 0
    assert breakdown(evaluation, cells).columns[:3] == ["generator", "steps", "metric"]
