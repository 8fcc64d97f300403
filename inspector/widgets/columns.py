"""What the columns of a frame table are, how they share a width, and how a value becomes the text of a cell."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Protocol, Self

from msgspec import Struct
from msgspec.structs import replace
from rich.cells import cell_len

from inspector.render.texts.short_names import short_name
from inspector.render.texts.text import TextPart, cell, clean, number

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray


Paint = Callable[[Any, int], Sequence[TextPart]]
"""(value, width in cells) -> the parts of one cell. The value is a tuple if the column has several sources."""

MARGIN = 1
GAP = 1
CELLS_KEPT = 4096
WIDEST = 200
"""Cells that a person can give a column."""
LEAST_OWNER = 4
"""Cells in which something of a name can be told."""


SPARE = 5
"""From this `TableColumn.leave` on a column has to give way before others are narrowed."""


class TableColumn(Struct, frozen=True):
    """A column on screen, made of one or more columns of the frame.

    Values without a `paint` are shown as text: floats with `decimals` digits, numbers at the right, null as a dash.
    A `paint` gets null as None, and must depend on nothing but its arguments: a cell is painted again only when its
    value, its width or the columns change. What it returns is cleaned, cut and padded to the width.
    """

    name: str
    title: str
    """It is shortened beside the other titles where the column is narrower."""
    width: int
    """Cells; of a flexible column, the least."""
    right: bool = False
    paint: Paint | None = None
    flex: int = 0
    """Share of the width that is left over."""
    source: str | tuple[str, ...] = ""
    """The columns of the frame: "" is the one called `name`; several hand `paint` a tuple of their values."""
    style: str = ""
    """Style names of values without a `paint`."""
    decimals: int = 3
    least: int = 0
    """Cells to which it may be narrowed where all would not fit otherwise; 0: no fewer than `width`."""
    leave: int = 0
    """Columns with the highest number are left out first where not all fit; one with 0 never is.

    Those with SPARE or more go before any other is narrowed.
    """
    start: bool = False
    """Whether a cell cursor appears here first."""
    most: int = 0
    """Cells at most of a flexible column; 0: as many as there are."""
    of: str = ""
    """Whose values these are: a name that stands behind the title, shortened beside those of the others."""
    heading: Callable[[int], str] | None = None
    """Returns the heading for a width in cells, in place of the title, such as the numbers of an axis."""

    @property
    def sources(self) -> tuple[str, ...]:
        """The names of its columns in the frame."""
        if isinstance(self.source, tuple):
            return self.source
        return (self.source or self.name,)

    def at_right(self, dtype: "pl.DataType") -> bool:
        """Return whether its cells are aligned to the right: where it says so, and where numbers are shown as text.

        `dtype` is that of its first source.
        """
        return self.right or (self.paint is None and dtype.is_numeric())

    def parts(self, value: Any, width: int, *, right: bool, null: str) -> Sequence[TextPart]:
        """Return the cell of a value: parts of exactly `width` cells together. `null` is the text of a missing one."""
        if self.paint is not None:
            return fit_parts(self.paint(value, width), width, right=right)
        if value is None:
            return ((cell(null, width, right=right), f"{self.style} dim"),)
        text = number(value, self.decimals, width) if isinstance(value, float) else self.text(value)
        return ((cell(text, width, right=right), self.style),)

    def text(self, value: Any) -> str:
        """Return a value as text, not yet cleaned or cut."""
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, float):
            return f"{value:.{self.decimals}f}"
        return str(value)


TableRow = tuple[Any, ...]


class RowSource(Protocol):
    """Columns whose cells may be made only when their rows are on screen.

    Row ids are 0-based; `get_column` and `rows` raise polars' ColumnNotFoundError for a column that is not there.
    """

    @property
    def schema(self) -> "Mapping[str, pl.DataType]":
        """Names and dtypes of the columns."""

    def get_column(self, name: str) -> "pl.Series":
        """Return one whole column: the one that says which row is which is asked for so."""

    def rows(self, names: "Sequence[str]", ids: "NDArray[np.int32]") -> list[TableRow]:
        """Return the values of some columns in the rows with these ids, in their order."""


@dataclass(frozen=True)
class FittedColumns:
    """Columns side by side in a width: a margin of one cell, then cells with gaps of one between them."""

    columns: tuple[TableColumn, ...]
    dtypes: tuple["pl.DataType", ...]
    """Of the frame's columns called `sources`."""
    available: int
    """Cells to share, the margin included. Columns that are never left out may need more and go beyond it."""
    sources: tuple[str, ...] = field(init=False)
    """The frame's columns they need, each once: the order of the values in a row."""
    shown: tuple[TableColumn, ...] = field(init=False)
    """The columns for which there is room."""
    widths: tuple[int, ...] = field(init=False)
    """Cells of each column shown."""
    titles: tuple[str, ...] = field(init=False)
    """Their titles, as they stand above them."""
    _right: tuple[bool, ...] = field(init=False, repr=False)
    _pick: tuple[Callable[[tuple[Any, ...]], Any], ...] = field(init=False, compare=False, repr=False)
    _cells: dict[Hashable, Sequence[TextPart]] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        sources = needed_sources(self.columns)
        visible = fitting(self.columns, self.available - MARGIN)
        picks = (itemgetter(*map(sources.index, column.sources)) for column in visible)
        right = (column.at_right(self.dtypes[sources.index(column.sources[0])]) for column in visible)
        widths = fit_widths(visible, self.available - MARGIN)
        object.__setattr__(self, "sources", sources)
        object.__setattr__(self, "shown", visible)
        object.__setattr__(self, "widths", widths)
        object.__setattr__(self, "titles", tuple(_titles(visible, widths)))
        object.__setattr__(self, "_right", tuple(right))
        object.__setattr__(self, "_pick", tuple(picks))
        object.__setattr__(self, "_cells", {})

    @classmethod
    def of(cls, columns: Sequence[TableColumn], frame: "pl.DataFrame | RowSource", available: int) -> Self:
        """Make the columns for a frame or another source. Raises polars' ColumnNotFoundError if it lacks one."""
        schema = frame.schema
        # Of a column that is not there the source itself says so.
        dtypes = (schema[name] if name in schema else frame.get_column(name).dtype for name in needed_sources(columns))
        return cls(tuple(columns), tuple(dtypes), available)

    @property
    def width(self) -> int:
        """Cells that they take, the margin included."""
        return MARGIN + sum(self.widths) + GAP * max(0, len(self.widths) - 1)

    def header(self, sorted_by: str = "", mark: str = "") -> str:
        """Return the line of titles; `mark` stands before that of the column called `sorted_by`."""
        line = ""
        for column, title, width, right in zip(self.shown, self.titles, self.widths, self._right, strict=True):
            before = mark if column.name == sorted_by else ""
            marked = f"{before} {title}" if before and right else title
            # In the gap, where there is no room beside the title, it may look like that of the column before.
            inside = not before or (right and cell_len(marked) <= width)
            line += " " * GAP if inside else cell(before, GAP)
            line += cell(marked if inside else title, width, right=right)
        return line or " " * MARGIN

    def row(self, values: tuple[Any, ...], *, margin: str, null: str, cell_at: int | None = None) -> list[TextPart]:
        """Return the line of a row's values, in the order of `sources`; `margin` is the text before it.

        The column numbered `cell_at` stands in brackets, in the gaps beside it: a cell cursor that needs no colour.
        """
        parts: list[TextPart] = [(cell(margin, MARGIN), "")]
        for index, pick in enumerate(self._pick):
            if index == cell_at and index:
                parts[-1] = ("[", "strong")
            parts.extend(self._cell(index, pick(values), null))
            parts.append(("]", "strong") if index == cell_at else (" " * GAP, ""))
        return parts[:-1] if self.shown and cell_at != len(self.shown) - 1 else parts

    def value(self, values: tuple[Any, ...], index: int) -> Any:
        """Return the value of one of the columns shown, of a row's values; a tuple if it has several sources."""
        return self._pick[index](values)

    def extent(self, index: int) -> tuple[int, int]:
        """Return the first cell of a column shown, with the gap before it, and one past the gap behind it."""
        start = MARGIN + sum(self.widths[:index]) + GAP * index
        return start - 1, start + self.widths[index] + GAP

    def _cell(self, index: int, value: Any, null: str) -> Sequence[TextPart]:
        """The parts of a cell, remembered: when a threshold moves, most cells of a row stay as they were."""
        key = (index, type(value), _frozen(value), null)
        known = self._cells.get(key)
        if known is None:
            if len(self._cells) >= CELLS_KEPT:
                self._cells.clear()
            column = self.shown[index]
            known = column.parts(value, self.widths[index], right=self._right[index], null=null)
            self._cells[key] = known
        return known

    def edge_at(self, x: int) -> int | None:
        """Return the place of the column whose right edge, the gap behind it, is at a cell (0-based) of the line."""
        ends = accumulate((width + GAP for width in self.widths), initial=MARGIN - GAP)
        return next((place for place, end in enumerate(islice(ends, 1, None)) if end == x), None)

    def at(self, x: int) -> TableColumn | None:
        """Return the column at a cell (0-based) of the line; a gap belongs to the column before it."""
        end = MARGIN
        for column, width in zip(self.shown, self.widths, strict=True):
            end += width + GAP
            if MARGIN <= x < end:
                return column
        return None


