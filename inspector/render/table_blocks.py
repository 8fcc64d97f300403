"""Tables of views as plain data: cells, columns, and what makes a cell of a number."""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

import polars as pl
from msgspec import Struct

from inspector.render.documents.row_documents import shown
from inspector.render.lines import CaseLink


class Kind(Enum):
    """How a value is written: see `inspector.render.cells`."""

    TEXT = "text"
    COUNT = "count"
    SHARE = "share"
    """A fraction, in percent."""
    POINTS = "points"
    """A signed difference of fractions, in percentage points."""
    P = "p"
    MEAN = "mean"
    """With two digits after the point."""
    REWARD = "reward"
    """A reward or a threshold, with three decimals."""
    NUMBER = "number"
    """A number without a unit."""


class Cell(Struct, frozen=True):
    """One cell of a table: a value of a kind, and what is to be known of it.

    `value` is a text for TEXT, else a number, None where there is none: then `reason` says why; `waiting` that it is
    still being computed. `low` and `high` are its 95% interval, `sd` the standard deviation over `runs`; `n` is of how
    many, where that stands with it. `small` marks what few cases say, `optimistic` what was tuned on them. `note` are
    few words behind the value, `remark` a sentence that may take several lines. `shade` (0 to 1) darkens the ground,
    `style` is one of the styles of `widgets.line_scroll`. A label may hold for `rows` rows, its own and those beneath,
    whose cells there have 0.
    """

    value: str | float | None = None
    kind: Kind = Kind.TEXT
    low: float | None = None
    high: float | None = None
    sd: float | None = None
    runs: int = 1
    n: int | None = None
    small: bool = False
    optimistic: bool = False
    reason: str = ""
    note: str = ""
    remark: str = ""
    link: CaseLink | None = None
    style: str = ""
    shade: float | None = None
    rows: int = 1
    waiting: bool = False

    @property
    def key(self) -> object:
        """What tells rows apart that this cell is the label of."""
        return self.value, self.note


class CellChart(Enum):
    """Charts in the cells of a column, on a shared axis."""

    FOREST = "forest"
    """The value and its interval."""
    BAR = "bar"
    """A bar of the length of the value."""
    DIFFERENCE = "difference"
    """The value and its interval, with zero in the middle."""
    HEAT = "heat"
    """A background that is darker for higher values."""


class Column(Struct, frozen=True):
    """A column of a table. Narrow tables drop the intervals of columns of rank 1, and leave out columns of rank 2.

    `right` sets it to the right; None = if it holds a number. Texts of one that `wraps` take several lines there.
    Renderers that draw replace intervals by the `chart`, next to the values; `ends` says what is better at either end
    of a chart of differences.
    """

    title: str
    rank: int = 0
    right: bool | None = None
    wraps: bool = False
    chart: CellChart | None = None
    ends: tuple[str, str] = ("", "")


def forest_column(title: str, rank: int = 0) -> Column:
    """Make a column whose values and intervals are drawn on a shared axis."""
    return Column(title, rank, chart=CellChart.FOREST)


def bar_column(title: str, rank: int = 0) -> Column:
    """Make a column whose values are drawn as bars."""
    return Column(title, rank, chart=CellChart.BAR)


def difference_column(title: str, below: str = "", above: str = "") -> Column:
    """Make a column of differences, drawn around zero; the words label the sides below and above zero."""
    return Column(title, chart=CellChart.DIFFERENCE, ends=(below, above))


class Table(Struct, frozen=True):
    """Rows of cells under columns. The first `labels` cells of a row say what it is about, and name it.

    `heat` says that cells are compared by their shade, `bars` that the values of the first column after the labels are
    drawn where there are charts; `counted` what n counts there.
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    labels: int = 1
    heat: bool = False
    bars: bool = False
    counted: str = "cases"


def table(
    title: str, columns: Sequence[str | Column], rows: Sequence[Sequence[Cell]], labels: int = 1, **more: Any
) -> Table:
    """Make a table; columns may be given by their titles, and those that say nothing in any row are left out."""
    heads = [Column(column) if isinstance(column, str) else column for column in columns]
    said_by = [at < labels or any(_says(row[at]) for row in rows) for at in range(len(heads))]
    return Table(
        title,
        tuple(head for head, kept in zip(heads, said_by, strict=True) if kept),
        tuple(tuple(cell for cell, kept in zip(row, said_by, strict=True) if kept) for row in rows),
        labels,
        **more,
    )


def _says(cell: Cell) -> bool:
    undefined = cell.kind in {Kind.SHARE, Kind.POINTS}
    return cell.value not in {None, ""} or undefined or bool(cell.note or cell.reason or cell.remark or cell.waiting)


def text(value: str | None, style: str = "", link: CaseLink | None = None, *, remark: str = "") -> Cell:
    """Make a cell of words."""
    return Cell(value, style=style, link=link, remark=remark)


def count(value: int | None, link: CaseLink | None = None, style: str = "", note: str = "") -> Cell:
    """Make a cell of a number of cases or steps, which opens the cases; 0 is dim, and opens nothing."""
    return Cell(value, Kind.COUNT, link=link if value else None, style=style if value else "dim", note=note)


def figure(
    row: Mapping[str, Any] | None, kind: Kind = Kind.SHARE, link: CaseLink | None = None, style: str = ""
) -> Cell:
    """Make a cell of a row: `value, low, high, reason`, perhaps `sd, runs, small, optimistic`; None = is awaited."""
    if row is None:
        return Cell(None, kind, link=link, waiting=True)
    return Cell(
        row["value"],
        kind,
        row["low"],
        row["high"],
        row.get("sd"),
        row.get("runs") or 1,
        small=bool(row.get("small")),
        optimistic=bool(row.get("optimistic")),
        reason=row.get("reason") or "",
        link=link,
        style=style,
    )


def points(row: Mapping[str, Any] | None, link: CaseLink | None = None) -> Cell:
    """Make a cell of a signed difference; strong where its interval leaves 0 out."""
    made = figure(row, Kind.POINTS, link)
    apart = made.low is not None and made.high is not None and (made.low > 0 or made.high < 0)
    return figure(row, Kind.POINTS, link, "strong") if apart else made


def p_value(p: float | None, *, waiting: bool = False) -> Cell:
    """Make a cell of a p-value; strong below 0.05."""
    return Cell(p, Kind.P, style="strong" if p is not None and p < 0.05 else "", waiting=waiting and p is None)


def number(value: float | None, note: str = "", style: str = "") -> Cell:
    """Make a cell of a threshold or a reward."""
    return Cell(value, Kind.REWARD, note=note, style=style)


_LONG = 30
"""Characters of a text that may take several lines."""


def table_of(frame: pl.DataFrame, title: str, without: Sequence[str] = (), labels: int = 1) -> Table:
    """Make a table of the rows of a frame, less some columns and those that say nothing."""
    kept = frame.select(name for name in frame.columns if name not in without)
    rows = [[Cell(shown(value)) for value in row] for row in kept.iter_rows()]
    longest = [max((len(str(row[at].value or "")) for row in rows), default=0) for at in range(kept.width)]
    columns = [
        Column(name.replace("_", " "), wraps=at >= labels and longest[at] > _LONG)
        for at, name in enumerate(kept.columns)
    ]
    return table(title, columns, rows, labels)
