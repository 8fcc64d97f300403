"""ReasonEval's own figures: macro F1 and AUC of solutions and of single steps.

Xia et al., "Evaluating Mathematical Reasoning Beyond Accuracy", arXiv 2404.05692; `mr-math_eval.py` of GAIR-
NLP/ReasonEval. A solution's number is the lowest of its steps', or the one that is given for the whole. On the
redundant set the numbers of a scorer that judges redundancy are its redundancies with a minus, the threshold too.

- A step is judged right iff its number is above the threshold, whatever the rule says of one that equals it. A
solution whose number equals the threshold is judged neither right nor wrong, and so is counted as a mistake. - F1
of what is right and of what is wrong are averaged. AUC is the chance that something right has a higher number than
something wrong, ties counting one half; none is made of a critic's answers. - On the invalid set steps after the
first error are not labelled. A critic's answer judges the steps up to the one that it names; those after it are
judged neither right nor wrong. Of an answer that cannot be read or names no step, every step counts as judged
right.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from scoring.data.schema import Bools, Floats
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.gold import RIGHT_STEP, UNKNOWN_STEP
from scoring.evaluation.step_rewards import StepNumbers
from scoring.evaluation.verdicts import DEV, NO_VERDICT
from scoring.metrics.kernel import Unparsed
from scoring.metrics.step_contributions import judged_by_redundancy

REASONEVAL_METRICS = ("solution_f1", "step_f1", "solution_auc", "step_auc")
"""The figures, by their names in documents."""

JudgedCodes = npt.NDArray[np.int8]
"""What is judged: RIGHT, WRONG, or NEITHER, which is a mistake whatever the label."""
RIGHT, WRONG, NEITHER = 1, 0, -1

NO_AUC_OF_ANSWERS = "a critic's answers have no AUC"
NO_STEPS = "one number a solution judges no step"
NO_THRESHOLD = "no threshold is known for its redundancy numbers"


class PaperFigure(NamedTuple):
    """A fraction, None with a reason where it is undefined; `n` counts the solutions or steps that it is of."""

    value: float | None
    n: int
    reason: str | None = None


class _Solution(NamedTuple):
    """What a scorer made of one case: `judged` and `number` of the whole, the same of each step, None = of none.

    A number is NaN where there is none.
    """

    row: int
    judged: int
    number: float
    steps: JudgedCodes | None
    numbers: Floats | None


def reasoneval_figures(
    evaluation: Evaluation, within: Bools, *, redundancy: bool, unparsed: Unparsed = "wrong"
) -> dict[str, PaperFigure]:
    """Return the REASONEVAL_METRICS of one scorer.

    Args:
        evaluation: the scorer on n cases.
        within: (n,) the cases that count; those without a gold label, and those that the scorer does not judge, do not.
        redundancy: whether the labels mark redundant steps.
        unparsed: whether answers that cannot be read count as mistakes, as in ReasonEval, or are left out.
    """
    gold = evaluation.gold
    starts = np.cumsum(gold.n_steps) - gold.n_steps
    solutions = [solution for solution in _solutions(evaluation, redundancy, unparsed) if within[solution.row]]
    whole = [solution for solution in solutions if gold.known[solution.row]]
    right = np.array([gold.earliest[solution.row] == -1 for solution in whole], dtype=np.bool_)
    labels, judged, numbers = [], [], []
    for solution in solutions:
        if solution.steps is not None:
            own = gold.step_labels[starts[solution.row] : starts[solution.row] + gold.n_steps[solution.row]]
            known = own != UNKNOWN_STEP
            labels.append(own[known] == RIGHT_STEP)
            judged.append(solution.steps[known])
            numbers.append((np.full(own.size, np.nan) if solution.numbers is None else solution.numbers)[known])
    step_right = np.concatenate([np.zeros(0, np.bool_), *labels])
    figures = {
        "solution_f1": macro_f1(right, np.array([solution.judged for solution in whole], dtype=np.int8), "solution"),
        "step_f1": macro_f1(step_right, np.concatenate([np.zeros(0, np.int8), *judged]), "step"),
        "solution_auc": auc(right, np.array([solution.number for solution in whole], dtype=np.float64), "solution"),
        "step_auc": auc(step_right, np.concatenate([np.zeros(0), *numbers]), "step"),
    }
    return _with_reasons(evaluation, figures, solutions, redundancy=redundancy)


def macro_f1(right: Bools, judged: JudgedCodes, what: str) -> PaperFigure:
    """Compute the mean of the F1 of what is right and that of what is wrong.

    Args:
        right: (k,) whether each is labelled right.
        judged: (k,) RIGHT, WRONG or NEITHER.
        what: what each of them is, in a word.
    """
    n_right, n_wrong = int(right.sum()), int((~right).sum())
    hits = int((right & (judged == RIGHT)).sum()), int((~right & (judged == WRONG)).sum())
    if (reason := _one_sided(n_right, n_wrong, what)) is not None:
        return PaperFigure(None, right.size, reason)
    for word, count in zip(("right", "wrong"), hits, strict=True):
        if not count:
            return PaperFigure(None, right.size, f"no {word} {what} was judged {word}")
    mistakes = n_right + n_wrong - sum(hits)
    return PaperFigure(sum(2 * count / (2 * count + mistakes) for count in hits) / 2, right.size)


def auc(right: Bools, numbers: Floats, what: str) -> PaperFigure:
    """Compute the area under the ROC curve: the share of pairs, right and wrong, in which what is right has the higher
    number.

    Args:
        right: (k,) whether each is labelled right.
        numbers: (k,) finite, or NaN where there is none, which gives no figure.
        what: what each of them is, in a word.
    """
    n_right, n_wrong = int(right.sum()), int((~right).sum())
    if (reason := _one_sided(n_right, n_wrong, what)) is not None:
        return PaperFigure(None, right.size, reason)
    if np.isnan(numbers).any():
        return PaperFigure(None, right.size, f"not every {what} has a number")
    _, places, counts = np.unique(numbers, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[places]
    above = float(ranks[right].sum()) - n_right * (n_right + 1) / 2
    return PaperFigure(above / (n_right * n_wrong), right.size)


def _one_sided(n_right: int, n_wrong: int, what: str) -> str | None:
    if n_right and n_wrong:
        return None
    return f"no {what} labelled {'wrong' if n_right else 'right'} was scored"


def _with_reasons(
    evaluation: Evaluation, figures: dict[str, PaperFigure], solutions: list[_Solution], *, redundancy: bool
) -> dict[str, PaperFigure]:
    """The figures, those that the scorer cannot have with the reason for it."""
    reasons = dict[str, str]()
    if evaluation.scorer.kind == "critic":
        reasons |= dict.fromkeys(("solution_auc", "step_auc"), NO_AUC_OF_ANSWERS)
    if solutions and all(solution.steps is None for solution in solutions):
        reasons |= dict.fromkeys(("step_f1", "step_auc"), NO_STEPS)
    if redundancy and _redundancies(evaluation) is not None and evaluation.scorer.redundancy_threshold is None:
        reasons |= dict.fromkeys(("solution_f1", "step_f1"), NO_THRESHOLD)
    return {
        name: figure._replace(value=None, reason=reasons[name]) if name in reasons else figure
        for name, figure in figures.items()
    }


def _redundancies(evaluation: Evaluation) -> StepNumbers | None:
    """A second number a step, of scorers that judge redundancy."""
    numbers = evaluation.rewards.redundancy
    return numbers if (numbers.present & evaluation.fixed_verdicts.by_threshold).any() else None


def _solutions(evaluation: Evaluation, redundancy: bool, unparsed: Unparsed) -> Iterator[_Solution]:
    """What is judged of every case that the scorer judges, in the order of the cases."""
    decided, gold = evaluation.fixed_verdicts, evaluation.gold
    values, offsets, rows = evaluation.compared_values.values, evaluation.rewards.offsets, decided.by_threshold
    rule = evaluation.rule
    cut = evaluation.scorer.threshold if not rule.by_threshold else rule.cut
    if redundancy and (second := _redundancies(evaluation)) is not None:
        values, offsets, rows = -second.values, second.offsets, second.present & decided.by_threshold
        # What a missing threshold would decide is no figure.
        cut = -(evaluation.scorer.redundancy_threshold or 0.0)
    cuts = np.broadcast_to(np.asarray(cut, dtype=np.float64), rows.shape)
    labelled = decided.by_label
    by_label = judged_by_redundancy(evaluation, labelled & redundancy) if labelled.any() else None
    solutions = evaluation.rewards.solutions
    for row in range(rows.size):
        if rows[row]:
            numbers = values[offsets[row] : offsets[row + 1]]
            steps = np.where(numbers > cuts[row], RIGHT, WRONG).astype(np.int8)
            lowest = float(numbers.min()) if numbers.size else np.nan
            yield _Solution(row, _judged(lowest, float(cuts[row])), lowest, steps, numbers)
        elif by_label is not None and labelled[row]:
            steps = _steps_by_label(by_label.of(row, int(gold.n_steps[row])) or [])
            yield _Solution(row, WRONG if (steps == WRONG).any() else RIGHT, np.nan, steps, None)
        elif decided.verdicts[row] != NO_VERDICT:
            verdict = int(decided.verdicts[row])
            steps = _steps_by_verdict(verdict, int(gold.n_steps[row]), redundancy=redundancy)
            yield _Solution(row, RIGHT if verdict == -1 else WRONG, np.nan, steps, None)
        elif evaluation.votes is not None and evaluation.votes.answered[row] and decided.missing[row] != DEV:
            if unparsed == "wrong":
                yield _Solution(row, NEITHER, np.nan, np.full(gold.n_steps[row], RIGHT, dtype=np.int8), None)
        elif np.isfinite(solutions[row]) and decided.missing[row] != DEV:
            number = float(solutions[row])
            yield _Solution(row, _judged(number, evaluation.scorer.threshold), number, None, None)


def _judged(number: float, cut: float) -> int:
    if number == cut or np.isnan(number):
        return NEITHER
    return RIGHT if number > cut else WRONG


def _steps_by_label(wrong: list[bool | None]) -> JudgedCodes:
    return np.array(
        [NEITHER if is_wrong is None else WRONG if is_wrong else RIGHT for is_wrong in wrong], dtype=np.int8
    )


def _steps_by_verdict(verdict: int, n_steps: int, *, redundancy: bool) -> JudgedCodes:
    """The steps of an answer that names at most one; on the redundant set all others are judged needed."""
    steps = np.full(n_steps, RIGHT, dtype=np.int8)
    if 0 <= verdict < n_steps:
        steps[verdict] = WRONG
        if not redundancy:
            steps[verdict + 1 :] = NEITHER
    return steps
