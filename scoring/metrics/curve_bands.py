"""Curves of figures on a grid of thresholds, with their intervals."""

from collections.abc import Iterator

import numpy as np
from msgspec import Struct

from scoring.data.schema import Bools, Floats
from scoring.evaluation.evaluation import Evaluation
from scoring.metrics.kernel import Decided, Metric, NumberArray, Tally, Unparsed, WholeRow
from scoring.metrics.metric_family import MetricFamily
from scoring.metrics.resampling import percentile_intervals
from scoring.metrics.threshold_curves import numbered


class Bands(Struct, frozen=True, eq=False):
    """Figures at some thresholds, with the interval that each figure has on these cases wherever it is shown.

    Equal seeds draw alike at all thresholds, so that a curve's band moves as its curve does.

    Attributes:
        metrics: The figures.
        thresholds: (t,), in any order.
        tally: Counts in g groups, over which figures are averaged, and t columns, with draws.
    """

    metrics: tuple[Metric, ...]
    thresholds: Floats
    tally: Tally

    def values(self, metric: Metric) -> Floats:
        """Return a figure at each threshold, shape (t,); NaN where undefined."""
        return self.tally.mean(metric)

    def interval(self, metric: Metric) -> tuple[Floats, Floats]:
        """Return low and high end (95%) at each threshold, each (t,); NaN where there is none."""
        if self.tally.draws is None:
            nothing = np.full(self.thresholds.shape, np.nan)
            return nothing, nothing
        ends = percentile_intervals(self.tally.drawn_mean(metric))
        low, high = (np.where(np.isnan(self.values(metric)), np.nan, end) for end in ends)
        return low, high

    def size(self, metric: Metric) -> int:
        """Count what is in the denominator of a figure: cases, or steps; the most at any threshold."""
        return int(metric.size(self._together).max(initial=0))

    def support(self, metric: Metric) -> int:
        """Count what a figure rests on, likewise."""
        return int(metric.support(self._together).max(initial=0))

    @property
    def _together(self) -> dict[str, NumberArray]:
        return {name: counted.sum(axis=0) for name, counted in self.tally.sums.items()}

    def reasons(self, metric: Metric) -> Iterator[str | None]:
        """Yield for each threshold why a figure is undefined; None where it is not."""
        for place, value in enumerate(self.values(metric)):
            yield self.tally.why(metric, place) if np.isnan(value) else None


def metric_bands(
    family: MetricFamily,
    evaluation: Evaluation,
    rows: Bools,
    thresholds: Floats,
    unparsed: Unparsed = "wrong",
    seed: int | None = 0,
    whole: WholeRow = "average",
) -> Bands | None:
    """Return the metrics of a family at each of the thresholds (t,); None where no one threshold decides.

    See `metric_curve` for the other arguments.
    """
    taken = np.flatnonzero(rows & family.members(Decided(evaluation, unparsed)))
    moves = family.moves(evaluation, taken, unparsed)
    if moves is None or moves.trouble:
        return None
    gold = evaluation.gold
    # In an order that no row decides: groups are drawn one after the other.
    ranks = gold.subset_ranks[gold.subsets[1][taken]]
    groups, n_groups = numbered(ranks) if whole == "average" else (np.zeros_like(taken), 1)
    if seed is None:
        tally = Tally(moves.at(thresholds, groups, n_groups))
    else:
        tally = family.resample(moves, thresholds, groups, n_groups, gold.problems[taken], seed)
    others = (metric for metric in family.metrics if metric is not family.leading)
    return Bands((family.leading, *others), thresholds, tally)
