"""Charts of the board of a report, a line a scorer: what happened to the cases, and figures with their intervals."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from inspector.render.cells import DASH, share
from inspector.render.chart_blocks import Picture
from inspector.render.elements import Element, element
from inspector.render.svg import ROW, WIDTH, box, line, name_label, picture, width_of, words
from inspector.render.table_blocks import Cell, Table, count, table
from inspector.render.texts.sentences import GLYPHS, WORDS
from scoring.evaluation.verdicts import OUTCOMES

LEFT = 270
"""Units at the left for names."""
TOP = 34
GAP = 5


def outcome_chart(title: str, counts: Sequence[tuple[str, Mapping[str, int]]]) -> Picture:
    """Draw a bar a scorer, of its name and the number of cases of each outcome; all bars have the same cases."""
    seen = [name for name in OUTCOMES if any(of_one[name] for _, of_one in counts)]
    shapes = _legend(seen)
    names = [name for name, _ in counts]
    for number, (name, of_one) in enumerate(counts):
        shapes += _bar(name, {outcome: of_one[outcome] for outcome in seen}, TOP + ROW * number, names)
    counted_outcomes = "; ".join(f"{name}: {_told(of_one, seen)}" for name, of_one in counts)
    described = f"Bars are all the cases, parted by outcome in the order of the legend. {counted_outcomes}."
    height = TOP + ROW * len(counts) + 4
    return Picture(title, described, picture(height, title, described, *shapes), _table(title, counts, seen))


def _told(of_one: Mapping[str, int], seen: Sequence[str]) -> str:
    return ", ".join(f"{WORDS[outcome]} {of_one[outcome]}" for outcome in seen if of_one[outcome])


def _legend(seen: Sequence[str]) -> list[Element]:
    """A little box an outcome with its glyph, and its word behind it."""
    shapes, x = [], float(LEFT)
    for outcome in seen:
        shapes.append(box(x, 6, 16, 16, f"o-{outcome.replace('_', '-')}"))
        shapes.append(words(GLYPHS[outcome], x + 8, 18, "inside", "middle"))
        shapes.append(words(WORDS[outcome], x + 21, 18))
        x += 21 + width_of(WORDS[outcome]) + 14
    return shapes


def _bar(name: str, of_one: Mapping[str, int], y: float, names: Sequence[str]) -> list[Element]:
    total = sum(of_one.values())
    shapes, x = [name_label(name, LEFT - 12, y + 16, names)], float(LEFT)
    for outcome, n in of_one.items():
        width = (WIDTH - LEFT) * n / total if total else 0.0
        if not n:
            continue
        shapes.append(box(x, y + 2, width, ROW - GAP, f"o-{outcome.replace('_', '-')}", f"{WORDS[outcome]}: {n}"))
        label = f"{GLYPHS[outcome]} {n}".strip()
        label = label if width_of(label) + 4 <= width else GLYPHS[outcome]
        if width_of(label) + 4 <= width:
            shapes.append(words(label, x + width / 2, y + 16, "inside", "middle"))
        x += width
    return shapes


def _table(title: str, counts: Sequence[tuple[str, Mapping[str, int]]], seen: Sequence[str]) -> Table:
    heads = ("scorer", *(f"{GLYPHS[outcome]} {WORDS[outcome]}".strip() for outcome in seen))
    rows = [[Cell(name), *(count(of_one[outcome]) for outcome in seen)] for name, of_one in counts]
    return table(f"{title}: numbers of cases", heads, rows)


RIGHT = 200
"""Units at the right for figures in words."""
AXIS = 26
"""Units above the lines, for the axis."""
TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


class ReportFigure(Struct, frozen=True):
    """A figure of a scorer as a fraction; None where it is undefined. `text` is how it is told."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    text: str


def interval_chart(title: str, measured: Sequence[ReportFigure]) -> Picture:
    """Draw a dot a scorer on an axis from 0 to 100, with a line over its 95% interval and its numbers beside it."""
    bottom = AXIS + ROW * len(measured)
    shapes = [line(_x(tick), AXIS, _x(tick), bottom, "grid") for tick in TICKS]
    shapes += [words(share(tick, 0), _x(tick), AXIS - 8, "quiet", "middle") for tick in TICKS]
    for number, score in enumerate(measured):
        shapes += _row(score, AXIS + ROW * number + ROW / 2, [other.name for other in measured])
    defined = [score for score in measured if score.value is not None]
    figures = "; ".join(f"{score.name}: {score.text}" for score in defined) or "no figure is defined"
    described = f"Dots are figures in percent, lines their 95% intervals. {figures}."
    return Picture(title, described, picture(bottom + 6, title, described, *shapes), None)


def _row(score: ReportFigure, y: float, names: Sequence[str]) -> list[Element]:
    shapes = [name_label(score.name, LEFT - 12, y + 4, names)]
    if score.value is None:
        return [*shapes, words(DASH, _x(0), y + 4, "quiet")]
    if score.low is not None and score.high is not None:
        shapes.append(line(_x(score.low), y, _x(score.high), y, "whisker"))
        shapes += [line(_x(end), y - 4, _x(end), y + 4, "whisker") for end in (score.low, score.high)]
    shapes.append(element("circle", cx=_x(score.value), cy=y, r=4.5, class_="dot"))
    return [*shapes, words(score.text, WIDTH - RIGHT + 16, y + 4)]


def _x(share: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * min(1.0, max(0.0, share))
