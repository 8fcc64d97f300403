import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.metrics import problem_bootstrap
from scoring.metrics.intervals import RESAMPLES
from scoring.metrics.problem_bootstrap import resampled_sums
from thoroughness import up_to


def sums(parts, groups, problems, n_groups=1, seed=0):
    parts = np.asarray(parts, dtype=float)
    return resampled_sums(parts, np.asarray(groups), n_groups, np.asarray(problems), seed)


@up_to(30)
@given(rows=st.lists(st.tuples(st.integers(-1, 2), st.integers(0, 4), st.integers(0, 9)), min_size=1, max_size=12))
def test_sums_are_those_of_whole_problems_in_plain_loops(rows):
    groups, problems, values = map(np.array, zip(*rows, strict=True))
    found = sums(np.column_stack([values, np.ones(len(rows))]), groups, problems, 3)
    assert found.shape == (RESAMPLES, 3, 2)
    numbers = sorted(set(problems.tolist()))
    drawn = np.concatenate(list(problem_bootstrap._draws(len(numbers), 0)), axis=1).T
    assert (drawn.sum(axis=1) == len(numbers)).all()
    for resample in (0, 1, RESAMPLES - 1):
        for group in range(3):
            expected = [0.0, 0.0]
            for at, problem, value in rows:
                if at == group:
                    times = drawn[resample, numbers.index(problem)]
                    expected = [expected[0] + times * value, expected[1] + times]
            assert found[resample, group].tolist() == pytest.approx(expected)


def test_cases_of_one_problem_come_and_stay_away_together():
    found = sums(np.eye(4), [0, 0, 0, 0], [7, 7, 9, 9])[:, 0]
    assert (found[:, 0] == found[:, 1]).all()
    assert (found[:, 2] == found[:, 3]).all()
    assert set(map(tuple, found[:, ::2].tolist())) == {(0, 2), (1, 1), (2, 0)}


def test_a_problem_is_drawn_in_all_its_groups_at_once():
    found = sums([[1], [1]], [0, 1], [5, 5], 2)
    assert (found == 1).all()


def test_draws_depend_on_seed_and_problems_alone_and_have_the_mean_and_spread_of_a_multinomial():
    groups, problems = np.zeros(50, dtype=int), np.arange(50)
    one, other = (sums(np.random.default_rng(1).random((50, 1)), groups, problems, seed=seed) for seed in (0, 1))
    again = sums(np.random.default_rng(1).random((50, 1)), groups, problems * 3 + 1)
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)
    single = sums(np.eye(50)[:, :1], groups, problems)[:, 0, 0]
    assert single.mean() == pytest.approx(1, abs=0.15)
    assert single.var() == pytest.approx(1 - 1 / 50, abs=0.2)


def test_batches_cover_all_resamples(monkeypatch):
    monkeypatch.setattr(problem_bootstrap, "BATCH", 70)
    found = sums(np.ones((10, 1)), np.zeros(10, dtype=int), np.arange(10))
    assert (found == 10).all()
    shapes = [drawn.shape for drawn in problem_bootstrap._draws(10, 3)]
    assert shapes[0] == (10, 7)
    assert sum(size for _, size in shapes) == RESAMPLES


def test_without_cases_all_sums_are_0():
    assert not sums(np.zeros((0, 2)), np.zeros(0, dtype=int), np.zeros(0, dtype=int), 2).any()


def test_the_interval_of_clustered_cases_covers_and_that_of_single_cases_does_not():
    """Ten cases a problem that are all alike: 95% intervals of their share, over 100 made benchmarks."""
    rng, covered = np.random.default_rng(0), {"problems": 0, "cases": 0}
    for seed in range(100):
        hits = np.repeat(rng.random(40) < 0.4, 10).astype(float)
        parts = np.column_stack([hits, np.ones(400)])
        for name, problems in (("problems", np.repeat(np.arange(40), 10)), ("cases", np.arange(400))):
            drawn = sums(parts, np.zeros(400, dtype=int), problems, seed=seed)[:, 0]
            low, high = np.quantile(drawn[:, 0] / drawn[:, 1], [0.025, 0.975])
            covered[name] += low <= 0.4 <= high
    assert covered["problems"] >= 88
    assert covered["cases"] < 60
