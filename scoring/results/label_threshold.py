"""Which threshold a file's own labels come from, told from scores and labels that stand beside each other."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from scoring.scorer import Comparison

_DIGITS = 17


@dataclass(frozen=True)
class LabelThreshold:
    """A step is labelled wrong iff its score is `comparison` the threshold, and `usual` whether it is 0.5."""

    threshold: float
    comparison: Comparison
    usual: bool


def label_threshold(pairs: Iterable[tuple[float, bool]]) -> LabelThreshold | None:
    """A threshold that explains every label (true = judged right); None if there is none, or no pair to tell it from.

    0.5 if it explains them, with either comparison; else the number with the fewest digits that does, where a step is
    right iff its score is above it. Scores that are not finite are passed over.
    """
    highest_wrong, lowest_right = -math.inf, math.inf
    for score, right in pairs:
        if not math.isfinite(score):
            continue
        if right:
            lowest_right = min(lowest_right, score)
        else:
            highest_wrong = max(highest_wrong, score)
    if highest_wrong >= lowest_right or (highest_wrong == -math.inf and lowest_right == math.inf):
        return None
    if highest_wrong <= 0.5 < lowest_right:
        return LabelThreshold(0.5, "<=", usual=True)
    if highest_wrong < 0.5 == lowest_right:
        return LabelThreshold(0.5, "<", usual=True)
    return LabelThreshold(_roundest(highest_wrong, lowest_right), "<=", usual=False)


def _roundest(low: float, high: float) -> float:
    """The number in [low, high) with the fewest decimals; one of the two may be infinite."""
    if low == -math.inf:
        return min(float(math.ceil(high) - 1), math.nextafter(high, -math.inf))
    for digits in range(_DIGITS):
        scale = 10.0**digits
        candidate = math.ceil(low * scale) / scale if abs(low * scale) < 2**53 else low
        if low <= candidate < high:
            # Adding zero turns -0.0 into 0.0.
            return candidate + 0.0
    return low
