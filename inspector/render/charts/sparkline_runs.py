"""Which steps of a long case a narrow picture of its rewards shows: never without the gold step."""

from collections.abc import Sequence

Run = tuple[int, int]
"""The first step shown and one past the last."""
GAP = 1
"""Cells of the sign that steps were left out."""


def shown_runs(n_steps: int, width: int, gold: int | None, verdict: int | None) -> list[Run]:
    """Return the runs of steps that fit into `width` cells, in order and apart from each other; at most two.

    One cell a step, one for the mark before the gold step, one for every gap: before the first run, between the two,
    and after the last. All steps where they fit. Else the steps around the gold step and around the predicted one;
    where there is no room for both, those around the gold step.

    Args:
        n_steps: how many steps there are.
        width: cells, at least 4.
        gold: the step with a mark before it, 0-based; None or beyond the steps: there is none.
        verdict: the predicted step, likewise.
    """
    marks = _inside(gold, n_steps)
    wanted = sorted({*marks, *_inside(verdict, n_steps)})
    if n_steps + len(marks) <= width:
        return [(0, n_steps)] if n_steps else []
    room = width - len(marks)
    if not wanted:
        return [(0, max(1, room - GAP))]
    if wanted[-1] - wanted[0] + 1 <= room - 2 * GAP:
        return [_around(wanted[0], wanted[-1] + 1, n_steps, room)]
    if room < 3 * GAP + 2 * 2:
        step = marks[0] if marks else wanted[0]
        return [_around(step, step + 1, n_steps, room)]
    return _two(wanted[0], wanted[-1], n_steps, room)


def _inside(step: int | None, n_steps: int) -> list[int]:
    return [step] if step is not None and 0 <= step < n_steps else []


def _around(start: int, end: int, n_steps: int, room: int) -> Run:
    """A run around some steps that fills the room: to the first or last step where that is near."""
    for before, after in ((0, 0), (0, GAP), (GAP, 0), (GAP, GAP)):
        length = room - before - after
        left = 0 if not before else max(1, start - (length - (end - start)) // 2)
        if not after:
            left = n_steps - length
        right = left + length
        # A sign of a gap stands for at least one step.
        fits = left <= start and right >= end and (left > 0) == bool(before) and (right < n_steps) == bool(after)
        if fits:
            return left, right
    return start, end


def _two(first: int, last: int, n_steps: int, room: int) -> list[Run]:
    """A run around each of two steps that are far apart; the room is shared evenly."""
    half = (room - GAP) // 2
    left = _end(first, n_steps, half, before=True)
    right = _end(last, n_steps, room - GAP - (left[1] - left[0]) - (GAP if left[0] else 0), before=False)
    return [left, right]


def _end(step: int, n_steps: int, room: int, *, before: bool) -> Run:
    """The run around a step on its side of the gap: `before` it or after."""
    if before:
        if step < room:
            return 0, room
        length = room - GAP
        start = step - length // 2
        return start, start + length
    if n_steps - step <= room:
        return n_steps - room, n_steps
    length = room - GAP
    start = step - length // 2
    return start, start + length


def cells(runs: Sequence[Run], n_steps: int, marks: int) -> int:
    """Count how many cells such a picture takes."""
    if not runs:
        return 0
    gaps = (runs[0][0] > 0) + (len(runs) - 1) + (runs[-1][1] < n_steps)
    return sum(end - start for start, end in runs) + GAP * gaps + marks
