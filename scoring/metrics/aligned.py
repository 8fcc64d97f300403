"""Scorers side by side on the same cases: who tried which, who is right, and the SQL that selects what is counted."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from scoring.benchmarks.registry import StepLabelled
from scoring.evaluations.evaluation import Evaluation
from scoring.evaluations.step_rewards import UNKNOWN_STEP
from scoring.evaluations.verdicts import (
    CLEAN,
    EXACT,
    NO_VERDICT,
    ON_CLEAN,
    ON_ERRONEOUS,
    OUTCOMES,
    RIGHT,
    UNSCORED,
    Codes,
)
from scoring.filtering.filters import Facet
from scoring.filtering.sql_words import named
from scoring.metrics.first_error import FAILURES, SIDES
from scoring.metrics.kernel import Unparsed
from scoring.metrics.shares import RIGHT_OUTCOMES
from scoring.metrics.shares import SIDES as SIDE_CONDITIONS
from scoring.metrics.step_labels import COUNTS, step_contributions, why_nothing
from scoring.schema import Bools, Floats, Ints


class AlignedScorers(Struct, frozen=True, eq=False, dict=True):
    """s scorers on the n cases that have gold labels, of one benchmark.

    `names`, `families` and `nothing` have length s; a family of "" is its scorer's own, `nothing` says why a scorer has
    no verdict on any case, None where it has. `rows` (n,) are the row ids of the cases. `tried` and `right` (n, s) say
    who has the case in the denominator and who is right about it, `verdicts` (n, s) are 0-based, -1 no error,
    NO_VERDICT none. `earliest`, `n_steps` (n,) are gold; `subsets` and `problems` (n,) number the subset and the
    problem of each case: solutions of one problem have one number. `codes` (n, s, uint8) are outcomes by
    `scoring.evaluations.verdicts`, and `unparsed` is the policy that `tried` follows.
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
        mask: Bools = self.earliest >= 0
        return mask

    @property
    def sides(self) -> Iterator[tuple[str, Bools]]:
        """Each side's name and its cases, shape (n,)."""
        yield SIDES[0], self.erroneous
        yield SIDES[1], ~self.erroneous

    @property
    def trying(self) -> tuple[int, ...]:
        """The places of the scorers that tried any case."""
        return tuple(np.flatnonzero(self.tried.any(axis=0)).tolist())

    def common(self, columns: Sequence[int]) -> Bools:
        """Find the cases that every one of these scorers tried; all cases where none is named. Shape (n,)."""
        shared = np.ones(self.tried.shape[0], dtype=np.bool_)
        for column in columns:
            shared &= self.tried[:, column]
        return shared

    def left_out(self, columns: Sequence[int]) -> int:
        """Count the cases that some of these scorers tried and not all."""
        some = np.zeros(self.tried.shape[0], dtype=np.bool_)
        for column in columns:
            some |= self.tried[:, column]
        return int(np.count_nonzero(some & ~self.common(columns)))

    def only(self, rows: Bools, columns: Sequence[int]) -> "AlignedScorers":
        """Keep these cases (n,) and these scorers alone."""
        taken = list(columns)
        if taken == list(range(len(self.names))) and rows.all():
            return self
        return replace(
            self,
            names=tuple(self.names[column] for column in taken),
            families=tuple(self.families[column] for column in taken),
            nothing=tuple(self.nothing[column] for column in taken),
            **{name: getattr(self, name)[rows] for name in ("rows", "earliest", "n_steps", "subsets", "problems")},
            **{name: getattr(self, name)[rows][:, taken] for name in ("tried", "right", "verdicts", "codes")},
        )

    def related(self, rows: Bools) -> bool:
        """Return whether two of these cases are solutions of one problem."""
        return bool(self._sharing.any() and (np.bincount(self.problems[rows & self._sharing]) > 1).any())

    @cached_property
    def _sharing(self) -> Bools:
        """The cases (n,) whose problem is that of another one as well."""
        shared: Bools = np.bincount(self.problems)[self.problems] > 1
        return shared

    def decided_as(self, names: Sequence[str], right: Bools) -> "AlignedScorers":
        """Put made-up scorers in the place, of which only who is right (n, k) is known; they tried all cases."""
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

    def why_nothing(self, columns: Sequence[int]) -> str | None:
        """Return why there can be no verdict of one of these scorers; None where there can."""
        return _joined(self.names, self.nothing, columns)


