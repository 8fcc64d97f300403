"""The thresholds screen: what every threshold would give, and how to choose one honestly."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar

from textual.binding import BindingType

from inspector.breakdown import Of, View, breakdown_document
from inspector.case_view.tracks import LETTERS
from inspector.commands import bindings_of
from inspector.inspection import Inspection
from inspector.screens.analysis import AnalysisScreen, Tables
from inspector.screens.pages import Page
from inspector.screens.scorer_choice import ScorerChoice
from inspector.sentences import threshold_name
from inspector.sheets.sheet import Sheet
from inspector.sheets.thresholds.figures import (
    CURVES,
    RELIABILITY,
    REWARDS,
    TRANSFER,
    Figures,
    depends_on,
    threshold_figures,
)
from inspector.sheets.thresholds.sheet import thresholds_sheet
from inspector.subject import covering, subject
from inspector.threshold_curve import curve_document
from inspector.threshold_rows import thresholds_document
from scoring.evaluation import Evaluation
from scoring.export import Document

AROUND = 5
"""Lines of a screen above and beneath its sheet while no threshold is moved."""


class ThresholdsScreen(AnalysisScreen):
    """The scorer in focus at every threshold, and others beside it."""

    NAME = "thresholds"
    BINDINGS: ClassVar[list[BindingType]] = list(bindings_of("thresholds"))
    HELP = (
        "What every threshold would give, the ways to choose one, and the rewards behind it. The key that moves the "
        "threshold works here as well, and the marks move with it.\n\n"
        "The key that opened this turns its page; the one that goes back closes it."
    )

    PAGES = (
        Page(CURVES, "curves and ways"),
        Page(TRANSFER, "from subset to subset"),
        Page(REWARDS, "rewards by gold"),
        Page(RELIABILITY, "reliability"),
    )
    SOON = frozenset({REWARDS, RELIABILITY})

    def drawn(self, inspection: Inspection) -> tuple[str, ...]:
        """The scorers whose curves are drawn: the one in focus, then those that were put beside it."""
        if inspection.scorer is None:
            return ()
        there = covering(inspection)
        beside = [name for name in self.remembered.left.overlaid if name in there and name != inspection.scorer]
        return (inspection.scorer, *beside[: len(LETTERS) - 1])

    def lay_out(self, inspection: Inspection, figures: Any, width: int, height: int) -> Sheet:
        found = figures if isinstance(figures, Figures) else None
        # The chart keeps its height when the rail takes lines from the pane.
        height = max(height, self.size.height - AROUND)
        return thresholds_sheet(inspection, self.drawn(inspection), self.page, found, self.brush, (width, height))

    def behind(self, inspection: Inspection) -> tuple[Sequence[object], Callable[[], Any]] | None:
        names = self.drawn(inspection)
        names = names if self.page == CURVES else names[:1]
        if not names:
            return None
        return depends_on(inspection, names), partial(threshold_figures, inspection, names, self.page)

    def tables(self, inspection: Inspection) -> Tables:
        names = self.drawn(inspection)
        if not names:
            return ()
        by_page: dict[str, Tables] = {
            CURVES: (
                (partial(_ways, inspection, names), "The ways to choose the threshold, of all scorers drawn"),
                (partial(_curves, inspection, names), "The curves, with their intervals"),
            ),
            TRANSFER: ((partial(_ways, inspection, names[:1]), "The ways to choose the threshold, by subset"),),
            REWARDS: ((partial(_bins, inspection, names[0], "rewards"), "The histograms"),),
            RELIABILITY: ((partial(_bins, inspection, names[0], "reliability"), "The bins of both diagrams"),),
        }
        return by_page[self.page]

    def action_curves(self) -> None:
        """Choose the scorers whose curves stand beside each other."""
        inspection = self.inspection
        if inspection is None or inspection.scorer is None:
            self.say("There is no scorer whose curve could be drawn.")
            return
        names = covering(inspection)
        if set(names) <= {inspection.scorer}:
            self.say("There is no other scorer on this benchmark.")
            return
        self.close_rail()
        facts = [_rule(inspection.selection.evaluation(name)) for name in names]
        choice = ScorerChoice(names, facts, self.drawn(inspection), inspection.scorer, len(LETTERS))
        self.app.push_screen(choice, self._beside)

    def _beside(self, chosen: tuple[str, ...] | None) -> None:
        if chosen is not None and self.inspection is not None:
            self.remembered.keep(overlaid=chosen if len(chosen) > 1 else ())
            self.show_inspection(self.inspection)


def _ways(inspection: Inspection, names: Sequence[str], form: str) -> Document:
    return thresholds_document(subject(inspection, names), form)


def _curves(inspection: Inspection, names: Sequence[str], form: str) -> Document:
    return curve_document(subject(inspection, names), form=form)


def _bins(inspection: Inspection, name: str, of: Of, form: str) -> Document:
    return breakdown_document(subject(inspection, (name,)), View(of), form)


def _rule(evaluation: Evaluation) -> str:
    """By what a scorer decides, in words."""
    rule = evaluation.rule
    return rule.source if rule.threshold is None else f"{threshold_name(rule)} {rule.threshold:.3g}"
