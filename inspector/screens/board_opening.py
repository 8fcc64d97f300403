"""From a row of the board to its failures, and from a number to exactly the cases behind it."""

from typing import TYPE_CHECKING, Any

from inspector.board_cells import NOBODY, PUBLISHED
from inspector.board_drills import NO_NUMBER, PRINTED, board_drill
from inspector.drilling import drilled
from inspector.inspection import Inspection
from inspector.messages import Go
from inspector.render.lines import CaseLink
from inspector.screens.controller import Controller
from scoring.filters import Facet, Filter

if TYPE_CHECKING:
    from inspector.screens.board import BoardScreen

WHOLE_ROW = frozenset({"scorer", "benchmark", "subset", "metric", "outcomes"})
"""Cells that stand for their row."""


class BoardOpening(Controller):
    """Opens lists of cases."""

    screen: "BoardScreen"

    def behind(self, line: dict[str, Any]) -> CaseLink | str | None:
        """What Enter opens on the cell that was chosen; None where it opens the failures."""
        cell, inspection = self.screen.table.cell, self.inspection
        if cell is None or inspection is None or cell[0].name in WHOLE_ROW:
            return None
        piece = self.screen.pieces[line["benchmark"], line["subset"]]
        return board_drill(inspection.selection, piece, line, cell[0].name, self.screen.how.against)

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
        if self.inspection is not None:
            self.screen.put(drilled(self.inspection.cleared(), drill))
            self.screen.post_message(Go("cases"))

    def action_failures(self) -> None:
        self.screen.close_rail()
        line = self.screen.line
        if line is not None and line["kind"] == PUBLISHED:
            self.screen.say(PRINTED)
        elif line is not None and line["kind"] == NOBODY:
            self.action_all_cases()
        elif self.inspection is not None and self.inspection.scorer is not None:
            self.screen.put(self._within(self.inspection.failures()))
            self.screen.post_message(Go("cases"))
        else:
            cases, score = self.screen.keys.of("open-cases"), self.screen.keys.of("score")
            self.screen.say(
                f"There is no scorer whose failures could be shown; {cases} shows all cases, {score} scores them."
            )

    def action_all_cases(self) -> None:
        self.screen.close_rail()
        if self.inspection is not None:
            self.screen.put(self._within(self.inspection.cleared()))
            self.screen.post_message(Go("cases"))

    def _within(self, inspection: Inspection) -> Inspection:
        """In the subset of the row under the cursor, where it is of one."""
        line = self.screen.line
        if line is None or line["subset"] is None:
            return inspection
        chosen = inspection.filter
        return inspection.filtered(Filter((*chosen.facets, Facet("subset", (line["subset"],))), chosen.where))
