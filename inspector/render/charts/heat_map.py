"""A heat-map: rows by columns of figures, each with its n, a glyph for its level and a colour besides."""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from rich.cells import cell_len

from inspector.render.cells import dash
from inspector.render.charts.chart_marks import ChartMark, Form, count_text, figure, interval_text, unit_words
from inspector.render.charts.glyphs import Glyphs
from inspector.render.charts.legends import legend, longest_word, name_lines, padded, row_of, whole_width
from inspector.render.lines import Piece, PieceRow
from scoring.metrics.resampling import SMALL

LEVELS = 5
GAP = 1
WIDEST_WORD = 18
"""A column is never wider than this for the sake of a word in its name."""
TALLEST = 4
"""Lines of a column's name beyond which all have numbers, which the legend explains."""
_SHADES = {False: "·░▒▓█", True: ".:+*#"}
_ARROWS = {False: ("▼", "▾", "·", "▴", "▲"), True: ("<<", "<", ".", ">", ">>")}
_SIGNED_STYLES = ("heat-low-2", "heat-low-1", "heat-1", "heat-3", "heat-5")

HeatCells = Sequence[Sequence[ChartMark | None]]


class ColourScale(Struct, frozen=True):
    """From which value to which the levels go; `signed` says that the middle one is no difference."""

    low: float
    high: float
    signed: bool

    def level(self, value: float) -> int:
        """Return the level of a value, 0-based, of LEVELS."""
        width = self.high - self.low
        return min(LEVELS - 1, max(0, int((value - self.low) / width * LEVELS))) if width > 0 else LEVELS // 2

    def glyph(self, level: int, glyphs: Glyphs) -> str:
        """Return what stands for a level beside the figure."""
        return _ARROWS[glyphs.ascii_only][level] if self.signed else _SHADES[glyphs.ascii_only][level]

    def style(self, level: int) -> str:
        """Return the name of a level's style."""
        return _SIGNED_STYLES[level] if self.signed else f"heat-{level + 1}"


