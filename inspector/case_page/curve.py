"""Rewards against steps: a curve a scorer, with threshold, gold and predicted steps.

Every scorer is drawn in its own range, so that curves of different ranges can be compared; the numbers at the left are
those of the scorer in focus.
"""

from collections.abc import Sequence
from itertools import pairwise

from msgspec import Struct, field

from inspector.case_page.open_case import OpenCase
from inspector.case_page.tracks import Track
from inspector.render.texts.text import TextPart, number
from inspector.widgets.line_view import Line

# -- curves in characters: dots of braille, or letters and points where only ASCII is to be used


# Dot (column, row) of a braille cell -> its bit.
_BITS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
_BRAILLE = 0x2800
ACROSS, DOWN = 2, 4
"""Dots of a braille cell."""


class Canvas(Struct):
    """`width` x `height` cells on which curves, lines and signs are put; places are shares in [0, 1] from below.

    What is put later lies above.
    """

    width: int
    height: int
    ascii_only: bool
    _dots: dict[tuple[int, int], int] = field(default_factory=dict)
    _signs: dict[tuple[int, int], tuple[str, str]] = field(default_factory=dict)
    _styles: dict[tuple[int, int], str] = field(default_factory=dict)

    def row(self, share: float) -> int:
        """Return the row, from above, of a share."""
        return round((1 - min(1.0, max(0.0, share))) * (self.height - 1))

    def level(self, share: float, style: str, sign: str) -> None:
        """Draw a line from edge to edge."""
        for column in range(self.width):
            self._signs[column, self.row(share)] = (sign, style)

    def column(self, at: int, style: str, sign: str) -> None:
        """Draw a line from bottom to top."""
        for row in range(self.height):
            self._signs[at, row] = (sign, style)

    def line(self, start: tuple[int, float], end: tuple[int, float], style: str) -> None:
        """Draw a line between two points, each a column of cells and a share."""
        across, down = (1, 1) if self.ascii_only else (ACROSS, DOWN)
        (x0, y0), (x1, y1) = ((at * across, self._dot_row(share, down)) for at, share in (start, end))
        steps = max(abs(x1 - x0), abs(y1 - y0), 1)
        for step in range(steps + 1):
            x, y = x0 + round((x1 - x0) * step / steps), y0 + round((y1 - y0) * step / steps)
            cell = (x // across, y // down)
            if self.ascii_only:
                self._signs[cell] = (".", style)
                continue
            self._signs.pop(cell, None)
            self._dots[cell] = self._dots.get(cell, 0) | _BITS[x % ACROSS][y % DOWN]
            self._styles[cell] = style

    def _dot_row(self, share: float, down: int) -> int:
        # Dots lie around the middle of the row of cells in which signs of the same share are put.
        return min(self.height * down - 1, self.row(share) * down + (down - 1) // 2)

    def sign(self, at: int, share: float, text: str, style: str) -> None:
        """Put one character at a point."""
        self._signs[at, self.row(share)] = (text, style)

    def parts(self, row: int) -> list[TextPart]:
        """Return one row of cells as parts."""
        parts: list[TextPart] = []
        for column in range(self.width):
            cell = (column, row)
            if cell in self._signs:
                parts.append(self._signs[cell])
            elif cell in self._dots:
                parts.append((chr(_BRAILLE + self._dots[cell]), self._styles[cell]))
            else:
                parts.append((" ", ""))
        return parts


MARGIN = 6
"""Cells at the left for numbers and words."""
BENEATH = 3
"""Lines beneath the curves: the steps' numbers, the gold step, the predicted steps."""
LEAST, MOST = 3, 20
"""Rows of the curves at least and at most."""


def curve_lines(case: OpenCase, width: int, height: int) -> list[Line]:
    """Return the chart in at most `width` x `height` cells; a sentence where there is nothing to draw."""
    drawn = [track for track in case.tracks if track.rewards]
    if not drawn:
        hidden = case.display.unscored
        why = "Scorers are hidden." if hidden else "No rewards to draw: what stands here gives verdicts or labels."
        return [Line([(why, "dim")])]
    canvas = Canvas(max(8, width - MARGIN - 1), min(MOST, max(LEAST, height - BENEATH)), case.display.glyphs.ascii_only)
    places = columns_of(case.case["n_steps"], canvas.width)
    _draw(canvas, case, drawn, places)
    labels = _labels(canvas, drawn[0], case)
    lines = [Line([(f"{labels.get(row, ''):>5} ", "dim"), *canvas.parts(row)]) for row in range(canvas.height)]
    lines.append(Line([(" " * MARGIN, ""), *_numbers(places, canvas.width)]))
    if not case.display.blind:
        lines += _marks(case, places, canvas.width)
    return lines


def columns_of(n_steps: int, width: int) -> list[int]:
    """Return the column of each step, from edge to edge; several steps may share one."""
    if n_steps < 2:
        return [width // 2] * n_steps
    return [round(step * (width - 1) / (n_steps - 1)) for step in range(n_steps)]


def _draw(canvas: Canvas, case: OpenCase, drawn: Sequence[Track], places: Sequence[int]) -> None:
    ascii_only, blind = canvas.ascii_only, case.display.blind
    # The scorer in focus is drawn last, above the others.
    tracks = list(reversed(drawn))
    if case.gold is not None and not blind:
        canvas.column(places[case.gold], "gold", ":" if ascii_only else "┊")
    for track in tracks:
        threshold = track.threshold(0)
        moves = track.evaluation.compared_values is not track.evaluation.rewards
        if threshold is not None and not moves and not blind:
            canvas.level(track.share(threshold), track.style or "dim", "-" if ascii_only else "╌")
    for track in tracks:
        points = [(places[step], track.share(reward)) for step, reward in enumerate(track.rewards)]
        for start, end in pairwise(points):
            canvas.line(start, end, track.style)
        for at, share in points:
            canvas.sign(at, share, track.letter or ("*" if ascii_only else "●"), f"{track.style} strong".strip())


def _labels(canvas: Canvas, track: Track, case: OpenCase) -> dict[int, str]:
    """Numbers beside rows: the ends of the range and the threshold of the scorer in focus."""
    scorer = track.evaluation.scorer
    labels = {canvas.height - 1: number(scorer.low, 2, 5), 0: number(scorer.high, 2, 5)}
    threshold = track.threshold(0)
    if threshold is not None and not case.display.blind:
        labels[canvas.row(track.share(threshold))] = number(threshold, 2, 5)
    return labels


def _numbers(places: Sequence[int], width: int) -> list[TextPart]:
    """The numbers of steps beneath their columns, as many as have room."""
    text, free = [" "] * width, 0
    for step, place in enumerate(places):
        word = str(step)
        at = min(place, width - len(word))
        if at >= free:
            text[at : at + len(word)] = word
            free = at + len(word) + 1
    return [("".join(text), "dim")]


def _marks(case: OpenCase, places: Sequence[int], width: int) -> list[Line]:
    """A line for the gold step and one for the predicted steps; letters of the same step stand beside each other."""
    lines = []
    if case.gold is not None:
        arrow = "^" if case.display.glyphs.ascii_only else "▲"
        at = places[case.gold]
        lines.append(Line([(f"{'gold':<{MARGIN}}", "gold"), (" " * at, ""), (arrow, "gold")]))
    cells: dict[int, TextPart] = {}
    for track in sorted(case.tracks, key=lambda track: track.letter):
        if track.verdict is None or not 0 <= track.verdict < len(places):
            continue
        place = places[track.verdict]
        # Those of one step stand beside each other, at the right edge towards the left.
        free = next((column for column in (*range(place, width), *range(place, -1, -1)) if column not in cells), None)
        if free is not None:
            cells[free] = (
                track.letter or ("^" if case.display.glyphs.ascii_only else "▲"),
                f"{track.style} strong" if track.style else "predicted",
            )
    if cells:
        row: list[TextPart] = [cells.get(at, (" ", "")) for at in range(max(cells) + 1)]
        lines.append(Line([(f"{'pred':<{MARGIN}}", "predicted"), *row]))
    return lines
