"""Histograms of two classes over one axis: one upwards and one downwards, or side by side where there is no room."""

from collections.abc import Iterator, Sequence

from inspector.render.cells import share
from inspector.render.chart_blocks import Bin, Classes, Tick
from inspector.render.charts.axes import MARGIN, letters_row, numbers_row, tick_column
from inspector.render.charts.curve import tick_legend
from inspector.render.charts.glyphs import Glyphs
from inspector.render.charts.legends import legend, name_lines, padded, row_of, whole_width
from inspector.render.lines import Piece, PieceRow
from inspector.render.texts.text import clean, number


def histogram(
    bins: Sequence[Bin],
    classes: Classes,
    width: int,
    glyphs: Glyphs,
    *,
    height: int = 5,
    ticks: Sequence[Tick] = (),
    counted: str = "steps",
) -> list[PieceRow]:
    """Draw the histogram in at most `width` cells (40 at least), with its counts, which open their cases, and a legend.

    Bars show the share of each class that lies in a bin, on one scale, so that a small class is seen beside a large
    one. Something is drawn for every count above 0.

    Args:
        bins: ascending and of equal width.
        classes: of which the counts are.
        width: cells of a line.
        glyphs: whether only ASCII is used.
        height: rows of each class where they are above each other.
        ticks: values on the axis.
        counted: what is counted, in words.
    """
    totals = [sum(reward_bin.counts[side] for reward_bin in bins) for side in (0, 1)]
    if not any(totals):
        return legend([(Piece(""), f"There is nothing to count: no {counted} of either class.")], width)
    shares = [[reward_bin.counts[side] / (totals[side] or 1) for reward_bin in bins] for side in (0, 1)]
    top = max(map(max, shares))
    scaled = [[share / top for share in side] for side in shares]
    size = max(len(f"{count:,}") for reward_bin in bins for count in reward_bin.counts) + 1
    across = bins[0].low, bins[-1].high
    margin = max(MARGIN, *(1 + whole_width(word) for word, _ in classes))
    if len(bins) * size <= width - margin:
        size = min(8, (width - margin) // len(bins))
        lines = list(_above_each_other(bins, classes, scaled, size, height, glyphs, ticks, margin))
    else:
        lines = list(_beside_each_other(bins, classes, scaled, width, glyphs, ticks))
    entries = [
        (Piece(_full(glyphs, side), style), f"{word}: {total:,} {counted}")
        for side, ((word, style), total) in enumerate(zip(classes, totals, strict=True))
    ]
    entries.append((Piece(""), f"bars: share of a class, {share(top)}% at the longest"))
    return [*lines, *legend(entries, width), *tick_legend(ticks, across, width, glyphs)]


def _full(glyphs: Glyphs, side: int) -> str:
    """The cell of a bar; the classes differ without colour."""
    return ("#=" if glyphs.ascii_only else "█▓")[side]


def _above_each_other(
    bins: Sequence[Bin],
    classes: Classes,
    scaled: Sequence[Sequence[float]],
    size: int,
    height: int,
    glyphs: Glyphs,
    ticks: Sequence[Tick],
    margin: int,
) -> Iterator[PieceRow]:
    low, high, width = bins[0].low, bins[-1].high, len(bins) * size
    cuts = {at: tick.style for tick in reversed(ticks) if (at := tick_column(tick, low, high, width)) is not None}
    for side in (0, 1):
        counts = _counts(bins, classes[side], side, size, margin)
        if side == 0:
            yield counts
        for row in range(height):
            # From the axis outwards: the class above fills from its lowest row, the one below from its highest.
            level = height - 1 - row if side == 0 else row
            yield row_of(
                (Piece(" " * margin), *_cells(scaled[side], classes[side][1], side, level, height, size, cuts, glyphs))
            )
        if side == 0:
            edges = [reward_bin.low for reward_bin in bins] + [high]
            yield numbers_row([(at * size, number(edge, 2, 6)) for at, edge in enumerate(edges)], width, margin)
        else:
            yield counts
    yield from letters_row(ticks, low, high, width, margin)


def _counts(bins: Sequence[Bin], title: tuple[str, str], side: int, size: int, margin: int) -> PieceRow:
    pieces = [Piece(padded(clean(title[0]), margin), title[1])]
    for reward_bin in bins:
        text = f"{reward_bin.counts[side]:,}"
        drill = reward_bin.drills[side] if reward_bin.counts[side] else None
        before = (size - 1 - len(text)) // 2
        pieces += [
            Piece(" " * before),
            Piece(text, "" if drill else "dim", drill),
            Piece(" " * (size - before - len(text))),
        ]
    return row_of(pieces)


def _cells(
    shares: Sequence[float],
    style: str,
    side: int,
    level: int,
    height: int,
    size: int,
    cuts: dict[int, str],
    glyphs: Glyphs,
) -> Iterator[Piece]:
    half = "." if glyphs.ascii_only and side == 0 else "'" if glyphs.ascii_only else "▄▀"[side]
    for place, part in enumerate(shares):
        # Halves of cells; whatever is not nothing has one.
        halves = max(1, round(part * height * 2)) if part > 0 else 0
        filled = halves - 2 * level
        glyph = _full(glyphs, side) if filled >= 2 else half if filled == 1 else " "
        for cell in range(size):
            column = place * size + cell
            if column in cuts:
                yield Piece("|" if glyphs.ascii_only else "┊", cuts[column])
            else:
                yield Piece(glyph, style) if cell < size - 1 and glyph != " " else Piece(" ")


def _beside_each_other(
    bins: Sequence[Bin],
    classes: Classes,
    scaled: Sequence[Sequence[float]],
    width: int,
    glyphs: Glyphs,
    ticks: Sequence[Tick],
) -> Iterator[PieceRow]:
    names = [f"{number(reward_bin.low, 2, 6)} to {number(reward_bin.high, 2, 6)}" for reward_bin in bins]
    stub = max(map(len, names))
    letters = max(1, len(ticks))
    for written in ("{:,}", "{}"):
        # Very many steps in 40 cells go without commas.
        sizes = [max(len(written.format(reward_bin.counts[side])) for reward_bin in bins) for side in (0, 1)]
        room = (width - stub - letters - sum(sizes) - 6) // 2
        if room >= 2:
            break
    room = max(1, room)
    head = [padded(name_lines(word, room + size)[0], room + size + 1, right=not side)
            for side, ((word, _), size) in enumerate(zip(classes, sizes, strict=True))]  # fmt: skip
    styles = [style for _, style in classes]
    blank = Piece(" " * (stub + letters + 2))
    yield row_of((blank, Piece(head[0], styles[0]), Piece("  "), Piece(head[1], styles[1])))
    for at, (reward_bin, name) in enumerate(zip(bins, names, strict=True)):
        here = [tick for tick in ticks if _bin_of(tick.at, bins) == at]
        drawn = [_length(scaled[side][at], room) for side in (0, 1)]
        texts = [written.format(count) for count in reward_bin.counts]
        numbers = [Piece(text, "" if count else "dim", drill if count else None)
                   for text, count, drill in zip(texts, reward_bin.counts, reward_bin.drills, strict=True)]  # fmt: skip
        yield row_of((
            *(Piece(tick.letter, tick.style) for tick in here),
            Piece(" " * (letters - len(here)) + f" {padded(name, stub)} "),
            Piece(" " * (room - drawn[0])), Piece(_full(glyphs, 0) * drawn[0], styles[0]),
            Piece(" " * (1 + sizes[0] - len(texts[0]))), numbers[0],
            Piece("|" if glyphs.ascii_only else "│", "dim"),
            numbers[1], Piece(" " * (1 + sizes[1] - len(texts[1]))),
            Piece(_full(glyphs, 1) * drawn[1], styles[1]),
        ))  # fmt: skip


def _length(share: float, room: int) -> int:
    return max(1, round(share * room)) if share > 0 else 0


def _bin_of(value: float | None, bins: Sequence[Bin]) -> int | None:
    if value is None or not bins[0].low <= value <= bins[-1].high:
        return None
    return next((at for at, reward_bin in enumerate(bins) if value < reward_bin.high), len(bins) - 1)
