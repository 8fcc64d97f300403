"""What figures of single steps are made of, and these figures.

PRMBench (arXiv 2501.03124, section 4.2, and `mr_eval/tasks/prmtest_classified/task.py` of ssmisya/PRMBench): a step is
positive if it is right, so that TP are right steps judged right and TN wrong ones judged wrong. PRMScore is the mean of
the F1s of positive and of negative steps, each the harmonic mean of its precision and recall.
"""

from typing import Literal

import numpy as np

from scoring.benchmarks.registry import StepLabelled
from scoring.evaluation import Evaluation
from scoring.gold import UNKNOWN_STEP, WRONG_STEP
from scoring.judged_steps import JudgedSteps
from scoring.metrics.accuracies import harmonic
from scoring.metrics.redundancy import by_redundancy
from scoring.metrics.surplus import surplus
from scoring.problems import problems
from scoring.step_rewards import Bools, Floats, Ints
from scoring.verdicts import AsGiven, Rule

PARTS = ("TP", "FN", "FP", "TN", "first_hit", "first_n", "judged", "tried", "likeness", "likeness_n")
"""What is summed over cases: counts of steps, then of cases, and for similarity a sum with its count of cases."""

METRICS = (
    "prmscore",
    "f1_positive",
    "f1_negative",
    "positive_acc",
    "negative_acc",
    "acc",
    "first",
    "validity_rate",
    "similarity",
)
"""The figures, in the order in which they are reported."""
OF_WRONG_STEPS = ("f1_negative", "negative_acc", "first")
"""Figures that a class without a wrong step cannot have."""

OFFICIAL_UNDEFINED = -1.0
"""What the toolkit says where a denominator is empty."""


def asked_by_redundancy(evaluation: Evaluation, facts: StepLabelled) -> Bools:
    """The cases of the classes in which "not redundant" stands for "right". Shape (n,)."""
    return evaluation.gold.cases["error_type"].is_in(sorted(facts.by_redundancy)).fill_null(value=False).to_numpy()


def case_parts(evaluation: Evaluation, facts: StepLabelled, twins: Evaluation | None = None) -> Floats:
    """The PARTS of each case, shape (n, len(PARTS)); zeros where nothing was tried.

    Steps without a gold label or without a judgement count nowhere, and neither do gold steps beyond the last one; but
    labels beyond it do (`scoring.metrics.surplus`). `first` is about cases whose earliest wrong step is judged. A case
    that was tried and has no judgement of its steps lowers the validity rate and counts nowhere else.
    """
    judged = by_redundancy(evaluation, asked_by_redundancy(evaluation, facts))
    n, gold = judged.rows.size, evaluation.gold
    labels = judged.gold(gold)
    known = labels != UNKNOWN_STEP
    # TP, FN, FP, TN are 0 to 3: twice "the step is wrong" and once "it is judged wrong".
    kind = 2 * (labels == WRONG_STEP).astype(np.int64) + judged.wrong
    counts = np.bincount((4 * judged.cases + kind)[known], minlength=4 * n).reshape(n, 4)
    inside = judged.rows & gold.known & (gold.earliest >= 0) & (gold.earliest < judged.lengths)
    more = surplus(judged, gold)
    hit = more.hit.copy()
    hit[inside] = judged.wrong[judged.offsets[:-1][inside] + gold.earliest[inside]]
    tried = judged.rows | (evaluation.tried & ~evaluation.answered)
    likeness, alike = _likeness(evaluation, judged, twins)
    first_n = inside | more.first
    return np.column_stack([counts + more.counts, hit, first_n, judged.rows, tried, likeness, alike]).astype(np.float64)


def _likeness(evaluation: Evaluation, judged: JudgedSteps, twins: Evaluation | None) -> tuple[Floats, Bools]:
    """1 - |share of steps judged right - that of the unharmed twin's|, and which cases have it. Shapes (n,).

    A twin is that of all cases of its problem. One of which no step is judged right does not count.
    """
    nothing = np.zeros(judged.rows.size)
    if twins is None or not twins.gold.cases.height:
        return nothing, nothing.astype(np.bool_)
    known = _same_threshold(twins, evaluation)
    if known is None:
        return nothing, nothing.astype(np.bool_)
    rates = right_rates(known.judged_steps)
    cases, others = evaluation.gold.cases, known.gold.cases
    names = problems(cases)
    of_case = dict(zip(cases["case"], names, strict=True))
    of_problem = {
        of_case[case]: rate for case, rate in zip(others["twin_of"], rates, strict=True) if rate > 0 and case in of_case
    }
    expected = np.array([of_problem.get(name, np.nan) for name in names])
    likeness = 1 - np.abs(right_rates(judged) - expected)
    there = np.isfinite(likeness)
    return np.where(there, likeness, 0.0), there


def _same_threshold(twins: Evaluation, evaluation: Evaluation) -> Evaluation | None:
    """The twins as the cases are decided, or by the scorer's own threshold where labels alone decide the cases.

    None where thresholds differ from case to case.
    """
    if not isinstance(twins.rule, Rule) or isinstance(evaluation.rule, AsGiven):
        return twins
    if not isinstance(evaluation.rule, Rule):
        return None
    rule = evaluation.rule
    return twins.compared(rule.comparison, rule.on).at(rule.threshold)


