"""A metric of the user's own in the cells of a breakdown."""

import numpy as np

from scoring.evaluation.evaluation import Evaluation
from scoring.metrics.breakdown import CellFigures, Cells
from scoring.metrics.kernel import Decided, Unparsed
from scoring.metrics.own import OwnMetric
from scoring.metrics.own_family import family_of
from scoring.metrics.resampling import (
    SMALL,
    percentile_intervals,
    resample_apart,
)


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
        by_count = dict(zip(made.counts, np.moveaxis(drawn, -1, 0), strict=True))
        low[defined], high[defined] = percentile_intervals(made.score(by_count)[:, defined])
    reasons = [made.why({name: counted[cell] for name, counted in sums.items()}) or None for cell in range(value.size)]
    return CellFigures(made.name, value, low, high, n, (n > 0) & (n < SMALL), reasons)
