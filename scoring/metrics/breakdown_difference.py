"""Two scorers by columns of the cases: in each cell the first less the second, on the cases that both have."""

from collections.abc import Collection, Iterator
from itertools import chain

import numpy as np
import polars as pl

from scoring.data.schema import Floats
from scoring.evaluation.evaluation import Evaluation
from scoring.metrics.breakdown import CellFigures, Cells, MetricNames, f1_tally, few, long_form
from scoring.metrics.closed_forms import paired_difference_interval
from scoring.metrics.first_error import BOTH_ZERO, F1_SCORE, SIDES
from scoring.metrics.kernel import Unparsed
from scoring.metrics.shares import Share, error_type_shares, outcome_shares, process_error_shares, side_shares

EvaluationPair = tuple[Evaluation, Evaluation]
NO_COMMON = "no case in common: "
"""Begins the reason where there is no difference."""
NOT_DIFFERENT = ("process_error_rate",)
"""Properties of the data, which no two scorers differ in."""


def breakdown_difference(
    pair: EvaluationPair, cells: Cells, unparsed: Unparsed = "wrong", metrics: Collection[str] = ()
) -> pl.DataFrame:
    """Compute every share, f1 and step_accuracy of the first scorer less those of the second: as `breakdown`, without
    counts.

    In every cell both are over the same cases, those in the denominators of both, and `n` is their number. Shares have
    Newcombe's interval of a paired difference; f1 and step_accuracy have none. Of several runs it is the first.
    """
    return long_form(cells, list(_differences(pair, cells, unparsed, MetricNames(frozenset(metrics)))))


def _differences(
    pair: EvaluationPair, cells: Cells, unparsed: Unparsed, metric_names: MetricNames
) -> Iterator[CellFigures]:
    sides = [_common(*both) for both in zip(*(side_shares(evaluation, unparsed) for evaluation in pair), strict=True)]
    yield from (_share(*both, cells) for both in sides if both[0].name in metric_names)
    if "f1" in metric_names:
        yield _f1_difference(sides, cells)
    if "step_accuracy" in metric_names:
        yield _step_accuracy_difference(pair, cells)
    kinds = (outcome_shares, error_type_shares, process_error_shares)
    for both in zip(*(chain(*(kind(evaluation, unparsed) for kind in kinds)) for evaluation in pair), strict=True):
        if both[0].name in metric_names and both[0].name not in NOT_DIFFERENT:
            yield _share(*_common(*both), cells)


def _common(left: Share, right: Share) -> tuple[Share, Share]:
    """Both among the cases that are in both denominators."""
    among = left.among & right.among
    shares = (Share(side.name, side.hits & among, among, side.empty) for side in (left, right))
    return next(shares), next(shares)


def _share(left: Share, right: Share, cells: Cells) -> CellFigures:
    n = cells.counts(left.among)
    counts = [
        cells.counts(mask)
        for mask in (
            left.hits & right.hits,
            left.hits & ~right.hits,
            ~left.hits & right.hits,
            left.among & ~left.hits & ~right.hits,
        )
    ]
    value = np.divide(counts[1] - counts[2], n, out=np.full(n.size, np.nan), where=n > 0)
    low, high = paired_difference_interval(*counts)
    return CellFigures(left.name, value, low, high, n, few(n), _why(value, left.empty))


def _f1_difference(sides: list[tuple[Share, Share]], cells: Cells) -> CellFigures:
    left, right = (f1_tally((sides[0][place], sides[1][place]), cells) for place in (0, 1))
    value = (left.values(F1_SCORE) - right.values(F1_SCORE))[:, 0]
    erroneous, clean = (left.sums[side][:, 0] for side in SIDES)
    reasons = []
    for place, difference in enumerate(value):
        why = F1_SCORE.why({name: counted[place, 0] for name, counted in left.sums.items()})
        both_zero = "both accuracies of one of them are 0"
        why = both_zero if why in {"", BOTH_ZERO} else NO_COMMON + why
        reasons.append(None if np.isfinite(difference) else why)
    small = few(np.minimum(erroneous, clean)) & np.isfinite(value)
    nothing = np.full(value.size, np.nan)
    return CellFigures("f1", value, nothing, nothing, erroneous + clean, small, reasons)


def _step_accuracy_difference(pair: EvaluationPair, cells: Cells) -> CellFigures:
    left, right = (evaluation.step_accuracies for evaluation in pair)
    there = ~np.isnan(left) & ~np.isnan(right)
    n, total = cells.counts(there), cells.sums(there, np.where(there, left - right, 0.0))
    value = np.divide(total, n, out=np.full(n.size, np.nan), where=n > 0)
    nothing = np.full(n.size, np.nan)
    return CellFigures(
        "step_accuracy", value, nothing, nothing, n, few(n), _why(value, "no steps both labelled and judged by both")
    )


def _why(value: Floats, empty: str) -> list[str | None]:
    return [None if np.isfinite(number) else NO_COMMON + empty for number in value]
