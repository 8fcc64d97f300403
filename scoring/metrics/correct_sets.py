"""Sets of scorers that are right on the same cases, as an UpSet plot counts them.

The plot is that of Lex et al. (IEEE TVCG 20, 2014): every case is in one set, so that the counts of a side add up to
the cases that all scorers tried.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from scoring.data.schema import Bools, Ints
from scoring.metrics.aligned import AlignedScorers
from scoring.metrics.aligned_conditions import OF_SIDE, conjunction, right_of, wrong_of
from scoring.metrics.closed_forms import wilson_interval

CaseSetKind = Literal["unanimous_wrong", "unanimous_right", "lone_right", "some_right"]


@dataclass(frozen=True)
class CorrectSet:
    """The cases of one side that some scorers have right and all others wrong.

    `right` are the places of these scorers, ascending. `count` cases are selected by `where`, of the `n` cases of the
    side that all scorers tried; these are the ones of `aligned` at the places `columns`.
    """

    side: str
    kind: CaseSetKind
    right: tuple[int, ...]
    count: int
    n: int
    aligned: AlignedScorers = field(compare=False, repr=False)
    columns: tuple[int, ...] = field(compare=False, repr=False)

    @property
    def where(self) -> str:
        """The SQL condition that selects the cases; made when it is asked for, since few of many sets are opened."""
        each = (
            (right_of if column in self.right else wrong_of)(self.aligned, column, self.side) for column in self.columns
        )
        return conjunction((OF_SIDE[self.side], *each))

    @property
    def share(self) -> float | None:
        """`count` of `n`; None where there is no case."""
        return self.count / self.n if self.n else None

    @property
    def interval(self) -> tuple[float | None, float | None]:
        """Low and high end of the share (95%, Wilson's); None where there is no case."""
        if not self.n:
            return None, None
        low, high = wilson_interval(np.array([self.count]), np.array([self.n]))
        return float(low[0]), float(high[0])


def correct_sets(aligned: AlignedScorers, columns: Sequence[int]) -> Iterator[CorrectSet]:
    """Yield the sets that occur, erroneous cases first, the largest first; of equal ones the one with fewer scorers.

    The sets of nobody, of everybody and of each scorer alone are there even without a case.

    Args:
        aligned: n cases.
        columns: the scorers' places, at least one, in the order in which they are named.
    """
    taken = tuple(columns)
    common = aligned.common(taken)
    always = [(), *((column,) for column in taken), tuple(sorted(taken))]
    for side, members in aligned.sides:
        rows = members & common
        counts = dict.fromkeys(always, 0) | _set_counts(aligned.right[rows][:, list(taken)], taken)
        ordered = sorted(
            counts.items(), key=lambda item: (-item[1], len(item[0]), [taken.index(place) for place in item[0]])
        )
        for right, count in ordered:
            yield CorrectSet(side, _kind(right, taken), right, count, int(rows.sum()), aligned, taken)


def _set_counts(right: Bools, columns: tuple[int, ...]) -> dict[tuple[int, ...], int]:
    """How many of m cases each set of scorers has right, of (m, k) marks."""
    if not right.shape[0]:
        return {}
    sets: npt.NDArray[np.uint8 | np.uint64] = np.packbits(right, axis=1)
    if len(columns) <= 64:
        # Sets as whole numbers are sorted many times faster than as rows of bytes.
        padded = np.pad(sets, ((0, 0), (0, 8 - sets.shape[1])))
        sets = np.ascontiguousarray(padded).view(np.uint64)[:, 0]
    _, first, counts = np.unique(sets, axis=0, return_index=True, return_counts=True)
    places: Ints = np.array(columns)
    return {tuple(sorted(places[right[row]].tolist())): int(count) for row, count in zip(first, counts, strict=True)}


def _kind(right: tuple[int, ...], columns: tuple[int, ...]) -> CaseSetKind:
    if not right:
        return "unanimous_wrong"
    if len(right) == len(columns):
        return "unanimous_right"
    return "lone_right" if len(right) == 1 else "some_right"
