import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covering import PROCESSBENCH, TWO, covered
from scoring.metrics import resampling
from scoring.metrics.kernel import share
from scoring.metrics.resampling import (
    LEVEL,
    RESAMPLES,
    percentile_interval,
    percentile_intervals,
    resample_hits,
    resample_marks,
    resample_problems,
)
from thoroughness import THOROUGH, up_to


def study(n=400, s=3, seed=0):
    rng = np.random.default_rng(seed)
    return rng.random((n, s)) < [0.8, 0.5, 0.2][:s], rng.integers(0, 4, n)


def test_strata_keep_their_size_and_shares_have_the_bootstraps_mean_and_spread():
    right, cells = study()
    hits, totals = resample_marks(right, cells, 4, np.arange(400), seed=1)
    sizes = np.bincount(cells)
    assert hits.shape == (RESAMPLES, 4, 3)
    assert (totals == sizes).all()
    share = np.stack([right[cells == cell].mean(axis=0) for cell in range(4)])
    assert (hits / totals[..., None]).mean(axis=0) == pytest.approx(share, abs=0.01)
    spread = np.sqrt(share * (1 - share) / sizes[:, None])
    assert (hits / totals[..., None]).std(axis=0) == pytest.approx(spread, rel=0.12)


def test_all_scorers_share_a_draw():
    right, cells = study(s=1)
    three = np.column_stack([right, ~right, right])
    hits, totals = resample_marks(three, cells, 4, np.arange(400), seed=1)
    assert (hits[..., 0] == hits[..., 2]).all()
    assert (hits[..., 0] + hits[..., 1] == totals).all()


@pytest.mark.parametrize("shared", [1, 2])
def test_a_draw_does_not_depend_on_who_else_is_compared(shared):
    right, cells = study()
    problems = np.arange(400) // shared
    together = resample_marks(right, cells, 4, problems, seed=7)[0]
    for others in (0, 60):
        beside = np.column_stack([right[:, 1], *[right[:, 0]] * others])
        assert (resample_marks(beside, cells, 4, problems, seed=7)[0][..., 0] == together[..., 1]).all()
    assert (resample_marks(right, cells, 4, problems, seed=8)[0] != together).any()


