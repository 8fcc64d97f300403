"""Figures of step labels as papers lay them out, against the metrics themselves and by hand."""

import numpy as np
import polars as pl
import pytest
from msgspec.structs import replace

import making
import reference
from scoring.formats.benchmarks import prmbench, socratic
from scoring.metrics.paper_figures import TableScope, values_of
from scoring.metrics.published.papers import PAPERS, PrintedTable, figures
from scoring.metrics.step_labels import step_rows


def table(paper, number):
    return next(one for one in PAPERS[paper].tables if one.number == number)


def cells(paper, number):
    rows = figures().filter((pl.col("paper") == paper) & (pl.col("table") == number))
    return list(dict.fromkeys(rows.select("subset", "metric").iter_rows()))


def case(errors, rewards, subset):
    return reference.Case(len(rewards), min(errors, default=-1), rewards, "", subset, errors)


def by_class(benchmark, *, domain=None):
    """Three cases a class, with hits, misses and false alarms; a class of clean cases where the benchmark has one."""
    classes = prmbench.CLASSES if benchmark == "prmbench" else socratic.CLASSES
    clean = {prmbench.CLEAN_CLASS} if benchmark == "prmbench" else set()
    cases, types = [], []
    for index, name in enumerate(classes):
        for number, rewards in enumerate([(0.9, 0.2, 0.8), (0.7, 0.6, 0.1), (0.3, 0.9, 0.4)]):
            errors = () if name in clean else ((1,), (1, 2), (index % 3,))[number]
            cases.append(case(errors, rewards, domain or name))
            types.append(name)
    group = {name: one.category if benchmark == "prmbench" else one.pattern for name, one in classes.items()}
    column = "error_category" if benchmark == "prmbench" else "pattern"
    return cases, {"error_type": types, column: [group[name] for name in types]}


def computed(benchmark, number, cases, columns, within=None):
    evaluation = making.evaluation(cases, 0.5, "<=", **{"benchmark": benchmark, **columns})
    rows = np.ones(len(cases), dtype=np.bool_) if within is None else np.array(within)
    scope = TableScope(benchmark, table(benchmark, number), rows, "drop")
    return evaluation, values_of(evaluation, scope, cells(benchmark, number))


@pytest.mark.parametrize("number", [3, 15, 16, 20])
def test_prmbench_is_as_its_official_metrics_say(number):
    evaluation, found = computed("prmbench", number, *by_class("prmbench"))
    rows = step_rows(evaluation, np.ones(27, dtype=np.bool_), prmbench.STEP_LABELLED, official=True)
    official = {(row["subset"], row["metric"]): (row["value"], row["n"]) for row in rows}
    compared = [(cell, ours) for cell, ours in found.items() if cell[1] != "similarity"]
    assert compared
    for cell, ours in compared:
        assert ours.value == pytest.approx(official[cell][0]), cell
        assert ours.n == official[cell][1], cell


def test_socratic_is_as_its_official_metrics_say():
    evaluation, found = computed("socratic", 3, *by_class("socratic"))
    rows = step_rows(evaluation, np.ones(60, dtype=np.bool_), socratic.STEP_LABELLED, official=True)
    official = {(row["subset"], row["metric"]): row["value"] for row in rows}
    assert len(found) == 21
    for cell, ours in found.items():
        assert ours.value == pytest.approx(official[cell]), cell


def test_by_hand():
    # TP 2, FN 1, FP 1, TN 1: precision and recall of right steps are 2/3, of wrong ones 1/2.
    cases = [case((1, 2), (0.9, 0.2, 0.8), "circular"), case((), (0.9, 0.4), "circular")]
    columns = {"error_type": ["circular"] * 2, "error_category": ["Simplicity"] * 2}
    found = computed("prmbench", 17, cases, columns)[1]
    values = {metric: ours.value for (_, metric), ours in found.items()}
    assert values["f1_positive"] == pytest.approx(2 / 3)
    assert values["f1_negative"] == pytest.approx(1 / 2)
    assert values["prmscore"] == pytest.approx(7 / 12)
    assert (values["positive_acc"], values["negative_acc"], values["acc"]) == (pytest.approx(2 / 3), 0.5, 0.6)
    assert values["first"] == 1.0
    assert (found["circular", "similarity"].value, bool(found["circular", "similarity"].reason)) == (None, True)


def test_an_empty_denominator_is_minus_one_with_its_reason_and_no_step_at_all_is_null():
    cases = [case((0,), (0.9, 0.9), "circular")]
    found = computed("prmbench", 3, cases, {"error_type": ["circular"], "error_category": ["Simplicity"]})[1]
    all_positive = found["circular", "prmscore"]
    # Nothing is judged wrong: precision -1 and recall 0 make a negative F1 of 0 (metrics of PRMBench's toolkit).
    assert all_positive.value == pytest.approx(1 / 3)
    assert all_positive.reason
    nothing = found["deception", "prmscore"]
    assert (nothing.value, nothing.n) == (None, 0)
    assert nothing.reason
    assert found["Sensitivity", "prmscore"].reason == "undefined on missing_condition, deception, multi_solutions"


def test_stem_is_its_domain_alone_and_has_no_multi_solutions():
    biology, columns = by_class("prmbench", domain="Biology")
    other = [replace(one, subset="Physics", rewards=tuple(1 - value for value in one.rewards)) for one in biology]
    both = {name: values * 2 for name, values in columns.items()}
    alone = computed("prmbench", 10, biology, columns)[1]
    among = computed("prmbench", 10, [*biology, *other], both)[1]
    assert {cell: ours.value for cell, ours in among.items()} == {cell: ours.value for cell, ours in alone.items()}
    members = ("missing_condition", "deception")
    mean = sum(alone[name, "prmscore"].value for name in members) / 2
    assert alone["Sensitivity", "prmscore"].value == pytest.approx(mean)
    assert computed("prmbench", 12, biology, columns)[1]["all", "prmscore"].value is None


def test_the_overall_figure_leaves_out_domains_of_stem():
    plain, columns = by_class("prmbench")
    biology = by_class("prmbench", domain="Biology")[0]
    both = {name: values * 2 for name, values in columns.items()}
    alone, among = (computed("prmbench", 3, *pair)[1] for pair in ((plain, columns), ([*plain, *biology], both)))
    assert among["all", "prmscore"].n == alone["all", "prmscore"].n


def test_a_verdict_alone_says_nothing_of_steps():
    cases, columns = by_class("prmbench")
    evaluation = making.evaluation([replace(one, rewards=None) for one in cases], benchmark="prmbench", **columns)
    scope = TableScope("prmbench", table("prmbench", 3), np.ones(len(cases), dtype=np.bool_), "drop")
    found = values_of(evaluation, scope, cells("prmbench", 3))
    assert {ours.value for ours in found.values()} == {None}
    assert found["all", "prmscore"].reason == "no case was scored"


def test_what_needs_several_solutions_is_not_computed():
    evaluation = making.evaluation([reference.Case(1, -1, (0.9,))])
    scope = TableScope("prmbench", PrintedTable(6, "best of n", "Best-of-8"), np.ones(1, dtype=np.bool_), "drop")
    assert values_of(evaluation, scope, []) is None
