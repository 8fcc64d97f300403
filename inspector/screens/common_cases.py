"""All figures on the common cases, and back: a key of the screens that show several scorers' figures."""

from inspector.inspection import Inspection
from inspector.label_set import other_labels
from inspector.protocol_card.banner import banner
from inspector.protocol_card.common_cases import (
    is_on_common_cases,
    on_all_cases,
    on_common_cases,
    reasons_on_screen,
)
from inspector.protocol_card.incomparable import Incomparable
from inspector.screens.base import InspectionScreen
from scoring.errors import InspectError


class CommonCases(InspectionScreen):
    """A screen on which figures of several scorers stand; where it has a line called `banner`, that warns."""

    def reasons(self, inspection: Inspection) -> list[Incomparable]:
        """Why the figures on screen are not comparable: those of all scorers of the benchmark in focus."""
        return reasons_on_screen(inspection)

    def show_banner(self, inspection: Inspection) -> None:
        """Warn of what makes the figures on screen incomparable."""
        common, labels = is_on_common_cases(inspection), other_labels(inspection.selection.adjudicated)
        phrases = banner(self.reasons(inspection), self.keys, common=common, labels=labels)
        self.query_one("#banner").display = bool(phrases)
        if phrases:
            self.tell("banner", phrases, "bad")

    def action_common(self) -> None:
        """Every figure on the cases that all scorers have; or, where they are, each on its own again."""
        self.close_rail()
        if self.inspection is None:
            return
        try:
            back = on_all_cases(self.inspection)
            there = back or on_common_cases(self.inspection, self.reasons(self.inspection))
        except InspectError as error:
            self.say(str(error))
            return
        if there is None:
            self.say("The scorers have the same cases here, or none in common.")
            return
        self.put(there)
