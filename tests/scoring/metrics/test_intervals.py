import numpy as np
import pytest

from covering import PROCESSBENCH, TWO, covered
from scoring.metrics.intervals import RESAMPLES, percentile_interval, percentile_intervals, resampled_shares


def test_shares_have_the_bootstraps_mean_and_spread():
    hits, totals = np.array([30, 5, 0, 7]), np.array([100, 10, 4, 7])
    drawn = resampled_shares(hits, totals, seed=3, resamples=20_000)
    share = hits / totals
    assert drawn.mean(axis=1) == pytest.approx(share, abs=0.005)
    assert drawn.std(axis=1) == pytest.approx(np.sqrt(share * (1 - share) / totals), abs=0.005)


def test_it_is_the_distribution_of_drawing_cases_with_replacement():
    right = np.array([1] * 3 + [0] * 5)
    rng = np.random.default_rng(0)
    drawn = rng.choice(right, size=(20_000, 8)).mean(axis=1)
    ours = resampled_shares(np.array([3]), np.array([8]), seed=0, resamples=20_000)[0]
    shares = [np.bincount(np.rint(8 * values).astype(int), minlength=9) / values.size for values in (ours, drawn)]
    assert shares[0] == pytest.approx(shares[1], abs=0.015)


def test_an_empty_group_has_no_share_and_shape_and_seed_hold():
    drawn = resampled_shares(np.array([0, 2]), np.array([0, 4]), seed=1)
    assert drawn.shape == (2, RESAMPLES)
    assert np.isnan(drawn[0]).all()
    assert not np.isnan(drawn[1]).any()
    assert np.array_equal(drawn, resampled_shares(np.array([0, 2]), np.array([0, 4]), seed=1), equal_nan=True)


def test_the_interval_is_the_central_95_percent():
    assert percentile_interval(np.arange(1001) / 1000) == pytest.approx((0.025, 0.975))


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
    share = covered(sizes, rates, 400)
    record_property("coverage, one solution a problem", float(share))
    assert 0.90 <= share <= 0.98


@pytest.mark.parametrize(("sizes", "rates"), [([(60, 60)], [(0.5, 0.7)]), ([(40, 40), (50, 30)], TWO[1])])
def test_it_does_so_where_solutions_share_problems_and_not_if_that_is_ignored(sizes, rates, record_property):
    whole = covered(sizes, rates, 200, each=4, alike=0.8)
    ignored = covered(sizes, rates, 200, each=4, alike=0.8, ignored=True)
    record_property("coverage, whole problems resampled", float(whole))
    record_property("coverage, clustering ignored", float(ignored))
    assert 0.89 <= whole <= 0.985
    assert ignored < 0.85