def align_scorers(
    evaluations: Sequence[Evaluation], rows: Bools, unparsed: Unparsed = "wrong", *, verdicts: bool = True
) -> AlignedScorers:
    """Put scorers side by side.

    Args:
        evaluations: at least one, all of the same cases.
        rows: mask over these cases, those of one benchmark; cases without gold are left out of it.
        unparsed: whether refused and unparsed cases count as tried and wrong (`wrong`) or as not tried (`drop`).
        verdicts: whether anybody will ask for them; without, which takes a part of the time, all are NO_VERDICT.
    """
    gold = evaluations[0].gold
    taken = np.flatnonzero(rows & gold.known)
    codes = _beside([evaluation.codes for evaluation in evaluations], taken)
    tried = [evaluation.tried if unparsed == "wrong" else evaluation.answered for evaluation in evaluations]
    return AlignedScorers(
        names=tuple(evaluation.scorer.name for evaluation in evaluations),
        families=tuple(evaluation.scorer.family for evaluation in evaluations),
        nothing=tuple(evaluation.nothing for evaluation in evaluations),
        rows=taken,
        tried=_beside(tried, taken),
        right=np.isin(codes, RIGHT),
        verdicts=_beside(
            [np.where(evaluation.answered, evaluation.verdicts, NO_VERDICT) for evaluation in evaluations], taken
        )
        if verdicts
        else np.broadcast_to(np.int64(NO_VERDICT), codes.shape),
        earliest=gold.earliest[taken],
        n_steps=gold.n_steps[taken],
        subsets=gold.subsets[1][taken],
        # Where no two share one, any numbers do, and those of their names take long to find.
        problems=gold.problems[taken] if gold.related else taken,
        codes=codes,
        unparsed=unparsed,
    )


def _beside(each: Sequence[npt.NDArray[Any]], rows: Ints) -> npt.NDArray[Any]:
    """Put some rows of arrays (n,) side by side, (m, s): columns are read many times, and so each is in one piece."""
    return np.stack([column[rows] for column in each]).T


class AlignedSteps(Struct, frozen=True, eq=False):
    """s scorers on n cases with a labelled step, of one step-labelled benchmark.

    `names` and `nothing` have length s; `nothing` says why a scorer judges no step, None where it does. `judged` (n, s)
    says whose steps of which case are judged, `parts` (n, s, len(COUNTS)) what they add up from; `problems` (n,) number
    the problem of each case.
    """

    names: tuple[str, ...]
    nothing: tuple[str | None, ...]
    judged: Bools
    parts: Floats
    problems: Ints

    @property
    def trying(self) -> tuple[int, ...]:
        """The places of the scorers that judged the steps of any case."""
        return tuple(np.flatnonzero(self.judged.any(axis=0)).tolist())

    def common(self, columns: Sequence[int]) -> Bools:
        """Find the cases whose steps every one of these scorers judged. Shape (n,)."""
        return np.asarray(self.judged[:, list(columns)].all(axis=1))

    def left_out(self, columns: Sequence[int]) -> int:
        """Count the cases with steps that some of these scorers judged and not all."""
        return int((self.judged[:, list(columns)].any(axis=1) & ~self.common(columns)).sum())

    def why_nothing(self, columns: Sequence[int]) -> str | None:
        """Return why one of these scorers judges no step; None where all do."""
        return _joined(self.names, self.nothing, columns)