def _titles(columns: Sequence[TableColumn], widths: Sequence[int]) -> Iterator[str]:
    titles = [column.title for column in columns if not column.of and column.heading is None]
    owners = {column.of for column in columns if column.of}
    for column, width in zip(columns, widths, strict=True):
        room = width - cell_len(column.title) - 1
        if column.heading is not None:
            yield column.heading(width)
        elif not column.of:
            yield short_name(column.title, width, titles)
        elif room < LEAST_OWNER:
            yield short_name(f"{column.title} {column.of}", width)
        else:
            yield f"{clean(column.title)} {short_name(column.of, room, owners)}"


def _frozen(value: Any) -> Hashable:
    """A value of a frame as a key: lists, also those within, as tuples."""
    if isinstance(value, (list, tuple)):
        return tuple(map(_frozen, value))
    return value if isinstance(value, Hashable) else repr(value)


def with_widths(columns: Sequence[TableColumn], widths: Mapping[str, int]) -> tuple[TableColumn, ...]:
    """Return the columns, those in `widths` with that many cells: no more where there is room, no fewer without."""
    return tuple(
        replace(column, width=max(1, min(widths[column.name], WIDEST)), flex=0, least=0, leave=0)
        if column.name in widths
        else column
        for column in columns
    )


def needed_sources(columns: Sequence[TableColumn]) -> tuple[str, ...]:
    """Return the columns of a frame that these columns show, each once."""
    return tuple(dict.fromkeys(name for column in columns for name in column.sources))


