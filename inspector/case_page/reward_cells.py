"""What one scorer says of one step, as parts of exactly its column's width."""

from collections.abc import Sequence

from rich.cells import cell_len

from inspector.case_page.columns import TAPE, ScorerColumn
from inspector.case_page.open_case import DisplayOptions
from inspector.render.cells import dash
from inspector.render.texts.sentences import TRUNCATED
from inspector.render.texts.text import TextPart, number

REDUNDANCY = "r"
"""Stands behind a number of the second track."""


def cells(column: ScorerColumn, step: int, display: DisplayOptions) -> list[TextPart]:
    """Return the bar, number and marks of the scorer in focus, or another scorer's cell with its verdict."""
    track = column.track
    parts: list[TextPart] = []
    if track.kind == "bars":
        parts = _cell(column, step, display) if column.beside else _rewarded(column, step, display)
    elif track.kind == "ticks":
        parts = [*_arrow(column, step, display), (_tick(column, step, display), judged_style(column, step, display))]
    elif track.letter:
        parts = _arrow(column, step, display)
    return _joined(_filled(parts, column.width))


def heads(side: Sequence[ScorerColumn]) -> list[TextPart]:
    """Return the letters of several scorers, aligned with their columns; [] for one scorer."""
    parts: list[TextPart] = []
    for column in side:
        indent = 1 if column.beside else 0
        letter = " " * indent + column.track.letter
        style = column.track.style if column.beside else f"{column.track.style} strong"
        parts += [(letter, style), (" " * (column.width - len(letter)), "")]
    return parts if len(side) > 1 else []


def second_cells(column: ScorerColumn, step: int, display: DisplayOptions) -> list[TextPart]:
    """Return the second track beneath: a redundancy, as number or label, marked as such; [] where there is none."""
    track, glyphs = column.track, display.glyphs
    if step < len(track.redundancy):
        value = track.redundancy[step]
        written = number(value, 2, column.digits).rjust(column.digits) if column.digits else ""
        picture = f"{glyphs.bar(track.share(value), column.bar)[0]} " if column.bar else " "
        return _filled([(f"{picture}{written}{REDUNDANCY}", "dim")], column.width)
    if step < len(track.redundant) and track.redundant[step]:
        return _filled([("redundant"[: max(1, column.width - 1)], "dim")], column.width)
    return []


def judged_style(column: ScorerColumn, step: int, display: DisplayOptions) -> str:
    """Return the style of a judgement; nothing is told by it where verdicts are hidden."""
    if display.blind:
        return ""
    if step < len(column.track.rewards):
        return column.track.reward_style(step)
    wrong = _wrong(column, step)
    return "dim" if wrong is None else "bad" if wrong else "good"


def _rewarded(column: ScorerColumn, step: int, display: DisplayOptions) -> list[TextPart]:
    """Return the bar, number, cross and fall of the scorer in focus."""
    track, ascii_only = column.track, display.glyphs.ascii_only
    if step >= len(track.rewards):
        blank = (column.bar + 1 if column.bar else 1) + column.digits - 1
        return [(" " * blank + dash(ascii_only=ascii_only), "dim")]
    fall, down = track.drop(step), "v" if ascii_only else "▼"
    style = judged_style(column, step, display)
    parts = [*_picture(column, step, display), (down if fall and not column.fall else " ", "strong")]
    parts += [(_written(column, step, display).rjust(column.digits), style), (_cross(column, step, display), style)]
    if column.fall and fall:
        parts.append((f"{down}{number(fall, 2, TAPE - 1)}", "strong"))
    return parts


def _cell(column: ScorerColumn, step: int, display: DisplayOptions) -> list[TextPart]:
    """Return an arrow at the predicted step, the reward (narrow cells: its height) and a cross."""
    track = column.track
    if step >= len(track.rewards):
        return [(" " * max(1, column.digits) + dash(ascii_only=display.glyphs.ascii_only), "dim")]
    style = judged_style(column, step, display)
    if not column.digits:
        mark = (
            _arrow(column, step, display) if _named(column, step, display) else [(_cross(column, step, display), style)]
        )
        return [(display.glyphs.level(track.share(track.rewards[step])), style), *mark]
    value = _written(column, step, display).rjust(column.digits)
    return [*_arrow(column, step, display), (value, style), (_cross(column, step, display), style)]


def _written(column: ScorerColumn, step: int, display: DisplayOptions) -> str:
    """Write the reward with enough decimals to tell it from the threshold.

    If they do not fit, drop the leading zero, or else write only the side of the threshold.
    """
    track, reward = column.track, column.track.rewards[step]
    rounded = number(reward, 2, column.digits)
    threshold = None if display.blind else track.threshold(step)
    if threshold is None:
        return rounded
    text = track.written(step)
    for form in (text, text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text):
        if len(form) <= column.digits:
            return form
    if number(threshold, 2, column.digits) != rounded:
        return rounded
    return f"{'<' if reward < threshold else '>'}{number(threshold, 2, column.digits - 1)}"


def _picture(column: ScorerColumn, step: int, display: DisplayOptions) -> list[TextPart]:
    """Draw a bar in the scorer's own range, crossed by the threshold."""
    track, glyphs = column.track, display.glyphs
    if not column.bar:
        return []
    share, style = track.share(track.rewards[step]), judged_style(column, step, display)
    threshold = None if display.blind else track.threshold(step)
    if threshold is None:
        return [(glyphs.bar(share, column.bar)[0], style)]
    return glyphs.reward_bar(share, column.bar, track.share(threshold), style)


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
    """Return the mark of a predicted step for a scorer not in focus; the gutter marks that of the scorer in focus."""
    if not _named(column, step, display):
        return [(" ", "")]
    return [("<" if display.glyphs.ascii_only else "◂", f"{column.track.style} strong")]


def _named(column: ScorerColumn, step: int, display: DisplayOptions) -> bool:
    return column.beside and column.track.verdict == step and not display.blind


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
