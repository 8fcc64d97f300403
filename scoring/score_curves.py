"""What a threshold is tuned for: a benchmark's own figure at every distinct decision, and where it is highest."""

from typing import NamedTuple

import numpy as np

from scoring.benchmarks.registry import step_labelled
from scoring.evaluation import Evaluation
from scoring.metrics.first_error import Unparsed
from scoring.scorer import Comparison
from scoring.step_rewards import Bools, Floats, Ints
from scoring.step_thresholds import StepSweep, step_sweep
from scoring.thresholds import Sweep, sweep

Curve = Sweep | StepSweep


class Tuned(NamedTuple):
    """The best threshold; None where there is none, and `reason` says why."""

    threshold: float | None
    reason: str | None


def score_curve(evaluation: Evaluation, rows: Bools, unparsed: Unparsed, benchmark: str) -> Curve | None:
    """The official figure at every distinct threshold: F1 as the mean over subsets, or PRMScore of all steps pooled.

    Args:
        evaluation: gives rewards, gold and the comparison; its threshold does not matter.
        rows: (n,) which cases take part, all of one benchmark.
        unparsed: how cases without a verdict count in F1; PRMScore leaves them out.
        benchmark: the one they are of.

    None where no one threshold decides.
    """
    facts = step_labelled(benchmark)
    if facts is None:
        return sweep(evaluation, rows, evaluation.gold.subsets[1], unparsed)
    return step_sweep(evaluation, rows, facts)


def places_on(curve: Curve, thresholds: Floats | float, comparison: Comparison) -> Ints:
    """Where on a curve (0-based) the thresholds stand that decide as these do; beyond its ends, the ends.

    Under "<" everything above one threshold of the curve decides as the next one, under "<=" as that one itself.
    """
    last = max(0, curve.thresholds.size - 1)
    if comparison == "<":
        return np.minimum(np.searchsorted(curve.thresholds, thresholds, side="left"), last)
    return np.maximum(np.searchsorted(curve.thresholds, thresholds, side="right") - 1, 0)


def tuned(curve: Curve | None) -> Tuned:
    """Where a curve is highest; the lowest of equally good thresholds."""
    where = "the cases it would be tuned on"
    if curve is None or not curve.thresholds.size:
        what = "a labelled step" if isinstance(curve, StepSweep) else "any"
        return Tuned(None, f"no threshold decides {what} of {where}")
    best = curve.best()
    if best is None:
        return Tuned(None, f"{curve.metric} is undefined on {where}{_why_undefined(curve)}")
    return Tuned(best[0], None)


def _why_undefined(curve: Curve) -> str:
    if not isinstance(curve, StepSweep):
        return ""
    tp, fn, fp, tn = curve.counts[0].tolist()
    return ", which hold no right step" if tp + fn == 0 else ", which hold no wrong step" if fp + tn == 0 else ""
