"""Statistics of a benchmark, which no scorer has a part in."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar

from textual.binding import BindingType

from inspector.commands import bindings_of
from inspector.inspection import Inspection
from inspector.phrases import Phrase
from inspector.render.lines import Sheet
from inspector.screens.sheet import SheetScreen, Tables
from inspector.sheets.statistics import statistics_of, statistics_sheet
from inspector.statistics_document import statistics_document
from inspector.subject import subject
from scoring.export import Document


class StatisticsScreen(SheetScreen):
    """Counts, lengths, where errors lie, generators; published figures beside, where a paper prints them."""

    NAME = "statistics"
    BINDINGS: ClassVar[list[BindingType]] = list(bindings_of("statistics"))
    HELP = (
        "The benchmark itself. Each count opens exactly its cases; dim figures called published are a paper's.\n\n"
        "The key that opened this turns its page; the one that goes back closes it."
    )

    def lay_out(self, inspection: Inspection, figures: Any, width: int, height: int) -> Sheet:  # noqa: ARG002
        found = figures if isinstance(figures, Document) else None
        return statistics_sheet(inspection, found, self.brush, width)

    def behind(self, inspection: Inspection) -> tuple[Sequence[object], Callable[[], Any]] | None:
        return (inspection.benchmark, inspection.slice), partial(statistics_of, inspection)

    def subject(self, inspection: Inspection) -> list[Phrase]:  # noqa: ARG002
        return [Phrase(("statistics, without scorers", "statistics"), rank=3)]

    def tables(self, inspection: Inspection) -> Tables:
        return ((partial(_document, inspection), "The statistics, by subset"),)


def _document(inspection: Inspection, form: str) -> Document:
    return statistics_document(subject(inspection), form)
