"""Charts for pages: pictures in SVG, and the tables of their numbers."""

from collections.abc import Iterator, Sequence

import numpy as np

from inspector.render.cells import plain_text
from inspector.render.elements import Element, element
from inspector.render.svg import WIDTH, box, line, picture, width_of, words
from inspector.render.view import Cell, Curve, Histogram, Kind, Numbers, Picture, Reliability, Table, Tick, table

LEFT, TOP, HEIGHT, BOTTOM = 44, 44, 220, 40
SHARES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
POINTS = 11
"""Points of a curve that its table has, beside those with a name."""


def pictured(chart: Curve | Histogram | Reliability) -> Picture:
    """Draw a chart."""
    if isinstance(chart, Curve):
        return _curve(chart)
    return _histogram(chart) if isinstance(chart, Histogram) else _reliability(chart)


def numbers_of(chart: Curve | Histogram | Reliability) -> Table:
    """Give the table of a chart's numbers."""
    if isinstance(chart, Curve):
        return _curve_table(chart)
    return _histogram_table(chart) if isinstance(chart, Histogram) else _reliability_table(chart)


# -- curves


def _curve(chart: Curve) -> Picture:
    (low, high), (bottom, top) = chart.across, chart.upward
    base, right = TOP + HEIGHT, WIDTH - 20

    def across(x: float) -> float:
        return LEFT + (right - LEFT) * (min(high, max(low, x)) - low) / ((high - low) or 1.0)

    def upward(y: float) -> float:
        return base - HEIGHT * (min(top, max(bottom, y)) - bottom) / ((top - bottom) or 1.0)

    shapes: list[Element] = []
    for share in SHARES:
        y = base - HEIGHT * share
        told = f"{100 * (bottom + share * (top - bottom)):.0f}"
        shapes += [line(LEFT, y, right, y, "grid"), words(told, LEFT - 8, y + 4, "quiet", "end")]
    for x in np.linspace(low, high, 6).tolist():
        shapes.append(words(f"{x:.2f}", across(x), base + 18, "quiet", "middle"))
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
    shapes.append(words(f"{chart.x} (x) and {chart.y} in percent (y)", LEFT, base + 36, "quiet"))
    x = LEFT + width_of(f"{chart.x} (x) and {chart.y} in percent (y)") + 24
    for letter, series in zip("abcdefgh", chart.series, strict=False) if len(chart.series) > 1 else ():
        shapes.append(line(x, base + 32, x + 18, base + 32, f"curve curve-{letter}"))
        shapes.append(words(series.name, x + 23, base + 36))
        x += 23 + width_of(series.name) + 18
    names = "" if len(chart.series) < 2 else f" Curves: {', '.join(series.name for series in chart.series)}."
    told = "; ".join(map(_tick_words, marks))
    described = f"{chart.y} in percent at {chart.x} from {low:.2f} to {high:.2f}. {told}.{names}"
    return Picture(
        chart.title, described, picture(base + BOTTOM + 4, chart.title, described, *shapes), _curve_table(chart)
    )


def _tick_words(tick: Tick) -> str:
    return f"{tick.words} {tick.at:.4g}: {100 * (tick.score or 0.0):.1f}"


def _runs(xs: Numbers, ys: Numbers) -> Iterator[list[tuple[float, float]]]:
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
        [Cell(tick.words), Cell(tick.at, Kind.NUMBER), Cell(tick.score, Kind.SHARE)]
        + [Cell(None, Kind.SHARE) for _ in chart.series[1:]]
        for tick in chart.ticks
        if tick.at is not None and tick.score is not None
    ]
    for x in np.linspace(*chart.across, POINTS).tolist():
        ys = [float(np.interp(x, series.xs, series.ys)) for series in chart.series]
        rows.append([Cell(""), Cell(x, Kind.NUMBER), *(Cell(y if np.isfinite(y) else None, Kind.SHARE) for y in ys)])
    names = [series.name for series in chart.series] if len(chart.series) > 1 else [chart.y]
    return table(f"{chart.y} at some points", ["", chart.x, *names], rows, labels=2)


