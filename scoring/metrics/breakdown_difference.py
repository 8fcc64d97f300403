"""Two scorers by columns of the cases: in each cell the first less the second, on the cases that both have."""

from collections.abc import Collection, Iterator
from itertools import chain

import numpy as np
import polars as pl

from scoring.evaluation import Evaluation
from scoring.metrics.breakdown import Asked, CellFigures, Cells, f1_tally, few, long_form
from scoring.metrics.closed_forms import paired_difference_interval
from scoring.metrics.first_error import BOTH_ZERO, F1_SCORE, SIDES
from scoring.metrics.kernel import Unparsed
from scoring.metrics.shares import Share, error_type_shares, outcome_shares, process_error_shares, side_shares
from scoring.step_rewards import Floats

Pair = tuple[Evaluation, Evaluation]
NO_COMMON = "no case in common: "
"""Begins the reason where there is no difference."""
NOT_DIFFERENT = ("process_error_rate",)
"""Properties of the data, which no two scorers differ in."""


def breakdown_difference(
    pair: Pair, cells: Cells, unparsed: Unparsed = "wrong", metrics: Collection[str] = ()
) -> pl.DataFrame:
    """Every share, f1 and step_accuracy of the first scorer less those of the second: as `breakdown`, without counts.

    In every cell both are over the same cases, those in the denominators of both, and `n` is their number. Shares have
    Newcombe's interval of a paired difference; f1 and step_accuracy have none. Of several runs it is the first.
    """
    return long_form(cells, list(_figures(pair, cells, unparsed, Asked(frozenset(metrics)))))


def _figures(pair: Pair, cells: Cells, unparsed: Unparsed, asked: Asked) -> Iterator[CellFigures]:
    sides = [_common(*both) for both in zip(*(side_shares(one, unparsed) for one in pair), strict=True)]
    yield from (_share(*both, cells) for both in sides if both[0].name in asked)
    if "f1" in asked:
        yield _f1(sides, cells)
    if "step_accuracy" in asked:
        yield _step_accuracy(pair, cells)
    kinds = (outcome_shares, error_type_shares, process_error_shares)
    for both in zip(*(chain(*(kind(one, unparsed) for kind in kinds)) for one in pair), strict=True):
        if both[0].name in asked and both[0].name not in NOT_DIFFERENT:
            yield _share(*_common(*both), cells)


def _common(left: Share, right: Share) -> tuple[Share, Share]:
    """Both among the cases that are in both denominators."""
    among = left.among & right.among
    found = (Share(one.name, one.hits & among, among, one.empty) for one in (left, right))
    return next(found), next(found)


def _share(left: Share, right: Share, cells: Cells) -> CellFigures:
    n = cells.counts(left.among)
    counts = [
        cells.counts(one)
        for one in (
            left.hits & right.hits,
            left.hits & ~right.hits,
            ~left.hits & right.hits,
            left.among & ~left.hits & ~right.hits,
        )
    ]
    value = np.divide(counts[1] - counts[2], n, out=np.full(n.size, np.nan), where=n > 0)
    low, high = paired_difference_interval(*counts)
    return CellFigures(left.name, value, low, high, n, few(n), _why(value, left.empty))


def _f1(sides: list[tuple[Share, Share]], cells: Cells) -> CellFigures:
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


def _step_accuracy(pair: Pair, cells: Cells) -> CellFigures:
    left, right = (one.step_accuracies for one in pair)
    there = ~np.isnan(left) & ~np.isnan(right)
    n, total = cells.counts(there), cells.sums(there, np.where(there, left - right, 0.0))
    value = np.divide(total, n, out=np.full(n.size, np.nan), where=n > 0)
    nothing = np.full(n.size, np.nan)
    return CellFigures(
        "step_accuracy", value, nothing, nothing, n, few(n), _why(value, "no steps both labelled and judged by both")
    )


def _why(value: Floats, empty: str) -> list[str | None]:
    return [None if np.isfinite(one) else NO_COMMON + empty for one in value]
