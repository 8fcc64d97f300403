"""Tables for people: on a terminal they keep to its width, in a pipe they are as wide as they need."""

import sys
from collections.abc import Iterator, Sequence

import polars as pl
from rich import box
from rich.cells import cell_len
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from inspector.shell.page import print_page, width_of
from inspector.text import clean, squeezed
from scoring.export import shown

NAMES = ("scorer", "other", "any so far", "case")
"""Columns whose cells may lose their middle where there is no room."""
KEYS = (
    *NAMES,
    "benchmark",
    "subset",
    "group",
    "statistic",
    "kind",
    "metric",
    "cases",
    "aggregation",
    "of",
    "about",
    "people",
    "who",
)
"""Columns that say what a row is about: they stand in front of every part of a table that is too wide for one."""
NARROWEST = 18
"""Cells that a name keeps."""
_GAP = 3


PIPED = 10_000
"""Cells of a line where there is no terminal."""


def print_table(frame: pl.DataFrame, *, pager: bool = False) -> None:
    """Print the rows as a table."""
    print_page(table_lines(frame), width_of(PIPED) if sys.stdout.isatty() else PIPED, pager=pager)


def table_lines(frame: pl.DataFrame) -> Iterator[RenderableType]:
    """Give the rows as a table.

    On a terminal, a benchmark that all rows are of stands above; names give way first, and what is still too wide
    becomes several tables, one below the other, each with the columns that say what its rows are about.
    """
    empty = [name for name in frame.columns if frame[name].null_count() == frame.height]
    frame = frame.drop(empty) if frame.height else frame
    parts = [frame]
    if sys.stdout.isatty():
        if "benchmark" in frame.columns[:-1] and frame["benchmark"].n_unique() == 1:
            yield Text(clean(str(frame["benchmark"][0])))
            frame = frame.drop("benchmark")
        parts = list(fitting(frame, width_of(PIPED)))
    for number, part in enumerate(parts):
        if number:
            yield Text()
        yield _table(part)


def fitting(frame: pl.DataFrame, width: int) -> Iterator[pl.DataFrame]:
    """The table in parts of at most `width` cells, where columns allow it."""
    cells = pl.DataFrame({column.name: pl.Series(list(map(_cell, column)), dtype=pl.String) for column in frame})
    lacking = _width(cells, cells.columns) - width
    for name in NAMES:
        if lacking > 0 and name in cells.columns:
            room = max(NARROWEST, _widest(cells, name) - lacking)
            lacking -= max(0, _widest(cells, name) - room)
            short = [squeezed(text, room) for text in cells[name]]
            frame = frame.with_columns(pl.Series(name, short, dtype=pl.String))
            cells = cells.with_columns(pl.Series(name, short, dtype=pl.String))
    leading = next((at for at, name in enumerate(cells.columns) if name not in KEYS), len(cells.columns))
    keys, others = cells.columns[:leading], cells.columns[leading:]
    part: list[str] = []
    for name in others:
        if part and _width(cells, [*keys, *part, name]) > width:
            yield _with_something(frame.select(*keys, *part), part)
            part = []
        part.append(name)
    whole = part == others
    yield frame if whole else _with_something(frame.select(*keys, *part), part)


def _with_something(frame: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """The rows that say something in one of the columns."""
    something = [any(shown(value) for value in row) for row in frame.select(names).iter_rows()]
    return frame.filter(pl.Series(something, dtype=pl.Boolean))


def _width(cells: pl.DataFrame, names: Sequence[str]) -> int:
    return sum(_widest(cells, name) for name in names) + _GAP * (len(names) - 1)


def _widest(cells: pl.DataFrame, name: str) -> int:
    lines = [line for text in (name, *cells[name]) for line in text.splitlines()]
    return max(map(cell_len, lines), default=0)


def _cell(value: object) -> str:
    return clean(shown(value), lines=True)


def _table(frame: pl.DataFrame) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name, dtype in frame.schema.items():
        table.add_column(Text(clean(name)), justify="right" if dtype.is_numeric() else "left", overflow="fold")
    for row in frame.iter_rows():
        table.add_row(*(Text(_cell(value)) for value in row))
    return table
