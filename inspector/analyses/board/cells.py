"""How values of the board become cells: percent, signed differences, marks, bars and sources."""

from collections.abc import Sequence

from inspector.render.cells import share, signed
from inspector.render.charts.chart_columns import LEAST, ChartAxis, bar_text, forest_text
from inspector.render.charts.glyphs import Glyphs
from inspector.render.table_blocks import Cell, CellChart
from inspector.render.texts.short_names import short_name
from inspector.render.texts.text import TextPart
from scoring.data.schema import NO_SUBSET
from scoring.evaluation.verdicts import OUTCOMES

SCORER, BASELINE, PUBLISHED, NOBODY = "scorer", "baseline", "published", "nobody"
"""Kinds of rows: of a scorer, of one that looks at nothing, of a printed figure, of a benchmark that nobody scored."""
PLAIN = frozenset({BASELINE, PUBLISHED, NOBODY})
"""Kinds of rows without a scorer, which are dim."""
NOT_HERE = (PUBLISHED, NOBODY)
"""Kinds of rows behind which there is no scorer of the workspace."""
BEST, TIED, REFERENCE, BUSY, FAULT = "best", "tied", "reference", "busy", "fault"
"""How a row stands to the best one or to the reference; `busy` is still being computed, at `fault` is the
user's own code."""


WHOLE_BENCHMARK = "whole"
"""The name of a row that is of no subset: its official figure may be a mean over subsets, or of all cases together."""
BEHIND_POINT = 5
"""Cells of a figure without a unit from its point on."""
SOURCE_WIDTH = 10
"""Cells in which half a word on where a threshold is from would say nothing."""
DRAWN = LEAST[CellChart.FOREST]
"""Least width of a drawn interval, in cells."""
PERCENT, SHORTEST_BAR = 5, 4
"""Width of a percentage and least width of a bar, in cells."""
SHARES = ChartAxis(0.0, 1.0)
IntervalOfRow = tuple[float | None, float | None, float | None, str]
"""Both ends of an interval, the score, and the kind of the row."""


def name_title(name: str | None) -> str:
    """Write a name of a row: without one it is of a whole benchmark, and "" are cases without a subset."""
    return WHOLE_BENCHMARK if name is None else name or NO_SUBSET


