"""PRMScore over a grid of thresholds, with bands from one set of resamples of whole problems.

The draws are those of `scoring.metrics.step_labels`: at a threshold the band of one run is the interval told there.
"""

import numpy as np

from scoring.benchmarks.registry import StepLabelled
from scoring.evaluation import Evaluation
from scoring.gold import UNKNOWN_STEP, WRONG_STEP
from scoring.metrics.intervals import percentile_intervals
from scoring.metrics.problem_bootstrap import resampled_sums
from scoring.metrics.redundancy import redundancy_rows
from scoring.metrics.step_counts import PARTS, asked_by_redundancy, case_parts, prmscores, why_undefined
from scoring.metrics.threshold_bands import Bands
from scoring.step_rewards import Bools, Floats, Ints
from scoring.verdicts import Rule

_COUNTS = 4
"""TP, FN, FP, TN, the first of PARTS: how a step that is right or wrong is judged."""


def prmscore_bands(
    evaluation: Evaluation, rows: Bools, thresholds: Floats, facts: StepLabelled, seed: int = 0
) -> Bands | None:
    """PRMScore of all steps pooled at each of the thresholds; None where no one threshold decides.

    Args:
        evaluation: gives rewards, gold and the comparison; its threshold does not matter.
        rows: (n,) which cases take part. Steps that labels decide, or redundancy, are as they are at every threshold.
        thresholds: (t,), finite, at least one.
        facts: in which classes redundancy decides.
        seed: of the resamples.
    """
    if not isinstance(evaluation.rule, Rule):
        return None
    tried = case_parts(evaluation, facts)[:, PARTS.index("tried")] > 0
    taken = np.flatnonzero(rows & tried)
    counts = counts_at(evaluation, taken, thresholds, facts)
    sums = counts.sum(axis=0)
    values = prmscores(sums)
    # How many steps are right or wrong does not depend on the threshold: what is drawn is which are judged wrong.
    fixed = counts[:, :, 0].reshape(taken.size, _COUNTS // 2, 2).sum(axis=2)
    size = thresholds.size
    parts = np.column_stack([counts[:, 1], counts[:, 3], fixed]).astype(np.float64)
    drawn = resampled_sums(parts, np.zeros(taken.size, dtype=np.int64), 1, evaluation.gold.problems[taken], seed)[:, 0]
    fn, tn, (right, wrong) = drawn[:, :size], drawn[:, size : 2 * size], drawn[:, 2 * size :, None].swapaxes(0, 1)
    draws = prmscores(np.stack([right - fn, fn, wrong - tn, tn]), "resampled")
    low, high = (np.where(np.isnan(values), np.nan, end) for end in percentile_intervals(draws))
    reasons = (_why(values, sums),)
    return Bands(("prmscore",), thresholds, values[None], low[None], high[None], (int(fixed.sum()),), reasons)


def counts_at(evaluation: Evaluation, rows: Ints, thresholds: Floats, facts: StepLabelled) -> Ints:
    """TP, FN, FP, TN of each of some cases (row ids, shape (m,)) at each threshold, shape (m, 4, t)."""
    asked = asked_by_redundancy(evaluation, facts)
    decided = redundancy_rows(evaluation, asked, evaluation.scorer.redundancy_threshold)
    moving = evaluation.given.by_threshold & ~decided.labels & ~decided.numbers
    counts = np.repeat(case_parts(evaluation, facts)[rows, :_COUNTS, None].astype(np.int64), thresholds.size, axis=2)
    order = np.argsort(thresholds, kind="stable")
    here = np.flatnonzero(moving[rows])
    place = np.full(moving.size, -1)
    place[rows[here]] = here
    counts[here[:, None, None], np.arange(_COUNTS)[:, None], order] = _moved(evaluation, place, thresholds[order])[here]
    return counts


def _moved(evaluation: Evaluation, place: Ints, thresholds: Floats) -> Ints:
    """The counts of the cases that a threshold decides, by `place` (n,), -1 for others; thresholds ascend."""
    compared, rule = evaluation.compared_values, evaluation.rule
    assert isinstance(rule, Rule)  # noqa: S101  # whoever asks has seen to it
    lengths = np.diff(compared.offsets)
    row = np.repeat(place, lengths)
    labels = evaluation.gold.step_labels[np.repeat(lengths == evaluation.gold.n_steps, evaluation.gold.n_steps)]
    kept = (row >= 0) & (labels != UNKNOWN_STEP)
    row, wrong = row[kept], (labels == WRONG_STEP)[kept]
    # A step is judged wrong at every threshold from this one on.
    first = np.searchsorted(thresholds, compared.values[kept], side="right" if rule.comparison == "<" else "left")
    size, n = thresholds.size, int(place.max(initial=-1)) + 1
    found = np.zeros((n, _COUNTS, size), dtype=np.int64)
    for gold in (False, True):
        own = wrong == gold
        flat = (row * (size + 1) + first)[own]
        judged_wrong = np.bincount(flat, minlength=n * (size + 1)).reshape(n, size + 1)[:, :size].cumsum(axis=1)
        total = np.bincount(row[own], minlength=n)[:, None]
        found[:, 2 * gold], found[:, 2 * gold + 1] = total - judged_wrong, judged_wrong
    return found


def _why(values: Floats, sums: Ints) -> tuple[str | None, ...]:
    return tuple(
        why_undefined("prmscore", np.append(sums[:, at], np.zeros(6))) if np.isnan(value) else None
        for at, value in enumerate(values)
    )
