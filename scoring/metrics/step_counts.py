"""What a case contributes to figures of single steps, where redundancy and labels beyond the last step have their say.

PRMBench (arXiv 2501.03124; `mr_eval/tasks/prmtest_classified/task.py` of ssmisya/PRMBench): in the classes redundency
and circular the scorer's redundancy labels, where it has them, take the place of its validity labels; where it has
numbers instead, a step is redundant iff its number is above the scorer's threshold for them. And the toolkit walks
through the labels, however many steps there are: a step that is in the list of error steps is wrong, any other is
right, whether it is there or not.
"""

from typing import NamedTuple

import numpy as np
from msgspec import Struct

from scoring.benchmarks.registry import StepLabelled, step_labelled
from scoring.evaluation import Evaluation
from scoring.given import JudgedSteps
from scoring.gold import UNKNOWN_STEP, WRONG_STEP, Gold, problems
from scoring.step_rewards import Bools, Floats, Ints, StepLabels
from scoring.verdicts import AsGiven, Rule

COUNTS = ("tp", "fn", "fp", "tn", "first_hit", "first_n", "judged", "tried", "likeness", "likeness_n")
"""What is summed over cases: counts of steps, a right step being positive; then of cases; and for similarity a sum with
its count of cases."""
OF_STEPS = COUNTS[:4]


def step_contributions(evaluation: Evaluation, facts: StepLabelled, originals: Evaluation | None = None) -> Floats:
    """Count COUNTS of each case, shape (n, len(COUNTS)); zeros where nothing was tried. Nobody may write to it.

    Steps without a gold label or without a judgement count nowhere, and neither do gold steps beyond the last one; but
    labels beyond it do. `first` is about cases whose earliest wrong step is judged. A case that was tried and has no
    judgement of its steps lowers the validity rate and counts nowhere else.

    Args:
        evaluation: n decided cases; what was counted is kept with it.
        facts: in which classes redundancy decides.
        originals: the same scorer on the unharmed originals, for `likeness`.
    """
    kept: dict[tuple[int, int], tuple[object, ...]] = vars(evaluation).setdefault("_step_contributions", {})
    place = (id(facts), id(originals))
    if place not in kept:
        # What is kept holds on to what it was made of, so that no other object can have its id.
        kept[place] = (_contributions(evaluation, facts, originals), facts, originals)
    found = kept[place][0]
    assert isinstance(found, np.ndarray)  # noqa: S101
    return found


def _contributions(evaluation: Evaluation, facts: StepLabelled, originals: Evaluation | None) -> Floats:
    judged = judged_by_redundancy(evaluation, asked_by_redundancy(evaluation, facts))
    n, gold = judged.rows.size, evaluation.gold
    labels = judged.gold(gold)
    known = labels != UNKNOWN_STEP
    counts = count_steps(judged.cases[known], labels[known] == WRONG_STEP, judged.wrong[known], n)
    inside = judged.rows & gold.known & (gold.earliest >= 0) & (gold.earliest < judged.lengths)
    beyond = labels_past_end(judged, gold)
    hit = beyond.hit.copy()
    hit[inside] = judged.wrong[judged.offsets[:-1][inside] + gold.earliest[inside]]
    tried = judged.rows | (evaluation.tried & ~evaluation.answered)
    likeness, alike = _likeness(evaluation, judged, originals)
    columns = [counts + beyond.counts, hit, inside | beyond.first, judged.rows, tried, likeness, alike]
    found = np.column_stack(columns).astype(np.float64)
    found.flags.writeable = False
    return found


def count_steps(cases: Ints, wrong: Bools, judged_wrong: Bools, n: int) -> Ints:
    """Count OF_STEPS of each of n cases, shape (n, 4); of each step its case, what it is and what it is called."""
    # tp, fn, fp, tn are 0 to 3: twice "the step is wrong" and once "it is judged wrong".
    kind = 2 * wrong.astype(np.int64) + judged_wrong
    return np.bincount(4 * cases + kind, minlength=4 * n).reshape(n, 4)


# -- redundancy


class RedundancyRows(Struct, frozen=True, eq=False):
    """Which of n cases redundancy decides: those with `labels` that the scorer gave, and those with `numbers` alone."""

    labels: Bools
    numbers: Bools


def asked_by_redundancy(evaluation: Evaluation, facts: StepLabelled) -> Bools:
    """Find the cases of the classes in which "not redundant" stands for "right". Shape (n,)."""
    return evaluation.gold.cases["error_type"].is_in(sorted(facts.by_redundancy)).fill_null(value=False).to_numpy()


def redundancy_rows(evaluation: Evaluation, asked: Bools, threshold: float | None) -> RedundancyRows:
    """Find the cases of `asked` (n) that redundancy decides at a threshold; None decides nothing without labels."""
    judged, rewards = evaluation.judged_steps.rows, evaluation.rewards
    labels = asked & judged & rewards.redundant.given
    numbers = asked & judged & rewards.redundancy.given & ~labels
    return RedundancyRows(labels, np.zeros_like(numbers) if threshold is None else numbers)


