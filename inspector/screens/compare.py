"""The compare screen: scorers against each other."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar

from textual.binding import BindingType

from inspector.commands import bindings_of
from inspector.comparison import compare_document
from inspector.complementing.cascade_document import cascade_document
from inspector.complementing.pairs_document import pairs_document
from inspector.complementing.sets_document import sets_document
from inspector.flips import flips_document
from inspector.inspection import Inspection
from inspector.paint import Brush
from inspector.phrases import Phrase, name_forms
from inspector.screens.analysis import AnalysisScreen, Tables
from inspector.screens.pages import Page
from inspector.screens.picking import Picking
from inspector.selection import Selection
from inspector.sheets.compare.flips import Moved
from inspector.sheets.compare.sheet import (
    CASCADE,
    FIELD,
    FLIPS,
    PAIR,
    SETS,
    Comparisons,
    compare_sheet,
    comparisons,
    usual_other,
)
from inspector.sheets.sheet import Sheet
from inspector.subject import covering, subject
from inspector.widgets.pick_list import Pick
from scoring.errors import InspectError
from scoring.export import Document


class CompareScreen(AnalysisScreen):
    """The scorer in focus against another, and all of them."""

    NAME = "compare"
    BINDINGS: ClassVar[list[BindingType]] = list(bindings_of("compare"))
    HELP = (
        "Two scorers: A is the one in focus, B the one it is compared with. Each number opens exactly its cases, with "
        "both scorers beside each other.\n\nThe key that opened this turns its page; the one that goes back closes it."
    )

    PAGES = (
        Page(PAIR, "two scorers"),
        Page(CASCADE, "cascade"),
        Page(FIELD, "all scorers"),
        Page(SETS, "right together"),
        Page(FLIPS, "two thresholds"),
    )

    def __init__(self, brush: Brush) -> None:
        super().__init__(brush)
        self._other: str | None = None

    def other(self, inspection: Inspection) -> str | None:
        """B: the scorer that was chosen, as long as there is such a one beside the one in focus."""
        there = self._other in covering(inspection) and self._other != inspection.scorer
        return self._other if there else usual_other(inspection)

    def lay_out(self, inspection: Inspection, figures: Any, width: int, height: int) -> Sheet:
        found = figures if isinstance(figures, Comparisons) else None
        return compare_sheet(inspection, self.other(inspection), self.page, found, self.brush, (width, height))

    def behind(self, inspection: Inspection) -> tuple[Sequence[object], Callable[[], Any]] | None:
        other = self.other(inspection)
        if inspection.scorer is None or (other is None and self.page != FLIPS):
            return None
        names = covering(inspection) if self.page in {FIELD, SETS} else (inspection.scorer, other or inspection.scorer)
        owners = (*map(inspection.selection.evaluation, names), other, inspection.slice)
        return owners, partial(comparisons, inspection, other, self.page)

    def subject(self, inspection: Inspection) -> list[Phrase]:
        other = self.other(inspection)
        if inspection.scorer is None or other is None or self.page == FLIPS:
            return super().subject(inspection)
        a, b = name_forms(inspection.scorer, 24, 12), name_forms(other, 24, 12)
        forms = tuple(f"{one} against {two}" for one, two in zip((*a, a[-1]), (*b, b[-1]), strict=False))
        return [Phrase(forms, rank=3)]

    def tables(self, inspection: Inspection) -> Tables:
        other = self.other(inspection)
        if inspection.scorer is None:
            return ()
        if self.page == FLIPS:
            return ((partial(_flips, inspection), "The cases that flip"),) if Moved.of(inspection) else ()
        if other is None:
            return ()
        pair, every = (inspection.scorer, other), covering(inspection)
        by_page: dict[str, tuple[tuple[Made, Sequence[str], str], ...]] = {
            PAIR: ((compare_document, pair, "A against B"), (pairs_document, pair, "What both could do together")),
            CASCADE: ((cascade_document, pair, "A first, B where A is not sure"),),
            FIELD: ((compare_document, every, "All scorers, and all pairs of them"),),
            SETS: ((sets_document, every, "Who is right together"), (pairs_document, every, "How often two agree")),
        }
        return tuple((partial(_document, make, inspection, names), words) for make, names, words in by_page[self.page])

    def action_other(self) -> None:
        """Choose B."""
        inspection = self.inspection
        if inspection is None or (now := self.other(inspection)) is None:
            self.say("There is no other scorer on this benchmark.")
            return
        names = [name for name in covering(inspection) if name != inspection.scorer]
        picks = [
            Pick(name, name, inspection.selection.evaluation(name).scorer.about, strong=name == now) for name in names
        ]
        self.app.push_screen(Picking("Compare with", picks, names.index(now)), self._choose)

    def _choose(self, name: str | None) -> None:
        if name is not None and self.inspection is not None:
            self._other = name
            self.show_inspection(self.inspection)

    def action_swap(self) -> None:
        """A becomes B."""
        inspection = self.inspection
        other = None if inspection is None else self.other(inspection)
        if inspection is None or other is None:
            self.say("There is no other scorer on this benchmark.")
            return
        self.close_rail()
        self._other = inspection.scorer
        try:
            self.put(inspection.focused(other, inspection.benchmark))
        except InspectError as error:
            self.say(str(error))


Made = Callable[[Selection, str], Document]


def _document(make: Made, inspection: Inspection, names: Sequence[str], form: str) -> Document:
    return make(subject(inspection, names), form)


def _flips(inspection: Inspection, form: str) -> Document:
    """The cases that flip between the two thresholds on screen."""
    moved = Moved.of(inspection)
    assert moved is not None  # noqa: S101  # else there is no such table
    selection = subject(inspection, (str(inspection.scorer),))
    before, after = (repr(one.rule.threshold) for one in (moved.before, moved.after))
    return flips_document(selection, before, after, form)
