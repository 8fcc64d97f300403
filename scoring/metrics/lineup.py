"""Scorers side by side on the same cases: who tried which, who is right, and what each said."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from scoring.evaluation import Evaluation
from scoring.metrics.first_error import Unparsed
from scoring.problems import problem_numbers, problems
from scoring.step_rewards import Bools, Ints
from scoring.verdicts import CLEAN, EXACT, NO_VERDICT, RIGHT, UNSCORED, Codes


@dataclass(frozen=True, eq=False)
class Lineup:
    """s scorers on the n cases that have gold labels, of one benchmark.

    `names`, `families` and `nothing` have length s; a family of "" is its scorer's own, `nothing` says why a scorer has
    no verdict on any case, None where it has. `rows` (n,) are the row ids of the cases. `tried` and `right` (n, s) say
    who has the case in the denominator and who is right about it, `verdicts` (n, s) are 0-based, -1 no error,
    NO_VERDICT none. `earliest`, `n_steps` (n,) are gold; `subsets` and `problems` (n,) number the subset and the
    problem of each case: solutions of one problem have one number. `codes` (n, s, uint8) are outcomes by
    `scoring.verdicts`, and `unparsed` is the policy that `tried` follows.
    """

    names: tuple[str, ...]
    families: tuple[str, ...]
    nothing: tuple[str | None, ...]
    rows: Ints
    tried: Bools
    right: Bools
    verdicts: Ints
    earliest: Ints
    n_steps: Ints
    subsets: Ints
    problems: Ints
    codes: Codes
    unparsed: Unparsed = "wrong"

    @property
    def erroneous(self) -> Bools:
        """The cases with an error. Shape (n,)."""
        found: Bools = self.earliest >= 0
        return found

    def common(self, columns: Sequence[int]) -> Bools:
        """The cases that every one of these scorers tried; all cases where none is named. Shape (n,)."""
        return np.asarray(self.tried[:, list(columns)].all(axis=1))

    def left_out(self, columns: Sequence[int]) -> int:
        """How many cases some of these scorers tried and not all."""
        return int((self.tried[:, list(columns)].any(axis=1) & ~self.common(columns)).sum())

    def only(self, rows: Bools, columns: Sequence[int]) -> "Lineup":
        """These cases (n,) and these scorers alone."""
        taken = list(columns)
        return Lineup(
            names=tuple(self.names[column] for column in taken),
            families=tuple(self.families[column] for column in taken),
            nothing=tuple(self.nothing[column] for column in taken),
            rows=self.rows[rows],
            tried=self.tried[rows][:, taken],
            right=self.right[rows][:, taken],
            verdicts=self.verdicts[rows][:, taken],
            earliest=self.earliest[rows],
            n_steps=self.n_steps[rows],
            subsets=self.subsets[rows],
            problems=self.problems[rows],
            codes=self.codes[rows][:, taken],
            unparsed=self.unparsed,
        )

    def related(self, rows: Bools) -> bool:
        """Whether two of these cases are solutions of one problem."""
        return np.unique(self.problems[rows]).size < int(rows.sum())

    def decided_as(self, names: Sequence[str], right: Bools) -> "Lineup":
        """The same cases with made-up scorers of which only who is right (n, k) is known; they tried all cases."""
        on_right = np.where(self.erroneous, EXACT, CLEAN)[:, None]
        return replace(
            self,
            names=tuple(names),
            families=("",) * len(names),
            nothing=(None,) * len(names),
            tried=np.ones(right.shape, dtype=np.bool_),
            right=right,
            verdicts=np.full(right.shape, NO_VERDICT),
            codes=np.where(right, on_right, UNSCORED).astype(np.uint8),
        )


def line_up(evaluations: Sequence[Evaluation], rows: Bools, unparsed: Unparsed = "wrong") -> Lineup:
    """Put scorers side by side.

    Args:
        evaluations: at least one, all of the same cases.
        rows: mask over these cases, those of one benchmark; cases without gold are left out of it.
        unparsed: whether refused and unparsed cases count as tried and wrong (`wrong`) or as not tried (`drop`).
    """
    gold = evaluations[0].gold
    taken = np.flatnonzero(rows & gold.known)
    tried = [one.tried if unparsed == "wrong" else one.answered for one in evaluations]
    return Lineup(
        names=tuple(one.scorer.name for one in evaluations),
        families=tuple(one.scorer.family for one in evaluations),
        nothing=tuple(one.nothing for one in evaluations),
        rows=taken,
        tried=np.column_stack(tried)[taken],
        right=np.column_stack([np.isin(one.codes, RIGHT) for one in evaluations])[taken],
        verdicts=np.column_stack([np.where(one.answered, one.verdicts, NO_VERDICT) for one in evaluations])[taken],
        earliest=gold.earliest[taken],
        n_steps=gold.n_steps[taken],
        subsets=gold.subsets[1][taken],
        problems=problem_numbers(problems(gold.cases))[taken],
        codes=np.column_stack([one.codes for one in evaluations])[taken],
        unparsed=unparsed,
    )
