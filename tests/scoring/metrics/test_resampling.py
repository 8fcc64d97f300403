import numpy as np
import pytest

from scoring.metrics.intervals import RESAMPLES
from scoring.metrics.resampling import resampled_counts


def study(n=400, s=3, seed=0):
    rng = np.random.default_rng(seed)
    return rng.random((n, s)) < [0.8, 0.5, 0.2][:s], rng.integers(0, 4, n)


def test_strata_keep_their_size_and_shares_have_the_bootstraps_mean_and_spread():
    right, cells = study()
    hits, totals = resampled_counts(right, cells, 4, np.arange(400), seed=1)
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
    hits, totals = resampled_counts(three, cells, 4, np.arange(400), seed=1)
    assert (hits[..., 0] == hits[..., 2]).all()
    assert (hits[..., 0] + hits[..., 1] == totals).all()


@pytest.mark.parametrize("shared", [1, 2])
def test_a_draw_does_not_depend_on_who_else_is_compared(shared):
    right, cells = study()
    problems = np.arange(400) // shared
    together = resampled_counts(right, cells, 4, problems, seed=7)[0]
    for others in (0, 60):
        beside = np.column_stack([right[:, 1], *[right[:, 0]] * others])
        assert (resampled_counts(beside, cells, 4, problems, seed=7)[0][..., 0] == together[..., 1]).all()
    assert (resampled_counts(right, cells, 4, problems, seed=8)[0] != together).any()


@pytest.mark.parametrize("different", [1, 3_000])
def test_so_it_is_with_so_many_that_rows_are_put_together_by_kind(different):
    """Whether few kinds of rows or all of them are different ones."""
    right, cells = study()
    alone = resampled_counts(right, cells, 4, np.arange(400), seed=7)[0]
    others = np.random.default_rng(3).random((400, different)) < 0.5
    beside = np.column_stack([right, np.repeat(others, 3_000 // different, axis=1)])
    assert (resampled_counts(beside, cells, 4, np.arange(400), seed=7)[0][..., :3] == alone).all()


def test_cases_of_a_problem_come_and_go_together():
    """Each problem has an erroneous and a clean solution, so that there are always as many of one as of the other."""
    problems, cells = np.repeat(np.arange(30), 2), np.tile([0, 1], 30)
    right = np.repeat(np.arange(30) % 3 == 0, 2)[:, None]
    hits, totals = resampled_counts(right, cells, 2, problems, seed=0)
    assert (totals == 30).all()
    assert (hits[:, 0] == hits[:, 1]).all()


def test_whole_problems_are_drawn_without_strata():
    problems = np.array([0, 0, 1, 2])
    _, totals = resampled_counts(np.ones((4, 1), dtype=bool), np.array([0, 0, 1, 1]), 2, problems, seed=0)
    assert set(totals[:, 0]) == {0, 2, 4, 6}
    assert (totals[:, 0] / 2 + totals[:, 1] == 3).all()


def test_nothing_and_empty_cells_are_no_error():
    hits, totals = resampled_counts(np.zeros((0, 2), dtype=bool), np.zeros(0, dtype=int), 0, np.zeros(0), seed=0)
    assert (hits.shape, totals.shape) == ((RESAMPLES, 0, 2), (RESAMPLES, 0))
    hits, totals = resampled_counts(np.ones((1, 1), dtype=bool), np.array([1]), 2, np.array([5]), seed=0)
    assert (hits[:, 0] == 0).all()
    assert (hits[:, 1] == 1).all()
    assert (totals == [0, 1]).all()
