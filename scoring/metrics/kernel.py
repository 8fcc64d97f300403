"""The metric kernel: a metric is what each case contributes, and a score of sums of that.

`Decided` is one repetition of a scorer as it is decided: it gives the counts that metrics are made of, case by case.
A `Metric` names some of these counts and makes a figure of their sums, whatever they are summed over: a subset, a
class, everything, or a bootstrap resample. `Tally` holds such sums in groups and columns, and the columns may be
repetitions, scorers or thresholds; it gives figures, means over groups and pooled figures, each with its draws.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from scoring.data.schema import Bools, Floats, Ints
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.gold import Gold
from scoring.evaluation.verdicts import (
    CLEAN,
    EARLY,
    EXACT,
    FALSE_ALARM,
    LATE,
    MISSED,
    ON_CLEAN,
    ON_ERRONEOUS,
    OUTCOMES,
    REFUSED,
    UNPARSED,
)

Unparsed = Literal["wrong", "drop"]
"""Whether refused and unparsed cases count as wrong or leave the denominators."""
WholeRow = Literal["average", "all"]
"""The row that stands for a whole benchmark: the plain mean over its subsets, or all of its cases together."""
NumberArray = npt.NDArray[Any]
Sums = Mapping[str, NumberArray]
"""Name of a count -> sums of it, in shapes that go together."""
Empty = float | Literal["resampled"]
"""What a figure with an empty denominator is: NaN, the number that official code gives, or as in a resample."""

_ANSWERLESS = (UNPARSED, REFUSED)
OUTCOME_COUNTS: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "erroneous": ((*ON_ERRONEOUS, *_ANSWERLESS), ()),
    "clean": ((), (*ON_CLEAN, *_ANSWERLESS)),
    "exact": ((EXACT,), ()),
    "early": ((EARLY,), ()),
    "late": ((LATE,), ()),
    "missed": ((MISSED,), ()),
    "unanswered": (_ANSWERLESS, ()),
    "clean_right": ((), (CLEAN,)),
    "false_alarm": ((), (FALSE_ALARM,)),
}
"""Name of a count of cases -> the outcomes that it counts on the erroneous and on the clean side."""
FIRST_ERROR = ("exact", "erroneous", "clean_right", "clean")
"""The counts that ProcessBench's figures are made of."""


class Metric:
    """One figure of sums. A subclass says which counts it is made of, and how.

    Attributes:
        name: As it stands in the column `metric`.
        title: For people.
        counts: The names of the counts that it is made of.
        needs_errors: Whether a class that holds no wrong step cannot have it.
    """

    name: str
    title: str
    counts: tuple[str, ...]
    needs_errors: bool = False

    def score(self, sums: Sums, empty: Empty = np.nan) -> Floats:
        """Make the figure, in the shape of the sums: a fraction, and `empty` where a denominator is empty."""
        raise NotImplementedError

    def size(self, sums: Sums) -> NumberArray:
        """Count what is in the denominator: cases, or steps."""
        raise NotImplementedError

    def support(self, sums: Sums) -> NumberArray:
        """Count what the figure rests on: where it has two denominators, the smaller one."""
        return self.size(sums)

    def why(self, sums: Sums) -> str:
        """Return why the figure of one group's sums is undefined; "" where it is defined."""
        raise NotImplementedError


@dataclass(frozen=True)
class Ratio(Metric):
    """A share: the sums of `hits` of those of `of`; `none` says why there is no such share where these are 0.

    Where `null_at_best`, not even official code has a number for that.
    """

    name: str
    title: str
    hits: tuple[str, ...]
    of: tuple[str, ...]
    none: str
    needs_errors: bool = False
    null_at_best: bool = False

    @property
    def counts(self) -> tuple[str, ...]:  # type: ignore[override]
        """The names of both."""
        return tuple(dict.fromkeys((*self.hits, *self.of)))

    def score(self, sums: Sums, empty: Empty = np.nan) -> Floats:
        """Divide."""
        return share(total(sums, self.hits), total(sums, self.of), np.nan if self.null_at_best else empty)

    def size(self, sums: Sums) -> NumberArray:
        """Count what the share is of."""
        return total(sums, self.of)

    def why(self, sums: Sums) -> str:
        """Return the reason: there is nothing to divide by."""
        return "" if self.size(sums) else self.none


