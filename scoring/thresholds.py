"""The exact threshold: accuracies at every distinct decision a scorer can make, not on a grid."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from scoring.evaluation import Evaluation
from scoring.metrics.accuracies import harmonic
from scoring.metrics.first_error import Unparsed
from scoring.step_rewards import Bools, Floats, Ints
from scoring.verdicts import CLEAN, EXACT, Rule


@dataclass(frozen=True, eq=False)
class Sweep:
    """Counts at k thresholds in s subsets.

    `thresholds` (k,) ascend and hold one value for every distinct decision. `exact` and `clean_right` (s, k) count the
    cases decided right, `erroneous` and `clean` (s,) the cases in the denominators.
    """

    thresholds: Floats
    exact: npt.NDArray[np.int32]
    clean_right: npt.NDArray[np.int32]
    erroneous: Ints
    clean: Ints
    metric: ClassVar[str] = "F1"

    @cached_property
    def f1(self) -> Floats:
        """Plain mean over the subsets of ProcessBench's F1 at each threshold, shape (k,); NaN where undefined."""
        if not self.erroneous.size:
            return np.full(self.thresholds.size, np.nan)
        with np.errstate(invalid="ignore", divide="ignore"):
            error_acc = self.exact / self.erroneous[:, None]
            correct_acc = self.clean_right / self.clean[:, None]
        means: Floats = harmonic(error_acc, correct_acc).mean(axis=0)
        return means

    @property
    def score(self) -> Floats:
        """What is tuned for: F1, shape (k,)."""
        return self.f1

    def best(self) -> tuple[float, float] | None:
        """The threshold with the highest F1 and that F1; the lowest one wins a tie. None if F1 is nowhere defined."""
        return self._best

    @cached_property
    def _best(self) -> tuple[float, float] | None:
        f1 = self.f1
        if not f1.size or np.isnan(f1).all():
            return None
        at = int(np.nanargmax(f1))
        return float(self.thresholds[at]), float(f1[at])


def sweep(evaluation: Evaluation, rows: Bools, groups: Ints, unparsed: Unparsed = "wrong") -> Sweep | None:
    """Every distinct decision on the chosen rows; None where no threshold decides.

    Args:
        evaluation: gives floats, gold and the comparison; its threshold does not matter.
        rows: (n,) which cases take part; unscored ones and those without gold never do.
        groups: (n,) subset number of each case, 0-based.
        unparsed: whether refused and unparsed cases stay in the denominators (`wrong`) or leave them (`drop`).
    """
    if not isinstance(evaluation.rule, Rule):
        return None
    floats, gold = evaluation.floats, evaluation.gold
    tried = rows & gold.known & (evaluation.tried if unparsed == "wrong" else evaluation.answered)
    erroneous, clean = tried & (gold.earliest >= 0), tried & (gold.earliest < 0)
    numbers = np.unique(groups[tried])
    scored = tried & evaluation.given.by_threshold
    values = np.unique(
        np.concatenate([floats.at[scored & erroneous], floats.before[scored & erroneous], floats.all[scored]])
    )
    values = values[np.isfinite(values)]
    strict = evaluation.rule.comparison == "<"
    if values.size:
        extra = np.nextafter(values[-1], np.inf) if strict else np.nextafter(values[0], -np.inf)
        values = np.append(values, extra) if strict else np.concatenate([[extra], values])
    # "reward < t" holds for the values left of t; "<=" for those up to and including it.
    side = "left" if strict else "right"
    exact, clean_right = np.zeros((2, numbers.size, values.size), dtype=np.int32)
    for row, number in enumerate(numbers):
        wrong = scored & erroneous & (groups == number)
        right = scored & clean & (groups == number)
        exact[row] = _under(floats.at[wrong], values, side) - _under(floats.before[wrong], values, side)
        clean_right[row] = right.sum() - _under(floats.all[right], values, side)
        # Cases that were decided as given are as they are at every threshold.
        as_given = evaluation.codes[tried & ~scored & (groups == number)]
        exact[row] += (as_given == EXACT).sum()
        clean_right[row] += (as_given == CLEAN).sum()
    members = groups[None, :] == numbers[:, None]
    return Sweep(values, exact, clean_right, (members & erroneous).sum(axis=1), (members & clean).sum(axis=1))


def _under(floats: Floats, thresholds: Floats, side: str) -> Ints:
    """How many of the floats fall under each threshold; those that are finite are all among the thresholds."""
    # Asked in order, places are found many times faster.
    ordered = np.sort(floats[np.isfinite(floats)])
    here = np.bincount(np.searchsorted(thresholds, ordered), minlength=thresholds.size)
    up_to = np.cumsum(here)
    return up_to if side == "right" else up_to - here
