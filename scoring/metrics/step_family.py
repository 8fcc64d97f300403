"""PRMScore as a family: what the judged steps of each case add."""

from functools import cache
from typing import Literal

import numpy as np

from scoring.data.schema import Bools, Floats, Ints
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.gold import UNKNOWN_STEP, WRONG_STEP
from scoring.formats.benchmarks.case_format import StepLabelled
from scoring.metrics.aligned import with_labelled_step
from scoring.metrics.kernel import CasesOf, Decided, Metric, Unparsed
from scoring.metrics.metric_family import MetricFamily
from scoring.metrics.moves import Moves
from scoring.metrics.step_contributions import (
    COUNTS,
    OF_STEPS,
    asked_by_redundancy,
    redundancy_rows,
    step_contributions,
)
from scoring.metrics.step_metrics import PRMSCORE
from scoring.workspace.filtering.sql_words import named

Moving = Literal["validity", "redundancy"]
"""Which threshold moves: the one that rewards are compared with, or the one above which a step is redundant."""
JUDGED = CasesOf(
    lambda decided: with_labelled_step(decided.evaluation) & decided.evaluation.coverage.answered,
    lambda scorer, _: (f"{named(f'{scorer}.step_accuracy')} IS NOT NULL",),
    "cases whose steps the figure counts",
)
"""The cases whose steps are labelled and judged."""


class StepFamily(MetricFamily):
    """PRMScore of the steps of a benchmark. Cases without a verdict have no judged step."""

    unit: Literal["cases", "steps"] = "steps"
    metrics: tuple[Metric, ...] = (PRMSCORE,)
    leading = PRMSCORE
    counts = OF_STEPS
    cases = JUDGED

    def __init__(self, facts: StepLabelled, moving: Moving = "validity") -> None:
        """`facts` say in which classes redundancy decides, and `moving` which threshold moves."""
        self.facts, self.moving = facts, moving

    def contributions(self, decided: Decided) -> Floats:
        """Count the judged steps."""
        return step_contributions(decided.evaluation, self.facts)[:, : len(OF_STEPS)]

    def members(self, decided: Decided) -> Bools:
        """Find the cases whose steps are judged."""
        judged: Bools = step_contributions(decided.evaluation, self.facts)[:, COUNTS.index("judged")] > 0
        return judged

    def moves(self, evaluation: Evaluation, rows: Ints, unparsed: Unparsed) -> Moves | None:
        """Return the steps that the threshold decides; those that the other one decides, or labels, are as they are.

        Of redundancy there is nothing also where the scorer gives no such numbers for these cases, or labels beside all
        of them.
        """
        rule = evaluation.rule
        if self.moving == "validity" and not rule.is_movable:
            return None
        moved = np.zeros(evaluation.codes.size, dtype=np.bool_)
        moved[rows] = True
        moved &= self._moved(evaluation)
        if self.moving == "redundancy" and not moved.any():
            return None
        compared = evaluation.rewards.redundancy if self.moving == "redundancy" else evaluation.compared_values
        labels = evaluation.gold.step_labels[np.repeat(moved, evaluation.gold.n_steps)]
        values = compared.values[np.repeat(moved, np.diff(compared.offsets))]
        place_of = np.zeros(moved.size, dtype=np.int64)
        place_of[rows] = np.arange(rows.size)
        cases = place_of[np.repeat(np.flatnonzero(moved), evaluation.gold.n_steps[moved])]
        known = labels != UNKNOWN_STEP
        cases, values, wrong = cases[known], values[known], labels[known] == WRONG_STEP
        below = self.contributions(Decided(evaluation, unparsed))[rows].T.astype(np.int64)
        below[:, moved[rows]] = 0
        # A step is judged right below every threshold on rewards, and redundant below every one on redundancy.
        right_before = self.moving == "validity"
        for gold in (False, True):
            place = 2 * gold + (not right_before)
            below[place] += np.bincount(cases[wrong == gold], minlength=rows.size)
        change = -1 if right_before else 1
        finite = np.isfinite(values)
        # In the order of OF_STEPS.
        changes = change * np.stack([~wrong, -1 * ~wrong, wrong, -1 * wrong]).astype(np.int8)
        above = self.moving == "validity" and rule.is_movable and rule.comparison == "<"
        return Moves(OF_STEPS, below, values[finite], cases[finite], changes[:, finite], above)

    def _moved(self, evaluation: Evaluation) -> Bools:
        """Find the cases whose steps the threshold decides. Shape (n,)."""
        by_redundancy = asked_by_redundancy(evaluation, self.facts)
        if self.moving == "redundancy":
            return redundancy_rows(evaluation, by_redundancy, 0.0).numbers
        redundancy = redundancy_rows(evaluation, by_redundancy, evaluation.scorer.redundancy_threshold)
        moved: Bools = evaluation.fixed_verdicts.by_threshold & ~redundancy.labels & ~redundancy.numbers
        return moved


@cache
def step_family(facts: StepLabelled, moving: Moving = "validity") -> StepFamily:
    """Return the family of a benchmark of step labels."""
    return StepFamily(facts, moving)
