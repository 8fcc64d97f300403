"""The tables of a benchmark's paper: what is here, what is printed, and the difference."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar

from textual.binding import BindingType

from inspector.commands import bindings_of
from inspector.inspection import Inspection
from inspector.paint import Brush
from inspector.papers.documents import Source, table_document
from inspector.phrases import Phrase
from inspector.render.lines import Sheet
from inspector.screens.picking import Picking
from inspector.screens.sheet import SheetScreen, Tables
from inspector.sheets.paper import PaperFigures, paper_figures, paper_of, paper_sheet, printed_selection
from inspector.widgets.pick_list import Pick
from scoring.export import Document
from scoring.published.papers import Paper

NONE = "No tables of a paper on this benchmark are known."


class PaperScreen(SheetScreen):
    """One table of the paper at a time."""

    NAME = "paper"
    BINDINGS: ClassVar[list[BindingType]] = list(bindings_of("paper"))
    HELP = (
        "The paper's tables for the scorers here. What is printed stands beneath what is here, dim and called "
        "published; a figure that is missing says why.\n\nThe key that opened this turns its page; the one that goes "
        "back closes it."
    )

    def __init__(self, brush: Brush) -> None:
        super().__init__(brush)
        self._number: int | None = None
        self._everyone = False

    def place(self, paper: Paper) -> int:
        """The place of the open table in its paper, 0-based; until one was chosen, the first on scorers."""
        numbers = [one.number for one in paper.tables]
        if self._number in numbers:
            return numbers.index(self._number)
        return next((at for at, one in enumerate(paper.tables) if one.kind != "statistics"), 0)

    def lay_out(self, inspection: Inspection, figures: Any, width: int, height: int) -> Sheet:  # noqa: ARG002
        paper = paper_of(inspection)
        found = figures if isinstance(figures, PaperFigures) else None
        return paper_sheet(inspection, self.place(paper) if paper else 0, found, self.brush, width)

    def behind(self, inspection: Inspection) -> tuple[Sequence[object], Callable[[], Any]] | None:
        paper = paper_of(inspection)
        if paper is None:
            return None
        number = paper.tables[self.place(paper)].number
        owners = (*inspection.selection.evaluations, inspection.slice, number, self._everyone)
        return owners, partial(paper_figures, inspection, number, everyone=self._everyone)

    def subject(self, inspection: Inspection) -> list[Phrase]:  # noqa: ARG002
        return [Phrase(("here, published, difference", ""), rank=3)]

    def tables(self, inspection: Inspection) -> Tables:
        paper = paper_of(inspection)
        if paper is None:
            return ()
        return ((partial(_document, inspection, self.place(paper), self._everyone), "The table, a row a cell"),)

    # -- keys

    def action_page(self, by: int) -> None:
        """To the next table, or the one before; round and round."""
        paper = None if self.inspection is None else paper_of(self.inspection)
        if paper is None:
            self.say(NONE)
        else:
            self._turn(paper.tables[(self.place(paper) + by) % len(paper.tables)].number)

    def action_other(self) -> None:
        """Choose a table."""
        paper = None if self.inspection is None else paper_of(self.inspection)
        if paper is None:
            self.say(NONE)
            return
        now = self.place(paper)
        picks = [
            Pick(str(one.number), f"Table {one.number}", one.title, strong=at == now)
            for at, one in enumerate(paper.tables)
        ]
        self.app.push_screen(Picking(f"Tables of {paper.title}", picks, now), self._choose)

    def _choose(self, number: str | None) -> None:
        if number is not None:
            self._turn(int(number))

    def action_everyone(self) -> None:
        """Also the scorers that only the paper has, or those here alone."""
        if self.inspection is None or paper_of(self.inspection) is None:
            self.say(NONE)
            return
        self._everyone = not self._everyone
        self.show_inspection(self.inspection)

    def _turn(self, number: int) -> None:
        self._number = number
        if self.inspection is not None:
            self.show_inspection(self.inspection)


def _document(inspection: Inspection, place: int, everyone: bool, form: str) -> Document:
    paper = paper_of(inspection)
    assert paper is not None  # noqa: S101  # without one there is nothing to export
    return table_document(Source(paper, printed_selection(inspection), everyone), paper.tables[place], form)