# -- histograms


def _histogram(chart: Histogram) -> Picture:
    totals = [sum(one.counts[side] for one in chart.bins) or 1 for side in (0, 1)]
    shares = [[one.counts[side] / totals[side] for one in chart.bins] for side in (0, 1)]
    most = max(max(side) for side in shares) or 1.0
    left = LEFT + max(width_of(word) for word, _ in chart.classes)
    half, slot = HEIGHT / 2, (WIDTH - left - 20) / len(chart.bins)
    base = TOP + half
    shapes = [line(left, base, WIDTH - 20, base, "axis")]
    for side, (word, style) in enumerate(chart.classes):
        shapes.append(words(word, left - 6, base + (half / 2 if side else -half / 2), "quiet", "end"))
        for at, (one, share) in enumerate(zip(chart.bins, shares[side], strict=True)):
            tall = max(1.0, (half - 14) * share / most) if one.counts[side] else 0.0
            told = f"{one.low:.4g} to {one.high:.4g}: {one.counts[side]} {chart.counted}, {word}"
            x, y = left + slot * at, base if side else base - tall
            shapes.append(box(x + 1, y, slot - 2, tall, f"o-{style}", told))
            shapes.append(
                words(f"{one.counts[side]}", x + slot / 2, y + tall + 12 if side else y - 4, "quiet", "middle")
            )
    for at, edge in enumerate([*(one.low for one in chart.bins), chart.bins[-1].high]):
        shapes.append(words(f"{edge:.3g}", left + slot * at, TOP + HEIGHT + 24, "quiet", "middle"))
    low, high = chart.bins[0].low, chart.bins[-1].high
    for tick in chart.ticks:
        if tick.at is not None and low <= tick.at <= high:
            x = left + slot * len(chart.bins) * (tick.at - low) / (high - low)
            shapes += [line(x, TOP, x, TOP + HEIGHT, "mark"), words(tick.words, x + 4, TOP - 4)]
    described = f"{chart.title} Bars are shares of a class; numbers count {chart.counted}."
    return Picture(
        chart.title, described, picture(TOP + HEIGHT + 34, chart.title, described, *shapes), _histogram_table(chart)
    )


def _histogram_table(chart: Histogram) -> Table:
    rows = [
        [Cell(f"{one.low:.4g} to {one.high:.4g}")]
        + [Cell(one.counts[side], Kind.COUNT, link=one.drills[side]) for side in (0, 1)]
        for one in chart.bins
    ]
    return table(chart.title, ["from, to", *(word for word, _ in chart.classes)], rows, counted=chart.counted)


# -- reliability


def _reliability(chart: Reliability) -> Picture:
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
    for one in chart.bins:
        value = one.share.value
        if one.mean is None or not isinstance(value, float):
            continue
        x = across(one.mean)
        if one.share.low is not None and one.share.high is not None:
            shapes.append(line(x, upward(one.share.low), x, upward(one.share.high), "whisker"))
        told = element("title", f"{one.low:.2f} to {one.high:.2f}: {plain_text(one.share)}")
        shapes.append(element("circle", told, cx=x, cy=upward(value), r=4.5, class_="dot"))
    shapes.append(words("what was given (x) and percent right (y)", LEFT, base + 36, "quiet"))
    described = f"{chart.title} Dots are shares in percent, lines their 95% intervals; the diagonal is as given."
    return Picture(
        chart.title, described, picture(base + BOTTOM + 4, chart.title, described, *shapes), _reliability_table(chart)
    )


def _reliability_table(chart: Reliability) -> Table:
    rows = [[Cell(f"{one.low:.2f} to {one.high:.2f}"), Cell(one.mean, Kind.NUMBER), one.share] for one in chart.bins]
    return table(chart.title, ["given", "mean", "right"], rows, counted=chart.counted)