class BoardCells:
    """Paints cells; what it returns depends on nothing but the value and the glyphs, as `Column.paint` asks."""

    def __init__(self, glyphs: Glyphs) -> None:
        self._glyphs = glyphs
        self._dash = "-" if glyphs.ascii_only else "–"
        self._busy = "..." if glyphs.ascii_only else "…"
        self._marks = {BEST: "*", TIED: "+"} if glyphs.ascii_only else {BEST: "★", TIED: "≈"}

    def mark(self, standing: str | None) -> str:
        """Return one character for the best and for those tied with it; a blank for the others."""
        return self._marks.get(standing or "", " ")

    def _signed(self, value: float, digits: int = 1) -> str:
        """Write a difference of fractions in percentage points."""
        return signed(value, digits, ascii_only=self._glyphs.ascii_only)

    def name(self, value: tuple[str | None, str], width: int, among: Sequence[str] = ()) -> list[TextPart]:
        """Write a name, shortened beside those it stands `among`; without one, the whole benchmark."""
        text, kind = value
        plain = kind != SCORER or text is None
        return [(short_name(name_title(text), width, among), "dim" if plain else "")]

    def group(self, value: tuple[str | None, str, bool], width: int, among: Sequence[str] = ()) -> list[TextPart]:
        """Write a name by which rows are grouped: it is dim where it stands in the row above as well."""
        text, kind, repeated = value
        name = short_name(name_title(text), width, among)
        return [(name, "dim" if repeated or kind == PUBLISHED else "strong")]

    def score(self, value: tuple[float | None, str, bool, str | None], _: int) -> list[TextPart]:
        """Write the score and its mark; a printed one stands in brackets."""
        score, kind, small, standing = value
        if score is None:
            return [(f"{self._dash}  ", "dim")]
        if kind == PUBLISHED:
            return [(f"({share(score)}) ", "dim")]
        plain = kind != SCORER or small
        return [(f"{share(score)} {self.mark(standing)}", "dim" if plain else "strong")]

    def difference(self, value: tuple[float | None, str | None], _: int) -> list[TextPart]:
        """Write a score minus that of the reference."""
        score, standing = value
        if score is None:
            return [(self._busy if standing == BUSY else REFERENCE[:3] if standing == REFERENCE else self._dash, "dim")]
        return [(self._signed(score), "strong")]

    def points(self, value: tuple[float | None, str], _: int) -> list[TextPart]:
        """Write a signed figure in percentage points."""
        number, kind = value
        return [(self._dash if number is None else self._signed(number), "" if kind == SCORER and number else "dim")]

    def percent(self, value: tuple[float | None, str], _: int) -> list[TextPart]:
        """Write a share in percent."""
        number, kind = value
        percentage = self._dash if number is None else share(number)
        return [(percentage, "" if kind == SCORER and number is not None else "dim")]

    def own_share(self, value: tuple[float | None, str, str | None], _: int) -> list[TextPart]:
        """Write a metric of the user's own that is a share; or that it is being computed, or that its code is wrong."""
        number, kind, state = value
        return [self._stands_for(state)] if number is None else self.percent((number, kind), _)

    def own_number(self, value: tuple[float | None, str, str | None], _: int) -> list[TextPart]:
        """Write a metric of the user's own that has no unit, in the same way."""
        number, kind, state = value
        return [self._stands_for(state)] if number is None else self.number((number, kind), _)

    def _stands_for(self, state: str | None) -> TextPart:
        return {BUSY: self._busy, FAULT: "!"}.get(state or "", self._dash), "dim"

    def number(self, value: tuple[float | None, str], _: int) -> list[TextPart]:
        """Write a figure without a unit."""
        number, kind = value
        whole, point, digits = ("" if number is None else f"{number:.4g}").partition(".")
        number_text = self._dash if number is None else whole + f"{point}{digits}".ljust(BEHIND_POINT)
        return [(number_text, "" if kind == SCORER and number is not None else "dim")]

    def forest(self, value: IntervalOfRow, width: int, axis: ChartAxis) -> list[TextPart]:
        """Draw a score and its interval on an axis, or write the interval if the column is too narrow."""
        low, high, score, kind = value
        if width < DRAWN:
            return [(self._interval(low, high, width).rjust(width), "dim")]
        drawn = forest_text(Cell(score, low=low, high=high), axis, width, self._glyphs)
        point = "o" if self._glyphs.ascii_only else "●"
        before, mark, after = drawn.partition(point)
        return [(before, "dim"), (mark, "dim" if kind in PLAIN else "strong"), (after, "dim")]

    def _interval(self, low: float | None, high: float | None, width: int) -> str:
        if low is None or high is None:
            return ""
        ends = share(low, 0), share(high, 0)
        words = " to ".join(ends)
        return words if len(words) <= width else self._dash.join(ends)

    def difference_forest(self, value: tuple[float | None, ...], width: int, axis: ChartAxis) -> list[TextPart]:
        """Draw a difference and its interval around zero, or write the interval if the column is too narrow."""
        low, high, score = value
        if width >= DRAWN:
            return self.forest((low, high, score, SCORER), width, axis)
        return self.span((low, high), width)

    def span(self, value: tuple[float | None, float | None], width: int) -> list[TextPart]:
        """Write the ends of a difference's interval in whole points."""
        low, high = value
        if low is None or high is None:
            return [("", "dim")]
        ends = self._signed(low, 0), self._signed(high, 0)
        return [(" to ".join(ends).rjust(width), "dim")]

    def found(self, value: tuple[float | None, str], width: int, style: str) -> list[TextPart]:
        """Draw a share as a bar and write it in percent; narrow columns have no bar."""
        number, kind = value
        [(text, plain)] = self.percent(value, width)
        text = f"{text:>{PERCENT}} "
        size = width - 2 - len(text)
        if number is None or size < SHORTEST_BAR:
            return [(text.rjust(width), plain)]
        bar = bar_text(number, SHARES, size, self._glyphs)
        drawn = bar.rstrip(".░")
        return [(f" {drawn}", "dim" if kind in PLAIN else style), (bar[len(drawn) :] + " ", "dim"), (text, plain)]

    def bar(self, value: tuple[int | None, ...], width: int) -> list[TextPart]:
        """Draw the share of each outcome; nothing where no case was counted."""
        counts = {name: count or 0 for name, count in zip(OUTCOMES, value, strict=True)}
        return self._glyphs.outcome_bar(counts, width)

    def cut(self, value: tuple[float | None, str], width: int) -> list[TextPart]:
        """Write a threshold and, where there is room, where it is from; of a printed figure, where that stands."""
        threshold, source = value
        if threshold is None:
            return [(source, "dim")]
        number = f"{threshold:.3f}"
        fits = width >= len(number) + min(len(source) + 1, SOURCE_WIDTH)
        return [(number, ""), *([(f" {source}", "dim")] if fits else [])]

    def coverage(self, value: tuple[int | None, int | None], _: int) -> list[TextPart]:
        """Write the number of scored cases, with the total if some were not scored."""
        scored, cases = value
        if scored is None or cases is None:
            return [("", "")]
        return [(scored_text(scored, cases), "dim" if scored == cases else "strong")]

    def count(self, value: tuple[int | None, str], _: int) -> list[TextPart]:
        """Write a number of cases or runs."""
        number, kind = value
        return [("" if number is None else f"{number:,}", "" if kind == SCORER and number else "dim")]


def scored_text(scored: int, cases: int) -> str:
    """Write `240` if all cases are scored, else `132/240`."""
    return f"{cases:,}" if scored == cases else f"{scored:,}/{cases:,}"
