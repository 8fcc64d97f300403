"""The official figure at every threshold, with the present one and the best one marked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from inspector.report.blocks import Cell, Chart, Table
from inspector.report.elements import Element, element
from inspector.report.svg import WIDTH, line, picture, width_of, words
from scoring.score_curves import Curve, places_on
from scoring.scorer import Comparison
from scoring.step_rewards import Floats

LEFT, TOP, HEIGHT, BOTTOM = 44, 44, 220, 40
POINTS = 400
"""Thresholds that the line is drawn through; each has its exact figure."""
TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


@dataclass(frozen=True)
class Mark:
    """A threshold that is told by name, with its figure."""

    name: str
    threshold: float
    score: float


def figures_at(curve: Curve, thresholds: Floats, comparison: Comparison) -> Floats:
    """The exact figure at each threshold (k,); NaN where it is undefined."""
    found: Floats = curve.score[places_on(curve, thresholds, comparison)]
    return found


def curve_chart(
    title: str,
    names: tuple[str, str],
    curve: Curve,
    comparison: Comparison,
    ends: tuple[float, float],
    marks: Sequence[Mark],
) -> Chart:
    """The line over the thresholds between `ends`, and a mark each with its name and figure.

    `names` are what the threshold and the figure are called.
    """
    across, metric = names
    low, high = ends
    xs = np.linspace(low, high, POINTS)
    ys = figures_at(curve, xs, comparison)
    base, right = TOP + HEIGHT, WIDTH - 20

    def place(threshold: float) -> float:
        return LEFT + (right - LEFT) * (min(high, max(low, threshold)) - low) / ((high - low) or 1.0)

    shapes: list[Element] = []
    for tick in TICKS:
        y = base - HEIGHT * tick
        shapes += [line(LEFT, y, right, y, "grid"), words(f"{100 * tick:.0f}", LEFT - 8, y + 4, "quiet", "end")]
    for tick in np.linspace(low, high, 6).tolist():
        shapes.append(words(f"{tick:.2f}", place(tick), base + 18, "quiet", "middle"))
    points = [(place(x), base - HEIGHT * y) for x, y in zip(xs.tolist(), ys.tolist(), strict=True) if np.isfinite(y)]
    shapes.append(element("polyline", points=" ".join(_bends(points)), class_="curve"))
    ordered = sorted(marks, key=lambda mark: mark.threshold)
    for number, mark in enumerate(ordered):
        left = number + 1 < len(ordered)
        shapes += _marked(mark, place(mark.threshold), base - HEIGHT * mark.score, 14 + 16 * number, left=left)
    shapes.append(words(f"{across} (x) and {metric} in percent (y)", LEFT, base + 36, "quiet"))
    told = "; ".join(f"{mark.name} {mark.threshold:.4g}: {100 * mark.score:.1f}" for mark in marks)
    described = f"{metric} in percent at thresholds from {low:.2f} to {high:.2f}. {told}."
    every = np.linspace(low, high, 11)
    named = [(mark.name, mark.threshold, mark.score) for mark in marks]
    listed = zip(every.tolist(), figures_at(curve, every, comparison).tolist(), strict=True)
    rows = [*named, *(("", x, y) for x, y in listed)]
    cells = tuple((Cell(name), Cell(f"{x:.4g}", value=x), _figure(y)) for name, x, y in rows)
    table = Table(f"{metric} at some thresholds", ("", across, metric), cells, (False, True, True))
    return Chart(title, described, picture(base + BOTTOM + 4, title, described, *shapes), table)


def _bends(points: Sequence[tuple[float, float]]) -> Iterator[str]:
    """The points without those between two others of their own height."""
    for at, (x, y) in enumerate(points):
        if not 0 < at < len(points) - 1 or not points[at - 1][1] == y == points[at + 1][1]:
            yield f"{x:.0f},{y:.1f}"


def _figure(score: float) -> Cell:
    return Cell(f"{100 * score:.1f}", value=score) if np.isfinite(score) else Cell("–")


def _marked(mark: Mark, x: float, y: float, top: float, *, left: bool) -> list[Element]:
    """A line through the curve, a dot on it, and the name above: to the left of it if so asked, and if it has room."""
    text = f"{mark.name} {mark.threshold:.4g}: {100 * mark.score:.1f}"
    room = width_of(text) + 8
    fits = x + room < WIDTH and (not left or x < room)
    return [
        line(x, top + 4, x, TOP + HEIGHT, "mark"),
        element("circle", cx=x, cy=y, r=4.5, class_="dot"),
        words(text, x + 6 if fits else x - 6, top + 2, "", None if fits else "end"),
    ]
