"""Who is right together: for every set of scorers the cases that exactly these have right (an UpSet plot's rows).

Lex et al., UpSet: Visualization of Intersecting Sets, IEEE TVCG 20 (2014): every case is in one row, so that the counts
of a side add up to the cases that all scorers tried.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from scoring.metrics.comparison_row import sides
from scoring.metrics.lineup import Lineup
from scoring.metrics.lineup_conditions import OF_SIDE, conjunction, right_of, wrong_of
from scoring.metrics.wilson import wilson_interval
from scoring.step_rewards import Bools, Ints

Kind = Literal["unanimous_wrong", "unanimous_right", "lone_right", "some_right"]


@dataclass(frozen=True)
class RightSet:
    """The cases of one side that some scorers have right and all others wrong.

    `right` are the places of these scorers in the lineup, ascending. `count` cases are selected by `where`, of the `n`
    cases of the side that all scorers tried; these are the ones of `lineup` at the places `columns`.
    """

    side: str
    kind: Kind
    right: tuple[int, ...]
    count: int
    n: int
    lineup: Lineup = field(compare=False, repr=False)
    columns: tuple[int, ...] = field(compare=False, repr=False)

    @property
    def where(self) -> str:
        """The SQL condition that selects the cases; made when it is asked for, since few of many sets are opened."""
        each = (
            (right_of if column in self.right else wrong_of)(self.lineup, column, self.side) for column in self.columns
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


def right_sets(lineup: Lineup, columns: Sequence[int]) -> Iterator[RightSet]:
    """The sets that occur, erroneous cases first, the largest first; of equal ones the one with fewer scorers.

    The sets of nobody, of everybody and of each scorer alone are there even without a case.

    Args:
        lineup: n cases.
        columns: the scorers' places in it, at least one, in the order in which they are named.
    """
    taken = tuple(columns)
    common = lineup.common(taken)
    for side, members in sides(lineup):
        rows = members & common
        found = dict.fromkeys(_always(taken), 0) | _counted(lineup.right[rows][:, list(taken)], taken)
        n = int(rows.sum())
        ordered = sorted(
            found.items(), key=lambda item: (-item[1], len(item[0]), [taken.index(one) for one in item[0]])
        )
        for right, count in ordered:
            yield RightSet(side, _kind(right, taken), right, count, n, lineup, taken)


def _always(columns: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [(), *((column,) for column in columns), tuple(sorted(columns))]


def _counted(right: Bools, columns: tuple[int, ...]) -> dict[tuple[int, ...], int]:
    """How many of m cases each set of scorers has right, of (m, k) marks."""
    if not right.shape[0]:
        return {}
    _, first, counts = np.unique(np.packbits(right, axis=1), axis=0, return_index=True, return_counts=True)
    places: Ints = np.array(columns)
    return {tuple(sorted(places[right[row]].tolist())): int(count) for row, count in zip(first, counts, strict=True)}


def _kind(right: tuple[int, ...], columns: tuple[int, ...]) -> Kind:
    if not right:
        return "unanimous_wrong"
    if len(right) == len(columns):
        return "unanimous_right"
    return "lone_right" if len(right) == 1 else "some_right"
