import numpy as np
import pytest

from scoring.metrics.first_error import FirstError
from scoring.metrics.intervals import RESAMPLES, percentile_interval, resampled_shares


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


def covered(sizes, rates, simulations):
    """How often the interval of the mean F1 over groups holds the true value."""
    (n_error, n_clean), (p, q) = np.array(sizes).T, np.array(rates).T
    truth = (2 * p * q / (p + q)).mean()
    rng = np.random.default_rng(7)
    hits = 0
    for seed in range(simulations):
        counts = FirstError(rng.binomial(n_error, p), n_error, rng.binomial(n_clean, q), n_clean)
        low, high = percentile_interval(counts.resampled(seed)[2].mean(axis=0))
        hits += low <= truth <= high
    return hits / simulations


@pytest.mark.parametrize(
    ("sizes", "rates"),
    [
        ([(207, 193), (594, 406), (661, 339), (759, 241)], [(0.6, 0.9), (0.5, 0.8), (0.3, 0.7), (0.3, 0.6)]),
        ([(60, 60)], [(0.5, 0.7)]),
        ([(30, 10), (25, 15)], [(0.4, 0.8), (0.3, 0.6)]),
    ],
)
def test_the_interval_holds_the_truth_about_as_often_as_it_says(sizes, rates):
    assert 0.92 <= covered(sizes, rates, 400) <= 0.98
