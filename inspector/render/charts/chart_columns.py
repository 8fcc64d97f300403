"""Charts in table columns: intervals on a shared axis, bars, differences around zero, heat levels."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from inspector.render.cells import with_minus
from inspector.render.charts.axes import column_of, numbers_row, round_values
from inspector.render.charts.glyphs import Glyphs
from inspector.render.lines import GAP
from inspector.render.table_blocks import Cell, CellChart, Column, Kind, Table
from inspector.render.texts.text import number

LEAST = {CellChart.FOREST: 16, CellChart.DIFFERENCE: 13, CellChart.BAR: 8}
"""Least width of each chart, in cells."""
MOST = {CellChart.FOREST: 40, CellChart.DIFFERENCE: 48, CellChart.BAR: 24}
DRAWN = frozenset(LEAST)
"""Charts that are drawn next to the value; heat colours its background."""
LEVELS = 5
_LEAST_SPAN = 0.001
"""Values that are closer to each other count as equal."""
NOTHING = 0.01
"""Least extent of an axis of differences on either side of zero."""
_EIGHTHS = " ▏▎▍▌▋▊▉"
_PERCENT = frozenset({Kind.SHARE, Kind.POINTS})


class ChartAxis(Struct, frozen=True):
    """Both ends of a chart's axis, and the values written along it."""

    low: float
    high: float
    marks: tuple[float, ...] = ()

    def column(self, value: float, width: int) -> int:
        """Return the column (0-based) of a value among `width` columns, clipped to the ends."""
        return column_of(min(self.high, max(self.low, value)), self.low, self.high, width)

    def share(self, value: float) -> float:
        """Return the position of a value between the ends, from 0 to 1."""
        return min(1.0, max(0.0, (value - self.low) / ((self.high - self.low) or 1.0)))


def axis_of(cells: Sequence[Cell], chart: CellChart) -> ChartAxis:
    """Return the shared axis of all cells of a column.

    Bars of shares run from 0 to 1, and differences have 0 in the middle. Other axes end at round numbers; the end
    closest to zero is zero.
    """
    if chart is CellChart.BAR and all(cell.kind is Kind.SHARE for cell in cells):
        return ChartAxis(0.0, 1.0, (0.0, 0.5, 1.0))
    values = [
        float(end) for cell in cells for end in (cell.value, cell.low, cell.high) if isinstance(end, (int, float))
    ]
    low, high = min(values, default=0.0), max(values, default=0.0)
    if chart is CellChart.DIFFERENCE:
        high = max(abs(low), abs(high), NOTHING)
        low = -high
    elif chart is CellChart.BAR or (low >= 0 and (not high or low < 0.6 * high)):
        low, high = min(0.0, low), max(0.0, high)
    if high - low < _LEAST_SPAN:
        # On an axis of their own, equal values would look like the lowest.
        if all(cell.kind is Kind.SHARE for cell in cells):
            return ChartAxis(0.0, 1.0, (0.0, 0.5, 1.0))
        low, high = min(0.0, low), max(0.0, high)
        high = high if high > low else 1.0
    marks = round_values(low, high, 4)
    if len(marks) > 1:
        step = marks[1] - marks[0]
        if marks[0] > low + 1e-9:
            marks = [marks[0] - step, *marks]
        if marks[-1] < high - 1e-9:
            marks = [*marks, marks[-1] + step]
        low, high = marks[0], marks[-1]
    return ChartAxis(low, high, tuple(marks))


def forest_text(cell: Cell, axis: ChartAxis, width: int, glyphs: Glyphs) -> str:
    """Draw a value and its interval, `├──●─┤`, in `width` cells; "" without a value.

    An axis that crosses zero has a line at zero.
    """
    if not isinstance(cell.value, (int, float)):
        return ""
    line, left, right, point, zero = "-||o:" if glyphs.ascii_only else "─├┤●┊"
    cells = [" "] * width
    if axis.low < 0 < axis.high:
        cells[axis.column(0.0, width)] = zero
    if cell.low is not None and cell.high is not None:
        start, end = axis.column(cell.low, width), axis.column(cell.high, width)
        cells[start : end + 1] = line * (end - start + 1)
        cells[start], cells[end] = left, right
    cells[axis.column(float(cell.value), width)] = point
    return "".join(cells)


def bar_text(value: float | None, axis: ChartAxis, width: int, glyphs: Glyphs) -> str:
    """Draw a bar from the lower end of the axis to a value, in eighths of a cell; "" without a value."""
    if value is None:
        return ""
    if glyphs.ascii_only:
        full = round(axis.share(value) * width)
        return "#" * full + "." * (width - full)
    full, rest = divmod(round(axis.share(value) * width * 8), 8)
    part = _EIGHTHS[rest] if rest else ""
    return "█" * full + part + "░" * (width - full - len(part))


