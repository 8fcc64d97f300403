"""The pane of the first cases behind the number under the cursor."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol

import numpy as np
from msgspec.structs import replace
from rich.cells import cell_len
from textual.worker import get_current_worker

from inspector.case_page.case_lines import case_lines
from inspector.case_page.open_case import DisplayOptions
from inspector.render.charts.glyphs import OUTCOME_STYLES, Glyphs
from inspector.render.lines import CaseLink
from inspector.render.texts.sentences import GLYPHS, counted
from inspector.render.texts.short_names import short_name
from inspector.render.texts.text import TextPart, clean
from inspector.screens.controller import ControlledScreen, Controller
from inspector.screens.messages import CasesFound
from inspector.state.case_links import drilled
from inspector.state.screen_state import ScreenState
from inspector.state.thresholds.threshold_span import threshold_span
from inspector.widgets.line_view import Line
from inspector.widgets.step_view import StepView
from scoring.data.errors import InspectError

if TYPE_CHECKING:
    from textual.timer import Timer

REST = 0.04
"""Seconds that the cursor rests on a number before its cases are listed."""
BESIDE, SHARE = 160, 0.35
"""Least width of a screen in columns for the pane on the right, and the share of the pane."""
LEAST = 10
"""Least height of a pane below the sheet in lines, including its frame."""
NAME = 18
"""Width of the name of a case, in cells."""
CASES_ABOVE = 3
"""The list of cases takes this fraction (1/n) of the pane if the first case is shown below it."""
MOST_LISTED, MOST_PREVIEWED = 20, 16
"""Most lines of the list and of the first case, to keep updates fast over slow connections."""
PREVIEW = 18
"""Least height of a pane in lines at which the first case is shown below the list."""


class SheetWithCases(ControlledScreen, Protocol):
    """Interface of the screen that the pane uses."""

    is_blind: bool

    @property
    def link(self) -> CaseLink | None: ...


class CasesBehind(Controller[SheetWithCases]):
    """Lists the first cases behind the number under the cursor once it rests, in a worker thread."""

    def __init__(self, screen: SheetWithCases) -> None:
        super().__init__(screen)
        self._timer: Timer | None = None
        self._listed: object = None
        self._rows: tuple[int, ...] = ()

    @property
    def pane(self) -> StepView:
        """The pane of cases."""
        return self.screen.query_one("#behind-cases", StepView)

    def follow(self) -> None:
        """List the cases behind the number under the cursor once it rests."""
        if self._timer is not None:
            self._timer.stop()
        if self.pane.display:
            self._timer = self.screen.set_timer(REST, self._start)

    def _start(self) -> None:
        pane, link, state = self.pane, self.screen.link, self.screen.state
        wanted = (link, state, pane.viewport)
        if not pane.display or not pane.viewport.width or wanted == self._listed:
            return
        self._listed = wanted
        if link is None or not link.n or self.screen.is_blind:
            self._rows = ()
            pane.caption("Cases")
            words = "Labels are hidden." if self.screen.is_blind else "No cases behind the number under the cursor."
            pane.show([[(words, "dim")]])
            return
        make = partial(self._find, state, link, pane.viewport.width, pane.viewport.height, self.screen.context.glyphs)
        self.screen.run_worker(make, thread=True, exclusive=True, group="cases behind", description="cases behind")

    def _find(self, state: ScreenState, link: CaseLink, width: int, height: int, glyphs: Glyphs) -> None:
        """Find the cases (runs in a worker thread)."""
        worker = get_current_worker()
        try:
            rows, lines = first_cases(state, link, width, height, glyphs)
        except InspectError as error:
            rows, lines = (), [Line([(clean(str(error)), "dim")])]
        if not worker.is_cancelled:
            self.screen.post_message(CasesFound(link, rows, lines))

    def show(self, message: CasesFound) -> None:
        """Show the cases, unless the cursor has moved."""
        link = self.screen.link
        if link is None or message.link != link:
            return
        self._rows = message.rows
        key = self.screen.context.keys.of("drill")
        words = clean(link.words)
        title = f"{words[:1].upper()}{words[1:]}"
        self.pane.caption(title, counted(link.n, "case"), f"{key} opens {'all' if link.n > 1 else 'it'}")
        self.pane.show(message.lines)

    def row_at(self, line: int) -> int | None:
        """Return the row id of the case on a line of the pane, or None."""
        return self._rows[line] if line < len(self._rows) else None


def first_cases(
    state: ScreenState, link: CaseLink, width: int, height: int, glyphs: Glyphs
) -> tuple[tuple[int, ...], list[Line]]:
    """Return the row ids of the first cases behind a number and a line for each, most instructive first.

    A tall pane shows the first case below the list.
    """
    listed = drilled(state, link)
    preview = height >= PREVIEW
    most = height
    if preview:
        room = min(MOST_LISTED, height - PREVIEW)
        most = room if listed.shown.size <= room else max(min(MOST_LISTED, height // 2), height // CASES_ABOVE)
    first = listed.shown[: most if listed.shown.size <= most else most - 1]
    rows = tuple(int(row) for row in first)
    lines = case_rows(listed, rows, link, width, glyphs)
    if (left := listed.shown.size - len(rows)) > 0:
        lines.append(Line([(f"  … {left:,} more", "dim")]))
    if preview and rows:
        name = clean(str(listed.cases["id"][rows[0]]))
        rule = "-" if glyphs.ascii_only else "─"
        rest = rule * max(0, width - cell_len(name) - 3)
        lines.append(Line([(rule, "frame"), (f" {name} ", "strong"), (rest, "frame")]))
        display = DisplayOptions(width, glyphs, raw=glyphs.ascii_only, named=False, height=height - len(lines))
        display = replace(display, beside=listed.focus.beside[:2], curve=False)
        lines += case_lines(listed, rows[0], display).lines[:MOST_PREVIEWED]
    return rows, lines


def case_rows(listed: ScreenState, rows: Sequence[int], link: CaseLink, width: int, glyphs: Glyphs) -> list[Line]:
    """Write a line for each case: outcome, id, gold step, named step and rewards."""
    scorer = listed.focus.scorer
    names = ["id", "earliest_error"]
    of_scorers = list(link.others[:2]) if len(link.others) == 2 else [scorer] if scorer else []
    names += [f"{name}.verdict" for name in of_scorers]
    names += [f"{scorer}.outcome", "rewards", f"{scorer}.verdict"] if scorer else []
    values = listed.rows.rows(names, np.array(rows, dtype=np.int32))
    low, high = threshold_span(listed.evaluation)
    dash = "-" if glyphs.ascii_only else "–"
    lines = []
    for row in values:
        name, gold, *rest = row
        verdicts = rest[: len(of_scorers)]
        parts: list[TextPart] = []
        if scorer:
            outcome = rest[len(of_scorers)]
            parts.append((f"{GLYPHS.get(outcome, ' ')} ", OUTCOME_STYLES.get(outcome, "dim")))
        parts.append((f"{short_name(clean(str(name)), NAME):<{NAME}} ", ""))
        parts.append((f"gold {_step(gold, dash):<3}", "gold" if gold is not None and gold >= 0 else "dim"))
        if len(of_scorers) == 2:
            a, b = (_step(verdict, dash) for verdict in verdicts)
            parts.append((f" A {a:<3} B {b:<3}", ""))
        elif of_scorers:
            parts.append((f" named {_step(verdicts[0], dash):<3}", ""))
        if scorer and rest[-2]:
            used = sum(cell_len(text) for text, _ in parts)
            if width - used > 5:
                parts.append((" ", ""))
                parts += glyphs.sparkline(rest[-2], low, high, gold, rest[-1], width - used - 2)
        lines.append(Line(parts))
    return lines


def _step(step: int | None, dash: str) -> str:
    """Write a step (0-based); a dash means no error, a question mark unknown."""
    return "?" if step is None else dash if step < 0 else str(step)
