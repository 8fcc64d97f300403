"""The page of two columns: a heat-map of any figure, or of the difference of two scorers."""

from collections.abc import Iterator
from dataclasses import dataclass

from inspector.charts.bars import Bar, bars
from inspector.charts.heat_map import heat_map
from inspector.charts.mark import Form, Mark
from inspector.inspection import Inspection
from inspector.paint import Brush
from inspector.render.lines import Piece, Row, paragraph
from inspector.sentences import counted
from inspector.sheets.breakdown.choice import NONE, Choice
from inspector.sheets.breakdown.columns import axis, missing_words, offered, usual, words
from inspector.sheets.breakdown.figures import FIGURES, figures_of, form_of, usual_figure
from inspector.sheets.breakdown.grid import Grid, focused
from inspector.sheets.breakdown.title import title
from inspector.subject import covering
from inspector.text import squeezed
from scoring.metrics.breakdown import Cells
from scoring.metrics.cell_conditions import COUNTS
from scoring.remembered import Remembered

_SHOWN = Remembered(8)
"""What is shown, which the title, the sheet and its figures all ask for."""
NAME = 30
"""Cells of a scorer's name at most."""


@dataclass(frozen=True)
class Shown:
    """What the map shows: its columns (the second "" for none), its figure, and whose is subtracted ("" for nobody)."""

    rows: str
    cols: str
    figure: str
    other: str

    @property
    def columns(self) -> tuple[str, ...]:
        """Those that are there."""
        return (self.rows, self.cols) if self.cols else (self.rows,)


def shown(inspection: Inspection, choice: Choice) -> Shown | None:
    """What was chosen as far as there is such a thing, and the usual for the rest; None without any column."""
    names = covering(inspection)
    key = (choice, inspection.benchmark, inspection.scorer, names, inspection.slice.tobytes(), inspection.unparsed)
    found: Shown | None = _SHOWN.of(key, (inspection.evaluation, inspection.cases), lambda: _shown(inspection, choice))
    return found


def _shown(inspection: Inspection, choice: Choice) -> Shown | None:
    there = offered(inspection)
    rows, cols = usual(inspection)
    if choice.rows in there:
        rows, cols = choice.rows, cols if cols != choice.rows else ""
    if choice.cols == NONE:
        cols = ""
    elif choice.cols in there and choice.cols != rows:
        cols = choice.cols
    if not rows:
        return None
    other = choice.other if choice.other in covering(inspection) and choice.other != inspection.scorer else ""
    names = figures_of(inspection, difference=bool(other))
    figure = choice.figure if choice.figure in names else ""
    found = Shown(rows, cols, figure, other)
    if not figure:
        cells = Cells(tuple(axis(inspection, name) for name in found.columns), inspection.slice)
        figure = usual_figure(focused(inspection), cells, inspection)
    if other and figure in COUNTS:
        # Nobody tried any case: there is nothing to subtract, and the page says so.
        figure = "error_acc"
    return Shown(rows, cols, figure, other)


def grid_of(inspection: Inspection, choice: Choice, *, bootstrap: bool) -> Grid | None:
    """The figures of the map; with `bootstrap` F1 has its interval."""
    what = shown(inspection, choice)
    if what is None:
        return None
    axes = [axis(inspection, name) for name in what.columns]
    return Grid.of(inspection, axes, what.figure, what.other, bootstrap=bootstrap)


def cells_lines(
    inspection: Inspection, choice: Choice, figures: Grid | None, brush: Brush, width: int
) -> Iterator[Row]:
    """The page; `figures` has the intervals that take longer, None while they are computed."""
    what = shown(inspection, choice)
    grid = figures if figures is not None else grid_of(inspection, choice, bootstrap=False)
    if what is None or grid is None:
        yield from paragraph(f"No column tells the cases of {inspection.benchmark} apart.", width)
        return
    yield from _head(inspection, what, width)
    yield ()
    if not any(mark.drill for mark in grid.marks.values()):
        yield from paragraph(f"There are no {FIGURES[what.figure].among} in this slice: choose another figure.", width)
    elif what.cols:
        yield from _map(grid, what, brush, width)
    else:
        yield from _bars(grid, what, brush, width)
    yield ()
    yield from _remarks(inspection, grid, what, width)


def _head(inspection: Inspection, what: Shown, width: int) -> Iterator[Row]:
    told = FIGURES[what.figure]
    by = f"{words(what.rows)} down, {words(what.cols)} across" if what.cols else f"by {words(what.rows)}"
    yield from title(told.title, f", {by}", width)
    if what.other:
        yield (
            Piece("A ", "scorer-a strong"),
            Piece(squeezed(str(inspection.scorer), NAME)),
            Piece("  less  ", "dim"),
            Piece("B ", "scorer-b strong"),
            Piece(squeezed(what.other, NAME)),
        )
    if told.note:
        yield from paragraph(told.note, width)


def _form(what: Shown) -> Form:
    return "difference" if what.other else form_of(what.figure)


def _map(grid: Grid, what: Shown, brush: Brush, width: int) -> Iterator[Row]:
    down, across = list(grid.numbers(0)), list(grid.numbers(1))
    marks = [[grid.marks.get((row, column)) for column in across] for row in down]
    names = [grid.value(0, at) for at in down], [grid.value(1, at) for at in across]
    yield from heat_map(*names, marks, width, brush, form=_form(what), scale=_scale(grid))


def _scale(grid: Grid) -> tuple[float, float] | None:
    """From the lowest to the highest value of the cells that are no totals."""
    values = [mark.known for mark in grid.inner() if not mark.small]
    known = [value for value in values if value is not None]
    return (min(known), max(known)) if len(set(known)) > 1 else None


def _bars(grid: Grid, what: Shown, brush: Brush, width: int) -> Iterator[Row]:
    entries = [Bar(grid.value(0, at), grid.marks.get((at,), Mark(None))) for at in grid.numbers(0)]
    form = _form(what)
    yield from bars(entries, width, brush, form=form, span=(0.0, 1.0) if form == "percent" else None)


def _remarks(inspection: Inspection, grid: Grid, what: Shown, width: int) -> Iterator[Row]:
    for place, column in enumerate(what.columns):
        if gone := grid.left_out(place):
            told = ", ".join(gone[:4]) + (f" and {len(gone) - 4} more" if len(gone) > 4 else "")
            yield from paragraph(f"Not shown, {words(column)} {told}: no {FIGURES[what.figure].among}.", width)
    if what.other:
        said = (
            "without an interval: none for this figure is quick and honest; the compare screen has it over all cases"
            if what.figure in {"f1", "step_accuracy"}
            else "with Newcombe's 95% interval of a paired difference of shares"
        )
        looks = sum(mark.known is not None for mark in grid.inner())
        yield from paragraph(
            f"Each cell is on the cases that both tried, {said}. {counted(looks, 'cell')} are as many looks, so that "
            "some stand out by chance.",
            width,
        )
    if what.figure == "f1":
        yield from paragraph("F1 is marked ~ where fewer than 20 cases are on either side.", width)
    if missing := missing_words(inspection):
        yield from paragraph(missing, width)
