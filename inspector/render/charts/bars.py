"""Horizontal bars: a value with its interval as a whisker, its figure and its n."""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from rich.cells import cell_len

from inspector.render.cells import dash, share
from inspector.render.charts.axes import (
    ChartMark,
    Form,
    count_text,
    figure,
    interval_text,
    legend,
    name_lines,
    padded,
    row_of,
    unit_words,
    whole_width,
)
from inspector.render.charts.glyphs import Glyphs
from inspector.render.lines import CaseLink, Piece, PieceRow
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


# -- upright columns side by side: how many of each, from left to right


_PARTS = {False: " ▁▂▃▄▅▆▇█", True: " ..oo####"}


class CountColumn(Struct, frozen=True):
    """A named count, the style that it is drawn in, and what it opens."""

    name: str
    count: int
    style: str = ""
    drill: CaseLink | None = None

    @property
    def size(self) -> int:
        """Cells that its name and its count need, with the one before them."""
        return max(cell_len(self.name), len(f"{self.count:,}")) + 1


def columns(entries: Sequence[CountColumn], width: int, height: int, glyphs: Glyphs) -> list[PieceRow]:
    """Draw the columns, all as wide as the widest, in `height` rows above their names and counts.

    As many as have room stand beside each other; what has none goes on in a further block beneath, on the same scale.
    Something is drawn for every count above 0.
    """
    if not entries:
        return legend([(Piece(""), "There is nothing to count.")], width)
    size = min(max(entry.size for entry in entries), max(2, width))
    size = min(max(size, width // len(entries)), max(size, 9))
    block = max(1, width // size)
    top = max(1, *(entry.count for entry in entries))
    lines: list[PieceRow] = []
    for start in range(0, len(entries), block):
        lines += [()] if start else []
        lines += _block(entries[start : start + block], size, height, top, glyphs)
    return lines


def _block(entries: Sequence[CountColumn], size: int, height: int, top: int, glyphs: Glyphs) -> Iterator[PieceRow]:
    eighths = [max(1, round(entry.count / top * height * 8)) if entry.count else 0 for entry in entries]
    for row in range(height):
        pieces = []
        for entry, filled in zip(entries, eighths, strict=True):
            here = min(8, max(0, filled - 8 * (height - 1 - row)))
            pieces += [Piece(" "), Piece(_PARTS[glyphs.ascii_only][here] * (size - 1), entry.style if here else "")]
        yield row_of(pieces)
    yield row_of(Piece(padded(entry.name, size, right=True), entry.style) for entry in entries)
    counts: list[Piece] = []
    for entry in entries:
        text = f"{entry.count:,}"
        counts += [
            Piece(" " * (size - len(text))),
            Piece(text, "" if entry.count else "dim", entry.drill if entry.count else None),
        ]
    yield row_of(counts)


# -- two bars a row on one scale: how many of each of two classes, in places that are named at the left


_FULL = {False: "█▓", True: "#="}


class BarPlace(Struct, frozen=True):
    """A named place with the counts of both classes, and what each opens."""

    name: str
    counts: tuple[int, int]
    drills: tuple[CaseLink | None, CaseLink | None] = (None, None)


def paired_bars(
    places: Sequence[BarPlace],
    classes: tuple[tuple[str, str], tuple[str, str]],
    width: int,
    glyphs: Glyphs,
    *,
    counted: str = "cases",
) -> list[PieceRow]:
    """Draw the bars in at most `width` cells (40 at least), each beside its count, with a legend.

    Their lengths are shares of the class, so that two classes of different size can be compared. Something is drawn for
    every count above 0.

    Args:
        places: from top to bottom.
        classes: word and style of each.
        width: cells of a line.
        glyphs: whether only ASCII is used.
        counted: what is counted, in words.
    """
    totals = [sum(place.counts[side] for place in places) for side in (0, 1)]
    if not places or not any(totals):
        return legend([(Piece(""), f"There is nothing to count: no {counted}.")], width)
    stub = min(max(whole_width(place.name) for place in places), max(8, width // 3))
    shares = [[place.counts[side] / (totals[side] or 1) for place in places] for side in (0, 1)]
    top = max(map(max, shares)) or 1.0
    sizes = [max(cell_len(classes[side][0]), *(len(f"{place.counts[side]:,}") for place in places)) for side in (0, 1)]
    room = max(2, (width - stub - sum(sizes) - 6) // 2)
    head = [Piece(" " * stub)]
    for side, (word, style) in enumerate(classes):
        head += [Piece("  " + padded(word, sizes[side], right=True), style), Piece(" " * (room + 1))]
    lines = [row_of(head)]
    for at, place in enumerate(places):
        first, *others = name_lines(place.name, stub)
        pieces = [Piece(padded(first, stub))]
        for side, (_, style) in enumerate(classes):
            text, drill = f"{place.counts[side]:,}", place.drills[side] if place.counts[side] else None
            length = max(1, round(shares[side][at] / top * room)) if place.counts[side] else 0
            pieces += [
                Piece(" " * (2 + sizes[side] - len(text))),
                Piece(text, "" if place.counts[side] else "dim", drill),
                Piece(" "),
                Piece(_FULL[glyphs.ascii_only][side] * length, style),
                Piece(" " * (room - length)),
            ]
        lines += [row_of(pieces), *((Piece(line),) for line in others)]
    entries = [
        (Piece(_FULL[glyphs.ascii_only][side], style), f"{word}: {total:,} {counted}")
        for side, ((word, style), total) in enumerate(zip(classes, totals, strict=True))
    ]
    return [*lines, *legend([*entries, (Piece(""), f"longest bar: {share(top)}% of its own")], width)]
