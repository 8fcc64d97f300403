"""What one scorer says of one step, as parts of exactly its column's width."""

from rich.cells import cell_len

from inspector.case_view.columns import TAPE, Column
from inspector.case_view.open_case import Manner
from inspector.sentences import TRUNCATED
from inspector.text import Part, number

REDUNDANCY = "r"
"""Stands behind a number of the second track."""


def cells(column: Column, step: int, manner: Manner) -> list[Part]:
    """Letter, bar, number and marks; the letter and the arrow at the predicted step only beside other scorers."""
    track = column.track
    parts: list[Part] = [(track.letter, track.style)] if track.letter else []
    if track.kind == "bars":
        parts += _rewarded(column, step, manner)
    elif track.kind == "ticks":
        parts += [(_tick(column, step, manner), judged_style(column, step, manner)), *_arrow(column, step, manner)]
    elif track.letter:
        parts += _arrow(column, step, manner)
    return _joined(_filled(parts, column.width))


def second_cells(column: Column, step: int, manner: Manner) -> list[Part]:
    """The second track beneath: a redundancy, as number or as label, marked as such; [] where there is none."""
    track, manner_of_marks = column.track, manner.brush
    lead = " " * len(track.letter)
    if step < len(track.redundancy):
        value = track.redundancy[step]
        share = track.share(value)
        if not column.bar:
            text = _level(column, share, manner) + (number(value, 2, column.digits).rjust(column.digits))
            parts: list[Part] = [(lead, ""), (text, "dim"), (REDUNDANCY, "dim")]
        else:
            bar, _ = manner_of_marks.bar(share, column.bar)
            text = f"{bar} {number(value, 2, column.digits).rjust(column.digits)}{REDUNDANCY}"
            parts = [(lead, ""), (text, "dim")]
        return _filled(parts, column.width)
    if step < len(track.redundant) and track.redundant[step]:
        return _filled([("redundant"[: max(1, column.width - 1)], "dim")], column.width)
    return []


def judged_style(column: Column, step: int, manner: Manner) -> str:
    """The style of a judgement; nothing is told by it where verdicts are hidden."""
    wrong = _wrong(column, step)
    if manner.blind:
        return ""
    return "dim" if wrong is None else "bad" if wrong else "good"


def _rewarded(column: Column, step: int, manner: Manner) -> list[Part]:
    track, ascii_only = column.track, manner.brush.ascii_only
    style = judged_style(column, step, manner)
    if step >= len(track.rewards):
        dash = "-" if ascii_only else "–"
        before = max(column.bar, 1) + (1 if column.bar else 0) + max(0, column.digits - 1)
        return [(" " * (before if column.digits else 0) + dash, "dim")]
    reward = track.rewards[step]
    mark = _cross(column, step, manner)
    picture = _picture(column, step, reward, manner)
    if not column.digits:
        return [*picture, *(_arrow(column, step, manner) if _named(column, step, manner) else [(mark, style)])]
    fall = track.drop(step)
    down = "v" if ascii_only else "▼"
    lead: list[Part] = [(down if fall and not column.fall else " ", "strong")] if column.bar else []
    value = number(reward, 2, column.digits).rjust(column.digits)
    parts = [*picture, *lead, (value, style), (mark, style), *(_arrow(column, step, manner) if track.letter else [])]
    if column.fall and fall:
        parts.append((f"{down}{number(fall, 2, TAPE - 1)}", "strong"))
    return parts


def _picture(column: Column, step: int, reward: float, manner: Manner) -> list[Part]:
    """A bar in the scorer's own range with the threshold through it, or one character of that height."""
    track, brush = column.track, manner.brush
    style = track.style or judged_style(column, step, manner)
    if not column.bar:
        return [(_level(column, track.share(reward), manner), style)]
    threshold = None if manner.blind else track.threshold(step)
    if threshold is None:
        parts: list[Part] = [(brush.bar(track.share(reward), column.bar)[0], style)]
    else:
        parts = brush.reward_bar(track.share(reward), column.bar, track.share(threshold), style)
    if brush.ascii_only and track.letter:
        # Without colours, bars differ by what they are made of.
        parts = [(text.replace("#", track.letter), names) for text, names in parts]
    return parts


def _level(column: Column, share: float, manner: Manner) -> str:
    """One character for a share; a blank where it would be a digit right before those of the number."""
    return " " if column.digits and manner.brush.ascii_only else manner.brush.level(share)


def _cross(column: Column, step: int, manner: Manner) -> str:
    """A cross where the step is judged wrong, another mark where the case was truncated."""
    if column.track.truncated:
        return TRUNCATED
    wrong = _wrong(column, step) and not manner.blind
    return ("x" if manner.brush.ascii_only else "✗") if wrong else " "


def _tick(column: Column, step: int, manner: Manner) -> str:
    wrong = _wrong(column, step)
    if wrong is None or manner.blind:
        return " "
    if manner.brush.ascii_only:
        return "x" if wrong else "+"
    return "✗" if wrong else "✓"


def _arrow(column: Column, step: int, manner: Manner) -> list[Part]:
    """The mark of a predicted step."""
    if not _named(column, step, manner):
        return [(" ", "")]
    return [("<" if manner.brush.ascii_only else "◂", f"{column.track.style} strong")]


def _named(column: Column, step: int, manner: Manner) -> bool:
    return bool(column.track.letter) and column.track.verdict == step and not manner.blind


def _wrong(column: Column, step: int) -> bool | None:
    return column.track.wrong[step] if step < len(column.track.wrong) else None


def _joined(parts: list[Part]) -> list[Part]:
    """The same with blanks in the style before them: every change of style is written to the terminal."""
    found: list[Part] = []
    for text, style in parts:
        plain = found and not text.strip() and "predicted" not in found[-1][1]
        found.append((text, found[-1][1] if plain else style))
    return found


def _filled(parts: list[Part], width: int) -> list[Part]:
    """The same with blanks up to the width."""
    rest = width - sum(cell_len(text) for text, _ in parts)
    return [*parts, (" " * rest, "")] if rest > 0 else parts