@pytest.mark.parametrize("different", [1, 3_000])
def test_so_it_is_with_so_many_that_rows_are_put_together_by_kind(different):
    """Whether few kinds of rows or all of them are different ones."""
    right, cells = study()
    alone = resample_marks(right, cells, 4, np.arange(400), seed=7)[0]
    others = np.random.default_rng(3).random((400, different)) < 0.5
    beside = np.column_stack([right, np.repeat(others, 3_000 // different, axis=1)])
    assert (resample_marks(beside, cells, 4, np.arange(400), seed=7)[0][..., :3] == alone).all()


def test_cases_of_a_problem_come_and_go_together():
    """Each problem has an erroneous and a clean solution, so that there are always as many of one as of the other."""
    problems, cells = np.repeat(np.arange(30), 2), np.tile([0, 1], 30)
    right = np.repeat(np.arange(30) % 3 == 0, 2)[:, None]
    hits, totals = resample_marks(right, cells, 2, problems, seed=0)
    assert (totals == 30).all()
    assert (hits[:, 0] == hits[:, 1]).all()


def test_whole_problems_are_drawn_without_strata():
    problems = np.array([0, 0, 1, 2])
    _, totals = resample_marks(np.ones((4, 1), dtype=bool), np.array([0, 0, 1, 1]), 2, problems, seed=0)
    assert set(totals[:, 0]) == {0, 2, 4, 6}
    assert (totals[:, 0] / 2 + totals[:, 1] == 3).all()


def test_nothing_and_empty_cells_are_no_error():
    hits, totals = resample_marks(np.zeros((0, 2), dtype=bool), np.zeros(0, dtype=int), 0, np.zeros(0), seed=0)
    assert (hits.shape, totals.shape) == ((RESAMPLES, 0, 2), (RESAMPLES, 0))
    hits, totals = resample_marks(np.ones((1, 1), dtype=bool), np.array([1]), 2, np.array([5]), seed=0)
    assert (hits[:, 0] == 0).all()
    assert (hits[:, 1] == 1).all()
    assert (totals == [0, 1]).all()


# -- whole problems


def sums(parts, groups, problems, n_groups=1, seed=0):
    parts = np.asarray(parts, dtype=float)
    return resample_problems(parts, np.asarray(groups), n_groups, np.asarray(problems), seed)


@up_to(30)
@given(rows=st.lists(st.tuples(st.integers(-1, 2), st.integers(0, 4), st.integers(0, 9)), min_size=1, max_size=12))
def test_sums_are_those_of_whole_problems_in_plain_loops(rows):
    groups, problems, values = map(np.array, zip(*rows, strict=True))
    found = sums(np.column_stack([values, np.ones(len(rows))]), groups, problems, 3)
    assert found.shape == (RESAMPLES, 3, 2)
    numbers = sorted(set(problems.tolist()))
    drawn = np.concatenate(list(resampling._problems_drawn(len(numbers), 0)), axis=1).T
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


def test_draws_of_problems_depend_on_seed_and_problems_alone_and_have_the_mean_and_spread_of_a_multinomial():
    groups, problems = np.zeros(50, dtype=int), np.arange(50)
    one, other = (sums(np.random.default_rng(1).random((50, 1)), groups, problems, seed=seed) for seed in (0, 1))
    again = sums(np.random.default_rng(1).random((50, 1)), groups, problems * 3 + 1)
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)
    single = sums(np.eye(50)[:, :1], groups, problems)[:, 0, 0]
    assert single.mean() == pytest.approx(1, abs=0.15)
    assert single.var() == pytest.approx(1 - 1 / 50, abs=0.2)


def test_batches_cover_all_resamples(monkeypatch):
    monkeypatch.setattr(resampling, "_BATCH", 70)
    found = sums(np.ones((10, 1)), np.zeros(10, dtype=int), np.arange(10))
    assert (found == 10).all()
    shapes = [drawn.shape for drawn in resampling._problems_drawn(10, 3)]
    assert shapes[0] == (10, 7)
    assert sum(size for _, size in shapes) == RESAMPLES


def test_without_cases_all_sums_are_0():
    assert not sums(np.zeros((0, 2)), np.zeros(0, dtype=int), np.zeros(0, dtype=int), 2).any()


def test_the_interval_of_clustered_cases_covers_and_that_of_single_cases_does_not():
    """Ten cases a problem that are all alike: 95% intervals of their share, over 60 made benchmarks."""
    rng, covered = np.random.default_rng(0), {"problems": 0, "cases": 0}
    for seed in range(60):
        hits = np.repeat(rng.random(40) < 0.4, 10).astype(float)
        parts = np.column_stack([hits, np.ones(400)])
        for name, problems in (("problems", np.repeat(np.arange(40), 10)), ("cases", np.arange(400))):
            drawn = sums(parts, np.zeros(400, dtype=int), problems, seed=seed)[:, 0]
            low, high = np.quantile(drawn[:, 0] / drawn[:, 1], [0.025, 0.975])
            covered[name] += low <= 0.4 <= high
    assert covered["problems"] >= 53
    assert covered["cases"] < 36


# -- sides


def test_shares_have_the_bootstraps_mean_and_spread():
    hits, totals = np.array([30, 5, 0, 7]), np.array([100, 10, 4, 7])
    drawn = np.hstack([resample_hits(hits, totals, seed) for seed in range(20)]) / totals[:, None]
    share = hits / totals
    assert drawn.mean(axis=1) == pytest.approx(share, abs=0.005)
    assert drawn.std(axis=1) == pytest.approx(np.sqrt(share * (1 - share) / totals), abs=0.005)


def test_it_is_the_distribution_of_drawing_cases_with_replacement():
    right = np.array([1] * 3 + [0] * 5)
    rng = np.random.default_rng(0)
    drawn = rng.choice(right, size=(20_000, 8)).mean(axis=1)
    ours = np.hstack([resample_hits(np.array([3]), np.array([8]), seed) for seed in range(20)])[0] / 8
    shares = [np.bincount(np.rint(8 * values).astype(int), minlength=9) / values.size for values in (ours, drawn)]
    assert shares[0] == pytest.approx(shares[1], abs=0.015)


def test_an_empty_group_has_no_hit_and_shape_and_seed_hold():
    drawn = resample_hits(np.array([0, 2]), np.array([0, 4]), seed=1)
    assert drawn.shape == (2, RESAMPLES)
    assert not drawn[0].any()
    assert np.array_equal(drawn, resample_hits(np.array([0, 2]), np.array([0, 4]), seed=1))


def test_a_share_is_of_each_or_of_one_and_empty_where_there_is_nothing_to_divide_by():
    assert share([1, 2], 4).tolist() == [0.25, 0.5]
    assert share([[1, 2]], [[2], [0]], -1).tolist() == [[0.5, 1], [-1, -1]]
    assert np.isnan(share([1], [0], "resampled")).all()


def test_the_interval_is_the_central_95_percent():
    assert percentile_interval(np.arange(1001) / 1000) == pytest.approx((0.025, 0.975))
    for number in (*range(1, 90), RESAMPLES):
        draws = np.random.default_rng(number).integers(0, 60, number) / 59
        assert percentile_interval(draws) == tuple(np.quantile(draws, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])), number


def test_undefined_resamples_are_left_out_and_too_many_leave_no_interval():
    draws = np.tile(np.arange(1000.0)[:, None], 3)
    draws[:50, 1] = draws[:51, 2] = np.nan
    low, high = percentile_intervals(draws)
    assert (low[0], high[0]) == pytest.approx(percentile_interval(draws[:, 0]))
    assert (low[1], high[1]) == pytest.approx(percentile_interval(draws[50:, 1]))
    assert np.isnan([low[2], high[2]]).all()


# -- the interval holds what it says


@pytest.mark.parametrize(("sizes", "rates"), [PROCESSBENCH, ([(60, 60)], [(0.5, 0.7)]), TWO])
def test_the_interval_holds_the_truth_about_as_often_as_it_says(sizes, rates, record_property):
    share = covered(sizes, rates, 400 if THOROUGH else 100)
    record_property("coverage, one solution a problem", float(share))
    assert 0.90 <= share <= 0.98


@pytest.mark.parametrize(("sizes", "rates"), [([(60, 60)], [(0.5, 0.7)]), ([(40, 40), (50, 30)], TWO[1])])
def test_it_does_so_where_solutions_share_problems_and_not_if_that_is_ignored(sizes, rates, record_property):
    whole = covered(sizes, rates, 400 if THOROUGH else 100, each=4, alike=0.8)
    ignored = covered(sizes, rates, 400 if THOROUGH else 100, each=4, alike=0.8, ignored=True)
    record_property("coverage, whole problems resampled", float(whole))
    record_property("coverage, clustering ignored", float(ignored))
    assert 0.89 <= whole <= 0.985
    assert ignored < 0.85
