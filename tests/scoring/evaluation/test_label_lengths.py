"""Labels that are more or fewer than the steps, on a case of their own each: what they decide and what they do not."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import judged
import making
from reference import Case
from scoring.evaluation.evaluation import columns_of, evaluate
from scoring.evaluation.gold import Gold
from scoring.evaluation.single_case import judged_wrong
from scoring.evaluation.step_rewards import align
from scoring.evaluation.verdicts import NO_VERDICT
from thoroughness import up_to


def labelled(rows, cases, rewards=None):
    frame = making.frame(cases)
    return evaluate(Gold(frame), making.scorer(), judged.labels(frame["key"], rows, rewards))


def outcomes(found):
    return columns_of(found)["scorer.outcome"].to_list()


def test_a_wrong_label_is_the_verdict_however_many_are_missing_after_it():
    found = labelled([(True, False), (False,), (True, True)], [Case(5, 1), Case(5, 3), Case(5, 3)])
    assert outcomes(found) == ["exact", "early", "refused"]
    assert found.verdicts.tolist() == [1, 0, NO_VERDICT]
    assert list(found.coverage.reasons) == [None, None, "labels for 2 of 5 steps"]
    assert found.coverage.count == 2
    assert found.coverage.tried.all()


def test_steps_without_a_label_are_judged_neither_way():
    found = labelled([(True, False), (True, True)], [Case(4, 1, error_steps=(1, 2)), Case(3, 0, error_steps=(0,))])
    assert [judged_wrong(found, row) for row in (0, 1)] == [[False, True, None, None], [False, False, None]]
    assert found.step_accuracies.tolist() == [1.0, 0.5]
    assert found.judged_steps.rows.all()
    assert found.judged_steps.cases.tolist() == [0, 0, 1, 1]
    assert found.judged_steps.steps.tolist() == [0, 1, 0, 1]


def test_labels_beyond_the_last_step_make_no_verdict_and_are_kept_apart():
    found = labelled([(True, True, False), (True, False, True, True)], [Case(2, -1), Case(2, 1)])
    assert outcomes(found) == ["clean", "exact"]
    assert judged_wrong(found, 0) == [False, False]
    assert found.step_accuracies.tolist() == [1.0, 1.0]
    beyond = found.judged_steps.beyond
    assert (beyond.cases.tolist(), beyond.steps.tolist()) == ([0, 1, 1], [2, 2, 3])
    assert beyond.values.tolist() == [True, False, False]


def test_labels_decide_where_rewards_are_not_as_many_as_the_steps():
    found = labelled([(True, False, True), (True, False)], [Case(3, 1), Case(3, 1)], [[0.5], [0.9, 0.9, 0.9]])
    assert outcomes(found) == ["exact", "exact"]
    assert found.rewards.of(0) is None
    assert found.rewards.of(1) == [0.9, 0.9, 0.9]


def test_a_case_without_steps_is_refused_whatever_its_labels():
    assert labelled([(True,)], [Case(0)]).coverage.reasons == ["the case has no steps"]


def test_left_out_cases_take_their_labels_along():
    found = labelled([(True, True, False), (True, False)], [Case(2, -1), Case(3, 1)]).without(np.array([True, False]))
    judged_steps = found.judged_steps
    assert judged_steps.rows.tolist() == [False, True]
    assert judged_steps.beyond.cases.size == 0
    assert outcomes(found) == ["dev", "exact"]


@up_to(80, 10)
@given(st.lists(st.tuples(st.integers(1, 4), st.none() | st.lists(st.booleans(), max_size=6)), min_size=1, max_size=8))
def test_every_label_is_of_its_step_or_beyond_and_none_is_lost(cases):
    frame = making.frame([Case(n, -1) for n, _ in cases])
    given_ = pl.Series([row is not None for _, row in cases])
    rows = judged.labels(frame["key"].filter(given_), [row for _, row in cases if row is not None])
    aligned = align(frame, rows)
    found = evaluate(Gold(frame), making.scorer(), rows)
    for row, (n, labels) in enumerate(cases):
        own = labels or []
        assert aligned.labels.of(row) == (labels[:n] if labels else None)
        there = aligned.labels.beyond.cases == row
        assert aligned.labels.beyond.values[there].tolist() == own[n:]
        assert aligned.labels.beyond.steps[there].tolist() == list(range(n, len(own)))
        expected = None if not labels else [*(not right for right in labels[:n]), *[None] * (n - len(labels[:n]))]
        assert judged_wrong(found, row) == expected
        wrong = [step for step, right in enumerate(own[:n]) if not right]
        verdict = wrong[0] if wrong else -1 if len(own) >= n else NO_VERDICT
        assert found.verdicts[row] == verdict
        assert (outcomes(found)[row] == "unscored") == (labels is None)


@pytest.mark.parametrize("first", [True, False])
def test_rows_decided_by_labels_of_any_length_stand_beside_rows_with_rewards(first):
    cases = [Case(3, 1, (0.9, 0.1, 0.9)), Case(3, 1, (0.9, 0.1, 0.9))]
    frame = making.frame(cases)
    partial = making.rewards(cases).with_columns(
        labels=pl.Series(
            [[True, False, True, False], None] if first else [None, [True, False]], dtype=pl.List(pl.Boolean)
        )
    )
    found = evaluate(Gold(frame), making.scorer(), partial)
    other = [False, True, False] if first else [False, True, None]
    at = 0 if first else 1
    assert judged_wrong(found, at) == other
    assert judged_wrong(found, 1 - at) == [False, True, False]
    assert judged_wrong(found.at(0.95), at) == other
    assert judged_wrong(found.at(0.95), 1 - at) == [True, True, True]
    assert outcomes(found) == ["exact", "exact"]
