"""A metric of the user's own as a paired difference and in the cells of a breakdown."""

import numpy as np

from scoring.data.schema import Bools, Floats
from scoring.evaluation.evaluation import Evaluation
from scoring.metrics.breakdown import CellFigures, Cells
from scoring.metrics.kernel import Decided, Unparsed
from scoring.metrics.own import OwnMetric
from scoring.metrics.own_family import family_of
from scoring.metrics.resampling import (
    SMALL,
    Figure,
    percentile_intervals,
    resample_apart,
    resample_problems,
    with_interval,
)


def own_difference(
    made: OwnMetric, pair: tuple[Evaluation, Evaluation], rows: Bools, unparsed: Unparsed, seed: int | None
) -> Figure:
    """Return the metric of the first scorer less that of the second, of `rows` (n) together, with a paired interval.

    The interval is of resamples of whole problems that both share.
    """
    family = family_of(made)
    parts = [family.contributions(Decided(evaluation, unparsed)) for evaluation in pair]
    sums = [_named(made, part[rows].sum(axis=0)) for part in parts]
    left, right = (float(made.score(side)) for side in sums)
    n = int(made.size(sums[0]))
    if not np.isfinite(left - right):
        return Figure(made.name, None, None, None, n, next(why for why in map(made.why, sums) if why))
    if seed is None:
        return Figure(made.name, left - right, None, None, n)
    beside = np.hstack(parts)[rows]
    problems = pair[0].gold.problems[rows]
    drawn = resample_problems(beside, np.zeros(len(beside), dtype=np.int64), 1, problems, seed)[:, 0]
    draws = np.subtract(*(made.score(_named(made, half)) for half in np.split(drawn, 2, axis=-1)))
    few = f"small n: fewer than {SMALL} cases" if n < SMALL else None
    return with_interval(made.name, left - right, draws, n, "difference", few)


def own_cells(
    made: OwnMetric, evaluation: Evaluation, cells: Cells, unparsed: Unparsed, seed: int | None
) -> CellFigures:
    """Return the metric in every cell of a breakdown; of several runs it is the first."""
    family, decided = family_of(made), Decided(evaluation, unparsed)
    parts = family.contributions(decided)
    everywhere = np.ones(len(parts), dtype=np.bool_)
    sums = {name: cells.sums(everywhere, part) for name, part in zip(made.counts, parts.T, strict=True)}
    value, n = made.score(sums), made.size(sums).astype(np.int64)
    low, high = np.full((2, value.size), np.nan)
    defined = np.flatnonzero(np.isfinite(value))
    if seed is not None and defined.size:
        cases, numbers = cells.pairs()
        counted = family.members(decided)[cases]
        cases, numbers = cases[counted], numbers[counted]
        drawn = resample_apart(parts[cases], numbers, value.size, evaluation.gold.problems[cases], seed)
        low[defined], high[defined] = percentile_intervals(made.score(_named(made, drawn))[:, defined])
    reasons = [made.why({name: counted[cell] for name, counted in sums.items()}) or None for cell in range(value.size)]
    return CellFigures(made.name, value, low, high, n, (n > 0) & (n < SMALL), reasons)


def _named(made: OwnMetric, sums: Floats) -> dict[str, Floats]:
    """Name sums (..., k)."""
    return dict(zip(made.counts, np.moveaxis(sums, -1, 0), strict=True))
