"""What a case contributes to figures of single steps, where redundancy and labels beyond the last step have their say.

PRMBench (arXiv 2501.03124; `mr_eval/tasks/prmtest_classified/task.py` of ssmisya/PRMBench): in the classes
redundency and circular the scorer's redundancy labels, where it has them, take the place of its validity labels;
where it has numbers instead, a step is redundant iff its number is above the scorer's threshold for them. And the
toolkit walks through the labels, however many steps there are: a step that is in the list of error steps is wrong,
any other is right, whether it is there or not.
"""

from typing import NamedTuple

import numpy as np
from msgspec import Struct

from scoring.data.schema import Bools, Floats, Ints
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.gold import UNKNOWN_STEP, WRONG_STEP, Gold
from scoring.evaluation.judged_steps import JudgedSteps
from scoring.evaluation.step_rewards import StepLabels
from scoring.formats.benchmarks.benchmark_registry import step_labelled
from scoring.formats.benchmarks.case_format import StepLabelled
from scoring.metrics.likeness import has_empty_labels, likeness_to_originals

COUNTS = ("tp", "fn", "fp", "tn", "first_hit", "first_n", "judged", "tried", "likeness", "likeness_n")
"""What is summed over cases: counts of steps, a right step being positive; then of cases; and for similarity a sum with
its count of cases."""
OF_STEPS = COUNTS[:4]


def step_contributions(
    evaluation: Evaluation, facts: StepLabelled, originals: Evaluation | None = None, *, official: bool = False
) -> Floats:
    """Count COUNTS of each case, shape (n, len(COUNTS)); zeros where nothing was tried. Nobody may write to it.

    Steps without a gold label or without a judgement count nowhere, and neither do gold steps beyond the last one; but
    labels beyond it do. `first` is about cases whose earliest wrong step is judged. A case that was tried and has no
    judgement of its steps lowers the validity rate and counts nowhere else.

    Args:
        evaluation: n decided cases; what was counted is kept with it.
        facts: in which classes redundancy decides.
        originals: the same scorer on the unharmed originals, for `likeness`.
        official: count a result with an empty list of labels as PRMBench's toolkit does: as judged, and in `likeness`
            an original with one as if -1 of its steps were judged right.
    """
    kept: dict[tuple[int, int, bool], tuple[object, ...]] = vars(evaluation).setdefault("_step_contributions", {})
    place = (id(facts), id(originals), official)
    if place not in kept:
        # What is kept holds on to what it was made of, so that no other object can have its id.
        kept[place] = (_contributions(evaluation, facts, originals, official=official), facts, originals)
    counts = kept[place][0]
    assert isinstance(counts, np.ndarray)  # noqa: S101
    return counts


def _contributions(
    evaluation: Evaluation, facts: StepLabelled, originals: Evaluation | None, *, official: bool
) -> Floats:
    judged = judged_by_redundancy(evaluation, asked_by_redundancy(evaluation, facts))
    n, gold = judged.rows.size, evaluation.gold
    labels = judged.gold(gold)
    known = labels != UNKNOWN_STEP
    counts = count_steps(judged.cases[known], labels[known] == WRONG_STEP, judged.wrong[known], n)
    inside = judged.rows & gold.known & (gold.earliest >= 0) & (gold.earliest < judged.lengths)
    beyond = labels_past_end(judged, gold)
    hit = beyond.hit.copy()
    hit[inside] = judged.wrong[judged.offsets[:-1][inside] + gold.earliest[inside]]
    tried = judged.rows | (evaluation.coverage.tried & ~evaluation.coverage.answered)
    likeness, alike = likeness_to_originals(evaluation, judged, originals, official=official)
    valid = judged.rows | has_empty_labels(evaluation) if official else judged.rows
    columns = [counts + beyond.counts, hit, inside | beyond.first, valid, tried, likeness, alike]
    contributions = np.column_stack(columns).astype(np.float64)
    contributions.flags.writeable = False
    return contributions


def count_steps(cases: Ints, wrong: Bools, judged_wrong: Bools, n: int) -> Ints:
    """Count OF_STEPS of each of n cases, shape (n, 4); of each step its case, what it is and what it is called."""
    # tp, fn, fp, tn are 0 to 3: twice "the step is wrong" and once "it is judged wrong".
    kind = 2 * wrong.astype(np.int64) + judged_wrong
    return np.bincount(4 * cases + kind, minlength=4 * n).reshape(n, 4)


