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
    # Many rows of many scorers leave the processor's cache, but scorers are right together in few ways: then what is
    # drawn of a case is which of these it is of.
    many = size * max(16, right.shape[1]) > PRODUCTS
    kinds, kind = _kinds(right) if many else (right, None)
    marks = exactly(kinds.astype(np.float64), size)
    step = max(1, PRODUCTS // max(size, kinds.shape[0] * max(16, right.shape[1])))
    for start in range(0, RESAMPLES, step):
        count = min(step, RESAMPLES - start)
        drawn = times_drawn(size, count, rng) if kind is None else _kinds_drawn(kind, kinds.shape[0], count, rng)
        times: Numbers = drawn.astype(marks.dtype)
        sums[start : start + count] = times @ marks
    return sums


def _kinds(right: Bools) -> tuple[Bools, Ints]:
    """The different ones of (m, s) rows, and which of them each row is, shape (m,)."""
    _, first, kind = np.unique(np.packbits(right, axis=1), axis=0, return_index=True, return_inverse=True)
    return right[first], kind.reshape(right.shape[0])


def _kinds_drawn(kind: Ints, kinds: int, resamples: int, rng: np.random.Generator) -> Ints:
    """How often each of the kinds comes up where as many rows as there are are drawn, shape (resamples, kinds)."""
    drawn = kind[rng.integers(0, kind.size, size=(resamples, kind.size))]
    drawn += kinds * np.arange(resamples)[:, None]
    return np.bincount(drawn.ravel(), minlength=resamples * kinds).reshape(resamples, kinds)