def total(sums: Sums, names: Sequence[str]) -> NumberArray:
    """Add up some of the sums."""
    first, *others = (sums[name] for name in names)
    return sum(others, start=first)


def share(hits: NumberArray, of: NumberArray, empty: Empty = np.nan) -> Floats:
    """Divide; `empty` where there is nothing to divide by ("resampled": NaN)."""
    hits, of = np.asarray(hits, dtype=np.float64), np.asarray(of, dtype=np.float64)
    fill = np.nan if empty == "resampled" else float(empty)
    quotients: Floats = np.divide(hits, of, out=np.full(np.broadcast_shapes(hits.shape, of.shape), fill), where=of > 0)
    return quotients


def harmonic(left: Floats, right: Floats) -> Floats:
    """Return the harmonic mean; NaN where both are 0 or either is NaN."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(2 * left * right / (left + right))


class Decided(Struct, frozen=True, eq=False, dict=True):
    """One repetition of one scorer on n cases, and how cases without a verdict count."""

    evaluation: Evaluation
    unparsed: Unparsed = "wrong"

    @property
    def gold(self) -> Gold:
        """The labels of the cases."""
        return self.evaluation.gold

    @property
    def earliest(self) -> Ints:
        """The earliest error of each case, 0-based; -1 = none. Shape (n,)."""
        return self.gold.earliest

    @property
    def verdicts(self) -> Ints:
        """The predicted earliest error of each case, 0-based; -1 = none, -2 = no step, `NO_VERDICT`. Shape (n,)."""
        return self.evaluation.verdicts

    @cached_property
    def members(self) -> Bools:
        """The cases in the denominators of first errors: with gold, and with a verdict or where there should be one."""
        there = self.evaluation.coverage.tried if self.unparsed == "wrong" else self.evaluation.coverage.answered
        mask: Bools = there & self.gold.known
        return mask

    @cached_property
    def right(self) -> Bools:
        """Those of them that are decided right: exact, or clean and left alone. Shape (n,)."""
        codes = self.evaluation.codes
        mask: Bools = self.members & ((codes == EXACT) | (codes == CLEAN))
        return mask

    @property
    def counted(self) -> tuple[int, ...]:
        """The codes of outcomes that are in the denominators."""
        missing = self.unparsed == "wrong" and not self.evaluation.coverage.nothing
        return (*ON_ERRONEOUS, *ON_CLEAN, *(_ANSWERLESS if missing else ()))

    def count(self, name: str, rows: Ints | slice = slice(None)) -> Bools:
        """Return which cases one of OUTCOME_COUNTS counts: of all (n,), or of those at `rows` (m,)."""
        codes, erroneous = self.evaluation.codes[rows], self.gold.earliest[rows] >= 0
        on_erroneous, on_clean = OUTCOME_COUNTS[name]
        mask: Bools = self.members[rows] & np.where(erroneous, _among(on_erroneous)[codes], _among(on_clean)[codes])
        return mask

    def outcomes(self, rows: Bools, groups: Ints, n_groups: int) -> Ints:
        """Count outcomes in groups of cases, whether they are in a denominator or not: many times faster than `count`.

        Args:
            rows: (n,) which cases take part; those without gold never do.
            groups: (n,) the group of each case, 0-based.
            n_groups: g.

        Returns:
            (g, 2, len(OUTCOMES)): erroneous cases, then clean ones.
        """
        gold = self.gold
        if groups is gold.subsets[1]:
            cells, taken = gold.cells, rows
        else:
            cells = (2 * groups + (gold.earliest < 0)).astype(np.int32)
            taken = rows & gold.known
        places = cells * np.int32(len(OUTCOMES)) + self.evaluation.codes
        # The last cell of `Gold.cells` are cases without gold.
        size = (2 * n_groups + 1) * len(OUTCOMES)
        counted = np.bincount(places if taken.all() else places[taken], minlength=size)[: size - len(OUTCOMES)]
        return counted.reshape(n_groups, 2, len(OUTCOMES))

    def sums(self, outcomes: Ints, names: Sequence[str] = FIRST_ERROR) -> dict[str, Ints]:
        """Sum counts of OUTCOME_COUNTS over what `outcomes` counted, each of shape (g,)."""
        counted = _among(self.counted)
        return {
            name: (outcomes * np.stack([_among(side) & counted for side in OUTCOME_COUNTS[name]])).sum(axis=(1, 2))
            for name in names
        }


class CasesOf(Struct, frozen=True, eq=False):
    """Which cases a metric is of.

    Attributes:
        rows: Gives them, (n,), of one repetition of a scorer as it is decided.
        where: Makes the conditions that select them, of a scorer's name and of how cases without a verdict count.
        words: What they are, for people; "" = those that the scorer tried.
    """

    rows: Callable[[Decided], Bools]
    where: Callable[[str, Unparsed], tuple[str, ...]]
    words: str = ""


def _among(codes: Sequence[int]) -> Bools:
    """By outcome code whether it is one of these."""
    table = np.zeros(len(OUTCOMES), dtype=np.bool_)
    table[list(codes)] = True
    return table


class Tally(Struct, frozen=True, eq=False, dict=True):
    """Sums of counts in g groups and s columns, which are repetitions, scorers or thresholds.

    Attributes:
        sums: Name of a count -> (g, s), or what broadcasts to it.
        draws: The same in resamples, (RESAMPLES, g, s); None = nothing was drawn.
    """

    sums: Mapping[str, NumberArray]
    draws: Mapping[str, NumberArray] | None = None

    def values(self, metric: Metric, empty: Empty = np.nan) -> Floats:
        """Return the figure of every group and column, shape (g, s)."""
        return metric.score(self.sums, empty)

    def mean(self, metric: Metric, empty: Empty = np.nan) -> Floats:
        """Return the plain mean over the groups, shape (s,); NaN as soon as one is undefined, or if there is none."""
        values = self.values(metric, empty)
        return values.mean(axis=-2) if values.shape[-2] else np.full(values.shape[-1:], np.nan)

    def drawn(self, metric: Metric) -> Floats:
        """Return the figure in every resample, shape (RESAMPLES, g, s)."""
        if self.draws is None:
            raise AssertionError("nothing was drawn")
        return metric.score(self.draws, "resampled")

    def drawn_mean(self, metric: Metric) -> Floats:
        """Return the plain mean over the groups in every resample, shape (RESAMPLES, s)."""
        # Who asks for the difference of one pair asks for those of the others, too.
        if metric not in self._means:
            drawn = self.drawn(metric)
            self._means[metric] = drawn.mean(axis=1) if drawn.shape[1] else np.full(drawn.shape[::2], np.nan)
        return self._means[metric]

    @cached_property
    def _means(self) -> dict[Metric, Floats]:
        return {}

    def why(self, metric: Metric, column: int) -> str:
        """Return why the mean of a figure over the groups is undefined in one column; "" where it is defined."""
        shape = np.broadcast_shapes(*(counted.shape for counted in self.sums.values()))
        sums = {name: np.broadcast_to(counted, shape)[:, column] for name, counted in self.sums.items()}
        undefined = np.flatnonzero(np.isnan(metric.score(sums)))
        reasons = {metric.why({name: counted[group] for name, counted in sums.items()}) for group in undefined.tolist()}
        if not shape[0]:
            return "no case was scored"
        if shape[0] == 1 or not reasons:
            return next(iter(reasons), "")
        # One reason for all is worth naming: a sample may hold a single class.
        common = f": {reasons.pop()}" if len(reasons) == 1 else ""
        return f"undefined in {undefined.size} of {shape[0]} subsets{common}"

    def pooled(self) -> "Tally":
        """Put all groups together as one, sums and draws alike."""
        draws = None if self.draws is None else {name: _pooled(drawn, 1) for name, drawn in self.draws.items()}
        return Tally({name: _pooled(counted, 0) for name, counted in self.sums.items()}, draws)

    def only(self, columns: Sequence[int] | Ints) -> "Tally":
        """Keep some of the columns, by place."""
        return self._taken(lambda counted: counted if counted.shape[-1] == 1 else counted[..., columns])

    def within(self, groups: Sequence[int] | Ints) -> "Tally":
        """Keep some of the groups, by place."""
        return self._taken(lambda counted: counted[..., groups, :])

    def _taken(self, take: Callable[[NumberArray], NumberArray]) -> "Tally":
        draws = None if self.draws is None else {name: take(drawn) for name, drawn in self.draws.items()}
        return Tally({name: take(counted) for name, counted in self.sums.items()}, draws)


def _pooled(counted: NumberArray, axis: int) -> NumberArray:
    pooled: NumberArray = counted.sum(axis=axis, keepdims=True)
    return pooled