def right_rates(judged: JudgedSteps) -> Floats:
    """The share of each case's judgements that say right, those beyond the last step too; NaN: there is none. (n,)."""
    n, beyond = judged.rows.size, judged.beyond
    ends = np.concatenate([[0], np.cumsum(judged.wrong)])
    wrong = ends[judged.offsets[1:]] - ends[judged.offsets[:-1]]
    wrong = wrong + np.bincount(beyond.cases[beyond.values], minlength=n)
    lengths = judged.lengths + np.bincount(beyond.cases, minlength=n)
    rates = np.full(n, np.nan)
    np.divide(wrong, lengths, out=rates, where=lengths > 0)
    return 1 - rates


def sums_by(parts: Floats, groups: Ints, n_groups: int) -> Floats:
    """The PARTS of each group of cases, shape (n_groups, len(PARTS)); a negative group number is in none."""
    inside = groups >= 0
    columns = [np.bincount(groups[inside], weights=part[inside], minlength=n_groups) for part in parts.T]
    return np.column_stack(columns) if columns else np.zeros((n_groups, 0))


def figures(sums: Floats, undefined: Literal["nan", "official", "resampled"] = "nan") -> Floats:
    """The METRICS of sums of PARTS; both lie along the last axis.

    Args:
        sums: (..., len(PARTS)).
        undefined: what becomes of an empty denominator. `nan`: the figure is NaN, and so is whatever is made of it.
            `official`: it is -1 and counts on as -1, and a harmonic mean is -1 only where its two parts sum to 0.
            `resampled`: as `nan`, but the F1 of steps that are there and are never found counts as 0.
    """
    tp, fn, fp, tn, hit, first_n, judged, tried, likeness, likeness_n = np.moveaxis(sums, -1, 0)
    empty = OFFICIAL_UNDEFINED if undefined == "official" else np.nan
    f1_positive, f1_negative = (
        _f1(found, missed, alarms, undefined) for found, missed, alarms in ((tp, fn, fp), (tn, fp, fn))
    )
    return np.stack(
        [
            (f1_positive + f1_negative) / 2,
            f1_positive,
            f1_negative,
            _share(tp, tp + fn, empty),
            _share(tn, tn + fp, empty),
            _share(tp + tn, tp + fn + fp + tn, empty),
            _share(hit, first_n, empty),
            _share(judged, tried, np.nan),
            _share(likeness, likeness_n, empty),
        ],
        axis=-1,
    )


def prmscores(counts: Ints | Floats, undefined: Literal["nan", "resampled"] = "nan") -> Floats:
    """The prmscore of `figures` alone, to the same digits.

    Args:
        counts: (4, ...) TP, FN, FP, TN.
        undefined: as for `figures`.

    Returns:
        PRMScore in the shape of the rest, NaN where undefined.
    """
    tp, fn, fp, tn = counts.astype(np.float64)
    scores: Floats = (_f1(tp, fn, fp, undefined) + _f1(tn, fp, fn, undefined)) / 2
    return scores


def _f1(found: Floats, missed: Floats, alarms: Floats, undefined: str) -> Floats:
    if undefined == "resampled":
        twice = _share(2 * found, 2 * found + missed + alarms, np.nan)
        return np.where(found + missed > 0, twice, np.nan)
    empty = OFFICIAL_UNDEFINED if undefined == "official" else np.nan
    mean = harmonic(_share(found, found + alarms, empty), _share(found, found + missed, empty))
    # Adding zero turns the -0.0 of a precision of -1 and a recall of 0 into 0.0.
    f1: Floats = np.where(np.isnan(mean), empty, mean) + 0.0
    return f1


def _share(hits: Floats, of: Floats, empty: float) -> Floats:
    share: Floats = np.divide(hits, of, out=np.full(hits.shape, empty), where=of > 0)
    return share


def denominators(sums: Floats) -> Floats:
    """What each of METRICS is a share or mean of, as a count: steps, or cases where the figure is about cases."""
    tp, fn, fp, tn, _, first_n, _, tried, _, likeness_n = np.moveaxis(sums, -1, 0)
    steps = tp + fn + fp + tn
    return np.stack([steps, steps, steps, tp + fn, tn + fp, steps, first_n, tried, likeness_n], axis=-1)


def cells(values: Floats, alone: Bools) -> Floats:
    """The figures with f1_positive in the place of prmscore where a class holds no wrong step.

    Args:
        values: (..., s, len(METRICS)).
        alone: (s,) which of the classes these are.
    """
    found = values.copy()
    found[..., alone, METRICS.index("prmscore")] = values[..., alone, METRICS.index("f1_positive")]
    return found


def why_undefined(metric: str, sums: Floats) -> str:
    """Why a figure of one group's sums of PARTS, shape (len(PARTS),), is undefined."""
    tp, fn, fp, tn = sums[:4]
    positive = _why_no_f1("right", tp, fn, fp)
    negative = _why_no_f1("wrong", tn, fp, fn)
    reasons = {
        "f1_positive": positive,
        "f1_negative": negative,
        "prmscore": positive or negative,
        "positive_acc": "no right step was scored",
        "negative_acc": "no wrong step was scored",
        "acc": "no step was scored",
        "first": "no case with a wrong step was scored",
        "validity_rate": "no case was tried",
        "similarity": "no scored case has a scored twin with a step judged right",
    }
    return "no step was scored" if metric != "validity_rate" and not sums[:4].any() else reasons[metric]


def _why_no_f1(word: str, found: float, missed: float, alarms: float) -> str:
    if found + missed == 0:
        return f"no {word} step was scored"
    if found + alarms == 0:
        return f"no step was judged {word}"
    return "" if found else f"no {word} step was judged {word}"
