"""Likeness of a scorer's judgements to those of the unharmed originals, for PRMBench's similarity."""

import numpy as np

from scoring.data.readout import EMPTY_LABELS
from scoring.data.schema import Bools, Floats
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.gold import problems
from scoring.evaluation.judged_steps import JudgedSteps

_RATE_OF_NO_LABELS = -1.0
"""The share of steps judged right that PRMBench's toolkit computes from an empty list."""


def has_empty_labels(evaluation: Evaluation) -> Bools:
    """Return which results hold an empty list of labels. Shape (n,)."""
    return np.array([reason == EMPTY_LABELS for reason in evaluation.rewards.reasons], dtype=np.bool_)


def likeness_to_originals(
    evaluation: Evaluation, judged: JudgedSteps, originals: Evaluation | None, *, official: bool
) -> tuple[Floats, Bools]:
    """Compute 1 - |share of steps judged right - that of the unharmed original|, and which cases have it. Shapes (n,).

    An original is that of all cases of its problem. One without a step that is judged right does not count.

    Args:
        evaluation: n decided cases.
        judged: their judged steps.
        originals: the same scorer on the unharmed originals; None = it has none.
        official: count an original with an empty list of labels as PRMBench's toolkit does, as a share of -1.
    """
    nothing = np.zeros(judged.rows.size)
    if originals is None or not originals.gold.cases.height:
        return nothing, nothing.astype(np.bool_)
    known = _decided_alike(originals, evaluation)
    if known is None:
        return nothing, nothing.astype(np.bool_)
    rates = right_rates(known.judged_steps)
    if official:
        rates = np.where(has_empty_labels(known), _RATE_OF_NO_LABELS, rates)
    cases, others = evaluation.gold.cases, known.gold.cases
    names = problems(cases)
    of_case = dict(zip(cases["case"], names, strict=True))
    of_problem = {
        of_case[case]: rate
        for case, rate in zip(others["twin_of"], rates, strict=True)
        if (rate > 0 or rate == _RATE_OF_NO_LABELS) and case in of_case
    }
    expected = np.array([of_problem.get(name, np.nan) for name in names])
    likeness = 1 - np.abs(right_rates(judged) - expected)
    there = np.isfinite(likeness)
    return np.where(there, likeness, 0.0), there


def _decided_alike(originals: Evaluation, evaluation: Evaluation) -> Evaluation | None:
    """The originals as the cases are decided, or by the scorer's own threshold where labels alone decide the cases.

    None where thresholds differ from case to case.
    """
    if not originals.rule.is_movable or not evaluation.rule.by_threshold:
        return originals
    rule = evaluation.rule.movable
    if rule is None:
        return None
    return originals.compared(rule.comparison, rule.on, rule.step).at(rule.threshold)


def right_rates(judged: JudgedSteps) -> Floats:
    """Return the share of each case's judgements that say right, beyond the last step too; NaN: there is none. (n,)."""
    n, beyond = judged.rows.size, judged.beyond
    ends = np.concatenate([[0], np.cumsum(judged.wrong)])
    wrong = ends[judged.offsets[1:]] - ends[judged.offsets[:-1]]
    wrong = wrong + np.bincount(beyond.cases[beyond.values], minlength=n)
    lengths = judged.lengths + np.bincount(beyond.cases, minlength=n)
    rates = np.full(n, np.nan)
    np.divide(wrong, lengths, out=rates, where=lengths > 0)
    return 1 - rates
