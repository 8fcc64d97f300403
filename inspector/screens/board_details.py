"""Panels below the board, and the curve next to it: facts about the row under the cursor."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from textual.worker import get_current_worker

from inspector.analyses.board.board_rows import BoardSlice
from inspector.analyses.board.cells import NOT_HERE
from inspector.render.lines import CaseLink, PieceRow, Sheet
from inspector.screens.controller import Controller, TableScreen, same_owners
from inspector.screens.messages import Go
from inspector.state.case_list.listed import cleared, failures
from inspector.state.screen_state import ScreenState
from inspector.widgets.sheet_view import SheetView

if TYPE_CHECKING:
    from textual.timer import Timer

    from inspector.screens.board_facts import RowFacts
    from inspector.screens.board_panels import DrawOptions

REST = 0.15
"""Seconds without a key press until the panels follow the cursor."""
SOON = 0.04
"""Seconds until the failure under the cursor is shown."""
LEAST = 7
"""Least height of the sheet in lines; otherwise the table takes them."""
CURVE = 13
"""Least height of the curve's pane next to the table, in lines."""


class BoardSheet(SheetView):
    """A sheet of panels with an area chart."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"line--area"}


class DetailedBoard(TableScreen, Protocol):
    """Interface of the board that the details use."""

    pieces: dict[tuple[str, str | None], BoardSlice]

    @property
    def line(self) -> dict[str, Any] | None: ...


class BoardDetails(Controller[DetailedBoard]):
    """Computes and draws the panels in a worker thread once no key has been pressed for a moment."""

    _rests: "Timer | None" = None
    _wanted: tuple[object, ...] = ()
    """Identity of the row whose panels are shown; () without panels."""
    _facts: "RowFacts | None" = None
    """Facts about that row; None until they are computed."""
    _options: "DrawOptions | None" = None
    """Options with which the lines on screen were drawn."""
    _seen = False

    @property
    def sheet(self) -> BoardSheet:
        """The panels below the table."""
        return self.screen.query_one("#highlights", BoardSheet)

    @property
    def curve(self) -> BoardSheet:
        """The curve next to the table."""
        return self.screen.query_one("#thresholds", BoardSheet)

    def follow(self) -> None:
        """Show the row under the cursor once no key has been pressed for a moment."""
        line = self.screen.line
        if line is None or not self.sheet.display:
            self._wanted, self._facts = (), None
            return
        wanted = self._subject(self.state, line)
        if same_owners(wanted, self._wanted):
            self.redraw()
            return
        self._wanted, self._facts = wanted, None
        # The first row need not wait.
        self._soon(REST if self._seen else 0.001, partial(self._begin, self.state, line))

    def _soon(self, delay: float, then: Any) -> None:
        if self._rests is not None:
            self._rests.stop()
        self._rests = self.screen.set_timer(delay, then)

    def redraw(self) -> None:
        """Redraw the known facts if the size or the previewed failure changed."""
        if self._facts is not None and self._draw_options() != self._options:
            self._soon(SOON, partial(self._draw_again, self.state, self._facts))

    def _draw_again(self, state: ScreenState, facts: "RowFacts") -> None:
        self._work(partial(self._draw, state, facts, self._draw_options()))

    def _begin(self, state: ScreenState, line: Mapping[str, Any]) -> None:
        piece = self.screen.pieces.get((line["benchmark"], line["subset"]))
        if piece is not None:
            self._work(partial(self._compute, state, piece, line, self._draw_options()))

    def _work(self, work: Any) -> None:
        # Without a description, Textual formats the whole workspace, which blocks the keys.
        self.screen.run_worker(work, thread=True, exclusive=True, group="details", description="details")

    def _compute(self, state: ScreenState, piece: BoardSlice, line: Mapping[str, Any], options: "DrawOptions") -> None:
        """Compute the facts (runs in a worker thread; imports lazily so that the board appears sooner)."""
        from inspector.screens.board_facts import row_facts

        facts = row_facts(state, piece, line, wide=options.wide)
        if not get_current_worker().is_cancelled:
            self._draw(state, facts, options)

    def _draw(self, state: ScreenState, facts: "RowFacts", options: "DrawOptions") -> None:
        """Draw the panels (runs in a worker thread)."""
        from inspector.screens.board_panels import curve_caption, curve_lines, sheet_lines

        lines = sheet_lines(state, facts, options)
        beside = curve_lines(facts, options) if options.wide else []
        caption = curve_caption(facts, options)
        self.screen.show_if_open(self._take, state, facts, options, lines, beside, caption)

    def _take(
        self,
        state: ScreenState,
        facts: "RowFacts",
        options: "DrawOptions",
        lines: Sequence[PieceRow],
        beside: Sequence[PieceRow],
        caption: tuple[str, str, str],
    ) -> None:
        """Show the lines, unless the cursor has moved to another row."""
        if not same_owners(self._wanted, self._subject(state, facts.line)):
            return
        self._facts, self._options, self._seen = facts, options, True
        sheet, curve = self.sheet, self.curve
        sheet.visible = curve.visible = True
        sheet.show_sheet(Sheet(lines))
        if options.wide:
            curve.show_sheet(Sheet(beside))
            curve.caption(*caption)
        # The size may have changed.
        self.redraw()

    def _subject(self, state: ScreenState, line: Mapping[str, Any]) -> tuple[object, ...]:
        """Return the identity of a row's panels. A condition may refer to annotations that change meanwhile."""
        named = (line["row"], *(line[name] for name in ("kind", "score", "scored", "reason", "d_reason")))
        if line["kind"] in NOT_HERE:
            return named
        evaluation = state.results.evaluation(line["scorer"])
        return (*named, self.curve.display, evaluation, cleared(state).slice)

    def _draw_options(self) -> "DrawOptions":
        from inspector.screens.board_panels import DrawOptions

        sheet, curve = self.sheet.viewport, self.curve.viewport
        wide = self.curve.display
        return DrawOptions(
            self.context.glyphs,
            self.context.keys,
            max(20, sheet.width),
            sheet.height,
            wide,
            (max(20, curve.width), curve.height) if wide else (0, 0),
            self._failure(),
        )

    def _failure(self) -> int:
        """Return the row id of the failure under the cursor, else of the previewed one; -1 for the first."""
        listed = () if self._facts is None else self._facts.failures
        drill = self.sheet.drill
        here = next((failure.row for failure in listed if failure.link == drill), None)
        before = -1 if self._options is None else self._options.previewed
        known = any(failure.row == before for failure in listed)
        return here if here is not None else before if known else -1

    def open(self, drill: CaseLink) -> bool:
        """Open the case of a failure; return False if the link does not open a failure."""
        failure = next((case for case in (self._facts.failures if self._facts else ()) if case.link == drill), None)
        if failure is None:
            return False
        self.screen.close_rail()
        self.screen.put(failures(self.state))
        self.screen.post_message(Go("case", failure.row))
        return True
