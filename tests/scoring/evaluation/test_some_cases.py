from itertools import pairwise

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

import judged
import making
from scoring.evaluation.evaluation import columns_of, evaluate
from scoring.evaluation.gold import Gold
from scoring.evaluation.single_case import judged_wrong, verdict_of
from scoring.evaluation.step_rewards import flat_rows
from thoroughness import up_to

SOME = up_to(60, 5)


def same(found, whole, rows):
    """What a screen asks of an evaluation, of some cases alone and of all."""
    assert columns_of(found).equals(columns_of(whole)[rows])
    assert found.rewards.lists.to_list() == whole.rewards.lists.gather(rows).to_list()
    assert found.codes.tolist() == whole.codes[rows].tolist()
    assert list(found.coverage.reasons) == [whole.coverage.reasons[row] for row in rows]
    for place, row in enumerate(rows):
        assert judged_wrong(found, place) == judged_wrong(whole, row)
        assert found.rewards.of(place) == whole.rewards.of(row)
        assert found.rewards.first_of(place) == whole.rewards.first_of(row)
        assert found.rewards.redundancies_of(place) == whole.rewards.redundancies_of(row)


@SOME
@given(cases=making.benches(), rule=making.rules(), draw=st.data())
def test_some_cases_are_what_they_are_among_all(cases, rule, draw):
    whole = making.evaluation(cases, *rule)
    rows = np.array(draw.draw(st.permutations(range(len(cases)))), dtype=np.int64)[: draw.draw(st.integers(0, 9))]
    same(whole.of_cases(rows), whole, rows)
    by_case = whole.by_case(np.linspace(0, 1, len(cases)), {}, "each its own")
    same(by_case.of_cases(rows), by_case, rows)
    left_out = whole.without(np.arange(len(cases)) % 2 == 0)
    same(left_out.of_cases(rows), left_out, rows)


def test_labels_votes_and_numbers_go_along():
    cases = making.frame(judged.CASES)
    keys = cases["key"].to_list()
    for rewards, votes in (
        (judged.labels(keys, judged.LABELS), None),
        (judged.labels(keys, [(*row, False, True) for row in judged.LABELS]), None),
        (judged.solutions(keys, judged.NUMBERS), None),
        (judged.solutions([], []), judged.votes(keys, judged.BALLOTS)),
    ):
        whole = evaluate(Gold(cases), making.scorer(), rewards, votes=votes)
        for rows in ([0, 3, 5], [5, 1], [], range(6)):
            some = whole.of_cases(np.array(rows, dtype=np.int64))
            same(some, whole, list(rows))
            np.testing.assert_array_equal(some.rewards.solutions, whole.rewards.solutions[list(rows)])


@up_to(100, 12)
@given(lengths=st.lists(st.integers(0, 3), min_size=1, max_size=6), draw=st.data())
def test_flat_rows(lengths, draw):
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    values = np.arange(offsets[-1])
    rows = np.array(draw.draw(st.lists(st.integers(0, len(lengths) - 1), max_size=5)), dtype=np.int64)
    found, bounds = flat_rows(values, offsets, rows)
    parts = [found[a:b].tolist() for a, b in pairwise(bounds)]
    assert parts == [values[offsets[row] : offsets[row + 1]].tolist() for row in rows]


def test_the_rows_of_nothing():
    found = evaluate(Gold(making.frame([])), making.scorer(), judged.solutions([], []))
    assert columns_of(found.of_cases(np.empty(0, dtype=np.int64))).equals(columns_of(found))
    assert columns_of(found).schema[f"{found.scorer.name}.outcome"] == pl.String()


@SOME
@given(cases=making.benches(), rule=making.rules())
def test_one_case_alone(cases, rule):
    whole = making.evaluation(cases, *rule)
    for row in [*range(len(cases)), *range(len(cases))]:
        one = whole.alone(row)
        assert columns_of(one).equals(columns_of(whole)[[row]])
        assert whole.alone(row) is one
        assert verdict_of(whole, row) == (int(whole.verdicts[row]) if whole.coverage.answered[row] else None)
        assert judged_wrong(whole, row) == whole.judged_steps.of(row, cases[row].n_steps)
