"""Charts for pages: pictures in SVG, and the tables of their numbers."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from inspector.render.cells import plain_text
from inspector.render.chart_blocks import (
    Chart,
    Columns,
    Curve,
    Histogram,
    NumberSequence,
    Picture,
    Reliability,
    Square,
    Tick,
)
from inspector.render.elements import Element, element
from inspector.render.svg import WIDTH, box, line, picture, width_of, words
from inspector.render.table_blocks import Cell, Kind, Table, table

Drawn = tuple[tuple[float, Sequence[Element]], str]
"""The height of a picture with its shapes, and what is to be seen there in words."""
LEFT, TOP, HEIGHT, BOTTOM = 44, 44, 220, 40
SHARES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
MOST = 24
"""Columns of a picture."""
COLUMN = 64
"""Units of a column with its gap at most."""
POINTS = 11
"""Points of a curve that its table has, beside those with a name."""


def pictured(chart: Chart) -> Picture:
    """Draw a chart."""
    drawn, description = _DRAWN[type(chart)](chart)
    height, shapes = drawn
    width = SQUARE_WIDTH if isinstance(chart, Square) else WIDTH
    drawn_picture = picture(height, chart.title or description, description, *shapes, width=width)
    return Picture(chart.title, description, drawn_picture, numbers_of(chart))


def numbers_of(chart: Chart) -> Table:
    """Lay out a chart's numbers as a table."""
    numbers: Table = _NUMBERS[type(chart)](chart)
    return numbers


# -- curves


def _curve(whole: Curve) -> Drawn:
    chart = whole.fitted
    (low, high), (bottom, top) = chart.across, chart.upward
    laid = np.log2 if chart.doubling else float
    base, right = TOP + HEIGHT, WIDTH - 20

    def across(x: float) -> float:
        share = (laid(min(high, max(low, x))) - laid(low)) / ((laid(high) - laid(low)) or 1.0)
        return LEFT + (right - LEFT) * float(share)

    def upward(y: float) -> float:
        return base - HEIGHT * (min(top, max(bottom, y)) - bottom) / ((top - bottom) or 1.0)

    shapes: list[Element] = []
    for share in SHARES:
        y = base - HEIGHT * share
        level = bottom + share * (top - bottom)
        label = f"{100 * level:.0f}" if chart.kind is Kind.SHARE else f"{level:.3g}"
        shapes += [line(LEFT, y, right, y, "grid"), words(label, LEFT - 8, y + 4, "quiet", "end")]
    for x in chart.series[0].xs if chart.whole else np.linspace(low, high, 6).tolist():
        label = f"{x:{'+' if low < 0 else ''},.0f}" if chart.whole else f"{x:.2f}"
        shapes.append(words(label, across(x), base + 18, "quiet", "middle"))
    for letter, series in zip("abcdefgh", chart.series, strict=False):
        if series.low is not None and series.high is not None:
            band = [
                *zip(series.xs, series.low, strict=True),
                *reversed(list(zip(series.xs, series.high, strict=True))),
            ]
            points = " ".join(f"{across(x):.0f},{upward(y):.1f}" for x, y in band if np.isfinite(y))
            shapes.append(element("polygon", points=points, class_="band"))
        for run in _runs(series.xs, series.ys):
            points = " ".join(_bends([(across(x), upward(y)) for x, y in run]))
            shapes.append(
                element("polyline", element("title", series.name), points=points, class_=f"curve curve-{letter}")
            )
    marks = [tick for tick in chart.ticks if tick.at is not None and tick.score is not None]
    ordered = sorted(marks, key=lambda tick: tick.at or 0.0)
    for number, tick in enumerate(ordered):
        place = across(tick.at or 0.0), upward(tick.score or 0.0), 14.0 + 16 * number
        shapes += _marked(tick, *place, left=number + 1 < len(ordered))
    axes = f"{chart.x} (x) and {chart.y}{_unit(chart)} (y)"
    shapes.append(words(axes, LEFT, base + 36, "quiet"))
    x = LEFT + width_of(axes) + 24
    for letter, series in zip("abcdefgh", chart.series, strict=False) if len(chart.series) > 1 else ():
        shapes.append(line(x, base + 32, x + 18, base + 32, f"curve curve-{letter}"))
        shapes.append(words(series.name, x + 23, base + 36))
        x += 23 + width_of(series.name) + 18
    names = "" if len(chart.series) < 2 else f" Curves: {', '.join(series.name for series in chart.series)}."
    label = "; ".join(map(_tick_words, marks))
    described = f"{chart.y}{_unit(chart)} at {chart.x} from {low:.2f} to {high:.2f}. {label}.{names}"
    return (base + BOTTOM + 4, shapes), described