def judged_by_redundancy(evaluation: Evaluation, asked: Bools) -> JudgedSteps:
    """Give the steps judged one by one, with "redundant" in the place of "wrong" on the cases of `asked` (n).

    A case for which the scorer does not tell redundant steps keeps its validity.
    """
    judged, cut = evaluation.judged_steps, evaluation.scorer.redundancy_threshold
    rows = redundancy_rows(evaluation, asked, cut)
    if rows.labels.any():
        judged = judged.with_labels(rows.labels, evaluation.rewards.redundant)
    if cut is not None and rows.numbers.any():
        numbers = evaluation.rewards.redundancy
        above = StepLabels(numbers.values > cut, numbers.offsets, numbers.given)
        judged = judged.with_labels(rows.numbers, above)
    return judged


def without_redundancy_threshold(evaluation: Evaluation, asked: Bools) -> int:
    """Count the cases of `asked` (n) with redundancy numbers for which no threshold is known."""
    if evaluation.scorer.redundancy_threshold is not None:
        return 0
    return int(redundancy_rows(evaluation, asked, 0.0).numbers.sum())


# -- labels beyond the last step


class PastEnd(NamedTuple):
    """What the labels beyond the last steps of n cases add.

    `counts` (n, 4) are OF_STEPS; `first` (n) marks cases whose lowest error step is among them, `hit` (n) those of
    them where it is judged wrong.
    """

    counts: Ints
    hit: Bools
    first: Bools


def labels_past_end(judged: JudgedSteps, gold: Gold) -> PastEnd:
    """Count what is beyond. Of a case whose error steps are not listed, and that is not clean, nothing counts."""
    n = judged.rows.size
    found = PastEnd(np.zeros((n, 4), np.int64), np.zeros(n, np.bool_), np.zeros(n, np.bool_))
    beyond = judged.beyond
    if not beyond.cases.size:
        return found
    rows, errors = gold.listed_errors
    width = 1 + max(int(beyond.steps.max()), int(errors.max(initial=0)))
    wrong = np.isin(width * beyond.cases + beyond.steps, width * rows + errors)
    known = (gold.listed | (gold.known & (gold.earliest == -1)))[beyond.cases]
    counts = count_steps(beyond.cases[known], wrong[known], beyond.values[known], n)
    lowest = np.full(n, np.iinfo(np.int64).max)
    np.minimum.at(lowest, rows, errors)
    first = beyond.steps == lowest[beyond.cases]
    found.first[beyond.cases[first]] = True
    found.hit[beyond.cases[first & beyond.values]] = True
    return found._replace(counts=counts)


# -- likeness to the unharmed original


def _likeness(evaluation: Evaluation, judged: JudgedSteps, originals: Evaluation | None) -> tuple[Floats, Bools]:
    """1 - |share of steps judged right - that of the unharmed original|, and which cases have it. Shapes (n,).

    An original is that of all cases of its problem. One of which no step is judged right does not count.
    """
    nothing = np.zeros(judged.rows.size)
    if originals is None or not originals.gold.cases.height:
        return nothing, nothing.astype(np.bool_)
    known = _decided_alike(originals, evaluation)
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


def _decided_alike(originals: Evaluation, evaluation: Evaluation) -> Evaluation | None:
    """The originals as the cases are decided, or by the scorer's own threshold where labels alone decide the cases.

    None where thresholds differ from case to case.
    """
    if not isinstance(originals.rule, Rule) or isinstance(evaluation.rule, AsGiven):
        return originals
    if not isinstance(evaluation.rule, Rule):
        return None
    rule = evaluation.rule
    return originals.compared(rule.comparison, rule.on, rule.step).at(rule.threshold)


def right_rates(judged: JudgedSteps) -> Floats:
    """Give the share of each case's judgements that say right, beyond the last step too; NaN: there is none. (n,)."""
    n, beyond = judged.rows.size, judged.beyond
    ends = np.concatenate([[0], np.cumsum(judged.wrong)])
    wrong = ends[judged.offsets[1:]] - ends[judged.offsets[:-1]]
    wrong = wrong + np.bincount(beyond.cases[beyond.values], minlength=n)
    lengths = judged.lengths + np.bincount(beyond.cases, minlength=n)
    rates = np.full(n, np.nan)
    np.divide(wrong, lengths, out=rates, where=lengths > 0)
    return 1 - rates


def judged_steps(evaluation: Evaluation, benchmark: str) -> JudgedSteps:
    """Give what is decided of single steps, by redundancy where the benchmark asks for it."""
    facts = step_labelled(benchmark)
    if facts is None:
        return evaluation.judged_steps
    return judged_by_redundancy(evaluation, asked_by_redundancy(evaluation, facts))
