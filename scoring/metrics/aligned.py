"""Scorers side by side on the same cases: who tried which, and who is right."""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from scoring.data.schema import Bools, Floats, Ints
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.gold import UNKNOWN_STEP
from scoring.evaluation.verdicts import CLEAN, EXACT, NO_VERDICT, RIGHT, UNSCORED, Codes
from scoring.formats.benchmarks.case_format import StepLabelled
from scoring.metrics.first_error import SIDES
from scoring.metrics.kernel import Decided, Metric, Unparsed
from scoring.metrics.outcome_conditions import MEMBERS
from scoring.metrics.own import OwnMetric
from scoring.metrics.own_family import family_of
from scoring.metrics.step_contributions import COUNTS, step_contributions
from scoring.metrics.step_labels import why_nothing
from scoring.metrics.step_metrics import NEGATIVE_ACC, POSITIVE_ACC, PRMSCORE


class AlignedScorers(Struct, frozen=True, eq=False, dict=True):
    """s scorers on the n cases that have gold labels, of one benchmark.

    `names`, `families` and `nothing` have length s; a family of "" is its scorer's own, `nothing` says why a scorer has
    no verdict on any case, None where it has. `rows` (n,) are the row ids of the cases. `tried` and `right` (n, s) say
    who has the case in the denominator and who is right about it, `verdicts` (n, s) are 0-based, -1 no error,
    NO_VERDICT none. `earliest`, `n_steps` (n,) are gold; `subsets` and `problems` (n,) number the subset (by name) and
    the problem of each case: solutions of one problem have one number. `codes` (n, s, uint8) are outcomes by
    `scoring.evaluation.verdicts`, and `unparsed` is the policy that `tried` follows. `order` (n,) ranks the cases
    independently of the order of rows; they are drawn by it. None = as they come.
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
    order: Ints | None = None

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

    def only(self, rows: Bools | Ints, columns: Sequence[int]) -> "AlignedScorers":
        """Keep these cases, a mask (n,) or places in the order that is wanted, and these scorers alone."""
        taken = list(columns)
        if taken == list(range(len(self.names))) and rows.dtype == np.bool_ and rows.all():
            return self
        return replace(
            self,
            names=tuple(self.names[column] for column in taken),
            families=tuple(self.families[column] for column in taken),
            nothing=tuple(self.nothing[column] for column in taken),
            order=None if self.order is None else self.order[rows],
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
    tried = [
        evaluation.coverage.tried if unparsed == "wrong" else evaluation.coverage.answered for evaluation in evaluations
    ]
    return AlignedScorers(
        names=tuple(evaluation.scorer.name for evaluation in evaluations),
        families=tuple(evaluation.scorer.family for evaluation in evaluations),
        nothing=tuple(evaluation.coverage.nothing for evaluation in evaluations),
        rows=taken,
        tried=_beside(tried, taken),
        right=np.isin(codes, RIGHT),
        verdicts=_beside(
            [np.where(evaluation.coverage.answered, evaluation.verdicts, NO_VERDICT) for evaluation in evaluations],
            taken,
        )
        if verdicts
        else np.broadcast_to(np.int64(NO_VERDICT), codes.shape),
        earliest=gold.earliest[taken],
        n_steps=gold.n_steps[taken],
        subsets=gold.subset_ranks[gold.subsets[1][taken]],
        # Where no two share one, any numbers do, and those of their names take long to find.
        problems=gold.problems[taken] if gold.related else taken,
        codes=codes,
        unparsed=unparsed,
        order=gold.order[taken],
    )


def _beside(each: Sequence[npt.NDArray[Any]], rows: Ints) -> npt.NDArray[Any]:
    """Put some rows of arrays (n,) side by side, (m, s): columns are read many times, and so each is in one piece."""
    return np.stack([column[rows] for column in each]).T


OF_STEPS: tuple[Metric, ...] = (PRMSCORE, POSITIVE_ACC, NEGATIVE_ACC)
"""What is compared of single steps: the accuracies are those on right and on wrong steps."""
DRAWN_WHOLE = "a paired bootstrap of whole problems, without strata"
_DRAWN = f"n and left_out count cases; the interval is {DRAWN_WHOLE}; "
STEPS_PAIRED = (
    "of all steps pooled, on the cases whose steps all scorers of a row judged: "
    f"{_DRAWN}there is no test, since steps of one case are not independent"
)


class AlignedSums(Struct, frozen=True, eq=False):
    """s scorers on n cases of one benchmark whose official figure is another one than the F1 of first errors.

    Attributes:
        metrics: What is compared of them: the official figure, then its accuracies if it has some.
        counts: The names of the k counts that these are made of.
        names: Of the scorers, s.
        nothing: Why a scorer has no such figure, (s); None where it has.
        tried: Who has which case in the denominators, (n, s).
        parts: What each case adds to the counts, (n, s, k).
        subsets: The number of each case's subset, (n,).
        problems: The number of each case's problem, (n,).
        paired: How two are compared, for people.
    """

    metrics: tuple[Metric, ...]
    counts: tuple[str, ...]
    names: tuple[str, ...]
    nothing: tuple[str | None, ...]
    tried: Bools
    parts: Floats
    subsets: Ints
    problems: Ints
    paired: str

    @property
    def trying(self) -> tuple[int, ...]:
        """The places of the scorers that have any case."""
        return tuple(np.flatnonzero(self.tried.any(axis=0)).tolist())

    def common(self, columns: Sequence[int]) -> Bools:
        """Find the cases that every one of these scorers has. Shape (n,)."""
        return np.asarray(self.tried[:, list(columns)].all(axis=1))

    def left_out(self, columns: Sequence[int]) -> int:
        """Count the cases that some of these scorers have and not all."""
        return int((self.tried[:, list(columns)].any(axis=1) & ~self.common(columns)).sum())

    def why_nothing(self, columns: Sequence[int]) -> str | None:
        """Return why one of these scorers has no figure; None where all have."""
        return _joined(self.names, self.nothing, columns)


def align_steps(evaluations: Sequence[Evaluation], rows: Bools, facts: StepLabelled) -> AlignedSums:
    """Put scorers side by side, step by step: a case is tried where its steps are judged.

    Args:
        evaluations: at least one, all of the same cases.
        rows: mask over these cases, those of one benchmark; cases without a labelled step are left out of it.
        facts: how the benchmark makes its figures.
    """
    gold = evaluations[0].gold
    taken = np.flatnonzero(rows & with_labelled_step(evaluations[0]))
    parts = np.stack([step_contributions(evaluation, facts)[taken] for evaluation in evaluations], axis=1)
    return AlignedSums(
        metrics=OF_STEPS,
        counts=COUNTS,
        names=tuple(evaluation.scorer.name for evaluation in evaluations),
        nothing=tuple(why_nothing(evaluation, rows) for evaluation in evaluations),
        tried=parts[..., COUNTS.index("judged")] > 0,
        parts=parts,
        subsets=gold.subset_ranks[gold.subsets[1][taken]],
        problems=gold.problems[taken],
        paired=STEPS_PAIRED,
    )


def align_own(made: OwnMetric, evaluations: Sequence[Evaluation], rows: Bools, unparsed: Unparsed) -> AlignedSums:
    """Put scorers side by side by what a metric of the benchmark's own, or of the user's, adds up.

    See `align_scorers` for the arguments. Of a metric that does not say which cases it is of, these are those tried.
    """
    gold, decided = evaluations[0].gold, [Decided(evaluation, unparsed) for evaluation in evaluations]
    family = family_of(made)
    tried = _beside([(family.cases or MEMBERS).rows(run) for run in decided], np.flatnonzero(rows))
    taken, nobody = np.flatnonzero(rows)[tried.any(axis=1)], made.why(dict.fromkeys(made.counts, np.zeros(())))
    return AlignedSums(
        metrics=family.metrics,
        counts=made.counts,
        names=tuple(evaluation.scorer.name for evaluation in evaluations),
        nothing=tuple(
            evaluation.coverage.nothing or (None if counted.any() else nobody)
            for evaluation, counted in zip(evaluations, tried.T, strict=True)
        ),
        tried=tried[tried.any(axis=1)],
        parts=np.stack([family.contributions(run)[taken] for run in decided], axis=1),
        subsets=gold.subset_ranks[gold.subsets[1][taken]],
        problems=gold.problems[taken],
        paired=f"{made.about}, on the cases that count for all scorers of a row: {_DRAWN}tests are of first errors",
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
