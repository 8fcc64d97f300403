"""The cells of two columns as rows of marks, each of which opens its cases."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from inspector.charts.mark import Mark, finite
from inspector.inspection import Inspection
from inspector.render.lines import CaseLink
from inspector.sheets.breakdown.columns import value_words
from inspector.sheets.breakdown.figures import FIGURES
from scoring.evaluation import Evaluation
from scoring.metrics.axes import Axis
from scoring.metrics.breakdown import TOTAL, Cells, breakdown
from scoring.metrics.breakdown_difference import breakdown_difference
from scoring.metrics.cell_conditions import COUNTS, behind

EVERYTHING = "true"
"""The condition of a cell that holds every case."""
Key = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Grid:
    """One figure in the cells of one column or two, through one scorer or as the difference of two.

    `frame` is the table of `scoring.metrics.breakdown` for this figure alone, in the order of the cells.
    """

    inspection: Inspection
    cells: Cells
    figure: str
    scorers: tuple[str, ...]
    frame: pl.DataFrame

    @classmethod
    def of(
        cls, inspection: Inspection, axes: Sequence[Axis], figure: str, other: str = "", *, bootstrap: bool = False
    ) -> "Grid":
        """The grid of the slice through the scorer in focus; `bootstrap` gives F1 its interval, which takes longer."""
        cells = Cells(tuple(axes), inspection.slice)
        return cls.made(inspection, cells, figure, other, bootstrap=bootstrap)

    @classmethod
    def made(
        cls, inspection: Inspection, cells: Cells, figure: str, other: str = "", *, bootstrap: bool = False
    ) -> "Grid":
        """The same where the cells are there."""
        evaluation, unparsed = focused(inspection), inspection.unparsed
        if other:
            pair = evaluation, inspection.selection.evaluation(other)
            names = pair[0].scorer.name, other
            return cls(inspection, cells, figure, names, breakdown_difference(pair, cells, unparsed, (figure,)))
        seed = inspection.selection.request.seed
        frame = breakdown(evaluation, cells, unparsed, seed, (figure,), bootstrap=bootstrap)
        return cls(inspection, cells, figure, (evaluation.scorer.name,), frame)

    @cached_property
    def marks(self) -> dict[Key, Mark]:
        """By the numbers of its values (see `Cells.places`) the mark of every cell that holds a case."""
        keys = zip(*(place.tolist() for place in self.cells.places), strict=True)
        rows = self.frame.iter_rows(named=True)
        return {key: self._mark(key, row) for key, row in zip(keys, rows, strict=True)}

    def _mark(self, key: Key, row: Mapping[str, Any]) -> Mark:
        value = finite(row["value"])
        if self.figure in COUNTS:
            n = int(value or 0)
            return Mark(value, drill=self._drill(key, row["where"], n))
        return Mark(
            value, row["low"], row["high"], row["n"], self._drill(key, row["where"], row["n"]), few=row["small"]
        )

    def _drill(self, key: Key, where: str, n: int) -> CaseLink | None:
        if not n:
            return None
        cell = () if where == EVERYTHING else (where,)
        conditions = [one for name in self.scorers for one in behind(self.figure, name, self.inspection.unparsed)]
        named = [self.value(place, at) for place, at in enumerate(key) if not self.is_total(place, at)]
        among = FIGURES[self.figure].among + (" by both" if len(self.scorers) > 1 else "")
        said = ", ".join([*named, among])
        return CaseLink((*cell, *dict.fromkeys(conditions)), n, said, self.scorers[0], self.scorers[1:])

    def is_total(self, place: int, at: int) -> bool:
        """Whether a number of a value stands for all of them."""
        return at == len(self.cells.axes[place].values)

    def value(self, place: int, at: int) -> str:
        """What the value with this number is called."""
        return TOTAL if self.is_total(place, at) else value_words(self.cells.axes[place].values[at])

    def numbers(self, place: int) -> Iterator[int]:
        """The values of an axis whose cells have something, in their order, all of them last."""
        there = {key[place] for key, mark in self.marks.items() if mark.drill is not None}
        total = len(self.cells.axes[place].values)
        yield from sorted(at for at in there if at != total)
        yield total

    def left_out(self, place: int) -> list[str]:
        """The values of an axis that hold cases, of which none has a part in the figure."""
        shown = set(self.numbers(place))
        return [self.value(place, at) for at in sorted({key[place] for key in self.marks} - shown)]

    def inner(self) -> Iterator[Mark]:
        """The marks that are no totals."""
        for key, mark in self.marks.items():
            if not any(self.is_total(place, at) for place, at in enumerate(key)):
                yield mark


def focused(inspection: Inspection) -> Evaluation:
    """The evaluation in focus, where there is one."""
    assert inspection.evaluation is not None  # noqa: S101  # no page asks without a scorer
    return inspection.evaluation
