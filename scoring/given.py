"""What a scorer said itself, beside what a threshold on its rewards says: who decides each case, and how."""

from functools import cached_property

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from scoring.gold import Gold
from scoring.step_rewards import Bools, Ints, StepRewards
from scoring.verdicts import (
    DEV,
    EXACT,
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
from scoring.votes import Votes


class Given(Struct, frozen=True, eq=False, dict=True):
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
        found: Bools = self.by_threshold | (self.verdicts != NO_VERDICT)
        return found

    @cached_property
    def tried(self) -> Bools:
        """Where there is a verdict, or there should be one: refused and unparsed cases too. Shape (n,)."""
        found: Bools = self.answered | ((self.missing != UNSCORED) & (self.missing != DEV))
        return found

    def without(self, rows: Bools) -> "Given":
        """The same without the cases of `rows` (n): they are DEV, and neither answered nor tried."""
        return replace(
            self,
            verdicts=np.where(rows, NO_VERDICT, self.verdicts),
            by_label=self.by_label & ~rows,
            by_threshold=self.by_threshold & ~rows,
            missing=np.where(rows, np.uint8(DEV), self.missing),
            codes=np.where(rows, np.uint8(DEV), self.codes),
        )


def given_of(gold: Gold, rewards: StepRewards, votes: Votes | None, *, critic: bool = False) -> Given:
    """Who decides each case. A case that was voted on and has no verdict is unparsed, whatever else there is.

    The votes of a `critic` are compared with the label as it was given, also where it lies beyond the last step: GR-Ben
    does so for language models (`run_llm_eval.py`), and for PRMs it takes the last step in its place.
    """
    labels = rewards.labels.given
    voted = np.zeros(labels.size, dtype=np.bool_) if votes is None else votes.tried
    found = np.where(rewards.refused, NO_VERDICT, label_verdicts(rewards.labels))
    if votes is not None:
        found = np.where(voted, votes.verdicts, found)
    missing = np.select([voted, rewards.refused], [UNPARSED, REFUSED], UNSCORED).astype(np.uint8)
    codes = outcomes(found, gold.earliest, gold.known, gold.n_steps, missing)
    if critic and voted.any():
        beyond = voted & gold.known & (gold.as_given != gold.earliest)
        as_given = outcomes(found, gold.as_given, gold.known, gold.n_steps, missing)
        codes[beyond] = np.where(found == gold.as_given, EXACT, as_given)[beyond]
    return Given(found, labels & ~voted, rewards.scored & ~labels & ~voted, missing, codes)


def decision_of(rule: Rule, rewards: StepRewards, votes: Votes | None, given: Given) -> Decision:
    """How the scorer decides: by the rule as soon as it decides one case, or where nothing usable was given at all."""
    if given.by_threshold.any():
        return rule
    if votes is not None and votes.tried.any():
        return votes_as_given(votes.most)
    if given.by_label.any():
        return LABELS_AS_GIVEN
    return rule if np.isnan(rewards.solutions).all() else SOLUTION_ONLY
