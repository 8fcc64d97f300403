"""The page of one column: both accuracies and F1 by length, generator, language, or whatever tells cases apart."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from inspector.charts.mark import Mark, interval_text
from inspector.inspection import Inspection
from inspector.paint import Brush
from inspector.render.lines import LineCell, Piece, Row, paragraph, table
from inspector.sheets.breakdown.choice import Choice
from inspector.sheets.breakdown.columns import axis, offered, words
from inspector.sheets.breakdown.grid import Grid
from inspector.sheets.breakdown.title import title
from inspector.sheets.words import count
from scoring.metrics.breakdown import Cells
from scoring.metrics.resampling import SMALL

FIGURES = {"error_acc": "erroneous", "correct_acc": "clean", "f1": "F1"}
USUAL = ("n_steps", "steps", "generator", "language", "subset")


@dataclass(frozen=True, eq=False)
class Grids:
    """The cells of one column with each of FIGURES, and how many cases they hold."""

    cases: Grid
    by_figure: Mapping[str, Grid]


def column_of(inspection: Inspection, choice: Choice) -> str:
    """The column: as chosen, else the number of steps or the next that there is; "" where no column is."""
    there = offered(inspection)
    if choice.column in there:
        return choice.column
    return next((name for name in (*USUAL, *there) if name in there), "")


def grids_of(inspection: Inspection, choice: Choice, *, bootstrap: bool) -> Grids | None:
    """All figures; with `bootstrap` F1 has its interval."""
    column = column_of(inspection, choice)
    if not column:
        return None
    cells = Cells((axis(inspection, column),), inspection.slice)
    found = {name: Grid.made(inspection, cells, name, bootstrap=bootstrap) for name in FIGURES}
    return Grids(Grid.made(inspection, cells, "cases"), found)


def column_lines(
    inspection: Inspection, choice: Choice, figures: Grids | None, brush: Brush, width: int
) -> Iterator[Row]:
    """The page; `figures` has the intervals that take longer, None while they are computed."""
    grids = figures if figures is not None else grids_of(inspection, choice, bootstrap=False)
    if grids is None:
        yield from paragraph(f"No column tells the cases of {inspection.benchmark} apart.", width)
        return
    yield from title("Accuracy", f", by {words(column_of(inspection, choice))}", width)
    yield ()
    rows: list[list[LineCell]] = []
    for at in grids.cases.numbers(0):
        whole = grids.cases.marks.get((at,))
        n = int((whole.known if whole else 0) or 0)
        cells: list[LineCell] = [Piece(grids.cases.value(0, at)), count(n, whole.drill if whole else None)]
        for name, grid in grids.by_figure.items():
            # F1 is of both sides, whose numbers stand there.
            cells += _cells(grid.marks.get((at,)), brush)[: 2 if name == "f1" else 3]
        rows.append(cells)
    header = [Piece(word) for word in ("", "cases")]
    for word in FIGURES.values():
        header += [Piece(word), Piece(""), Piece("n")] if word != "F1" else [Piece(word), Piece("")]
    yield from table(header, rows, [False, True, *([True, False, True] * 3)], gap=1)
    yield ()
    yield from paragraph(
        "In percent with 95% intervals: accuracy on erroneous cases, accuracy on clean cases, and F1. "
        f"~ fewer than {SMALL} cases (for F1, on either side).",
        width,
    )


def _cells(mark: Mark | None, brush: Brush) -> list[LineCell]:
    """The figure, its interval, and how many cases it is of, which it opens."""
    if mark is None or mark.known is None:
        return [Piece("-" if brush.ascii_only else "–", "dim"), Piece(""), Piece("")]
    style = "dim" if mark.small else ""
    within = interval_text(mark.interval, "percent", short=True) if mark.interval else ""
    n = f"{mark.n:,}" if mark.n is not None else ""
    return [
        Piece(f"{100 * mark.known:.1f}{'~' if mark.small else ' '}", style, mark.drill),
        Piece(within, "dim"),
        Piece(n, "dim"),
    ]
