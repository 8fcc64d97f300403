"""Drift of step rewards: figures against loops over pairs, the trend against every order, alarms on invented runs.

How often a run without drift is accused was measured with `drifting.rollouts` (32 rollouts a training step, from 30% to
80% right): in one look at 6, 12 and 30 training steps 0.2%, 0.6% and 1.0% of 1,000, 1,000 and 1,200; 0.1%, 0.6% and
0.2% where 50% are right throughout. Of 300 runs 8% were accused at some time by whoever looked after each of 30
training steps. The planted drifts were found at 12 training steps in 78% (outcome), 87% (length) and 100% (last) of 100
runs, at 30 in all of them.
"""

import math
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drifting import KINDS, alarms, as_rollouts, figures, rollouts
from scoring.metrics.best_of_n import somers_d
from scoring.metrics.drift import (
    ALPHA,
    DRIFTS,
    FEWEST,
    LAST,
    LENGTH,
    OUTCOME,
    concordance,
    drift_figures,
    mann_kendall,
    outcome_weights,
    rollouts_of,
    trends,
)
from thoroughness import THOROUGH, up_to

COARSE = st.sampled_from((0.0, 0.25, 0.5, 0.75, 1.0))
ONE = st.tuples(
    st.sampled_from((1, 2)), st.lists(COARSE, min_size=1, max_size=4), st.sampled_from((True, True, False, False, None))
)

RUNS = st.lists(ONE, min_size=1, max_size=24)


# -- one training step


@up_to(100, 12)
@given(st.lists(st.tuples(COARSE, st.integers(0, 3)), min_size=1, max_size=16))
def test_concordance_is_somers_d_of_the_values_given_the_groups(pairs):
    values, groups = (np.array(side) for side in zip(*pairs, strict=True))
    expected = somers_d(groups.astype(np.float64), values)
    found = concordance(values, groups)
    assert (found is None) == (expected is None)
    assert found is None or found == pytest.approx(expected, abs=1e-12)


def slow_pairs(pairs):
    """The share of pairs whose second value is higher less the share whose first one is."""
    return sum((second > first) - (second < first) for first, second in pairs) / len(pairs) if pairs else None


def slow_figures(run, step):
    """The three figures by loops."""
    shares = {known: sum(outcome is known for *_, outcome in run) / len(run) for known in (True, False, None)}
    kept = {known: share for known, share in shares.items() if share >= 0.1}
    weights = {known: share / sum(kept.values()) for known, share in kept.items()}
    here = [(sum(rewards) / len(rewards), rewards, outcome) for at, rewards, outcome in run if at == step]
    mixed = [(wrong[0], right[0]) for wrong in here if wrong[2] is False for right in here if right[2] is True]
    by_length, by_last = {}, {}
    for known in weights:
        own = [(mean, rewards) for mean, rewards, outcome in here if outcome is known]
        pairs = []
        for one, other in combinations(own, 2):
            shorter, longer = sorted((one, other), key=lambda each: len(each[1]))
            pairs += [(shorter[0], longer[0])] if len(shorter[1]) < len(longer[1]) else []
        by_length[known] = slow_pairs(pairs)
        lasts = [rewards[-1] - sum(rewards[:-1]) / (len(rewards) - 1) for _, rewards in own if len(rewards) > 1]
        by_last[known] = sum(lasts) / len(lasts) if lasts else None
    weighted = [
        None if None in of.values() or not of else sum(weights[known] * value for known, value in of.items())
        for of in (by_length, by_last)
    ]
    return dict(zip(DRIFTS, (slow_pairs(mixed), *weighted), strict=True))


@up_to(100, 12)
@given(RUNS)
def test_figures_are_those_of_loops_over_pairs(run):
    made = as_rollouts(run)
    weights = outcome_weights(made)
    assert sum(weights.values()) == pytest.approx(1)
    for step in made.steps.tolist():
        found, expected = drift_figures(made, step, weights), slow_figures(run, step)
        for name in DRIFTS:
            assert (found[name].value is None) == (expected[name] is None), name
            assert found[name].value is None or found[name].value == pytest.approx(expected[name], abs=1e-9)
            assert (found[name].value is None) == bool(found[name].reason)