def axis_text(axis: ChartAxis, width: int, kind: Kind) -> str:
    """Write the numbers along an axis: all, or each second or third one if they do not fit. Zero is one of them."""
    signed = "+" if kind is Kind.POINTS else ""
    marks = [round(100 * mark if kind in _PERCENT else mark, 6) for mark in axis.marks]
    # As many digits as tell every mark exactly, up to two.
    digits = next((digits for digits in (0, 1) if all(round(mark, digits) == mark for mark in marks)), 2)

    def word(mark: float) -> str:
        return with_minus(number(mark, digits, 6, signed if mark > 0 else ""))

    places = [(axis.column(at, width), word(mark)) for at, mark in zip(axis.marks, marks, strict=True)]
    origin = marks.index(0) if 0 in marks else 0
    for step in range(1, len(places)):
        listed = places[origin % step :: step]
        row = "".join(piece.text for piece in numbers_row(listed, width, 0))
        if len(row.split()) == len(listed):
            return row
    return "".join(piece.text for piece in numbers_row(places, width, 0)) if places else ""


def heat_style(value: float, axis: ChartAxis) -> str:
    """Return the style of a value's level."""
    return f"heat-{min(LEVELS, 1 + int(axis.share(value) * LEVELS))}"


def with_charts(table: Table, room: int, glyphs: Glyphs) -> Table:
    """Return the table with drawings: a column with a chart loses its intervals and gets a column of drawings.

    Args:
        table: with columns that have charts.
        room: cells for all drawings and the gaps before them; drawings that do not fit are left out.
        glyphs: whether only ASCII is used.
    """
    widths = _widths(table.columns, room)
    foot: list[Cell] = []
    columns: list[Column] = []
    rows: list[list[Cell]] = [[] for _ in table.rows]
    for at, column in enumerate(table.columns):
        cells = [row[at] for row in table.rows]
        if column.chart is CellChart.HEAT:
            cells = _heated(cells)
        if at in widths and column.chart is not None:
            heads, drawings = _drawn(column, column.chart, cells, widths[at], glyphs)
            columns += heads
            foot += [Cell(""), Cell("")]
            if any(column.ends):
                axis = axis_of(cells, column.chart)
                columns[-1] = replace(heads[-1], title=_between(column.ends, axis, widths[at]))
                foot[-1] = Cell(axis_text(axis, widths[at], _kind(cells)), style="dim")
        else:
            # If other columns are drawn, intervals of this column do not fit either.
            bare = bool(widths) and column.chart in {CellChart.FOREST, CellChart.DIFFERENCE}
            columns.append(column)
            foot.append(Cell(""))
            drawings = [[replace(cell, low=None, high=None) if bare else cell] for cell in cells]
        for row, made in zip(rows, drawings, strict=True):
            row.extend(made)
    if any(cell.value for cell in foot):
        rows.append(foot)
    return replace(table, columns=tuple(columns), rows=tuple(map(tuple, rows)))


def _between(ends: tuple[str, str], axis: ChartAxis, width: int) -> str:
    """Write what is better at each end of an axis, with zero between them."""
    left, right = ends
    zero, line = axis.column(0.0, width), [" "] * width
    if len(left) < zero and len(right) < width - zero:
        line[: len(left)], line[width - len(right) :] = left, right
    line[zero] = "0"
    return "".join(line)


def _kind(cells: Sequence[Cell]) -> Kind:
    return next((cell.kind for cell in cells if cell.kind is not Kind.TEXT), Kind.SHARE)


def _drawn(
    column: Column, chart: CellChart, cells: Sequence[Cell], width: int, glyphs: Glyphs
) -> tuple[list[Column], list[list[Cell]]]:
    """Split a column in two: bars precede their values, intervals follow them under the numbers of the axis."""
    axis = axis_of(cells, chart)
    if chart is CellChart.BAR:
        heads = [replace(column, right=False), Column("", column.rank, right=True)]
        return heads, [
            [Cell(bar_text(_number(cell), axis, width, glyphs), style="dim" if cell.small else ""), cell]
            for cell in cells
        ]
    kind = _kind(cells)
    heads = [column, Column(axis_text(axis, width, kind), column.rank, right=False)]
    return heads, [
        [
            replace(cell, low=None, high=None),
            Cell(forest_text(cell, axis, width, glyphs), style="dim" if cell.small else ""),
        ]
        for cell in cells
    ]


def _heated(cells: Sequence[Cell]) -> list[Cell]:
    axis = axis_of(cells, CellChart.HEAT)
    return [
        cell
        if (value := _number(cell)) is None or cell.small
        else replace(cell, style=f"{cell.style} {heat_style(value, axis)}".strip())
        for cell in cells
    ]


def _number(cell: Cell) -> float | None:
    return float(cell.value) if isinstance(cell.value, (int, float)) else None


def _widths(columns: Sequence[Column], room: int) -> dict[int, int]:
    """Return the width of each drawing by column index; narrow tables drop bars first."""
    drawn = [(at, column.chart) for at, column in enumerate(columns) if column.chart is not None]
    drawn = [(at, chart) for at, chart in drawn if chart in DRAWN]
    while drawn and sum(LEAST[chart] + GAP for _, chart in drawn) > room:
        bars = [pair for pair in drawn if pair[1] is CellChart.BAR]
        drawn.remove(bars[-1] if bars else drawn[-1])
    spare = room - sum(LEAST[chart] + GAP for _, chart in drawn)
    widths = {}
    for place, (at, chart) in enumerate(drawn):
        extra = min(MOST[chart] - LEAST[chart], spare // (len(drawn) - place))
        spare -= extra
        widths[at] = LEAST[chart] + extra
    return widths
