"""Rewards against steps: a curve a scorer, with threshold, gold and predicted steps.

Every scorer is drawn in its own range, so that curves of different ranges can be compared; the numbers at the left are
those of the scorer in focus.
"""

from collections.abc import Sequence
from itertools import pairwise

from inspector.case_view.canvas import Canvas
from inspector.case_view.open_case import OpenCase
from inspector.case_view.tracks import Track
from inspector.text import Part, number
from inspector.widgets.line_view import Line

MARGIN = 6
"""Cells at the left for numbers and words."""
BENEATH = 3
"""Lines beneath the curves: the steps' numbers, the gold step, the predicted steps."""
LEAST, MOST = 3, 20
"""Rows of the curves at least and at most."""


def curve_lines(shown: OpenCase, width: int, height: int) -> list[Line]:
    """The chart in at most `width` x `height` cells; a sentence where there is nothing to draw."""
    drawn = [track for track in shown.tracks if track.rewards]
    if not drawn:
        hidden = shown.manner.unscored
        why = "Scorers are hidden." if hidden else "No rewards to draw: what stands here gives verdicts or labels."
        return [Line([(why, "dim")])]
    canvas = Canvas(max(8, width - MARGIN - 1), min(MOST, max(LEAST, height - BENEATH)), shown.manner.brush.ascii_only)
    places = columns_of(shown.case["n_steps"], canvas.width)
    _draw(canvas, shown, drawn, places)
    labels = _labels(canvas, drawn[0], shown)
    lines = [Line([(f"{labels.get(row, ''):>5} ", "dim"), *canvas.parts(row)]) for row in range(canvas.height)]
    lines.append(Line([(" " * MARGIN, ""), *_numbers(places, canvas.width)]))
    if not shown.manner.blind:
        lines += _marks(shown, places, canvas.width)
    return lines


def columns_of(n_steps: int, width: int) -> list[int]:
    """The column of each step, from edge to edge; several steps may share one."""
    if n_steps < 2:
        return [width // 2] * n_steps
    return [round(step * (width - 1) / (n_steps - 1)) for step in range(n_steps)]


def _draw(canvas: Canvas, shown: OpenCase, drawn: Sequence[Track], places: Sequence[int]) -> None:
    ascii_only, blind = canvas.ascii_only, shown.manner.blind
    # The scorer in focus is drawn last, above the others.
    tracks = list(reversed(drawn))
    if shown.gold is not None and not blind:
        canvas.column(places[shown.gold], "gold", ":" if ascii_only else "┊")
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


def _labels(canvas: Canvas, track: Track, shown: OpenCase) -> dict[int, str]:
    """Numbers beside rows: the ends of the range and the threshold of the scorer in focus."""
    scorer = track.evaluation.scorer
    found = {canvas.height - 1: number(scorer.low, 2, 5), 0: number(scorer.high, 2, 5)}
    threshold = track.threshold(0)
    if threshold is not None and not shown.manner.blind:
        found[canvas.row(track.share(threshold))] = number(threshold, 2, 5)
    return found


def _numbers(places: Sequence[int], width: int) -> list[Part]:
    """The numbers of steps beneath their columns, as many as have room."""
    text, free = [" "] * width, 0
    for step, place in enumerate(places):
        word = str(step)
        at = min(place, width - len(word))
        if at >= free:
            text[at : at + len(word)] = word
            free = at + len(word) + 1
    return [("".join(text), "dim")]


def _marks(shown: OpenCase, places: Sequence[int], width: int) -> list[Line]:
    """A line for the gold step and one for the predicted steps; letters of the same step stand beside each other."""
    lines = []
    if shown.gold is not None:
        arrow = "^" if shown.manner.brush.ascii_only else "▲"
        at = places[shown.gold]
        lines.append(Line([(f"{'gold':<{MARGIN}}", "gold"), (" " * at, ""), (arrow, "gold")]))
    cells: dict[int, Part] = {}
    for track in sorted(shown.tracks, key=lambda track: track.letter):
        if track.verdict is None or not 0 <= track.verdict < len(places):
            continue
        place = places[track.verdict]
        # Those of one step stand beside each other, at the right edge towards the left.
        free = next((one for one in (*range(place, width), *range(place, -1, -1)) if one not in cells), None)
        if free is not None:
            cells[free] = (
                track.letter or ("^" if shown.manner.brush.ascii_only else "▲"),
                f"{track.style} strong" if track.style else "predicted",
            )
    if cells:
        row: list[Part] = [cells.get(at, (" ", "")) for at in range(max(cells) + 1)]
        lines.append(Line([(f"{'pred':<{MARGIN}}", "predicted"), *row]))
    return lines
