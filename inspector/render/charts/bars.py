"""Horizontal bars: a value with its interval as a whisker, its figure and its n."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from inspector.render.cells import dash
from inspector.render.charts.chart_marks import ChartMark, Form, count_text, figure, interval_text, unit_words
from inspector.render.charts.glyphs import Glyphs
from inspector.render.charts.legends import legend, name_lines, padded, row_of, whole_width
from inspector.render.lines import Piece, PieceRow
from scoring.metrics.resampling import SMALL

LEAST = 10
"""Cells of a bar for which the interval in figures makes room."""


class Bar(Struct, frozen=True):
    """A named value, and the name of the style that it is drawn in."""

    name: str
    mark: ChartMark
    style: str = "exact"


def bars(
    entries: Sequence[Bar],
    width: int,
    glyphs: Glyphs,
    *,
    form: Form = "percent",
    span: tuple[float, float] | None = None,
    counted: str = "cases",
) -> list[PieceRow]:
    """Draw bars in at most `width` cells (40 at least), each beside its name and figures, with a legend.

    A bar goes from zero, or from the end of the span that is nearest to it, to its value. Its figure opens its cases.

    Args:
        entries: what is shown, from top to bottom.
        width: cells of a line.
        glyphs: whether only ASCII is used.
        form: how figures are written.
        span: the values at both ends of the room for bars; None = all values and intervals, and zero.
        counted: what n counts, in words.
    """
    if not entries:
        return legend([(Piece(""), "There is nothing to draw.")], width)
    low, high = span if span is not None else _span(entries)
    stub = min(max(whole_width(entry.name) for entry in entries), max(8, width // 3))
    for intervals in (True, False):
        figures = [_figures(entry.mark, form, glyphs, intervals=intervals) for entry in entries]
        sizes = [max(map(len, column)) for column in zip(*figures, strict=True)]
        figure_texts = [" ".join(padded(text, size, right=True) for text, size in zip(line, sizes, strict=True) if size)
                for line in figures]  # fmt: skip
        room = width - stub - 2 - max(map(len, figure_texts))
        if room >= LEAST:
            break
    lines: list[PieceRow] = []
    for entry, text in zip(entries, figure_texts, strict=True):
        first, *others = name_lines(entry.name, stub)
        dim = entry.mark.small or entry.mark.known is None
        drawn = _bar(entry, low, high, max(1, room), glyphs)
        number = Piece(text, "dim" if dim else "", entry.mark.drill)
        lines.append(row_of((Piece(padded(first, stub) + " "), number, Piece(" "), *drawn)))
        lines += [(Piece(line),) for line in others]
    return [*lines, *_legend(entries, width, glyphs, form, (low, high), counted)]


def _span(entries: Sequence[Bar]) -> tuple[float, float]:
    values = [0.0]
    for entry in entries:
        values += [entry.mark.known] if entry.mark.known is not None else []
        values += entry.mark.interval or ()
    low, high = min(values), max(values)
    return (low, high) if high > low else (0.0, 1.0)


def _figures(mark: ChartMark, form: Form, glyphs: Glyphs, *, intervals: bool) -> tuple[str, str, str]:
    value = mark.known
    within = interval_text(mark.interval, form) if intervals and mark.interval and value is not None else ""
    count = count_text(mark)
    # A mark of few cases hangs over, so that counts stand under each other.
    return (
        dash(ascii_only=glyphs.ascii_only) if value is None else figure(value, form),
        within,
        count if mark.small else f"{count} ",
    )


def _bar(entry: Bar, low: float, high: float, width: int, glyphs: Glyphs) -> Iterator[Piece]:
    value = entry.mark.known
    if value is None:
        return
    span = (high - low) or 1.0

    def at(number: float) -> int:
        return min(width - 1, max(0, int((min(high, max(low, number)) - low) / span * width)))

    origin = at(0.0)
    cells = [(" ", "")] * width
    for column in range(min(origin, at(value)), max(origin, at(value)) + (value != 0)):
        cells[column] = ("#" if glyphs.ascii_only else "█", entry.style)
    if low < 0 < high:
        cells[origin] = ("|" if glyphs.ascii_only else "│", "dim")
    if entry.mark.interval is not None:
        start, end = (at(limit) for limit in entry.mark.interval)
        line, left, right, point = "-[]+" if glyphs.ascii_only else "─├┤┼"
        for column in range(start, end + 1):
            cells[column] = (line, "strong")
        cells[start], cells[end] = (left, "strong"), (right, "strong")
        cells[at(value)] = (point, "strong")
    yield from (Piece(text, style) for text, style in cells)


def _legend(
    entries: Sequence[Bar], width: int, glyphs: Glyphs, form: Form, span: tuple[float, float], counted: str
) -> Iterator[PieceRow]:
    words = [f"Bars from {figure(span[0], form)} to {figure(span[1], form)}, {unit_words(form)}, n = {counted}"]
    whisker = "[+]" if glyphs.ascii_only else "├┼┤"
    words += [f"{whisker} the 95% interval and the value"] if any(entry.mark.interval for entry in entries) else []
    words += [f"~ fewer than {SMALL} {counted}"] if any(entry.mark.small for entry in entries) else []
    undefined = any(entry.mark.known is None for entry in entries)
    words += [f"{dash(ascii_only=glyphs.ascii_only)} no value: no {counted}, or undefined on them"] if undefined else []
    yield from legend([(Piece(""), word) for word in words], width)
