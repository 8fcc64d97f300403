"""Curves over one axis: up to eight series, each with a band where it has one, and ticks with letters."""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from inspector.render.cells import dash
from inspector.render.chart_blocks import NumberSequence, Series, Tick
from inspector.render.charts.axes import (
    MARGIN,
    axis_numbers,
    column_of,
    letters_row,
    level_labels,
    numbers_row,
    tick_column,
)
from inspector.render.charts.chart_marks import Form
from inspector.render.charts.glyphs import Glyphs
from inspector.render.charts.legends import legend, row_of
from inspector.render.charts.raster import Raster
from inspector.render.lines import Piece, PieceRow
from inspector.render.texts.text import number

MOST = 8
"""Series that can be told apart."""
_SHADES = {False: "░·", True: ".,"}
APART = 18
"""Columns between two letters of one curve at least."""


def curve(
    series: Sequence[Series],
    width: int,
    height: int,
    glyphs: Glyphs,
    *,
    ticks: Sequence[Tick] = (),
    across: tuple[float, float] | None = None,
    upward: tuple[float, float] = (0.0, 1.0),
    form: Form = "percent",
    numbers: Sequence[float] = (),
    doubling: bool = False,
) -> list[PieceRow]:
    """Draw the curves in `height` rows of at most `width` cells (40 at least), with axes beneath and a legend.

    The first series is drawn last, above the others. With several, each carries its letter along its line; in ASCII it
    is drawn with it.

    Args:
        series: MOST at most; those further are left out, and the legend says so.
        width: cells of a line.
        height: rows of the chart itself; 3 at least.
        glyphs: whether only ASCII is used.
        ticks: values on the horizontal axis.
        across: ends of the horizontal axis; None = those of the points.
        upward: ends of the vertical one.
        form: how the numbers at the left are written.
        numbers: whole numbers that stand beneath the horizontal axis; () = five between its ends.
        doubling: whether each doubling along the horizontal axis, which is above 0, takes as much room as another;
            then there are no ticks.
    """
    drawn = series[:MOST]
    across = across if across is not None else _ends(drawn)
    places: Sequence[float] = numbers
    if doubling:
        drawn = [replace(line, xs=np.log2(np.asarray(line.xs, dtype=np.float64))) for line in drawn]
        places = np.log2(numbers).tolist() if len(numbers) else ()
        across = float(np.log2(across[0])), float(np.log2(across[1]))
    raster = Raster(max(8, width - MARGIN), max(3, height), ascii_only=glyphs.ascii_only)
    plain = len(drawn) == 1
    for line, shade in reversed(list(_shaded(drawn, glyphs))):
        _band(raster, line, across, upward, shade)
    for tick in ticks:
        # Lines of less important marks would hide the curve.
        if tick.style != "dim" and (column := tick_column(tick, *across, raster.width)) is not None:
            raster.upright(column, ":" if glyphs.ascii_only else "┊", tick.style)
    for place, line in reversed(list(enumerate(drawn))):
        _draw(raster, line, across, upward, None if plain else place, len(drawn))
    labels = level_labels(*upward, raster.height, form)
    lines = [
        row_of((Piece(f"{labels.get(row, ''):>{MARGIN - 1}} ", "dim"), *raster.row(row)))
        for row in range(raster.height)
    ]
    # Where there are places before another one, those behind it have a sign too.
    sign = "+" if across[0] < 0 else ""
    whole = [
        (column_of(place, *across, raster.width), f"{tick_value:{sign},.0f}" if tick_value else "0")
        for place, tick_value in zip(places, numbers, strict=True)
    ]
    lines.append(numbers_row(whole or axis_numbers(*across, raster.width), raster.width))
    lines += letters_row(ticks, *across, raster.width)
    return [*lines, *_legend(series, drawn, ticks, across, width, glyphs)]


