"""The protocol card: how the number of the scorer in focus came to be, alone or beside another's."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar

from textual.binding import BindingType

from inspector.commands import bindings_of
from inspector.inspection import Inspection
from inspector.paint import Brush
from inspector.phrases import Phrase, name_forms
from inspector.protocol_card.document import card_document
from inspector.protocol_card.incomparable import Incomparable, incomparable
from inspector.render.lines import Sheet
from inspector.screens.common_cases import CommonCases
from inspector.screens.picking import Picking
from inspector.screens.sheet import SheetScreen, Tables
from inspector.sheets.card import Cards, card_sheet, cards
from inspector.subject import covering, subject
from inspector.widgets.pick_list import Pick
from scoring.export import Document

ALONE = "\n"
"""Picked where no second card is wanted; no name holds a line break."""


class CardScreen(CommonCases, SheetScreen):
    """The facts that make a number."""

    NAME = "card"
    BINDINGS: ClassVar[list[BindingType]] = list(bindings_of("card"))
    HELP = (
        "How the number of the scorer in focus came to be. A second scorer beside it shows in what the two differ, and "
        "whether their figures may be compared.\n\nThe key that opened this turns its page; the one that goes back "
        "closes it."
    )

    SOON = frozenset({""})

    def __init__(self, brush: Brush) -> None:
        super().__init__(brush)
        self._other: str | None = None

    def other(self, inspection: Inspection) -> str | None:
        """The scorer of the second card, if there is one."""
        there = self._other in covering(inspection) and self._other != inspection.scorer
        return self._other if there else None

    def lay_out(self, inspection: Inspection, figures: Any, width: int, height: int) -> Sheet:  # noqa: ARG002
        found = figures if isinstance(figures, Cards) else None
        return card_sheet(inspection, found, self.brush, width, self.keys.of("common-cases"))

    def behind(self, inspection: Inspection) -> tuple[Sequence[object], Callable[[], Any]] | None:
        if inspection.scorer is None:
            return None
        other = self.other(inspection)
        owners = (*inspection.selection.evaluations, inspection.scorer, other, inspection.slice, inspection.base)
        return owners, partial(cards, inspection, other)

    def subject(self, inspection: Inspection) -> list[Phrase]:
        other = self.other(inspection)
        if inspection.scorer is None:
            return []
        beside = f" beside {other}" if other else ""
        return [Phrase((*name_forms(f"card of {inspection.scorer}{beside}", 60, 30), "card"), rank=3)]

    def reasons(self, inspection: Inspection) -> list[Incomparable]:
        other = self.other(inspection)
        if inspection.scorer is None or other is None:
            return []
        names = (inspection.scorer, other)
        return incomparable(subject(inspection, names), names, inspection.benchmark)

    def tables(self, inspection: Inspection) -> Tables:
        if inspection.scorer is None:
            return ()
        other = self.other(inspection)
        words = "The two cards, with what differs" if other else "The card"
        return ((partial(_document, inspection, inspection.scorer, other), words),)

    def action_other(self) -> None:
        """Choose whose card stands beside this one, or none."""
        inspection = self.inspection
        names = [] if inspection is None else [name for name in covering(inspection) if name != inspection.scorer]
        if inspection is None or not names:
            self.say("There is no other scorer on this benchmark.")
            return
        now = self.other(inspection)
        picks = [
            Pick(ALONE, "no other", "this card alone", strong=now is None),
            *(
                Pick(name, name, inspection.selection.evaluation(name).scorer.about, strong=name == now)
                for name in names
            ),
        ]
        self.app.push_screen(
            Picking("Beside which card", picks, 0 if now is None else names.index(now) + 1), self._choose
        )

    def _choose(self, name: str | None) -> None:
        if name is not None and self.inspection is not None:
            self._other = None if name == ALONE else name
            self.show_inspection(self.inspection)


def _document(inspection: Inspection, one: str, other: str | None, form: str) -> Document:
    names = (one,) if other is None else (one, other)
    return card_document(subject(inspection, names), one, other, form)
