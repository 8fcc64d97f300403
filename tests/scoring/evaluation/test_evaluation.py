import math
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from msgspec.structs import replace

import making
import reference
from reference import Case
from scoring.evaluation.evaluation import columns_of, evaluate
from scoring.evaluation.gold import Gold
from scoring.evaluation.instructive import instructive
from scoring.evaluation.measures import rewards_at_gold
from scoring.evaluation.scorer_columns import PER_SCORER
from scoring.evaluation.verdicts import OUTCOMES, Rule
from scoring.metrics.first_error_family import FIRST_ERRORS
from scoring.metrics.metrics_by_subset import metric_rows
from thoroughness import up_to

SOME = up_to(60, 5)


@SOME
@given(cases=making.benches(), rule=making.rules())
def test_columns_hold_what_each_case_gives_by_itself(cases, rule):
    found = making.evaluation(cases, *rule, name="a b")
    columns = columns_of(found)
    assert columns.columns == [f"a b.{name}" for name in PER_SCORER]
    assert columns["a b.verdict"].to_list() == [reference.verdict(case, *rule) for case in cases]
    assert columns["a b.verdict"].dtype == pl.Int32()
    assert columns["a b.outcome"].to_list() == [reference.outcome(case, *rule) for case in cases]
    assert columns["a b.step_accuracy"].to_list() == [reference.step_accuracy(case, *rule) for case in cases]
    for case, at_gold in zip(cases, columns["a b.reward_at_gold"], strict=True):
        there = reference.usable(case) is not None and case.gold is not None and 0 <= case.gold < case.n_steps
        assert at_gold == (case.rewards[case.gold] if there else None)
    assert columns["a b.margin"].is_null().to_list() == [reference.margin(case, *rule) is None for case in cases]
    assert found.coverage.count == sum(reference.usable(case) is not None for case in cases)


@SOME
@given(cases=making.benches(), rule=making.rules())
def test_moving_the_threshold_gives_what_deciding_there_gives(cases, rule):
    threshold, comparison = rule
    moved = making.evaluation(cases, 0.1, comparison)
    assert columns_of(moved).height == len(cases)  # what was looked at before does not stick
    moved, direct = moved.at(threshold, "x"), making.evaluation(cases, *rule)
    assert columns_of(moved).equals(columns_of(direct))
    assert (moved.rule.threshold, moved.rule.source, moved.rule.comparison) == (threshold, "x", comparison)


@SOME
@given(cases=making.benches(), rule=making.rules())
def test_instructive_order(cases, rule):
    found = making.evaluation(cases, *rule)

    def place(row):
        word, margin = OUTCOMES[found.codes[row]], found.margins[row]
        if math.isnan(margin):
            return 3, 0.0, row
        if word in {"exact", "clean"}:
            return 2, margin, row
        return (1, 0.0, row) if math.isinf(margin) else (0, -abs(margin), row)

    plain = sorted(range(len(cases)), key=place)
    met, turns = Counter(), {}
    for row in plain:
        # The wrong outcomes take turns, each from its own first on; the others stand as they are.
        kind = place(row)[0], found.codes[row] if place(row)[0] in {0, 1} else row
        turns[row] = met[kind]
        met[kind] += 1
    assert instructive(found.margins, found.codes).tolist() == sorted(
        plain, key=lambda row: (place(row)[0], turns[row], place(row))
    )


def test_forty_equal_false_alarms_do_not_stand_in_a_row():
    alarms = [Case(1, -1, (0.0,))] * 40
    others = [Case(1, 0, (0.9,)), Case(1, 0, (0.8,)), Case(3, 2, (0.3, 0.9, 0.1))]
    found = making.evaluation([*alarms, *others], 0.5)
    words = [OUTCOMES[found.codes[row]] for row in instructive(found.margins, found.codes)[:5]]
    assert words == ["false_alarm", "missed", "early", "false_alarm", "missed"]
    alone = [row for row in instructive(found.margins, found.codes).tolist() if row < 40]
    assert alone == list(range(40))


