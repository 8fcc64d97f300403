"""What a scorer said itself, beside what a threshold on its rewards says: who decides each case, and how."""

from functools import cached_property

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from scoring.data.schema import Bools, Ints
from scoring.evaluation.gold import Gold
from scoring.evaluation.step_rewards import StepRewards
from scoring.evaluation.verdicts import (
    DEV,
    LABELS_AS_GIVEN,
    NO_VERDICT,
    REFUSED,
    SOLUTION_ONLY,
    UNPARSED,
    UNSCORED,
    Codes,
    Decision,
    Rule,
    label_verdicts,
    outcomes,
    votes_as_given,
)
from scoring.evaluation.votes import Votes


class FixedVerdicts(Struct, frozen=True, eq=False, dict=True):
    """What no threshold changes, for n cases. Votes come before labels, and these before rewards.

    `verdicts` (n, int64) are those that the scorer gave itself, NO_VERDICT elsewhere. `by_label` (n) marks the cases
    whose steps its labels judge, `by_threshold` (n) those that a rule decides. `missing` (n, uint8) is the code to give
    where there is no verdict, `codes` (n, uint8) the outcome of every case that no rule decides.
    """

    verdicts: Ints
    by_label: Bools
    by_threshold: Bools
    missing: Codes
    codes: Codes

    @cached_property
    def answered(self) -> Bools:
        """Where there is a verdict. Shape (n,)."""
        answered: Bools = self.by_threshold | (self.verdicts != NO_VERDICT)
        return answered

    @cached_property
    def tried(self) -> Bools:
        """Where there is a verdict, or there should be one: refused and unparsed cases too. Shape (n,)."""
        tried: Bools = self.answered | ((self.missing != UNSCORED) & (self.missing != DEV))
        return tried

    def of_cases(self, rows: Ints) -> "FixedVerdicts":
        """Take that of some cases, by their row ids."""
        by_label, by_threshold = self.by_label[rows], self.by_threshold[rows]
        return FixedVerdicts(self.verdicts[rows], by_label, by_threshold, self.missing[rows], self.codes[rows])

    def without(self, rows: Bools) -> "FixedVerdicts":
        """Return the same without the cases of `rows` (n): they are DEV, and neither answered nor tried."""
        return replace(
            self,
            verdicts=np.where(rows, NO_VERDICT, self.verdicts),
            by_label=self.by_label & ~rows,
            by_threshold=self.by_threshold & ~rows,
            missing=np.where(rows, np.uint8(DEV), self.missing),
            codes=np.where(rows, np.uint8(DEV), self.codes),
        )


def given_of(gold: Gold, rewards: StepRewards, votes: Votes | None, *, critic: bool = False) -> FixedVerdicts:
    """Find who decides each case. A case that was voted on and has no verdict is unparsed, whatever else there is.

    The votes of a `critic` are compared with the label as it was given, also where it lies beyond the last step: GR-Ben
    does so for language models (`run_llm_eval.py`), and for PRMs it takes the last step in its place.
    """
    labels = rewards.labels.has_labels
    voted = np.zeros(labels.size, dtype=np.bool_) if votes is None else votes.answered
    verdicts = np.where(rewards.refused, NO_VERDICT, label_verdicts(rewards.labels))
    if votes is not None:
        verdicts = np.where(voted, votes.verdicts, verdicts)
    missing = np.select([voted, rewards.refused], [UNPARSED, REFUSED], UNSCORED).astype(np.uint8)
    codes = outcomes(verdicts, gold.earliest, gold.known, gold.n_steps, missing)
    if critic and voted.any():
        beyond = voted & gold.known & (gold.as_given != gold.earliest)
        # Between the last step and such a label a verdict is before it, as any other.
        n_steps = np.maximum(gold.n_steps, gold.as_given + 1)
        codes[beyond] = outcomes(verdicts, gold.as_given, gold.known, n_steps, missing)[beyond]
    return FixedVerdicts(verdicts, labels & ~voted, rewards.scored & ~labels & ~voted, missing, codes)


def decision_of(rule: Rule, rewards: StepRewards, votes: Votes | None, decided_by: FixedVerdicts) -> Decision:
    """Find how the scorer decides: by the rule as soon as it decides one case, or where nothing usable was given at
    all.
    """
    if decided_by.by_threshold.any():
        return rule
    if votes is not None and votes.answered.any():
        return votes_as_given(votes.most)
    if decided_by.by_label.any():
        return LABELS_AS_GIVEN
    return rule if np.isnan(rewards.solutions).all() else SOLUTION_ONLY
