from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import making
import selecting
import side_by_side
from reference import Case
from scoring.data.schema import REWARDS
from scoring.evaluation.evaluation import evaluate
from scoring.evaluation.gold import Gold
from scoring.evaluation.verdicts import Rule
from scoring.metrics.correct_sets import correct_sets
from thoroughness import up_to

MARKS = st.integers(1, 14).flatmap(
    lambda n: st.tuples(
        st.text("EC", min_size=n, max_size=n), *[st.text("01x-", min_size=n, max_size=n) for _ in range(3)]
    )
)
SIDES = {"E": "erroneous", "C": "clean"}


def one_by_one(gold, marks, policy):
    """How many cases of each side each set of scorers has right, in plain loops."""
    counts = Counter()
    outside = "-" if policy == "wrong" else "-x"
    for side, *row in zip(gold, *marks, strict=True):
        if not set(row) & set(outside):
            counts[SIDES[side], tuple(place for place, mark in enumerate(row) if mark == "1")] += 1
    return counts


@up_to(80, 10)
@given(words=MARKS, policy=st.sampled_from(("wrong", "drop")))
def test_sets_are_what_plain_counting_gives_and_conditions_select_them(words, policy):
    gold, *marks = words
    evaluations = side_by_side.evaluations(gold, *marks)
    aligned = side_by_side.of(evaluations, policy)
    found = list(correct_sets(aligned, (0, 1, 2)))
    expected = one_by_one(gold, marks, policy)
    assert {(one.side, one.right): one.count for one in found if one.count} == expected
    frame = selecting.beside(*evaluations)
    rows = []
    for one in found:
        here = selecting.selected(frame, one.where)
        assert len(here) == one.count
        rows += here
    assert sorted(rows) == np.flatnonzero(aligned.common((0, 1, 2))).tolist()
    for side in SIDES.values():
        of_side = [one for one in found if one.side == side]
        assert {one.n for one in of_side} == {sum(one.count for one in of_side)}
        assert [one.count for one in of_side] == sorted((one.count for one in of_side), reverse=True)
        kinds = Counter(one.kind for one in of_side)
        assert (kinds["unanimous_wrong"], kinds["unanimous_right"], kinds["lone_right"]) == (1, 1, 3)


def test_sets_by_hand():
    aligned = side_by_side.aligned("EEEE CC", "1100 1x", "1101 01")
    told = [(one.side, one.kind, one.right, one.count, one.n) for one in correct_sets(aligned, (0, 1))]
    assert told == [
        ("erroneous", "unanimous_right", (0, 1), 2, 4),
        ("erroneous", "unanimous_wrong", (), 1, 4),
        ("erroneous", "lone_right", (1,), 1, 4),
        ("erroneous", "lone_right", (0,), 0, 4),
        ("clean", "lone_right", (0,), 1, 2),
        ("clean", "lone_right", (1,), 1, 2),
        ("clean", "unanimous_wrong", (), 0, 2),
        ("clean", "unanimous_right", (0, 1), 0, 2),
    ]
    first = next(correct_sets(aligned, (0, 1)))
    assert first.share == 1 / 2
    assert first.interval[0] < 1 / 2 < first.interval[1]
    assert first.where == "earliest_error >= 0 AND \"a.outcome\" IN ('exact') AND \"b.outcome\" IN ('exact')"


def test_of_cases_that_nobody_shares_there_is_no_share():
    found = list(correct_sets(side_by_side.aligned("EC", "1-", "-1"), (0, 1)))
    assert {(one.count, one.n, one.share, one.interval) for one in found} == {(0, 0, None, (None, None))}


def test_only_the_scorers_asked_for_count_and_ties_follow_their_order():
    aligned = side_by_side.aligned("EE", "10", "--", "01")
    assert [one.right for one in correct_sets(aligned, (2, 0)) if one.side == "erroneous"] == [(2,), (0,), (), (0, 2)]


@pytest.mark.parametrize("policy", ["wrong", "drop"])
def test_dev_cases_cases_without_gold_and_scorers_without_verdicts_select_nothing(policy):
    """A case left out for tuning, one without gold, one never scored, and a scorer of one number a solution."""
    cases = [Case(2, 1, (0.9, 0.1)), Case(2, -1, (0.9, 0.9)), Case(2, None, (0.9, 0.1)), Case(2, 0), Case(1, 0, (9, 9))]
    one = making.evaluation(cases, name='o"ne').without(np.array([True, False, False, False, False]))
    other = making.evaluation(cases, name="other")
    frame = selecting.beside(one, other)
    counts = {found.where: found.count for found in correct_sets(side_by_side.of([one, other], policy), (0, 1))}
    assert {where: len(selecting.selected(frame, where)) for where in counts} == counts
    assert sum(counts.values()) == (2 if policy == "wrong" else 1)
    numbers = pl.DataFrame(
        [{"key": key, "vote": 0, "solution": 0.5} for key in frame["key"].to_list()[:4]], schema=REWARDS
    )
    silent = evaluate(Gold(making.frame(cases)), making.scorer("silent"), numbers, Rule(0.5))
    aligned = side_by_side.of([one, silent], policy)
    found = list(correct_sets(aligned, (0, 1)))
    frame = selecting.beside(one, silent)
    assert [one.count for one in found] == [len(selecting.selected(frame, one.where)) for one in found] == [0] * 8
