"""Coverage of cases by a scorer: which have a verdict, which were tried, and which have any result."""

from collections.abc import Sequence
from functools import cached_property, partial

import numpy as np
import polars as pl
from msgspec import Struct

from scoring.data.schema import Bools
from scoring.data.storage.remembered import IdentityCache
from scoring.evaluation.fixed_verdicts import FixedVerdicts
from scoring.evaluation.gold import Gold
from scoring.evaluation.step_rewards import StepRewards
from scoring.evaluation.verdicts import DEV, Codes
from scoring.evaluation.votes import Votes

_JUDGED = IdentityCache(64)
"""The benchmarks that a scorer judges, by its name."""


class Coverage(Struct, frozen=True, eq=False, dict=True):
    """Coverage of n cases by one run of a scorer; no threshold changes it.

    `nothing` says why the scorer gives no verdict on any case; None if it gives some, or only happens to have none.
    """

    scorer_name: str
    gold: Gold
    rewards: StepRewards
    votes: Votes | None
    fixed_verdicts: FixedVerdicts
    nothing: str | None

    @property
    def answered(self) -> Bools:
        """The cases that have a verdict. Shape (n,)."""
        return self.fixed_verdicts.answered

    @property
    def count(self) -> int:
        """The number of cases that have a verdict."""
        return int(self.answered.sum())

    @property
    def tried(self) -> Bools:
        """Those and the ones that should have one, refused or unparsed; not of a scorer that gives none. Shape (n,)."""
        return self.fixed_verdicts.tried if self.nothing is None else self.fixed_verdicts.answered

    @property
    def present(self) -> Bools:
        """The cases that have any cached result, including one number a solution. Shape (n,)."""
        return self.rewards.present if self.votes is None else self.rewards.present | self.votes.answered

    @property
    def missing(self) -> Codes:
        """The outcome code of a case without a verdict: refused or unparsed if it was tried, else unscored. (n,)."""
        return self.fixed_verdicts.missing

    @property
    def left_out(self) -> int:
        """The number of cases that are left out because the threshold was tuned on them."""
        return int((self.missing == DEV).sum())

    @property
    def reasons(self) -> Sequence[str | None]:
        """Why a case that was tried has no verdict. Length n."""
        if self.votes is None:
            return self.rewards.reasons
        tried = self.votes.answered
        return [self.votes.reasons[row] if tried[row] else reason for row, reason in enumerate(self.rewards.reasons)]

    def covers(self, benchmark: str) -> bool:
        """Return whether any case of a benchmark has a verdict, one number a solution, or an answer in words.

        An answer counts even if it cannot be parsed: people may want to read it.
        """
        return benchmark in self.covered

    @cached_property
    def covered(self) -> frozenset[str]:
        """The benchmarks that `covers` returns true for."""
        covered = self.answered | np.isfinite(self.rewards.solutions)
        covered = covered if self.votes is None else covered | self.votes.answered
        return _names_among(self.gold.cases["benchmark"], covered)

    def judges(self, benchmark: str) -> bool:
        """Return whether any case of a benchmark has a verdict."""
        return benchmark in self.judged

    @cached_property
    def judged(self) -> frozenset[str]:
        """The benchmarks that `judges` returns true for."""
        made = partial(_names_among, self.gold.cases["benchmark"], self.answered)
        return _JUDGED.of(self.scorer_name, (self.gold, self.fixed_verdicts), made)


def _names_among(names: pl.Series, chosen: Bools) -> frozenset[str]:
    return frozenset(names.filter(pl.Series(chosen)).unique())
