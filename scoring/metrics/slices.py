"""Slices of cases on which a scorer is better or worse than on the rest: every value of every categorical column."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from scoring.data.schema import Bools
from scoring.evaluation.evaluation import Evaluation
from scoring.metrics.axes import Axis
from scoring.metrics.closed_forms import difference_interval, fisher_exact, holm
from scoring.metrics.kernel import Unparsed
from scoring.metrics.resampling import SMALL
from scoring.metrics.shares import Share, side_shares

SUPPORT = SMALL
"""A slice and its rest each have at least this many cases on the side that is compared."""


def slice_rows(
    evaluation: Evaluation, rows: Bools, axes: Sequence[Axis], unparsed: Unparsed = "wrong"
) -> list[dict[str, Any]]:
    """Compute the difference of accuracy between each slice and the other cases, the largest (either way) first.

    Erroneous cases are compared with erroneous ones and clean with clean, so that a slice that only holds more of one
    kind is no difference. The rest are the cases with another value of the column; a missing value is neither. Of a
    column with two values on a side one is listed, since the other is its mirror.

    Args:
        evaluation: of n cases.
        rows: (n,) which of them take part.
        axes: the columns.
        unparsed: whether cases without a verdict count as wrong.

    Returns:
        Dictionaries with `metric` (`error_acc_difference`, `correct_acc_difference`), `column`, `slice`, `value` (slice
        minus rest), `low`, `high` (Newcombe's interval), `n`, `rest` (cases), `p` (Fisher's exact test, two-sided),
        `p_holm` (adjusted over all the slices that are returned: `looks`) and `where`. Cases are taken as independent.
    """
    slices = [row for share in side_shares(evaluation, unparsed) for axis in axes for row in _of(share, axis, rows)]
    adjusted = holm(np.array([row["p"] for row in slices], dtype=np.float64))
    for row, p in zip(slices, adjusted, strict=True):
        row |= {"p_holm": float(p), "looks": len(slices)}
    return sorted(slices, key=lambda row: (-abs(row["value"]), row["p"]))


def _of(share: Share, axis: Axis, rows: Bools) -> Iterator[dict[str, Any]]:
    values = len(axis.values)
    there = share.among & rows
    totals = np.bincount(axis.numbers[there], minlength=values)
    hits = np.bincount(axis.numbers[share.hits & rows], minlength=values)
    known = np.array([value is not None for value in axis.values])
    totals, hits = np.where(known, totals, 0), np.where(known, hits, 0)
    rest, rest_hits = totals.sum() - totals, hits.sum() - hits
    numbers = np.flatnonzero((totals >= SUPPORT) & (rest >= SUPPORT))
    if np.count_nonzero(totals) == 2:
        # The smaller of the two, or the first.
        numbers = numbers[np.argsort(totals[numbers], kind="stable")][:1]
    low, high = difference_interval(hits, totals, rest_hits, rest)
    for number in numbers:
        counts = (int(hits[number]), int(totals[number]), int(rest_hits[number]), int(rest[number]))
        yield {
            "metric": f"{share.name}_difference",
            "column": axis.column,
            "slice": axis.values[number],
            "value": counts[0] / counts[1] - counts[2] / counts[3],
            "low": float(low[number]),
            "high": float(high[number]),
            "n": counts[1],
            "rest": counts[3],
            "p": fisher_exact(*counts),
            "where": axis.conditions[number],
        }
