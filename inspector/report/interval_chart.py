"""Figures with their intervals, a line each: where scorers stand, and how sure that is."""

from collections.abc import Sequence
from dataclasses import dataclass

from inspector.render.cells import DASH, share
from inspector.render.elements import Element, element
from inspector.render.svg import ROW, WIDTH, line, name_label, picture, words
from inspector.render.view import Picture

LEFT, RIGHT = 270, 200
"""Units at the left for names, and at the right for figures in words."""
TOP = 26
TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


@dataclass(frozen=True)
class Measured:
    """A figure of a scorer as a fraction; None where it is undefined. `text` is how it is told."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    text: str


def interval_chart(title: str, measured: Sequence[Measured]) -> Picture:
    """A dot a scorer on an axis from 0 to 100, with a line over its 95% interval; its numbers stand beside it."""
    bottom = TOP + ROW * len(measured)
    shapes = [line(_x(tick), TOP, _x(tick), bottom, "grid") for tick in TICKS]
    shapes += [words(share(tick, 0), _x(tick), TOP - 8, "quiet", "middle") for tick in TICKS]
    for number, one in enumerate(measured):
        shapes += _row(one, TOP + ROW * number + ROW / 2)
    defined = [one for one in measured if one.value is not None]
    told = "; ".join(f"{one.name}: {one.text}" for one in defined) or "no figure is defined"
    described = f"Dots are figures in percent, lines their 95% intervals. {told}."
    return Picture(title, described, picture(bottom + 6, title, described, *shapes), None)


def _row(one: Measured, y: float) -> list[Element]:
    shapes = [name_label(one.name, LEFT - 12, y + 4)]
    if one.value is None:
        return [*shapes, words(DASH, _x(0), y + 4, "quiet")]
    if one.low is not None and one.high is not None:
        shapes.append(line(_x(one.low), y, _x(one.high), y, "whisker"))
        shapes += [line(_x(end), y - 4, _x(end), y + 4, "whisker") for end in (one.low, one.high)]
    shapes.append(element("circle", cx=_x(one.value), cy=y, r=4.5, class_="dot"))
    return [*shapes, words(one.text, WIDTH - RIGHT + 16, y + 4)]


def _x(share: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * min(1.0, max(0.0, share))
