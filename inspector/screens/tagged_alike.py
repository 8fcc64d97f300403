"""The tagged cases that are most like the case in triage, in one line: what was wrong there may be wrong here."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from inspector.analyses.similar import TaggedCase, tagged_alike
from inspector.render.cells import share
from inspector.render.texts.phrases import Phrase
from inspector.render.texts.short_names import short_name
from inspector.render.texts.text import clean
from inspector.screens.base import SHORT
from inspector.screens.controller import ControlledScreen, Controller
from inspector.state.screen_state import ScreenState
from inspector.widgets.line_view import PhraseLine
from scoring.data.errors import InspectError

if TYPE_CHECKING:
    from textual.timer import Timer


ALIKE = "alike"
"""The name of the line, for `one_line`."""
PATIENCE = 0.2
"""Seconds for which a case must stay on screen before others are looked for: keys that are held look for nothing."""


class TaggedAlike(Controller[ControlledScreen]):
    """Looks, in a thread, for tagged cases that are like the one on screen.

    The line is there for as long as any case is tagged, so that nothing moves from one case to the next.
    """

    _rests: "Timer | None" = None
    _asked: tuple[object, ...] = (-1, False, None)
    """The case, and what people have said of all cases, that was asked for last."""

    def show(self, row: int, *, hidden: bool) -> None:
        """Show which tagged cases are like the case with this row id; with `hidden`, none."""
        state = self.state
        journal = state.results.labels.journal
        if journal is None:
            return
        line = self.screen.query_one(f"#{ALIKE}", PhraseLine)
        tagged = bool(journal.triage.tags or journal.triage.categories)
        line.display = tagged and self.screen.size.height >= SHORT
        before, subject = self._asked, (row, hidden, journal.triage)
        # What was said is compared as it is held: there may be very much of it.
        if not line.display or (before[:2] == subject[:2] and before[2] is subject[2]):
            return
        self._asked = subject
        if before[:2] != subject[:2]:
            line.tell([], "", "dim")
        if self._rests is not None:
            self._rests.stop()
        if not hidden:
            self._rests = self.screen.set_timer(PATIENCE, partial(self._look, state, row, subject))

    def _look(self, state: "ScreenState", row: int, subject: tuple[object, ...]) -> None:
        work = partial(self._find, state, row, subject)
        self.screen.run_worker(work, thread=True, exclusive=True, group=ALIKE, description=ALIKE)

    def _find(self, state: "ScreenState", row: int, subject: tuple[object, ...]) -> None:
        """In a thread: all texts are read the first time."""
        try:
            forms = _forms(tagged_alike(state.results, row))
        except InspectError as error:
            forms = (clean(str(error)),)
        self.screen.show_if_open(self._tell, forms, subject)

    def _tell(self, forms: "Sequence[str]", subject: tuple[object, ...]) -> None:
        if subject is self._asked:
            self.screen.query_one(f"#{ALIKE}", PhraseLine).tell([Phrase(tuple(forms))], "", "dim")


def _forms(cases: Sequence[TaggedCase]) -> tuple[str, ...]:
    """What is said of them, and shorter: of fewer of them."""
    words = [
        f"{short_name(clean(case.case), 24)} [{short_name(clean(', '.join(case.tags)), 32)}] {share(case.likeness, 0)}%"
        for case in cases
    ]
    return (*(f"Tagged and like it: {', '.join(words[:n])}" for n in range(len(words), 0, -1)), "")
