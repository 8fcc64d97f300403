"""A reliability diagram: how often what was given a probability is right, against that probability."""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from rich.cells import cell_len

from inspector.render.cells import dash
from inspector.render.charts.axes import MARGIN, axis_numbers, column_of, level_labels, numbers_row
from inspector.render.charts.chart_marks import ChartMark, count_text, figure, finite, interval_text
from inspector.render.charts.glyphs import Glyphs
from inspector.render.charts.legends import legend, padded, row_of
from inspector.render.charts.raster import Raster
from inspector.render.lines import Piece, PieceRow
from scoring.metrics.resampling import SMALL

BESIDE = 84
"""Cells from which the table stands beside the diagram."""
WIDEST = 60
"""Cells of the diagram at most."""


class ReliabilityBin(Struct, frozen=True):
    """What was given a probability from `low` to `high`: their mean, and the share that is right as a mark."""

    low: float
    high: float
    mean: float | None
    mark: ChartMark


def reliability(
    bins: Sequence[ReliabilityBin], width: int, height: int, glyphs: Glyphs, *, counted: str = "steps"
) -> list[PieceRow]:
    """Draw the diagram in at most `width` cells (40 at least) with a table of its bins, beside it or beneath.

    Args:
        bins: ascending; an empty one has no mean.
        width: cells of a line.
        height: rows of the diagram.
        glyphs: whether only ASCII is used.
        counted: what is counted, in words.
    """
    table = _table(bins, glyphs)
    size = max(sum(cell_len(piece.text) for piece in row) for row in table)
    beside = width >= BESIDE
    chart = _diagram(bins, min(WIDEST, width - size - 3 if beside else width), height, glyphs)
    lines: list[PieceRow] = []
    if beside:
        left = max(sum(cell_len(piece.text) for piece in row) for row in chart) + 3
        for at in range(max(len(chart), len(table))):
            here = chart[at] if at < len(chart) else ()
            used = sum(cell_len(piece.text) for piece in here)
            there = table[at] if at < len(table) else ()
            lines.append((*here, Piece(" " * (left - used)), *there) if there else here)
    else:
        lines = [*chart, *table]
    return [*lines, *_legend(bins, width, glyphs, counted)]


def _diagram(bins: Sequence[ReliabilityBin], width: int, height: int, glyphs: Glyphs) -> list[PieceRow]:
    raster = Raster(max(8, width - MARGIN), max(3, height), ascii_only=glyphs.ascii_only)
    for dot in range(raster.dots_across):
        # A broken line, so that it is not taken for a curve.
        if dot % (2 * raster.across) < raster.across:
            down = raster.dot_of(dot / (raster.dots_across - 1))
            raster.stroke(dot, down, down, "dim", "/")
    for reward_bin in bins:
        mean, value = finite(reward_bin.mean), reward_bin.mark.known
        if mean is None or value is None:
            continue
        column = column_of(mean, 0.0, 1.0, raster.width)
        if reward_bin.mark.interval is not None:
            ends = [raster.dot_of(end) // raster.down for end in reward_bin.mark.interval]
            for row in range(min(ends), max(ends) + 1):
                share = 1 - row * raster.down / (raster.dots_down - 1)
                raster.sign(
                    column, share, "|" if glyphs.ascii_only else "│", "dim" if reward_bin.mark.small else "exact"
                )
        point = ("o" if glyphs.ascii_only else "○") if reward_bin.mark.small else ("@" if glyphs.ascii_only else "●")
        raster.sign(column, value, point, "dim" if reward_bin.mark.small else "exact strong")
    labels = level_labels(0.0, 1.0, raster.height, "percent")
    rows = [
        row_of((Piece(f"{labels.get(row, ''):>{MARGIN - 1}} ", "dim"), *raster.row(row)))
        for row in range(raster.height)
    ]
    return [*rows, numbers_row(axis_numbers(0.0, 1.0, raster.width), raster.width)]


def _table(bins: Sequence[ReliabilityBin], glyphs: Glyphs) -> list[PieceRow]:
    cells = [("given", "mean", "right", ""), *(_texts(reward_bin, glyphs) for reward_bin in bins)]
    sizes = [max(map(len, column)) for column in zip(*cells, strict=True)]
    marks = [None, *(reward_bin.mark for reward_bin in bins)]
    rows = []
    for mark, texts in zip(marks, cells, strict=True):
        interval, mean, right, count = (padded(text, size) for text, size in zip(texts, sizes, strict=True))
        style = "dim" if mark is None or mark.small or mark.known is None else ""
        figures = Piece(f"{right} {count}".rstrip(), style, None if mark is None else mark.drill)
        rows.append(row_of((Piece(f"{interval} {mean} ", "dim"), figures)))
    return rows


def _texts(reward_bin: ReliabilityBin, glyphs: Glyphs) -> tuple[str, str, str, str]:
    mean, value, ends = finite(reward_bin.mean), reward_bin.mark.known, reward_bin.mark.interval
    within = f" {interval_text(ends, 'percent', short=True)}" if ends and value is not None else ""
    return (
        f"{reward_bin.low:.2f}-{reward_bin.high:.2f}",
        dash(ascii_only=glyphs.ascii_only) if mean is None else f"{mean:.2f}",
        dash(ascii_only=glyphs.ascii_only) if value is None else f"{figure(value, 'percent')}{within}",
        count_text(reward_bin.mark),
    )


def _legend(bins: Sequence[ReliabilityBin], width: int, glyphs: Glyphs, counted: str) -> Iterator[PieceRow]:
    marks = [reward_bin.mark for reward_bin in bins]
    points = "@ |" if glyphs.ascii_only else "● │"
    yield from legend(
        [
            (Piece(points, "exact"), "percent right at the mean of what was given, with its 95% interval"),
            (Piece("/" if glyphs.ascii_only else "⠤", "dim"), "as often right as was given"),
            (Piece(""), f"n = {counted}"),
        ],
        width,
    )
    if any(mark.small and mark.known is not None for mark in marks):
        hollow = "o" if glyphs.ascii_only else "○"
        yield from legend([(Piece(f"{hollow} ~", "dim"), f"fewer than {SMALL} {counted}")], width)
    if any(mark.known is None for mark in marks):
        yield from legend([(Piece(dash(ascii_only=glyphs.ascii_only), "dim"), f"no {counted} in the bin")], width)
