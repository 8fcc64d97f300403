"""Bootstrap resamples of cases that several scorers share, so that what is compared is compared on the same draws."""

import numpy as np

from scoring.metrics.draws import PRODUCTS, Numbers, exactly, times_drawn
from scoring.metrics.intervals import RESAMPLES
from scoring.metrics.problem_bootstrap import resampled_sums
from scoring.step_rewards import Bools, Floats, Ints


def resampled_counts(right: Bools, cells: Ints, n_cells: int, problems: Ints, seed: int) -> tuple[Floats, Floats]:
    """How many cases each scorer has right in each cell, in bootstrap resamples that all scorers share.

    Where every problem has one solution, each cell is resampled by itself, so that its size stays (stratified). Where
    solutions share a problem, whole problems are drawn and sizes vary (cluster bootstrap). Draws depend on the sizes of
    the cells, or on the problems, and on the seed, never on who else is compared.

    Args:
        right: (n, s), s scorers.
        cells: (n,) the cell of each case, 0-based.
        n_cells: c.
        problems: (n,) a number a problem.
        seed: of the draws.

    Returns:
        (RESAMPLES, c, s) cases right and (RESAMPLES, c) cases drawn; whole numbers, as floats.
    """
    if np.unique(problems).size < problems.size:
        parts = np.column_stack([right, np.ones(cells.size)]).astype(np.float64)
        sums = resampled_sums(parts, cells, n_cells, problems, seed)
        return sums[..., :-1], sums[..., -1]
    rng = np.random.default_rng(seed)
    sizes = np.bincount(cells, minlength=n_cells)
    hits = np.zeros((RESAMPLES, n_cells, right.shape[1]))
    for cell in range(n_cells):
        hits[:, cell] = _drawn_hits(right[cells == cell], rng)
    return hits, np.broadcast_to(sizes.astype(np.float64), (RESAMPLES, n_cells))


def _drawn_hits(right: Bools, rng: np.random.Generator) -> Floats:
    """Sums over as many rows of (m, s) as there are, drawn with replacement. Shape (RESAMPLES, s)."""
    size = right.shape[0]
    sums = np.zeros((RESAMPLES, right.shape[1]))
    if not size:
        return sums
    marks = exactly(right.astype(np.float64), size)
    # Few enough at a time that the draws stay in the processor's cache.
    step = max(1, PRODUCTS // (size * max(16, right.shape[1])))
    for start in range(0, RESAMPLES, step):
        count = min(step, RESAMPLES - start)
        times: Numbers = times_drawn(size, count, rng).astype(marks.dtype)
        sums[start : start + count] = times @ marks
    return sums
