"""What one scorer says of one step, as parts of exactly its column's width."""

from rich.cells import cell_len

from inspector.case_page.columns import TAPE, ScorerColumn
from inspector.case_page.open_case import DisplayOptions
from inspector.render.texts.sentences import TRUNCATED
from inspector.render.texts.text import TextPart, number

REDUNDANCY = "r"
"""Stands behind a number of the second track."""


def cells(column: ScorerColumn, step: int, display: DisplayOptions) -> list[TextPart]:
    """Return letter, bar, number and marks; the letter and the arrow at the predicted step only beside others."""
    track = column.track
    parts: list[TextPart] = [(track.letter, track.style)] if track.letter else []
    if track.kind == "bars":
        parts += _rewarded(column, step, display)
    elif track.kind == "ticks":
        parts += [(_tick(column, step, display), judged_style(column, step, display)), *_arrow(column, step, display)]
    elif track.letter:
        parts += _arrow(column, step, display)
    return _joined(_filled(parts, column.width))


def second_cells(column: ScorerColumn, step: int, display: DisplayOptions) -> list[TextPart]:
    """Return the second track beneath: a redundancy, as number or label, marked as such; [] where there is none."""
    track, glyphs = column.track, display.glyphs
    lead = " " * len(track.letter)
    if step < len(track.redundancy):
        value = track.redundancy[step]
        share = track.share(value)
        if not column.bar:
            text = _level(column, share, display) + (number(value, 2, column.digits).rjust(column.digits))
            parts: list[TextPart] = [(lead, ""), (text, "dim"), (REDUNDANCY, "dim")]
        else:
            bar, _ = glyphs.bar(share, column.bar)
            text = f"{bar} {number(value, 2, column.digits).rjust(column.digits)}{REDUNDANCY}"
            parts = [(lead, ""), (text, "dim")]
        return _filled(parts, column.width)
    if step < len(track.redundant) and track.redundant[step]:
        return _filled([("redundant"[: max(1, column.width - 1)], "dim")], column.width)
    return []


def judged_style(column: ScorerColumn, step: int, display: DisplayOptions) -> str:
    """Return the style of a judgement; nothing is told by it where verdicts are hidden."""
    wrong = _wrong(column, step)
    if display.blind:
        return ""
    return "dim" if wrong is None else "bad" if wrong else "good"


def _rewarded(column: ScorerColumn, step: int, display: DisplayOptions) -> list[TextPart]:
    track, ascii_only = column.track, display.glyphs.ascii_only
    style = judged_style(column, step, display)
    if step >= len(track.rewards):
        dash = "-" if ascii_only else "–"
        before = max(column.bar, 1) + (1 if column.bar else 0) + max(0, column.digits - 1)
        return [(" " * (before if column.digits else 0) + dash, "dim")]
    reward = track.rewards[step]
    mark = _cross(column, step, display)
    picture = _picture(column, step, reward, display)
    if not column.digits:
        return [*picture, *(_arrow(column, step, display) if _named(column, step, display) else [(mark, style)])]
    fall = track.drop(step)
    down = "v" if ascii_only else "▼"
    lead: list[TextPart] = [(down if fall and not column.fall else " ", "strong")] if column.bar else []
    value = _written(column, step, display).rjust(column.digits)
    parts = [*picture, *lead, (value, style), (mark, style), *(_arrow(column, step, display) if track.letter else [])]
    if column.fall and fall:
        parts.append((f"{down}{number(fall, 2, TAPE - 1)}", "strong"))
    return parts


def _written(column: ScorerColumn, step: int, display: DisplayOptions) -> str:
    """The reward; where it is too long and would round to the threshold, on which side of that it lies."""
    track, reward = column.track, column.track.rewards[step]
    rounded = number(reward, 2, column.digits)
    threshold = None if display.blind else track.threshold(step)
    if threshold is None:
        return rounded
    text = track.written(step)
    if len(text) <= column.digits:
        return text
    if number(threshold, 2, column.digits) != rounded:
        return rounded
    return f"{'<' if reward < threshold else '>'}{number(threshold, 2, column.digits - 1)}"


def _picture(column: ScorerColumn, step: int, reward: float, display: DisplayOptions) -> list[TextPart]:
    """A bar in the scorer's own range with the threshold through it, or one character of that height."""
    track, glyphs = column.track, display.glyphs
    style = track.style or judged_style(column, step, display)
    if not column.bar:
        return [(_level(column, track.share(reward), display), style)]
    threshold = None if display.blind else track.threshold(step)
    if threshold is None:
        parts: list[TextPart] = [(glyphs.bar(track.share(reward), column.bar)[0], style)]
    else:
        parts = glyphs.reward_bar(track.share(reward), column.bar, track.share(threshold), style)
    if glyphs.ascii_only and track.letter:
        # Without colours, bars differ by what they are made of.
        parts = [(text.replace("#", track.letter), names) for text, names in parts]
    return parts


def _level(column: ScorerColumn, share: float, display: DisplayOptions) -> str:
    """One character for a share; a blank where it would be a digit right before those of the number."""
    return " " if column.digits and display.glyphs.ascii_only else display.glyphs.level(share)


def _cross(column: ScorerColumn, step: int, display: DisplayOptions) -> str:
    """A cross where the step is judged wrong, another mark where the case was truncated."""
    if column.track.truncated:
        return TRUNCATED
    wrong = _wrong(column, step) and not display.blind
    return ("x" if display.glyphs.ascii_only else "✗") if wrong else " "


def _tick(column: ScorerColumn, step: int, display: DisplayOptions) -> str:
    wrong = _wrong(column, step)
    if wrong is None or display.blind:
        return " "
    if display.glyphs.ascii_only:
        return "x" if wrong else "+"
    return "✗" if wrong else "✓"


def _arrow(column: ScorerColumn, step: int, display: DisplayOptions) -> list[TextPart]:
    """The mark of a predicted step."""
    if not _named(column, step, display):
        return [(" ", "")]
    return [("<" if display.glyphs.ascii_only else "◂", f"{column.track.style} strong")]


def _named(column: ScorerColumn, step: int, display: DisplayOptions) -> bool:
    return bool(column.track.letter) and column.track.verdict == step and not display.blind


def _wrong(column: ScorerColumn, step: int) -> bool | None:
    return column.track.wrong[step] if step < len(column.track.wrong) else None


def _joined(parts: list[TextPart]) -> list[TextPart]:
    """The same with blanks in the style before them: every change of style is written to the terminal."""
    joined: list[TextPart] = []
    for text, style in parts:
        plain = joined and not text.strip() and "predicted" not in joined[-1][1]
        joined.append((text, joined[-1][1] if plain else style))
    return joined


def _filled(parts: list[TextPart], width: int) -> list[TextPart]:
    """The same with blanks up to the width."""
    rest = width - sum(cell_len(text) for text, _ in parts)
    return [*parts, (" " * rest, "")] if rest > 0 else parts