def _ends(series: Sequence[Series]) -> tuple[float, float]:
    points = np.concatenate([np.asarray(line.xs, dtype=np.float64) for line in series] or [np.zeros(0)])
    points = points[np.isfinite(points)]
    if not points.size:
        return 0.0, 1.0
    low, high = float(points.min()), float(points.max())
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _at(line: Series, ys: NumberSequence, xs: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """What a curve is at these places; NaN outside its points and in its gaps."""
    known, values = np.asarray(line.xs, dtype=np.float64), np.asarray(ys, dtype=np.float64)
    if not known.size:
        return np.full(xs.size, np.nan)
    if line.stepped:
        place = np.searchsorted(known, xs, side="right") - 1
        height = np.where(place >= 0, values[np.maximum(place, 0)], np.nan)
    else:
        height = np.interp(xs, known, values)
    outside = (xs < known[0]) | (xs > known[-1])
    return np.where(outside, np.nan, height)


def _shares(values: npt.NDArray[np.float64], upward: tuple[float, float]) -> npt.NDArray[np.float64]:
    return (values - upward[0]) / ((upward[1] - upward[0]) or 1.0)


def _shaded(drawn: Sequence[Series], glyphs: Glyphs) -> Iterator[tuple[Series, str]]:
    """The series with a band, and how it is shaded: the first and the others differ without colour."""
    shades = _SHADES[glyphs.ascii_only]
    banded = [line for line in drawn if line.low is not None and line.high is not None]
    yield from ((line, shades[min(place, 1)]) for place, line in enumerate(banded))


def _band(raster: Raster, line: Series, across: tuple[float, float], upward: tuple[float, float], shade: str) -> None:
    assert line.low is not None and line.high is not None  # noqa: S101, PT018  # those without were left out
    xs = np.linspace(*across, raster.width)
    low, high = (_shares(_at(line, ends, xs), upward) for ends in (line.low, line.high))
    columns = np.flatnonzero(np.isfinite(low) & np.isfinite(high))
    ends = raster.dots_of(low[columns]), raster.dots_of(high[columns])
    for column, first, last in zip(columns.tolist(), *ends, strict=True):
        raster.shade(column, first, last, (shade, line.style))


def _draw(
    raster: Raster,
    line: Series,
    across: tuple[float, float],
    upward: tuple[float, float],
    place: int | None,
    n_series: int,
) -> None:
    """The dots of a curve, every column joined to the one before; `place` among `n_series` says where letters stand."""
    ys = _shares(_at(line, line.ys, np.linspace(*across, raster.dots_across)), upward)
    letter = "*" if place is None or not line.letter else line.letter
    columns = np.flatnonzero(np.isfinite(ys))
    last, before = -2, 0
    for column, here in zip(columns.tolist(), raster.dots_of(ys[columns]), strict=True):
        # After a gap nothing is joined.
        raster.stroke(column, before if column == last + 1 else here, here, line.style, letter)
        last, before = column, here
    known = np.asarray(line.xs, dtype=np.float64)
    if known.size == 1 and across[0] <= known[0] <= across[1] and np.isfinite(line.ys[0]):
        share = float(_shares(np.asarray(line.ys, dtype=np.float64), upward)[0])
        raster.sign(column_of(float(known[0]), *across, raster.width), share, letter, line.style)
    if place is None or not line.letter or raster.ascii_only:
        return
    period = max(APART, 3 * n_series)
    for column in range(round((place + 0.5) * period / n_series), raster.width, period):
        share = float(ys[column * raster.across])
        if np.isfinite(share):
            raster.sign(column, share, line.letter, f"{line.style} strong")


def _legend(
    series: Sequence[Series],
    drawn: Sequence[Series],
    ticks: Sequence[Tick],
    across: tuple[float, float],
    width: int,
    glyphs: Glyphs,
) -> Iterator[PieceRow]:
    several = len(drawn) > 1
    line = "*" if glyphs.ascii_only else "⠒"
    entries = [
        (Piece(curve_line.letter if several and curve_line.letter else line, curve_line.style), curve_line.name)
        for curve_line in drawn
    ]
    for curve_line, shade in _shaded(drawn, glyphs):
        entries.append(
            (Piece(shade, curve_line.style), f"95% interval at each point{f', {curve_line.letter}' if several else ''}")
        )
    yield from legend(entries, width, "")
    yield from tick_legend(ticks, across, width, glyphs)
    gaps = [
        curve_line.letter or curve_line.name
        for curve_line in drawn
        if not np.isfinite(np.asarray(curve_line.ys, dtype=np.float64)).all()
    ]
    if gaps:
        yield from legend(
            [
                (
                    Piece(dash(ascii_only=glyphs.ascii_only)),
                    f"where a curve is missing it is undefined: {', '.join(gaps)}",
                )
            ],
            width,
        )
    if len(series) > len(drawn):
        names = ", ".join(curve_line.name for curve_line in series[MOST:])
        yield from legend([(Piece(""), f"not drawn, {MOST} are told apart at most: {names}")], width)


def tick_legend(ticks: Sequence[Tick], across: tuple[float, float], width: int, glyphs: Glyphs) -> list[PieceRow]:
    """Explain the letters of ticks, with their values; a tick of no value is a dash."""
    entries = []
    for tick in ticks:
        where = "" if tick.at is None or across[0] <= tick.at <= across[1] else " (beyond the axis)"
        value = dash(ascii_only=glyphs.ascii_only) if tick.at is None else number(tick.at, 3, 9)
        entries.append((Piece(tick.letter, tick.style, tick.drill), f"{value} {tick.words}{where}"))
    return legend(entries, width)