@up_to(100, 12)
@given(RUNS, st.integers(2, 4))
def test_how_many_are_right_moves_no_figure(run, times):
    before = as_rollouts(run)
    weights = outcome_weights(before)
    more = as_rollouts([one for one in run for _ in range(times if one[2] is True and one[0] == 1 else 1)])
    figures_before, figures_after = (drift_figures(made, 1, weights) for made in (before, more))
    for name in DRIFTS if 1 in before.at else ():
        values = figures_before[name].value, figures_after[name].value
        assert (values[0] is None) == (values[1] is None)
        assert values[0] is None or values[0] == pytest.approx(values[1], abs=1e-9)


def test_of_no_rollout_there_is_nothing():
    nothing = np.empty(0, dtype=np.int64)
    made = rollouts_of(np.empty(0), np.zeros(1, dtype=np.int64), nothing, nothing, nothing)
    assert outcome_weights(made) == {}
    assert all(figure.value is None and figure.reason for figure in drift_figures(made, 1, {}).values())


# -- the trend


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
def test_the_p_of_a_rise_is_the_share_of_orders_that_rise_as_steadily(n):
    def score(values):
        return sum((later > earlier) - (later < earlier) for earlier, later in combinations(values, 2))

    orders = list(permutations(range(n)))
    for order in orders[:: max(1, len(orders) // 40)]:
        tau, p = mann_kendall(order)
        assert tau == pytest.approx(score(order) / math.comb(n, 2))
        assert p == pytest.approx(sum(score(other) >= score(order) for other in orders) / len(orders))


@given(st.lists(st.integers(-5, 5), max_size=70))
def test_a_fall_is_a_rise_of_what_is_turned_round_and_p_is_a_share(values):
    tau, p = mann_kendall(values)
    assert mann_kendall([-value for value in values])[0] == pytest.approx(-tau)
    assert 0 <= p <= 1


def test_exact_and_normal_p_agree_where_one_follows_the_other():
    draw = np.random.default_rng(0)
    for _ in range(5):
        values = draw.normal(np.arange(58) / 200, 0.3)
        # A tie at the end, in the middle of all that came before, turns the exact test off and moves little.
        middle = np.median(values)
        exact, normal = mann_kendall([*values, middle])[1], mann_kendall([*values, middle, middle])[1]
        assert exact == pytest.approx(normal, abs=0.04)


def test_equal_values_have_no_trend_and_few_have_no_test():
    assert mann_kendall([0.5] * 9) == (0.0, 1.0)
    assert mann_kendall([]) == mann_kendall([1.0]) == (0.0, 1.0)
    (trend,) = trends({OUTCOME: [0.9, None, 0.5, 0.4, 0.3, 0.2]}, 1.0)
    assert (trend.n, trend.p, trend.alarm) == (5, None, False)
    assert trend.reason == f"5 training steps have the figure, and {FEWEST} are needed"


def test_fewest_training_steps_can_raise_an_alarm_and_one_less_could_not():
    falling = {name: [0.0] * 9 for name in (LENGTH, LAST)}
    assert trends({OUTCOME: [0.9, 0.8, 0.7, 0.6, 0.5, 0.4], **falling}, 1.0)[0].alarm
    assert 3 / math.factorial(FEWEST - 1) >= ALPHA > 3 / math.factorial(FEWEST)


def test_a_steady_move_that_is_small_is_no_alarm_and_last_is_in_units_of_the_rewards():
    steady = [0.01 * at for at in range(12)]
    (small,) = trends({LENGTH: steady}, 1.0)
    assert small.p_holm < ALPHA
    assert not small.alarm
    assert trends({LAST: steady}, 0.5)[0].alarm
    assert not trends({LAST: steady}, 1.0)[0].alarm


# -- invented runs


@pytest.mark.parametrize("kind", KINDS[1:])
def test_a_planted_drift_is_found(kind):
    found = [alarms(rollouts(seed, kind, steps=24)) for seed in range(8)]
    assert all(kind in names for names in found)


@pytest.mark.parametrize("accuracy", [(0.3, 0.8), (0.5, 0.5)])
def test_a_run_without_drift_is_not_accused(accuracy):
    accused = sum(bool(alarms(rollouts(seed, accuracy=accuracy))) for seed in range(60 if THOROUGH else 24))
    assert accused <= 1


def test_a_run_whose_outcomes_are_unknown_is_watched_by_the_other_two():
    made = [(at, rewards, None) for at, rewards, _ in rollouts(1, "last", steps=24)]
    assert alarms(made) == {LAST}
    assert all(value is None for value in figures(as_rollouts(made))[OUTCOME])