def fitting(columns: Sequence[TableColumn], available: int) -> tuple[TableColumn, ...]:
    """Return the columns for which there is room, some perhaps narrowed; others are left out whole.

    Before the first size is known (`available` below 1) all of them.
    """
    visible = list(columns)
    while available > 0 and any(column.leave for column in visible):
        narrowed = all(column.leave < SPARE for column in visible)
        if _excess(visible, available, narrowed=narrowed) <= 0:
            break
        # Of two with the same number the one at the right goes.
        visible.reverse()
        visible.remove(max(visible, key=lambda column: column.leave))
        visible.reverse()
    return tuple(visible)


def _excess(columns: Sequence[TableColumn], available: int, *, narrowed: bool = False) -> int:
    """Cells that the columns need beyond `available`; negative where there is room to spare."""
    widths = ((column.least if narrowed else 0) or column.width for column in columns)
    return sum(widths) + GAP * (len(columns) - 1) - available


def fit_widths(columns: Sequence[TableColumn], available: int) -> tuple[int, ...]:
    """Return widths in cells: flexible columns share what `available` leaves after the gaps and their own widths.

    Where it is too little and narrowing is enough, those that may be narrowed are, the last ones first.
    """
    excess = _excess(columns, available)
    if excess > 0 >= _excess(columns, available, narrowed=True):
        narrowed = []
        for column in reversed(columns):
            less = min(excess, column.width - (column.least or column.width))
            narrowed.append(column.width - less)
            excess -= less
        return tuple(reversed(narrowed))
    extra = _shared_out(columns, max(0, -excess))
    return tuple(column.width + extra.get(place, 0) for place, column in enumerate(columns))


def _shared_out(columns: Sequence[TableColumn], spare: int) -> dict[int, int]:
    """What each flexible column gets of the cells to spare; what one has no use for goes to the others."""
    extra: dict[int, int] = {}
    while True:
        wanting = [at for at, column in enumerate(columns) if column.flex and at not in extra]
        left, shares, granted = spare - sum(extra.values()), sum(columns[at].flex for at in wanting), {}
        for at in wanting:
            granted[at] = left * columns[at].flex // shares
            left -= granted[at]
            shares -= columns[at].flex
        room = {at: max(0, columns[at].most - columns[at].width) for at in wanting if columns[at].most}
        full = {at: cells for at, cells in room.items() if granted[at] > cells}
        if not full:
            return {**extra, **granted}
        extra |= full


def fit_parts(parts: Sequence[TextPart], width: int, *, right: bool = False) -> list[TextPart]:
    """Clean parts, and cut and pad them to exactly `width` cells together."""
    fitted: list[TextPart] = []
    left = width
    for text, names in parts:
        cleaned = clean(text)
        length = cell_len(cleaned)
        if length > left:
            fitted.append((cell(cleaned, left), names))
            return fitted
        fitted.append((cleaned, names))
        left -= length
    fitted.insert(0 if right else len(fitted), (" " * left, ""))
    return fitted
