"""Counts of an evaluation on some cases: its runs, and the values equal to the threshold."""

import numpy as np

from scoring.data.schema import Bools
from scoring.evaluation.evaluation import Evaluation


def runs_among(evaluation: Evaluation, rows: Bools) -> int:
    """Count the runs in which some of the cases `rows` (n,) were tried; benchmarks may have different numbers."""
    if not evaluation.further:
        return 1
    return sum(bool((run.coverage.present & rows).any()) for run in evaluation.runs)


def on_threshold(evaluation: Evaluation, rows: Bools) -> int:
    """Count how many compared values of the cases `rows` (n,) equal their case's threshold exactly."""
    rule = evaluation.rule
    if not rule.by_threshold:
        return 0
    values = evaluation.compared_values
    counts = np.diff(values.offsets)
    within = np.repeat(rows & evaluation.fixed_verdicts.by_threshold, counts)
    cuts = np.broadcast_to(rule.cut, rows.shape).repeat(counts)[within]
    return int((values.values[within] == cuts).sum())
