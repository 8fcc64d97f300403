"""Figures of the user's own metrics: rows, values, differences and cells of a breakdown."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from scoring.data.schema import Bools, Floats, Ints
from scoring.evaluation.evaluation import Evaluation
from scoring.metrics.breakdown import CellFigures, Cells
from scoring.metrics.first_error import figure_rows
from scoring.metrics.kernel import Decided, Unparsed
from scoring.metrics.own import OwnMetric
from scoring.metrics.resampling import (
    SMALL,
    Figure,
    figure_over_runs,
    percentile_intervals,
    reason_over_runs,
    resample_apart,
    resample_problems,
    with_interval,
)


def own_rows(
    made: OwnMetric, evaluation: Evaluation, rows: Bools, unparsed: Unparsed, seed: int | None
) -> Iterator[dict[str, Any]]:
    """Yield the metric of every subset, if there are any, of `all` cases together and of their `average`.

    Yields the dictionaries of `scoring.metrics.first_error.first_error_rows`.
    """
    names, groups = evaluation.gold.subsets
    runs = [Decided(run, unparsed) for run in evaluation.runs]
    counted = [_by_group(made, run, rows, groups, len(names)) for run in runs]
    ranks = evaluation.gold.subset_ranks
    # Problems without a case that it is of have no part in the draws.
    inside = rows & np.logical_or.reduce([made.members(run) for run in runs])

    def draw(resample: Callable[[Floats, Ints, int, Ints, int], Floats]) -> list[Floats] | None:
        """Sums in resamples by the rank of the subset, (RESAMPLES, g, k) of each run."""
        if seed is None:
            return None
        problems, taken = evaluation.gold.problems[inside], ranks[groups[inside]]
        return [resample(made.parts(run)[inside], taken, len(names), problems, seed) for run in runs]

    drawn_apart, drawn_together = draw(resample_apart), draw(resample_problems)
    present = [number for number in range(len(names)) if any(made.size(sums[number]) for sums in counted)]

    def figure(numbers: Sequence[int], drawn: list[Floats] | None, *, mean: bool = False) -> Figure:
        numbers = sorted(numbers, key=ranks.__getitem__)
        whole = [sums[numbers] if mean else sums[numbers].sum(axis=0, keepdims=True) for sums in counted]
        values = np.array([made.score(sums).mean() if len(sums) else np.nan for sums in whole])
        draws = None
        if drawn is not None and np.isfinite(values).all() and values.size:
            each = [
                sums_of[:, ranks[numbers]] if mean else sums_of[:, ranks[numbers]].sum(axis=1, keepdims=True)
                for sums_of in drawn
            ]
            draws = np.column_stack([made.score(sums).mean(axis=1) for sums in each])
        reasons = [next((why for why in map(made.why, sums) if why), None) for sums in whole]
        reason = reason_over_runs(reasons) if len(whole[0]) else "no case was scored"
        n = int(made.size(whole[0]).sum())
        return figure_over_runs(made.name, values, draws, n, small=n < SMALL, reason=reason)

    lines = [
        (names[number] or "", figure([number], drawn_apart))
        for number in (present if evaluation.gold.has_subsets(rows) else ())
    ]
    whole = (("all", figure(present, drawn_together)), ("average", figure(present, drawn_together, mean=True)))
    for subset, of in (*lines, *whole):
        for row in figure_rows(subset, (of,)):
            yield {
                **row,
                "reason": (evaluation.coverage.nothing or row["reason"]) if of.value is None else row["reason"],
            }


def _by_group(made: OwnMetric, decided: Decided, rows: Bools, groups: Ints, n_groups: int) -> Floats:
    """Sums by group, (g, k)."""
    parts = made.parts(decided)
    return np.column_stack([np.bincount(groups[rows], part[rows], n_groups) for part in parts.T])


def own_value(made: OwnMetric, evaluation: Evaluation, rows: Bools, unparsed: Unparsed) -> float | None:
    """Return the average over subsets alone, without an interval."""
    last = list(own_rows(made, evaluation, rows, unparsed, None))[-1]
    value: float | None = last["value"]
    return value


def own_difference(
    made: OwnMetric, pair: tuple[Evaluation, Evaluation], rows: Bools, unparsed: Unparsed, seed: int | None
) -> Figure:
    """Return the metric of the first scorer less that of the second, of `rows` (n) together, with a paired interval.

    The interval is of resamples of whole problems that both share.
    """
    parts = [made.parts(Decided(evaluation, unparsed)) for evaluation in pair]
    sums = [part[rows].sum(axis=0) for part in parts]
    left, right = (float(made.score(side)) for side in sums)
    n = int(made.size(sums[0]))
    if not np.isfinite(left - right):
        return Figure(made.name, None, None, None, n, next(why for why in map(made.why, sums) if why))
    if seed is None:
        return Figure(made.name, left - right, None, None, n)
    beside = np.hstack(parts)[rows]
    problems = pair[0].gold.problems[rows]
    drawn = resample_problems(beside, np.zeros(len(beside), dtype=np.int64), 1, problems, seed)[:, 0]
    draws = np.subtract(*(made.score(half) for half in np.split(drawn, 2, axis=-1)))
    few = f"small n: fewer than {SMALL} cases" if n < SMALL else None
    return with_interval(made.name, left - right, draws, n, "difference", few)


def own_cells(
    made: OwnMetric, evaluation: Evaluation, cells: Cells, unparsed: Unparsed, seed: int | None
) -> CellFigures:
    """Return the metric in every cell of a breakdown; of several runs it is the first."""
    parts = made.parts(Decided(evaluation, unparsed))
    everywhere = np.ones(len(parts), dtype=np.bool_)
    sums = np.column_stack([cells.sums(everywhere, part) for part in parts.T])
    value, n = made.score(sums), made.size(sums).astype(np.int64)
    low, high = np.full((2, value.size), np.nan)
    defined = np.flatnonzero(np.isfinite(value))
    if seed is not None and defined.size:
        cases, numbers = cells.pairs()
        counted = made.members(Decided(evaluation, unparsed))[cases]
        cases, numbers = cases[counted], numbers[counted]
        drawn = made.score(resample_apart(parts[cases], numbers, value.size, evaluation.gold.problems[cases], seed))
        low[defined], high[defined] = percentile_intervals(drawn[:, defined])
    reasons = [made.why(side) for side in sums]
    return CellFigures(made.name, value, low, high, n, (n > 0) & (n < SMALL), reasons)
