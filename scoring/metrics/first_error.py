"""First-error metrics: does the scorer name the earliest wrong step, and leave clean solutions alone?

ProcessBench (arXiv 2412.06559, section 3.3): error_acc is the share of erroneous cases whose verdict equals the
earliest error, correct_acc the share of clean cases without a verdict, F1 the harmonic mean of these two accuracies
(no precision or recall), and the average is the plain mean of the subsets' F1.
"""

import numpy as np

from scoring.data.schema import Floats
from scoring.evaluation.verdicts import OUTCOMES, REFUSED, UNPARSED, WRONG
from scoring.metrics.kernel import FIRST_ERROR, Empty, Metric, NumberArray, Ratio, Sums, Unparsed, harmonic

FAILURES: dict[Unparsed, tuple[str, ...]] = {
    "wrong": tuple(OUTCOMES[code] for code in (*WRONG, UNPARSED, REFUSED)),
    "drop": tuple(OUTCOMES[code] for code in WRONG),
}
"""Outcomes that count as wrong, by what becomes of cases without a verdict."""

AVERAGING = (
    "f1 is the harmonic mean of error_acc and correct_acc; `average` is the plain mean over subsets, `all` pools cases"
)
NO_ERRONEOUS, NO_CLEAN = "no erroneous case was scored", "no clean case was scored"
BOTH_ZERO = "both accuracies are 0"
NOTHING = "no case was scored"
NO_GOLD = "no case that was scored has a gold label"


class F1(Metric):
    """The harmonic mean of the two accuracies; undefined where both are 0, which in a resample counts as 0."""

    name = "f1"
    title = "F1"
    counts = FIRST_ERROR

    def score(self, sums: Sums, empty: Empty = np.nan) -> Floats:
        """Divide twice, and take the harmonic mean."""
        error_acc, correct_acc = ERROR_ACC.score(sums), CORRECT_ACC.score(sums)
        f1 = harmonic(error_acc, correct_acc)
        if empty == "resampled":
            return np.where(error_acc + correct_acc == 0, 0.0, f1)
        return f1 if np.isnan(empty) else np.where(np.isnan(f1), empty, f1)

    def size(self, sums: Sums) -> NumberArray:
        """Count the cases of both sides."""
        return sums["erroneous"] + sums["clean"]

    def support(self, sums: Sums) -> NumberArray:
        """Count the cases of the smaller side."""
        return np.minimum(sums["erroneous"], sums["clean"])

    def why(self, sums: Sums) -> str:
        """Return which side is empty, or that both accuracies are 0."""
        if not np.isnan(self.score(sums)):
            return ""
        return ERROR_ACC.why(sums) or CORRECT_ACC.why(sums) or BOTH_ZERO


ERROR_ACC = Ratio("error_acc", "accuracy on erroneous cases", ("exact",), ("erroneous",), NO_ERRONEOUS)
CORRECT_ACC = Ratio("correct_acc", "accuracy on clean cases", ("clean_right",), ("clean",), NO_CLEAN)
F1_SCORE = F1()
METRICS: tuple[Metric, ...] = (ERROR_ACC, CORRECT_ACC, F1_SCORE)
"""In the order in which they are reported."""
NAMES = tuple(metric.name for metric in METRICS)
SIDES = ("erroneous", "clean")


def sides_of(metric: Metric) -> tuple[str, ...]:
    """Name the sides whose cases are in the denominator of one of METRICS."""
    return tuple(side for side in SIDES if side in metric.counts)
