"""The bias screen: which way a scorer leans, and on which cases it is better or worse than on the rest."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar

from textual.binding import BindingType

from inspector.commands import bindings_of
from inspector.inspection import Inspection
from inspector.render.lines import Sheet
from inspector.screens.sheet import SheetScreen, Tables
from inspector.sheets.bias import bias_sheet, document_of
from scoring.export import Document


class BiasScreen(SheetScreen):
    """The bias of the scorer in focus, and every slice beside its rest."""

    NAME = "bias"
    BINDINGS: ClassVar[list[BindingType]] = list(bindings_of("bias"))
    HELP = (
        "Which way the scorer in focus leans: towards calling things right, or wrong. Beneath it every value of every "
        "column, by how much better or worse it is on its cases than on the others.\n\nThe key that opened this turns "
        "its page; the one that goes back closes it."
    )

    def lay_out(self, inspection: Inspection, figures: Any, width: int, height: int) -> Sheet:  # noqa: ARG002
        found = figures if isinstance(figures, Document) else None
        return bias_sheet(inspection, found, self.brush, width)

    def behind(self, inspection: Inspection) -> tuple[Sequence[object], Callable[[], Any]] | None:
        if inspection.scorer is None or not inspection.slice.any():
            return None
        return (inspection.evaluation, inspection.slice), partial(document_of, inspection)

    def tables(self, inspection: Inspection) -> Tables:
        if inspection.scorer is None:
            return ()
        return ((partial(document_of, inspection), "Bias and every slice"),)
