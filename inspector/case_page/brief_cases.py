"""Cases in brief: a line for each, and the first lines of one case below a rule."""

from collections.abc import Sequence
from itertools import islice

import numpy as np
from msgspec.structs import replace
from rich.cells import cell_len

from inspector.case_page.case_lines import case_lines
from inspector.case_page.open_case import DisplayOptions
from inspector.render.cells import dash
from inspector.render.charts.glyphs import OUTCOME_STYLES, Glyphs
from inspector.render.texts.sentences import GLYPHS
from inspector.render.texts.short_names import short_name
from inspector.render.texts.text import TextPart, cell, clean
from inspector.state.case_list.case_rows import LEVELS
from inspector.state.screen_state import ScreenState
from inspector.state.thresholds.threshold_span import threshold_span
from inspector.widgets.line_view import Line

NAME = 20
"""Greatest width of the id of a case, in cells."""
SPARKLINE = 24
"""Greatest width of a sparkline of rewards, in cells."""
LEAST_SPARKLINE = 6
"""Least width of a sparkline of rewards, in cells."""


def brief_cases(
    state: ScreenState, rows: Sequence[int], compared: Sequence[str], width: int, glyphs: Glyphs
) -> list[list[TextPart]]:
    """Write a line for each case: outcome, id, gold step, named steps and rewards; the second part is the id.

    Args:
        state: the state; its scorer in focus decides the outcome and has the rewards.
        rows: the row ids of the cases.
        compared: the scorers A and B, whose named steps are written; () for the scorer in focus alone.
        width: of a line, in cells.
        glyphs: the characters of sparklines.
    """
    focus = state.focus.scorer
    scorers = compared or ([focus] if focus else [])
    columns = ["id", "earliest_error", *(f"{name}.verdict" for name in scorers)]
    columns += [f"{focus}.outcome", f"{focus}.verdict", "rewards", LEVELS] if focus else []
    values = state.rows.rows(columns, np.array(rows, dtype=np.int32))
    ids = [clean(str(row[0])) for row in values]
    size = min(NAME, max(map(cell_len, ids), default=0))
    low, high = threshold_span(state.evaluation)
    nothing = dash(ascii_only=glyphs.ascii_only)
    lines: list[list[TextPart]] = []
    for name, (_, gold, *rest) in zip(ids, values, strict=True):
        verdicts, of_focus = rest[: len(scorers)], rest[len(scorers) :]
        outcome, verdict, rewards, levels = of_focus or (None, None, None, None)
        steps = [_step(step, nothing) for step in verdicts]
        named = f"A {steps[0]:<3} B {steps[1]:<3}" if compared else "".join(f"named {step:<3}" for step in steps)
        label = "no label" if gold is None else "no error" if gold < 0 else f"gold {gold}"
        parts: list[TextPart] = [
            (f"{GLYPHS.get(outcome or '', ' ')} ", OUTCOME_STYLES.get(outcome or "", "dim")),
            (cell(short_name(name, size, ids), size), ""),
            (f"  {label:<10}{named} ", "dim"),
        ]
        room = min(SPARKLINE, width - sum(cell_len(text) for text, _ in parts) - 2)
        if rewards and room >= LEAST_SPARKLINE:
            parts += glyphs.sparkline(rewards, low, high, _shown(gold), _shown(verdict), room, levels or "")
        lines.append(parts)
    return lines


def case_preview(state: ScreenState, row: int, display: DisplayOptions) -> list[Line]:
    """Draw the first `display.height` lines of a case: a rule with its name, then its page."""
    glyphs, width, height = display.glyphs, display.width, display.height
    rule = "-" if glyphs.ascii_only else "─"
    name = clean(str(state.cases["case"][row]))
    lines = [Line([(rule, "frame"), (f" {name} ", "strong"), (rule * max(0, width - cell_len(name) - 3), "frame")])]
    display = replace(display, raw=glyphs.ascii_only, named=False, curve=False, beside=state.focus.beside[:2])
    page = case_lines(state, row, replace(display, height=height - 1)).lines
    lines += islice(page, height - 1)
    if len(page) > height - 1:
        lines[-1] = Line([("..." if glyphs.ascii_only else "…", "dim")])
    return lines


def _step(step: int | None, nothing: str) -> str:
    """Write a step (0-based); a dash means no error, a question mark no readable answer."""
    return "?" if step is None or step < -1 else nothing if step < 0 else str(step)


def _shown(step: int | None) -> int | None:
    return None if step is None or step < 0 else step