def align_steps(evaluations: Sequence[Evaluation], rows: Bools, facts: StepLabelled) -> AlignedSteps:
    """Put scorers side by side, step by step.

    Args:
        evaluations: at least one, all of the same cases.
        rows: mask over these cases, those of one benchmark; cases without a labelled step are left out of it.
        facts: how the benchmark makes its figures.
    """
    taken = np.flatnonzero(rows & with_labelled_step(evaluations[0]))
    parts = np.stack([step_contributions(evaluation, facts)[taken] for evaluation in evaluations], axis=1)
    return AlignedSteps(
        names=tuple(evaluation.scorer.name for evaluation in evaluations),
        nothing=tuple(why_nothing(evaluation, rows) for evaluation in evaluations),
        judged=parts[..., COUNTS.index("judged")] > 0,
        parts=parts,
        problems=evaluations[0].gold.problems[taken],
    )


def with_labelled_step(evaluation: Evaluation) -> Bools:
    """Find the cases of which at least one step has a gold label. Shape (n,)."""
    gold = evaluation.gold
    cases = np.repeat(np.arange(gold.n_steps.size), gold.n_steps)
    return np.bincount(cases[gold.step_labels != UNKNOWN_STEP], minlength=gold.n_steps.size) > 0


def _joined(names: Sequence[str], nothing: Sequence[str | None], columns: Sequence[int]) -> str | None:
    return "; ".join(f"{names[column]}: {nothing[column]}" for column in columns if nothing[column]) or None


def pairs_alike(
    scorers: int, common: Callable[[Sequence[int]], Bools]
) -> Iterator[tuple[list[tuple[int, int]], tuple[int, ...]]]:
    """Group all pairs of scorers by the cases that they have in common, with the places of the scorers in each group.

    Args:
        scorers: how many there are.
        common: the cases (n,) that scorers, by their places, have in common.
    """
    alike: dict[bytes, list[tuple[int, int]]] = {}
    for pair in combinations(range(scorers), 2):
        alike.setdefault(np.packbits(common(pair)).tobytes(), []).append(pair)
    for group in alike.values():
        yield group, tuple(sorted({column for pair in group for column in pair}))


# -- SQL conditions

EVERY = "all"
"""Both sides together."""
OF_SIDE = {**SIDE_CONDITIONS, EVERY: "earliest_error IS NOT NULL"}
"""The condition of each side."""
_OTHER_SIDE = {
    "erroneous": frozenset(OUTCOMES[code] for code in ON_CLEAN),
    "clean": frozenset(OUTCOMES[code] for code in ON_ERRONEOUS),
    EVERY: frozenset[str](),
}


def outcome_of(aligned: AlignedScorers, column: int) -> str:
    """Name the outcome column of a scorer, as it stands in SQL."""
    return named(f"{aligned.names[column]}.outcome")


def right_of(aligned: AlignedScorers, column: int, side: str) -> str:
    """Select where a scorer is right, on a side (one of OF_SIDE)."""
    return _among(aligned, column, side, RIGHT_OUTCOMES)


def wrong_of(aligned: AlignedScorers, column: int, side: str) -> str:
    """Select where a scorer tried a case and is not right."""
    return _among(aligned, column, side, _failures(aligned, column))


def tried_of(aligned: AlignedScorers, column: int, side: str) -> str:
    """Select where a scorer has the case in its denominator."""
    return _among(aligned, column, side, (*RIGHT_OUTCOMES, *_failures(aligned, column)))


def common_of(aligned: AlignedScorers, columns: Sequence[int], side: str) -> str:
    """Select where every one of these scorers tried a case of a side."""
    return conjunction((OF_SIDE[side], *(tried_of(aligned, column, side) for column in columns)))


def conjunction(conditions: Iterable[str]) -> str:
    """Select where all of the conditions hold, none of which holds an OR outside of brackets."""
    return " AND ".join(conditions)


def _failures(aligned: AlignedScorers, column: int) -> tuple[str, ...]:
    """The outcomes that count as wrong; a scorer that never gives a verdict fails on nothing."""
    return FAILURES["drop" if aligned.nothing[column] else aligned.unparsed]


def _among(aligned: AlignedScorers, column: int, side: str, outcomes: Iterable[str]) -> str:
    there = tuple(name for name in outcomes if name not in _OTHER_SIDE[side])
    return Facet(f"{aligned.names[column]}.outcome", there).sql