def heat_map(
    rows: Sequence[str],
    columns: Sequence[str],
    cells: HeatCells,
    width: int,
    glyphs: Glyphs,
    *,
    form: Form = "percent",
    counted: str = "cases",
) -> list[PieceRow]:
    """Draw the map in at most `width` cells (40 at least), with its legend.

    Columns that do not fit continue in a further block beneath. A cell without a value, or None, is a dash; one of
    fewer than 20 is dim, has no colour and is marked `~`. Levels go from the lowest value of all cells to the highest.

    Args:
        rows: their names, shown whole.
        columns: theirs.
        cells: (rows, columns) marks; their values are shares, or differences of shares.
        width: cells of a line.
        glyphs: whether only ASCII is used.
        form: how figures are written; `difference` has signed levels, with none in the middle.
        counted: what n counts, in words.
    """
    if not rows or not columns:
        return legend([(Piece(""), "There is nothing to lay out: no rows or no columns.")], width)
    levels = _scale(cells, form)
    stub = min(max(map(whole_width, rows)), max(8, width // 3))
    texts, with_intervals, size = _texts(columns, cells, width - stub - GAP, glyphs, form, levels)
    numbered = any(len(name_lines(name, size)) > TALLEST for name in columns)
    heads = [f"({at + 1})" for at in range(len(columns))] if numbered else list(columns)
    per_block = max(1, (width - stub) // (size + GAP))
    lines: list[PieceRow] = []
    for start in range(0, len(columns), per_block):
        here = range(start, min(len(columns), start + per_block))
        lines += [()] if start else []
        lines += _head([heads[at] for at in here], stub, size)
        for number, name in enumerate(rows):
            pieces = [_cell(cells[number][at], texts[number][at], size, levels) for at in here]
            lines += _named(name, stub, pieces)
    if numbered:
        entries = [(Piece(head, "strong"), name) for head, name in zip(heads, columns, strict=True)]
        lines += [(), *(line for entry in entries for line in legend([entry], width, ""))]
    return [*lines, (), *_legend(cells, width, glyphs, form, levels, counted, intervals=with_intervals)]


def _scale(cells: HeatCells, form: Form) -> ColourScale:
    values = [mark.known for row in cells for mark in row if mark is not None]
    known = [value for value in values if value is not None]
    if form == "difference":
        most = max(map(abs, known), default=0.0)
        return ColourScale(-most, most, signed=True)
    return ColourScale(min(known, default=0.0), max(known, default=0.0), signed=False)


def _texts(
    columns: Sequence[str], cells: HeatCells, room: int, glyphs: Glyphs, form: Form, levels: ColourScale
) -> tuple[list[list[str]], bool, int]:
    """What stands in every cell, whether with intervals, and how wide a column is.

    Intervals stand there where all columns are beside each other nevertheless.
    """
    word = min(WIDEST_WORD, max(longest_word(name) for name in columns))
    marks = [mark for row in cells for mark in row if mark is not None]
    for intervals in (True, False) if any(mark.interval and mark.known is not None for mark in marks) else (False,):
        texts = [[_text(mark, glyphs, form, levels, intervals=intervals) for mark in row] for row in cells]
        widest = max(cell_len(text) for row in texts for text in row)
        # A word of a name may widen a column, not beyond the room.
        size = max(widest, min(word, room))
        if not intervals or len(columns) * (size + GAP) <= room + GAP:
            break
    return texts, intervals, size


def _text(mark: ChartMark | None, glyphs: Glyphs, form: Form, levels: ColourScale, *, intervals: bool) -> str:
    if mark is None:
        return dash(ascii_only=glyphs.ascii_only)
    wide = max(len(levels.glyph(level, glyphs)) for level in range(LEVELS))
    if mark.known is None:
        nothing = dash(ascii_only=glyphs.ascii_only)
        return f"{nothing:<{wide}} {nothing:>5} {count_text(mark)}".rstrip()
    glyph = levels.glyph(levels.level(mark.known), glyphs)
    within = f" {interval_text(mark.interval, form, short=True)}" if intervals and mark.interval else ""
    return f"{glyph:<{wide}} {figure(mark.known, form):>5}{mark.flag}{within} {count_text(mark)}".rstrip()


def _cell(mark: ChartMark | None, text: str, size: int, levels: ColourScale) -> Piece:
    if mark is None or mark.known is None or mark.small:
        return Piece(padded(text, size), "dim", None if mark is None else mark.drill)
    return Piece(padded(text, size), levels.style(levels.level(mark.known)), mark.drill)


def _head(names: Sequence[str], stub: int, size: int) -> Iterator[PieceRow]:
    """The names of columns, at the foot of as many lines as the tallest needs."""
    broken = [name_lines(name, size) for name in names]
    tallest = max(map(len, broken))
    for line in range(tallest):
        words = [lines[line - tallest] if tallest - line <= len(lines) else "" for lines in broken]
        pieces = (Piece(" " * GAP + padded(word, size), "strong") for word in words)
        yield row_of((Piece(" " * stub, "strong"), *pieces))


def _named(name: str, stub: int, cells: Sequence[Piece]) -> Iterator[PieceRow]:
    first, *others = name_lines(name, stub)
    pieces = [Piece(padded(first, stub))]
    for cell in cells:
        pieces += [Piece(" " * GAP), cell]
    yield row_of(pieces)
    yield from ((Piece(line),) for line in others)


def _legend(
    cells: HeatCells, width: int, glyphs: Glyphs, form: Form, levels: ColourScale, counted: str, *, intervals: bool
) -> Iterator[PieceRow]:
    marks = [mark for row in cells for mark in row]
    known = [mark for mark in marks if mark is not None and mark.known is not None]
    interval_words = " (95% interval)" if intervals else ""
    cell_words = (
        f"how many {counted}" if form == "count" else f"figure ({unit_words(form)}){interval_words}, n = {counted}"
    )
    yield from legend([(Piece(""), f"Cells: {cell_words}.")], width)
    if known:
        yield from legend(list(_level_entries(levels, glyphs, form)), width)
    few = [mark for mark in marks if mark is not None and mark.small]
    if few:
        where = ", or so few on a side" if any(mark.few for mark in few) else ""
        yield from legend([(Piece("~", "dim"), f"dim: fewer than {SMALL} {counted}{where}, without colour")], width)
    if len(known) < len(marks):
        yield from legend(
            [(Piece(dash(ascii_only=glyphs.ascii_only), "dim"), f"no value: no {counted}, or undefined on them")], width
        )


def _level_entries(levels: ColourScale, glyphs: Glyphs, form: Form) -> Iterator[tuple[Piece, str]]:
    step = (levels.high - levels.low) / LEVELS
    if not step:
        yield Piece(levels.glyph(LEVELS // 2, glyphs), levels.style(LEVELS // 2)), f"all {figure(levels.low, form)}"
        return
    for level in range(LEVELS):
        low, high = (figure(levels.low + step * (level + more), form) for more in (0, 1))
        yield Piece(levels.glyph(level, glyphs), levels.style(level)), f"{low} to {high}"