def _unit(chart: Curve) -> str:
    return " in percent" if chart.kind is Kind.SHARE else ""


def _tick_words(tick: Tick) -> str:
    return f"{tick.words} {tick.at:.4g}: {100 * (tick.score or 0.0):.1f}"


def _runs(xs: NumberSequence, ys: NumberSequence) -> Iterator[list[tuple[float, float]]]:
    """The parts of a curve between its gaps."""
    run: list[tuple[float, float]] = []
    for x, y in zip(xs, ys, strict=True):
        if np.isfinite(y):
            run.append((float(x), float(y)))
        elif run:
            yield run
            run = []
    if run:
        yield run


def _bends(points: Sequence[tuple[float, float]]) -> Iterator[str]:
    """The points without those between two others of their own height."""
    for at, (x, y) in enumerate(points):
        if not 0 < at < len(points) - 1 or not points[at - 1][1] == y == points[at + 1][1]:
            yield f"{x:.0f},{y:.1f}"


def _marked(tick: Tick, x: float, y: float, top: float, *, left: bool) -> list[Element]:
    """A line through the curve, a dot on it, and the name above: to the left of it if so asked, and if it has room."""
    text = _tick_words(tick)
    room = width_of(text) + 8
    fits = x + room < WIDTH and (not left or x < room)
    return [
        line(x, top + 4, x, TOP + HEIGHT, "mark"),
        element("circle", cx=x, cy=y, r=4.5, class_="dot"),
        words(text, x + 6 if fits else x - 6, top + 2, "", None if fits else "end"),
    ]


def _curve_table(chart: Curve) -> Table:
    """The named points, and some others along the curves."""
    rows = [
        [Cell(tick.words), Cell(tick.at, Kind.REWARD), Cell(tick.score, chart.kind)]
        + [Cell(None, chart.kind) for _ in chart.series[1:]]
        for tick in chart.ticks
        if tick.at is not None and tick.score is not None
    ]
    for x in map(float, chart.series[0].xs) if chart.whole else np.linspace(*chart.across, POINTS).tolist():
        ys = [float(np.interp(x, series.xs, series.ys)) for series in chart.series]
        at = Cell(x, Kind.COUNT if chart.whole else Kind.NUMBER)
        rows.append([Cell(""), at, *(Cell(y if np.isfinite(y) else None, chart.kind) for y in ys)])
    names = [series.name for series in chart.series] if len(chart.series) > 1 else [chart.y]
    return table(f"{chart.y} at some points", ["", chart.x, *names], rows, labels=2)


# -- histograms


