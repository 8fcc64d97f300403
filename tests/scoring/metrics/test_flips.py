import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import judged
import making
import reference
import selecting
from reference import Case
from scoring.metrics.threshold_flips import AtThreshold, flip_conditions
from thoroughness import up_to

SOME = up_to(120, 15)
THRESHOLDS = st.sampled_from((*making.TIED, -2.0, 0.4, 2.0, 1e-7, -1e22))
WORDS = ("exact", "early", "late", "missed", "clean", "false_alarm")


@SOME
@given(cases=making.benches(), threshold=THRESHOLDS, comparison=st.sampled_from(("<", "<=")))
def test_each_condition_selects_the_cases_of_its_outcome(cases, threshold, comparison):
    frame = selecting.beside(making.evaluation(cases, name='a "b" c'))
    found = AtThreshold('a "b" c', threshold, comparison)
    outcomes = [reference.outcome(case, threshold, comparison) for case in cases]
    for word in WORDS:
        expected = [row for row, outcome in enumerate(outcomes) if outcome == word]
        assert selecting.selected(frame, getattr(found, word)) == expected
    right = [row for row, outcome in enumerate(outcomes) if outcome in {"exact", "clean"}]
    wrong = [row for row, outcome in enumerate(outcomes) if outcome in {"early", "late", "missed", "false_alarm"}]
    assert (selecting.selected(frame, found.right), selecting.selected(frame, found.wrong)) == (right, wrong)


@SOME
@given(cases=making.benches(), old=THRESHOLDS, new=THRESHOLDS, comparison=st.sampled_from(("<", "<=")))
def test_flips_are_what_deciding_twice_gives(cases, old, new, comparison):
    evaluation = making.evaluation(cases, 0.5, comparison)
    expected = {"right": [], "wrong": [], "other": []}
    for row, case in enumerate(cases):
        before, after = (reference.outcome(case, threshold, comparison) for threshold in (old, new))
        was, is_now = (outcome in {"exact", "clean"} for outcome in (before, after))
        if before != after:
            expected["right" if is_now else "wrong" if was else "other"].append(row)
    found = flip_conditions(evaluation.at(old), evaluation.at(new))
    frame = selecting.beside(evaluation)
    assert {flip: selecting.selected(frame, where) for flip, where in found.items()} == expected


def test_a_rule_on_differences_is_said_as_well():
    cases = [Case(2, 1, (0.9, 0.6)), Case(2, -1, (0.9, 0.6)), Case(2, 0, (0.3, 0.9))]
    one = making.evaluation(cases).compared("<=", "differences")
    found = flip_conditions(one.at(-0.5), one.at(-0.25))
    frame = selecting.beside(one)
    assert {flip: selecting.selected(frame, where) for flip, where in found.items()} == {
        "right": [0],
        "wrong": [1],
        "other": [],
    }


def test_what_no_condition_can_say_is_none():
    one = making.evaluation([Case(1, 0, (0.2,)), Case(1, -1, (0.9,))])
    by_case = one.by_case(np.array([0.1, 0.5]), {}, "best")
    assert flip_conditions(one, by_case) is None
    assert flip_conditions(one.compared("<="), one) is None
    assert flip_conditions(one, one.without(np.array([True, False]))) is None
    critic = judged.critic([Case(1, 0)], [0])
    assert flip_conditions(critic, critic) is None


def test_between_equal_thresholds_nothing_flips():
    one = making.evaluation([Case(2, 1, (0.5, 0.2)), Case(1, -1, (0.5,)), Case(2, 0, (0.5, 0.6))])
    frame = selecting.beside(one)
    assert [selecting.selected(frame, where) for where in flip_conditions(one, one).values()] == [[], [], []]
