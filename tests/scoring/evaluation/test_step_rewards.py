import numpy as np
import polars as pl
import pytest
from hypothesis import given

import making
import reference
from reference import Case
from scoring.data.schema import REWARDS
from scoring.evaluation.step_rewards import align
from thoroughness import up_to


def aligned(cases):
    return align(making.frame(cases), making.rewards(cases))


@up_to(60, 8)
@given(cases=making.benches())
def test_what_is_usable_is_scored_and_everything_else_that_was_tried_is_refused_with_a_reason(cases):
    found = aligned(cases)
    for row, case in enumerate(cases):
        assert found.of(row) == reference.usable(case)
        assert found.scored[row] == (reference.usable(case) is not None)
        assert found.refused[row] == (reference.tried(case) and reference.usable(case) is None)
        assert bool(found.reasons[row]) == found.refused[row]
    assert found.values.dtype == np.float64
    assert found.offsets.tolist()[-1] == found.values.size
    assert found.lists.dtype == pl.List(pl.Float64)
    assert found.lists.to_list() == [reference.usable(case) for case in cases]


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        (Case(2, refused="over length"), "over length"),
        (Case(2, rewards=(0.1,)), "1 rewards for 2 steps"),
        (Case(2, rewards=()), "0 rewards for 2 steps"),
        (Case(1, rewards=(0.1, 0.2)), "2 rewards for 1 steps"),
        (Case(2, rewards=(0.1, float("nan"))), "a reward is not a finite number"),
        (Case(2, rewards=(float("inf"), 0.1)), "a reward is not a finite number"),
        (Case(2, rewards=(-float("inf"), 0.1)), "a reward is not a finite number"),
        (Case(2, rewards=(None, 0.1)), "a reward is not a finite number"),
        (Case(0, rewards=()), "the case has no steps"),
    ],
)
def test_reasons(case, reason):
    found = aligned([Case(1, rewards=(0.5,)), case])
    assert found.reasons == [None, reason]
    assert found.of(1) is None
    assert found.of(0) == [0.5]


def test_a_row_without_rewards_and_without_a_reason_is_refused():
    cases = [Case(1, rewards=(0.5,))]
    empty = making.rewards(cases).with_columns(rewards=pl.lit(None, dtype=REWARDS["rewards"]))
    found = align(making.frame(cases), empty)
    assert found.refused.tolist() == [True]
    assert found.reasons == ["the cached row holds neither rewards nor a reason"]


def test_the_lowest_vote_counts():
    cases = [Case(1, rewards=(0.5,))]
    one = making.rewards(cases)
    votes = pl.concat([one.with_columns(vote=pl.lit(n, pl.Int32), rewards=pl.lit([n / 10])) for n in (3, 1, 2)])
    assert align(making.frame(cases), votes).of(0) == [0.1]


def test_cases_of_equal_content_share_their_rewards_and_keep_their_own_gold():
    cases = making.frame([Case(2, 0, (0.1, 0.9)), Case(2, -1)])
    twins = cases.with_columns(key=pl.lit(cases["key"][0]))
    found = align(twins, making.rewards([Case(2, 0, (0.1, 0.9))]))
    assert found.of(0) == found.of(1) == [0.1, 0.9]


def test_equal_content_with_another_number_of_steps_is_refused_there_alone():
    cases = making.frame([Case(2), Case(3)])
    twins = cases.with_columns(key=pl.lit(cases["key"][0]))
    found = align(twins, making.rewards([Case(2, -1, (0.1, 0.9))]))
    assert (found.scored.tolist(), found.refused.tolist()) == ([True, False], [False, True])


def test_rewards_of_other_cases_change_nothing():
    cases = [Case(1, rewards=(0.5,)), Case(2)]
    more = [*cases, Case(3, rewards=(0.1, 0.2, 0.3))]
    found = align(making.frame(cases), making.rewards(more))
    assert found.values.tolist() == [0.5]
    assert (found.scored.tolist(), found.refused.tolist()) == ([True, False], [False, False])


@pytest.mark.parametrize("cases", [[], [Case(2)], [Case(0)]])
def test_without_rewards_nothing_is_scored(cases):
    found = align(making.frame(cases), pl.DataFrame(schema=REWARDS))
    assert found.values.shape == (0,)
    assert not found.scored.any()
    assert not found.refused.any()
    assert found.lists.to_list() == [None] * len(cases)
    assert found.lists.dtype == pl.List(pl.Float64)