def _histogram(chart: Histogram) -> Drawn:
    totals = [sum(reward_bin.counts[side] for reward_bin in chart.bins) or 1 for side in (0, 1)]
    shares = [[reward_bin.counts[side] / totals[side] for reward_bin in chart.bins] for side in (0, 1)]
    most = max(max(side) for side in shares) or 1.0
    left = LEFT + max(width_of(word) for word, _ in chart.classes)
    half, slot = HEIGHT / 2, (WIDTH - left - 20) / len(chart.bins)
    base = TOP + half
    shapes = [line(left, base, WIDTH - 20, base, "axis")]
    for side, (word, style) in enumerate(chart.classes):
        shapes.append(words(word, left - 6, base + (half / 2 if side else -half / 2), "quiet", "end"))
        for at, (reward_bin, share) in enumerate(zip(chart.bins, shares[side], strict=True)):
            tall = max(1.0, (half - 14) * share / most) if reward_bin.counts[side] else 0.0
            tooltip = f"{reward_bin.words}: {reward_bin.counts[side]} {chart.counted}, {word}"
            x, y = left + slot * at, base if side else base - tall
            shapes.append(box(x + 1, y, slot - 2, tall, f"o-{style}", tooltip))
            shapes.append(
                words(f"{reward_bin.counts[side]}", x + slot / 2, y + tall + 12 if side else y - 4, "quiet", "middle")
            )
    named = any(reward_bin.name for reward_bin in chart.bins)
    edges = [*(f"{reward_bin.low:.3g}" for reward_bin in chart.bins), f"{chart.bins[-1].high:.3g}"]
    for at, label in enumerate([reward_bin.name for reward_bin in chart.bins] if named else edges):
        shapes.append(words(label, left + slot * (at + 0.5 * named), TOP + HEIGHT + 24, "quiet", "middle"))
    low, high = chart.bins[0].low, chart.bins[-1].high
    for tick in chart.ticks:
        if tick.at is not None and low <= tick.at <= high:
            x = left + slot * len(chart.bins) * (tick.at - low) / (high - low)
            shapes += [line(x, TOP, x, TOP + HEIGHT, "mark"), words(tick.words, x + 4, TOP - 4)]
    described = f"{chart.title} Bars are shares of a class; numbers count {chart.counted}."
    return (TOP + HEIGHT + 34, shapes), described


def _histogram_table(chart: Histogram) -> Table:
    rows = [
        [Cell(reward_bin.words)]
        + [Cell(reward_bin.counts[side], Kind.COUNT, link=reward_bin.drills[side]) for side in (0, 1)]
        for reward_bin in chart.bins
    ]
    return table(
        chart.title,
        ["" if chart.bins[0].name else "from, to", *(word for word, _ in chart.classes)],
        rows,
        counted=chart.counted,
    )


# -- reliability


def _reliability(chart: Reliability) -> Drawn:
    size = HEIGHT * 1.4
    base = TOP + size

    def across(share: float) -> float:
        return LEFT + size * share

    def upward(share: float) -> float:
        return base - size * share

    shapes = [line(across(0), upward(0), across(1), upward(1), "mark")]
    for share in SHARES:
        shapes += [
            line(LEFT, upward(share), across(1), upward(share), "grid"),
            words(f"{100 * share:.0f}", LEFT - 8, upward(share) + 4, "quiet", "end"),
            words(f"{share:.1f}", across(share), base + 18, "quiet", "middle"),
        ]
    for reward_bin in chart.bins:
        value = reward_bin.share.value
        if reward_bin.mean is None or not isinstance(value, float):
            continue
        x = across(reward_bin.mean)
        if reward_bin.share.low is not None and reward_bin.share.high is not None:
            shapes.append(line(x, upward(reward_bin.share.low), x, upward(reward_bin.share.high), "whisker"))
        tooltip = element("title", f"{reward_bin.low:.2f} to {reward_bin.high:.2f}: {plain_text(reward_bin.share)}")
        shapes.append(element("circle", tooltip, cx=x, cy=upward(value), r=4.5, class_="dot"))
    shapes.append(words("what was given (x) and percent right (y)", LEFT, base + 36, "quiet"))
    described = f"{chart.title} Dots are shares in percent, lines their 95% intervals; the diagonal is as given."
    return (base + BOTTOM + 4, shapes), described


def _reliability_table(chart: Reliability) -> Table:
    rows = [
        [Cell(f"{reward_bin.low:.2f} to {reward_bin.high:.2f}"), Cell(reward_bin.mean, Kind.NUMBER), reward_bin.share]
        for reward_bin in chart.bins
    ]
    return table(chart.title, ["given", "mean", "right"], rows, counted=chart.counted)


