"""Metrics of one scorer on the cases of a screen, computed lazily."""

from functools import cached_property

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from scoring.data.schema import Bools
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.verdicts import OUTCOMES
from scoring.metrics.benchmark_metrics import metrics_of
from scoring.metrics.headline import Headline
from scoring.metrics.kernel import Unparsed
from scoring.metrics.threshold_curves import ThresholdCurve


class Summary(Struct, frozen=True, eq=False, dict=True):
    """The metrics of a scorer on some cases of a benchmark.

    Attributes:
        evaluation: Of all n cases; None = there is no scorer.
        rows: Mask (n,) of the cases.
        benchmark: Whose cases they are.
        unparsed: How cases without a verdict count.
        seed: Of the interval.
    """

    evaluation: Evaluation | None
    rows: Bools
    benchmark: str
    unparsed: Unparsed
    seed: int

    @cached_property
    def headline(self) -> Headline | None:
        """The official metric."""
        if self.evaluation is None:
            return None
        return metrics_of(self.benchmark).headline(self.evaluation, self.rows, self.unparsed, self.seed)

    @cached_property
    def outcome_counts(self) -> dict[str, int]:
        """Cases by outcome, in the order of OUTCOMES, zeros included."""
        if self.evaluation is None:
            return {}
        counts = np.bincount(self.evaluation.codes[self.rows], minlength=len(OUTCOMES))
        return dict(zip(OUTCOMES, counts.tolist(), strict=True))

    @cached_property
    def sweep(self) -> ThresholdCurve | None:
        """The official metric at every distinct threshold; None if the scorer has no threshold."""
        if self.evaluation is None:
            return None
        return metrics_of(self.benchmark).curve(self.evaluation, self.rows, self.unparsed)

    def decided_by(self, evaluation: Evaluation) -> "Summary":
        """Return the summary of the same rewards at another threshold, with the threshold curve of this one."""
        summary = replace(self, evaluation=evaluation)
        vars(summary)["sweep"] = self.sweep
        return summary