class RedundancyRows(Struct, frozen=True, eq=False):
    """Which of n cases redundancy decides: those with `labels` that the scorer gave, and those with `numbers` alone."""

    labels: Bools
    numbers: Bools


def asked_by_redundancy(evaluation: Evaluation, facts: StepLabelled) -> Bools:
    """Find the cases of the classes in which "not redundant" stands for "right". Shape (n,)."""
    return evaluation.gold.cases["error_type"].is_in(sorted(facts.by_redundancy)).fill_null(value=False).to_numpy()


def redundancy_rows(evaluation: Evaluation, rows: Bools, threshold: float | None) -> RedundancyRows:
    """Find the cases of `rows` (n) that redundancy decides at a threshold; None decides nothing without labels."""
    judged, rewards = evaluation.judged_steps.rows, evaluation.rewards
    labels = rows & judged & rewards.redundant.has_labels
    numbers = rows & judged & rewards.redundancy.present & ~labels
    return RedundancyRows(labels, np.zeros_like(numbers) if threshold is None else numbers)


def judged_by_redundancy(evaluation: Evaluation, by_redundancy: Bools) -> JudgedSteps:
    """Return the steps judged one by one, with "redundant" in the place of "wrong" on the cases of `by_redundancy` (n).

    A case for which the scorer does not tell redundant steps keeps its validity.
    """
    judged, cut = evaluation.judged_steps, evaluation.scorer.redundancy_threshold
    rows = redundancy_rows(evaluation, by_redundancy, cut)
    if rows.labels.any():
        judged = judged.with_labels(rows.labels, evaluation.rewards.redundant)
    if cut is not None and rows.numbers.any():
        numbers = evaluation.rewards.redundancy
        above = StepLabels(numbers.values > cut, numbers.offsets, numbers.present)
        judged = judged.with_labels(rows.numbers, above)
    return judged


def without_redundancy_threshold(evaluation: Evaluation, rows: Bools) -> int:
    """Count the cases of `rows` (n) with redundancy numbers for which no threshold is known."""
    if evaluation.scorer.redundancy_threshold is not None:
        return 0
    return int(redundancy_rows(evaluation, rows, 0.0).numbers.sum())


class PastEndCounts(NamedTuple):
    """What the labels beyond the last steps of n cases add.

    `counts` (n, 4) are OF_STEPS; `first` (n) marks cases whose lowest error step is among them, `hit` (n) those of
    them where it is judged wrong.
    """

    counts: Ints
    hit: Bools
    first: Bools


def labels_past_end(judged: JudgedSteps, gold: Gold) -> PastEndCounts:
    """Count what is beyond. Of a case whose error steps are not listed, and that is not clean, nothing counts."""
    n = judged.rows.size
    beyond_end = PastEndCounts(np.zeros((n, 4), np.int64), np.zeros(n, np.bool_), np.zeros(n, np.bool_))
    beyond = judged.beyond
    if not beyond.cases.size:
        return beyond_end
    rows, errors = gold.listed_errors
    width = 1 + max(int(beyond.steps.max()), int(errors.max(initial=0)))
    wrong = np.isin(width * beyond.cases + beyond.steps, width * rows + errors)
    known = (gold.listed | (gold.known & (gold.earliest == -1)))[beyond.cases]
    counts = count_steps(beyond.cases[known], wrong[known], beyond.values[known], n)
    lowest = np.full(n, np.iinfo(np.int64).max)
    np.minimum.at(lowest, rows, errors)
    first = beyond.steps == lowest[beyond.cases]
    beyond_end.first[beyond.cases[first]] = True
    beyond_end.hit[beyond.cases[first & beyond.values]] = True
    return beyond_end._replace(counts=counts)


def judged_steps(evaluation: Evaluation, benchmark: str) -> JudgedSteps:
    """Return what is decided of single steps, by redundancy where the benchmark asks for it."""
    facts = step_labelled(benchmark)
    if facts is None:
        return evaluation.judged_steps
    return judged_by_redundancy(evaluation, asked_by_redundancy(evaluation, facts))
