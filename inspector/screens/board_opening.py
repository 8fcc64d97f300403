"""From a row of the board to its failures, and from a number to exactly the cases behind it."""

from typing import Any, Protocol

from inspector.analyses.board.arrangement import Arrangement
from inspector.analyses.board.board_rows import BoardSlice, subset_facet
from inspector.analyses.board.cells import NOBODY, PUBLISHED
from inspector.analyses.board.drills import NO_NUMBER, PRINTED, board_drill
from inspector.render.lines import CaseLink
from inspector.screens.controller import Controller, TableScreen
from inspector.screens.messages import Go
from inspector.state.case_links import drilled
from inspector.state.case_list.listed import cleared, failures
from inspector.state.screen_state import ScreenState
from scoring.workspace.filtering.filters import Filter

WHOLE_ROW = frozenset({"scorer", "benchmark", "subset", "metric", "outcomes"})
"""Cells that stand for their row."""


class OpeningBoard(TableScreen, Protocol):
    """What opening cases uses of the board."""

    how: Arrangement
    pieces: dict[tuple[str, str | None], BoardSlice]

    @property
    def line(self) -> dict[str, Any] | None: ...


class BoardOpening(Controller[OpeningBoard]):
    """Opens lists of cases."""

    def behind(self, line: dict[str, Any]) -> CaseLink | str | None:
        """Return what Enter opens on the cell that was chosen; None where it opens the failures."""
        cell = self.screen.table.cell
        if cell is None or cell[0].name in WHOLE_ROW:
            return None
        piece = self.screen.pieces[line["benchmark"], line["subset"]]
        return board_drill(self.state.results, piece, line, cell[0].name, self.screen.how.against)

    def open(self) -> None:
        """Open the cases behind the cell that was chosen, or the failures of the row."""
        line = self.screen.line
        behind = None if line is None else self.behind(line)
        if behind is None or behind == NO_NUMBER:
            self.action_failures()
        elif isinstance(behind, CaseLink):
            self.open_link(behind)
        else:
            self.screen.say(behind)

    def open_link(self, drill: CaseLink) -> None:
        """List exactly the cases behind a number."""
        self.screen.close_rail()
        self.screen.put(drilled(cleared(self.state), drill))
        self.screen.post_message(Go("cases"))

    def action_failures(self) -> None:
        self.screen.close_rail()
        line = self.screen.line
        if line is not None and line["kind"] == PUBLISHED:
            self.screen.say(PRINTED)
        elif line is not None and line["kind"] == NOBODY:
            self.action_all_cases()
        elif self.state.focus.scorer is not None:
            self.screen.put(self._within(failures(self.state)))
            self.screen.post_message(Go("cases"))
        else:
            cases, score = self.context.keys.of("open-cases"), self.context.keys.of("score")
            self.screen.say(
                f"There is no scorer whose failures could be shown; {cases} shows all cases, {score} scores them."
            )

    def action_all_cases(self) -> None:
        self.screen.close_rail()
        self.screen.put(self._within(cleared(self.state)))
        self.screen.post_message(Go("cases"))

    def _within(self, state: ScreenState) -> ScreenState:
        """In the subset of the row under the cursor, where it is of one."""
        line = self.screen.line
        if line is None or line["subset"] is None:
            return state
        chosen = state.filter
        return state.selected(chosen=Filter((*chosen.facets, subset_facet(line["subset"])), chosen.where))