def test_instructive_puts_the_confident_mistake_first_and_what_nothing_mends_after_it():
    cases = [
        Case(1, -1, (0.9,)),  # right
        Case(1, -1, (0.4,)),  # a near miss
        Case(2, 1, (0.1, 0.4)),  # no threshold makes it right
        Case(1, 0, (1.0,)),  # missed by far
        Case(1, -1, None),
        Case(1, -1, (0.5,)),  # right, on the edge
        Case(1, 0, (0.5,)),  # wrong, on the edge
    ]
    assert instructive(making.evaluation(cases, 0.5).margins, making.evaluation(cases, 0.5).codes).tolist() == [
        3,
        1,
        6,
        2,
        5,
        0,
        4,
    ]


def test_equal_content_with_different_gold_is_decided_case_by_case():
    cases = making.frame([Case(2, 0), Case(2, 1), Case(2, -1), Case(2, None)])
    twins = cases.with_columns(key=pl.lit(cases["key"][0]))
    found = evaluate(Gold(twins), making.scorer(), making.rewards([Case(2, 0, (0.9, 0.2))]))
    assert columns_of(found)["scorer.outcome"].to_list() == ["late", "exact", "false_alarm", "no_gold"]
    assert columns_of(found)["scorer.verdict"].to_list() == [1, 1, 1, 1]


def test_without_a_rule_the_scorers_own_threshold_decides():
    cases = [Case(1, -1, (0.3,))]
    scorer = making.scorer(threshold=0.2, threshold_source="its card")
    found = evaluate(Gold(making.frame(cases)), scorer, making.rewards(cases))
    assert columns_of(found)["scorer.outcome"].to_list() == ["clean"]
    assert (found.rule.threshold, found.rule.source, found.rule.comparison) == (0.2, "its card", "<")


@pytest.mark.parametrize("cases", [[], [Case(2)], [Case(0, rewards=())], [Case(2, refused="x")]])
def test_with_nothing_scored_every_column_is_there(cases):
    found = making.evaluation(cases)
    assert found.coverage.count == 0
    assert columns_of(found).drop("scorer.outcome").null_count().row(0) == (len(cases),) * 4
    assert instructive(found.margins, found.codes).tolist() == list(range(len(cases)))
    assert rewards_at_gold(found.rewards, found.gold).shape == found.step_accuracies.shape == (len(cases),)


def test_step_accuracy_looks_at_known_labels_alone():
    found = making.evaluation(
        [Case(4, 1, (0.9, 0.9, 0.1, 0.1)), Case(4, 1, (0.9, 0.9, 0.1, 0.1), error_steps=(1, 2))], 0.5
    )
    assert found.step_accuracies.tolist() == [1 / 2, 2 / 4]


@pytest.mark.parametrize(("settings", "nothing"), [({"imported_from": "table"}, True), ({}, False)])
def test_a_file_of_which_nothing_could_be_read_has_no_figures(settings, nothing):
    """Of a model that ran, refusals are results, and count as wrong."""
    cases = [Case(3, gold=gold, refused="2 numbers for 3 steps") for gold in (-1, 0, 1)]
    scorer = replace(making.scorer("mine"), settings=settings)
    rule = Rule(0.5, "<", "chosen")
    found = evaluate(Gold(making.frame(cases)), scorer, making.rewards(cases), rule)
    figures = [
        row["value"] for row in metric_rows(FIRST_ERRORS, found, np.ones(3, dtype=bool)) if row["metric"] == "error_acc"
    ]
    assert (bool(found.coverage.nothing), set(figures)) == (nothing, {None} if nothing else {0.0})
    one = [Case(3, gold=0, rewards=(0.1, 0.9, 0.9)), *cases]
    assert not evaluate(Gold(making.frame(one)), scorer, making.rewards(one), rule).coverage.nothing
