"""Metrics of single steps: F1 of right and wrong steps, PRMScore, and shares of steps."""

from dataclasses import dataclass

import numpy as np

from scoring.data.schema import Floats
from scoring.metrics.kernel import Empty, Metric, NumberArray, Ratio, Sums, harmonic, share, total
from scoring.metrics.step_contributions import COUNTS, OF_STEPS

OFFICIAL_UNDEFINED = -1.0
"""What the benchmarks' toolkit says where a denominator is empty."""
AVERAGING = (
    "prmscore is the mean of f1_positive and f1_negative, where a right step is positive; `all` pools steps and is the "
    "official overall figure, a category or pattern is the plain mean of its classes, `average` that of all classes"
)
NO_STEP = "no step was scored"


NO_INTERVAL = "no interval: cases without a result count in it, as in the benchmark's toolkit"


@dataclass(frozen=True)
class StepF1(Metric):
    """The F1 of right steps, or of wrong ones: of steps that are `word`, `hits` are judged so, `missed` are not.

    In a resample the F1 of steps that are there and are never found counts as 0; in official figures an empty
    denominator is -1 and counts on as -1, and the mean is -1 only where its two parts sum to 0.
    """

    name: str
    title: str
    word: str
    hits: str
    missed: str
    alarms: str
    needs_errors: bool = False
    counts = OF_STEPS

    def score(self, sums: Sums, empty: Empty = np.nan) -> Floats:
        """Take the harmonic mean of precision and recall."""
        hits, missed, alarms = (sums[name] for name in (self.hits, self.missed, self.alarms))
        if empty == "resampled":
            twice = share(2 * hits, 2 * hits + missed + alarms)
            return np.where(hits + missed > 0, twice, np.nan)
        mean = harmonic(share(hits, hits + alarms, empty), share(hits, hits + missed, empty))
        # Adding zero turns the -0.0 of a precision of -1 and a recall of 0 into 0.0.
        f1: Floats = np.where(np.isnan(mean), empty, mean) + 0.0
        return f1

    def size(self, sums: Sums) -> NumberArray:
        """Count the steps."""
        return total(sums, OF_STEPS)

    def why(self, sums: Sums) -> str:
        """Return the reason: there are no such steps, none is called so, or none of them is."""
        hits, missed, alarms = (sums[name] for name in (self.hits, self.missed, self.alarms))
        if not self.size(sums):
            return NO_STEP
        if hits + missed == 0:
            return f"no {self.word} step was scored"
        if hits + alarms == 0:
            return f"no step was judged {self.word}"
        return "" if hits else f"no {self.word} step was judged {self.word}"


class PRMScore(Metric):
    """The mean of the F1s of right and of wrong steps."""

    name = "prmscore"
    title = "PRMScore"
    counts = OF_STEPS

    def score(self, sums: Sums, empty: Empty = np.nan) -> Floats:
        """Take the mean."""
        return (F1_POSITIVE.score(sums, empty) + F1_NEGATIVE.score(sums, empty)) / 2

    def size(self, sums: Sums) -> NumberArray:
        """Count the steps."""
        return total(sums, OF_STEPS)

    def why(self, sums: Sums) -> str:
        """Return why the first of the two is undefined that is."""
        return F1_POSITIVE.why(sums) or F1_NEGATIVE.why(sums)


@dataclass(frozen=True)
class StepRatio(Ratio):
    """A share of which nothing is known where no step was scored."""

    def why(self, sums: Sums) -> str:
        """Return the reason: no step was scored, or there is nothing to divide by."""
        why = super().why(sums)
        return NO_STEP if why and not total(sums, OF_STEPS) else why


F1_POSITIVE = StepF1("f1_positive", "F1 of right steps", "right", "tp", "fn", "fp")
F1_NEGATIVE = StepF1("f1_negative", "F1 of wrong steps", "wrong", "tn", "fp", "fn", needs_errors=True)
PRMSCORE = PRMScore()
POSITIVE_ACC = StepRatio("positive_acc", "accuracy on right steps", ("tp",), ("tp", "fn"), "no right step was scored")
NEGATIVE_ACC = StepRatio(
    "negative_acc", "accuracy on wrong steps", ("tn",), ("tn", "fp"), "no wrong step was scored", needs_errors=True
)
ACC = StepRatio("acc", "accuracy", ("tp", "tn"), OF_STEPS, NO_STEP)
VALIDITY_RATE = Ratio("validity_rate", "validity rate", ("judged",), ("tried",), "no case was tried", null_at_best=True)
METRICS: tuple[Metric, ...] = (
    PRMSCORE,
    F1_POSITIVE,
    F1_NEGATIVE,
    POSITIVE_ACC,
    NEGATIVE_ACC,
    ACC,
    StepRatio(
        "first",
        "first wrong step found",
        ("first_hit",),
        ("first_n",),
        "no case with a wrong step was scored",
        needs_errors=True,
    ),
    VALIDITY_RATE,
    StepRatio(
        "similarity",
        "similarity",
        ("likeness",),
        ("likeness_n",),
        "no scored case has a scored twin with a step judged right",
    ),
)
"""In the order in which they are reported."""
NAMES = tuple(metric.name for metric in METRICS)


def sums_of(parts: Floats) -> dict[str, NumberArray]:
    """Name sums of COUNTS, which lie along the last axis."""
    return dict(zip(COUNTS, np.moveaxis(parts, -1, 0), strict=True))
