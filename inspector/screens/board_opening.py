"""From a row of the board to its failures, and from a number to exactly the cases behind it."""

from collections.abc import Mapping
from typing import Any

from inspector.board import Piece
from inspector.board_cells import NOBODY, PUBLISHED
from inspector.board_drills import NO_NUMBER, PRINTED, board_drill
from inspector.drilling import drilled
from inspector.inspection import Inspection
from inspector.messages import Go
from inspector.render.lines import CaseLink
from inspector.screens.board_arranging import BoardArranging
from inspector.widgets.frame_table import FrameTable
from scoring.filters import Facet, Filter

WHOLE_ROW = frozenset({"scorer", "benchmark", "subset", "metric", "outcomes"})
"""Cells that stand for their row."""


class BoardOpening(BoardArranging):
    """A board that opens lists of cases. `pieces` are the cases of its rows, by benchmark and subset."""

    pieces: Mapping[tuple[str, str | None], Piece]

    @property
    def line(self) -> dict[str, Any] | None:
        """The row under the cursor; None where there is none."""
        row = self.query_one(FrameTable).row_id
        return None if row is None else self.frame.row(row, named=True)

    def behind(self, line: dict[str, Any]) -> CaseLink | str | None:
        """What Enter opens on the cell that was chosen; None where it opens the failures."""
        cell, inspection = self.query_one(FrameTable).cell, self.inspection
        if cell is None or inspection is None or cell[0].name in WHOLE_ROW:
            return None
        piece = self.pieces[line["benchmark"], line["subset"]]
        return board_drill(inspection.selection, piece, line, cell[0].name, self.how.against)

    def on_frame_table_opened(self) -> None:
        """Open the cases behind the cell that was chosen, or the failures of the row."""
        line = self.line
        behind = None if line is None else self.behind(line)
        if behind is None or behind == NO_NUMBER:
            self.action_failures()
        elif isinstance(behind, CaseLink):
            self.open_link(behind)
        else:
            self.say(behind)

    def open_link(self, drill: CaseLink) -> None:
        """List exactly the cases behind a number."""
        self.close_rail()
        if self.inspection is not None:
            self.put(drilled(self.inspection.cleared(), drill))
            self.post_message(Go("cases"))

    def action_failures(self) -> None:
        self.close_rail()
        line = self.line
        if line is not None and line["kind"] == PUBLISHED:
            self.say(PRINTED)
        elif line is not None and line["kind"] == NOBODY:
            self.action_all_cases()
        elif self.inspection is not None and self.inspection.scorer is not None:
            self.put(self._within(self.inspection.failures()))
            self.post_message(Go("cases"))
        else:
            cases, score = self.keys.of("open-cases"), self.keys.of("score")
            self.say(f"There is no scorer whose failures could be shown; {cases} shows all cases, {score} scores them.")

    def action_all_cases(self) -> None:
        self.close_rail()
        if self.inspection is not None:
            self.put(self._within(self.inspection.cleared()))
            self.post_message(Go("cases"))

    def _within(self, inspection: Inspection) -> Inspection:
        """In the subset of the row under the cursor, where it is of one."""
        line = self.line
        if line is None or line["subset"] is None:
            return inspection
        chosen = inspection.filter
        return inspection.filtered(Filter((*chosen.facets, Facet("subset", (line["subset"],))), chosen.where))