# -- columns


def _columns(whole: Columns) -> Drawn:
    chart = whole.folded(MOST)
    most = max([column.n for column in chart.columns], default=0) or 1
    slot = min(COLUMN, (WIDTH - 20) / max(1, len(chart.columns)))
    tallest, base = HEIGHT * 0.8, TOP + HEIGHT * 0.8
    shapes = [line(0, base, 20 + slot * len(chart.columns), base, "axis")]
    for number, column in enumerate(chart.columns):
        middle, tall = 10 + slot * (number + 0.5), tallest * column.n / most
        described = f"{column.words}: {column.n} {chart.counted}"
        shapes.append(box(middle - slot * 0.4, base - tall, slot * 0.8, tall, f"o-{column.style}", described))
        shapes.append(words(str(column.n), middle, base - tall - 6, "", "middle"))
        shapes.append(words(column.name, middle, base + 16, "", "middle"))
    names = ", ".join(f"{column.name}: {column.n}" for column in chart.columns)
    return (base + BOTTOM, shapes), f"{chart.title}. {names}."


def _columns_table(whole: Columns) -> Table:
    chart = whole.folded(MOST)
    total = sum(column.n for column in chart.columns) or 1
    rows = [
        [Cell(column.words), Cell(column.n, Kind.COUNT, link=column.link), Cell(column.n / total, Kind.SHARE)]
        for column in chart.columns
    ]
    return table(chart.title, ["", chart.counted, "share, %"], rows, counted=chart.counted)


# -- squares

SQUARE = (90, 200, 60)
"""Sizes in an SVG square, in units: width of the row titles, width of a column, height of a row."""
SQUARE_WIDTH = SQUARE[0] + 2 * SQUARE[1] + 10


def _square(chart: Square) -> Drawn:
    stub, wide, tall = SQUARE
    counts = [int(cell.value) if isinstance(cell.value, (int, float)) else 0 for cell in chart.cells]
    most, base = max(counts, default=0) or 1, 28
    shapes: list[Element] = []
    for at, name in enumerate((chart.columns.first, chart.columns.second)):
        shapes.append(words(name, stub + wide * at + 10, base - 8, "quiet"))
    for row, name in enumerate((chart.rows.first, chart.rows.second)):
        shapes.append(words(name, stub - 10, base + tall * row + tall / 2 + 4, "quiet", "end"))
    for place, (cell, count) in enumerate(zip(chart.cells, counts, strict=True)):
        x, y = stub + wide * (place % 2), base + tall * (place // 2)
        style = "bar" if "strong" in cell.style else "bar faint"
        shapes.append(box(x, y, wide, tall, "frame"))
        shapes.append(box(x + 10, y + 20, (wide - 70) * count / most, tall - 40, style, _square_words(chart, place)))
        shapes.append(words(f"{count:,}", x + wide - 12, y + tall / 2 + 4, "", "end"))
    described = "; ".join(f"{_square_words(chart, place)}: {count}" for place, count in enumerate(counts))
    return (base + 2 * tall + 10, shapes), f"{described}."


def _square_words(chart: Square, place: int) -> str:
    row = (chart.rows.first, chart.rows.second)[place // 2]
    return f"{row}, {(chart.columns.first, chart.columns.second)[place % 2]}"


def _square_table(chart: Square) -> Table:
    first, second, third, fourth = chart.cells
    rows = [[Cell(chart.rows.first), first, second], [Cell(chart.rows.second), third, fourth]]
    return table(chart.title, ["", chart.columns.first, chart.columns.second], rows)


_DRAWN: dict[type, Callable[[Any], Drawn]] = {
    Square: _square,
    Curve: _curve,
    Histogram: _histogram,
    Reliability: _reliability,
    Columns: _columns,
}
_NUMBERS: dict[type, Callable[[Any], Table]] = {
    Square: _square_table,
    Curve: _curve_table,
    Histogram: _histogram_table,
    Reliability: _reliability_table,
    Columns: _columns_table,
}
