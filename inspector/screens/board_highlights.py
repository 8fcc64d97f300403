"""The panes beneath the board: what stands out about the scorer under the cursor, and its figure by threshold."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace
from textual.worker import get_current_worker

from inspector.analyses import load
from inspector.render.blocks import Block
from inspector.render.charts.glyphs import Glyphs
from inspector.render.lines import Piece, PieceRow, Sheet
from inspector.render.table_blocks import Table
from inspector.screens.controller import same_owners
from inspector.state.case_list.listed import cleared
from inspector.state.screen_state import ScreenState
from inspector.state.subject import subject
from inspector.widgets.sheet_view import SheetView
from scoring.data.errors import InspectError
from scoring.selection.result_set import ResultSet

if TYPE_CHECKING:
    from textual.timer import Timer

    from inspector.render.terminal import Terminal


ROOM = 16
"""Lines beside those of the rows from which there is room for a pane: no row goes out of sight for it."""
MANY = 200_000
"""Cases from which a pane is computed where it is asked for alone: it would take turns with the keys."""
REST = 0.15
"""Seconds without a key after which panes follow the cursor."""
CHART, AROUND = 8, 10
"""Lines of a chart at least, and of what stands about it: its title, axis and legend."""
BESIDE, FACTS = 9, 8
"""Lines beside the rows and the table of what stands out, and lines of this table at most."""
BESIDE_CHART = 18
"""Lines of a terminal that its charts leave to other things."""


class ScorerPane(SheetView):
    """A sheet of an analysis of one scorer on one benchmark; its numbers open their cases as in any sheet."""

    NAME = ""
    """The analysis."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id=self.NAME)
        self._glyphs = glyphs
        self._rests: Timer | None = None
        self._wanted: tuple[object, ...] = ()
        """What it is to be of; () where it is not shown."""
        self._blocks: Sequence[Block] | None = None
        """What is to be shown of that; None until it is known."""
        self._sizes = (0, 0)
        """The lines that there are for it and the rows, and the columns of the terminal."""
        self.display = False
        # An empty frame would be there for a moment, with another height than what comes.
        self.visible = False

    def blocks(self, results: ResultSet, benchmark: str) -> Sequence[Block]:
        """Compute what is shown of the one chosen scorer on the shown cases, all of `benchmark`; () = nothing.

        In a thread.

        Raises:
            InspectError: it cannot be computed; the screen of the analysis says why.
        """
        raise NotImplementedError

    def lines(self, terminal: "Terminal", blocks: Sequence[Block]) -> tuple[str, list[PieceRow]]:
        """Return a word on what has no room, and the lines of what is shown."""
        return "", [line for line in terminal.blocks(blocks) if line]

    def title(self, state: ScreenState, left_out: str) -> str:  # noqa: ARG002  # where it says whose it is
        """Return what stands above it, with that word; "" for what has a title of its own."""
        return ""

    def fits(self, room: int) -> bool:
        """Return whether so many lines beside those of the rows leave room for it."""
        return room >= ROOM

    def follow(self, state: ScreenState, room: int) -> None:
        """Show the scorer in focus as soon as the keys rest, if `room` (in lines) allows it."""
        there = self.fits(room) and state.results.evaluated.height < MANY and state.evaluation is not None
        wanted = _subject(state) if there else ()
        sizes, self._sizes = self._sizes, (room, self.app.size.width)
        if wanted and same_owners(wanted, self._wanted):
            if self._blocks and sizes != self._sizes:
                self._lay_out(state, self._blocks)
            return
        if self._rests is not None:
            self._rests.stop()
        self.display = there
        self._wanted, self._blocks = wanted, None
        if there:
            # What is shown first need not wait for a key to rest.
            self._rests = self.set_timer(REST if self.visible else 0.001, partial(self._begin, state))

    def _begin(self, state: ScreenState) -> None:
        # Without a description Textual makes one of the whole workspace, for which the keys wait.
        work = partial(self._compute, state)
        self.run_worker(work, thread=True, exclusive=True, group=self.NAME, description=self.NAME)

    def _compute(self, state: ScreenState) -> None:
        """In a thread."""
        assert state.focus.scorer is not None  # noqa: S101  # there is an evaluation
        try:
            blocks = self.blocks(subject(cleared(state), (state.focus.scorer,)), state.focus.benchmark)
        except InspectError:
            blocks = ()
        if not get_current_worker().is_cancelled:
            self.call_later(self._take, state, blocks)

    def _take(self, state: ScreenState, blocks: Sequence[Block]) -> None:
        """Show it, unless another scorer is in focus by now."""
        if same_owners(self._wanted, _subject(state)):
            self._blocks = blocks
            self.display = bool(blocks)
            if blocks:
                self._lay_out(state, blocks)

    def _lay_out(self, state: ScreenState, blocks: Sequence[Block]) -> None:
        room, width = self._sizes
        height = BESIDE_CHART + max(CHART, room - BESIDE - FACTS - AROUND)
        # Charts are imported when one is drawn.
        from inspector.render.terminal import Terminal

        terminal = Terminal(max(40, width - 4), self._glyphs, height)
        left_out, lines = self.lines(terminal, blocks)
        title = [(Piece(words, "strong"),)] if (words := self.title(state, left_out)) else []
        # The border is a line too.
        self.styles.height = len(title) + len(lines) + 1
        self.show_sheet(Sheet((*title, *lines)))
        self.visible = True


class HighlightsPane(ScorerPane):
    """What stands out about the scorer in focus."""

    NAME = "highlights"

    def blocks(self, results: ResultSet, benchmark: str) -> Sequence[Block]:  # noqa: ARG002  # the cases tell
        sections = load(self.NAME).view(results).sections
        return [block for section in sections for block in section.blocks]

    def lines(self, terminal: "Terminal", blocks: Sequence[Block]) -> tuple[str, list[PieceRow]]:
        """Return the lines: where sentences take several, only the surest of them have room."""
        left_out, lines = super().lines(terminal, blocks)
        for block in blocks:
            if isinstance(block, Table):
                most = len(block.rows)
                while len(lines) > min(FACTS, self._sizes[0] - BESIDE) and len(block.rows) > 1:
                    block = replace(block, rows=block.rows[:-1])  # noqa: PLW2901
                    lines = [line for line in terminal.blocks([block]) if line]
                left_out = f", {len(block.rows)} of {most}" if len(block.rows) < most else ""
        return left_out, lines

    def title(self, state: ScreenState, left_out: str) -> str:
        return f"What stands out about {state.focus.scorer} on {state.focus.benchmark}{left_out}"


class CurvePane(ScorerPane, can_focus=False):
    """The official figure of the scorer in focus by threshold, where there is room above the other pane."""

    NAME = "thresholds"

    def blocks(self, results: ResultSet, benchmark: str) -> Sequence[Block]:
        """Draw the curve alone: the ways beneath it on its screen would take four times as long."""
        from inspector.analyses.thresholds.curve_page import curve_chart

        chart = curve_chart(results, results.chosen_evaluations, benchmark, dev=True, intervals=True)
        return [] if chart is None else [chart]

    def fits(self, room: int) -> bool:
        return room >= BESIDE + FACTS + CHART + AROUND


def _subject(state: ScreenState) -> tuple[object, ...]:
    """What a pane is of: while these are the same, so is it. A condition may speak of what people say meanwhile."""
    return state.evaluation, state.focus.benchmark, cleared(state).slice
