"""Beginning a queue of the cases that are listed, or going on with one."""

from collections.abc import Callable, Sequence
from functools import partial

from inspector.inspection import Inspection
from inspector.messages import Go
from inspector.screens.base import InspectionScreen
from inspector.screens.controller import Controller
from inspector.screens.picking import Picking
from inspector.screens.tagging import NO_FOLDER
from inspector.sentences import counted
from inspector.text import clean
from inspector.triage.queue_cases import first_row, queue_cases
from inspector.triage.queue_orders import ONCE_MORE, queue_orders
from inspector.triage.queue_words import left_words, queue_name
from inspector.widgets.pick_list import Pick
from scoring.errors import InspectError
from scoring.triage.journal import Journal
from scoring.triage.queue import Queue

GO_ON = "go on "
"""How the keys of picks begin that go on with a queue; its number (0-based, the present one first) comes behind."""
OFFERED = 6
"""Queues to go on with that are offered at most, the latest ones."""


class Triaging(Controller):
    """Begins queues on a screen.

    `listed` gives what a queue is made of, where there is a list: its cases, or of them those that are marked.
    `go_through` shows the queue from a row id on; by default on a screen of its own.
    """

    def __init__(
        self,
        screen: InspectionScreen,
        listed: Callable[[Inspection], Inspection] | None = None,
        go_through: Callable[[int], None] | None = None,
    ) -> None:
        super().__init__(screen)
        self._listed = listed
        self._go_through = go_through or (lambda row: screen.post_message(Go("triage", row)))

    def action_triage(self) -> None:
        """Ask which queue: the present one, or a new one in one of several orders."""
        inspection = self.inspection
        if inspection is None:
            return
        journal = inspection.selection.journal
        if journal is None:
            self.screen.say(NO_FOLDER)
            return
        self.screen.close_rail()
        waiting = [one for one in reversed(journal.queues) if first_row(inspection, one) is not None][:OFFERED]
        picks = [
            Pick(f"{GO_ON}{at}", f"Go on, {left_words(one)}; {one.words}", strong=one is journal.queue)
            for at, one in enumerate(waiting)
        ]
        if self._listed is None:
            if len(picks) > 1:
                picking = Picking("Go on with a queue", picks)
                self.screen.app.push_screen(picking, partial(self._take, journal, waiting))
            elif picks:
                self._take(journal, waiting, picks[0].key)
            else:
                key = self.screen.keys.of("triage")
                self.screen.say(f"No case waits for you: open a list of cases, then {key} there.")
            return
        listed = self._listed(inspection)
        marked = "" if listed is inspection else "marked "
        new = len(queue_cases(listed, journal))
        if inspection.shown.size:
            orders = [one for one in queue_orders(inspection) if new or one.name in ONCE_MORE]
            picks += [Pick(one.name, one.words[:1].upper() + one.words[1:]) for one in orders]
        if not picks:
            self.screen.say("There is no case in the list to decide about.")
            return
        ruled = listed.shown.size - new
        left_out = f"; {counted(ruled, 'case')} that you ruled on left out" if ruled else ""
        title = f"Decide about {counted(new, f'{marked}case')} of the list{left_out}"
        hints = [f"{self.screen.keys.of('blind')} in a queue hides gold and scorers until you rule"]
        if waiting:
            hints.insert(0, "A new queue puts the others aside: they wait, and one goes on with them here")
        self.screen.app.push_screen(Picking(title, picks, hints=hints), partial(self._take, journal, waiting))

    def _take(self, journal: Journal, waiting: Sequence[Queue], chosen: str | None) -> None:
        if chosen is None:
            return
        if not chosen.startswith(GO_ON):
            self._begin(journal, chosen)
            return
        queue = waiting[int(chosen.removeprefix(GO_ON))]
        try:
            if queue != journal.queue:
                journal.begin(queue.words, queue.cases, queue.scorer)
        except InspectError as error:
            self.screen.notify(clean(str(error)), severity="error", markup=False)
            return
        self._go_on(journal)

    def _begin(self, journal: Journal, order: str) -> None:
        inspection = self.inspection
        if inspection is not None and self._listed is not None:
            seed = inspection.selection.request.seed
            chosen = next(one for one in queue_orders(inspection) if one.name == order)
            listed = self._listed(inspection)
            try:
                cases = queue_cases(listed, journal, order, seed)
                if not cases:
                    self.screen.say(f"There is no such case: {chosen.words}.")
                    return
                words = queue_name(inspection, chosen, seed, marked=listed is not inspection)
                journal.begin(words, cases, inspection.scorer or "")
            except InspectError as error:
                self.screen.notify(clean(str(error)), severity="error", markup=False)
                return
            self._go_on(journal)

    def _go_on(self, journal: Journal) -> None:
        inspection = self.inspection
        row = None if journal.queue is None or inspection is None else first_row(inspection, journal.queue)
        if inspection is not None and journal.queue is not None and row is not None:
            self._look_as_before(inspection, journal.queue.scorer, row)
            self._go_through(row)

    def _look_as_before(self, inspection: Inspection, scorer: str, row: int) -> None:
        """Look through the scorer that the queue was made with, if it has said anything of the case's benchmark."""
        if scorer and scorer != inspection.scorer:
            benchmark = str(inspection.cases["benchmark"][row])
            there = {one.scorer.name: one for one in inspection.selection.evaluations}
            if scorer in there and there[scorer].covers(benchmark):
                self.screen.put(inspection.focused(scorer, benchmark))
            else:
                told = f"{scorer}, through which this queue was begun, is not here."
                self.screen.notify(clean(told), severity="warning", markup=False)
