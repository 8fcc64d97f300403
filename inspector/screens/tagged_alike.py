"""The tagged cases that are most like the case in triage, in one line: what was wrong there may be wrong here."""

from functools import partial
from typing import TYPE_CHECKING

from textual.worker import get_current_worker

from inspector.phrases import Phrase
from inspector.render.cells import share
from inspector.screens.base import SHORT
from inspector.screens.controller import Controller
from inspector.short_names import short_name
from inspector.text import clean
from inspector.widgets.phrase_line import PhraseLine
from scoring.errors import InspectError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.timer import Timer

    from inspector.analyses.similar import TaggedCase
    from inspector.inspection import Inspection
    from inspector.screens.triage import TriageScreen

LINE = "alike"
"""The name of the line, for `one_line`."""
PATIENCE = 0.2
"""Seconds for which a case must stay on screen before others are looked for: keys that are held look for nothing."""


class TaggedAlike(Controller):
    """Looks, in a thread, for tagged cases that are like the one on screen.

    The line is there for as long as any case is tagged, so that nothing moves from one case to the next.
    """

    screen: "TriageScreen"
    _rests: "Timer | None" = None
    _asked: tuple[object, ...] = (-1, False, None)
    """The case, and what people have said of all cases, that was asked for last."""

    def show(self, row: int, *, hidden: bool) -> None:
        """Have it told of the case with this row id; with `hidden`, of none."""
        inspection = self.inspection
        journal = None if inspection is None else inspection.selection.journal
        if inspection is None or journal is None:
            return
        line = self.screen.query_one(f"#{LINE}", PhraseLine)
        tagged = bool(journal.triage.tags or journal.triage.categories)
        line.display = tagged and self.screen.size.height >= SHORT
        before, asked = self._asked, (row, hidden, journal.triage)
        # What was said is compared as it is held: there may be very much of it.
        if not line.display or (before[:2] == asked[:2] and before[2] is asked[2]):
            return
        self._asked = asked
        if before[:2] != asked[:2]:
            line.tell([], "", "dim")
        if self._rests is not None:
            self._rests.stop()
        if not hidden:
            self._rests = self.screen.set_timer(PATIENCE, partial(self._look, inspection, row, asked))

    def _look(self, inspection: "Inspection", row: int, asked: tuple[object, ...]) -> None:
        work = partial(self._find, inspection, row, asked)
        self.screen.run_worker(work, thread=True, exclusive=True, group=LINE, description=LINE)

    def _find(self, inspection: "Inspection", row: int, asked: tuple[object, ...]) -> None:
        """In a thread: all texts are read the first time."""
        # Imported only for who has tagged anything: triage opens sooner.
        from inspector.analyses.similar import tagged_alike

        try:
            forms = _forms(tagged_alike(inspection.selection, row))
        except InspectError as error:
            forms = (clean(str(error)),)
        if not get_current_worker().is_cancelled:
            self.screen.call_later(self._tell, forms, asked)

    def _tell(self, forms: "Sequence[str]", asked: tuple[object, ...]) -> None:
        if asked is self._asked:
            self.screen.query_one(f"#{LINE}", PhraseLine).tell([Phrase(tuple(forms))], "", "dim")


def _forms(found: "Sequence[TaggedCase]") -> tuple[str, ...]:
    """What is said of them, and shorter: of fewer of them."""
    told = [
        f"{short_name(clean(one.case), 24)} [{short_name(clean(', '.join(one.tags)), 32)}] {share(one.likeness, 0)}%"
        for one in found
    ]
    return (*(f"Tagged and like it: {', '.join(told[:n])}" for n in range(len(told), 0, -1)), "")
