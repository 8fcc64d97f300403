"""Beginning a queue of the cases that are listed, or going on with one."""

from collections.abc import Callable
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
from inspector.triage.queue_words import progress_words, queue_name
from inspector.widgets.pick_list import Pick
from scoring.errors import InspectError
from scoring.triage.journal import Journal

GO_ON = "go on"
"""The key of the pick that goes on with the present queue."""


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
        queue = journal.queue
        waiting = queue is not None and first_row(inspection, queue) is not None
        if self._listed is None:
            if waiting:
                self._begin_queue(journal, GO_ON)
            else:
                key = self.screen.keys.of("triage")
                self.screen.say(f"No case waits for you: open a list of cases, then {key} there.")
            return
        picks = []
        if queue is not None and waiting:
            picks.append(Pick(GO_ON, f"Go on: {progress_words(queue)}", strong=True))
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
        if queue is not None and waiting:
            back = f"a new one puts it aside, {self.screen.keys.of('undo')} brings it back"
            hints.insert(0, f"The present queue: {clean(queue.words)}; {back}")
        self.screen.app.push_screen(Picking(title, picks, hints=hints), partial(self._begin_queue, journal))

    def _begin_queue(self, journal: Journal, order: str | None) -> None:
        inspection = self.inspection
        if order is None or inspection is None:
            return
        if order != GO_ON and self._listed is not None:
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
        row = None if journal.queue is None else first_row(inspection, journal.queue)
        if journal.queue is not None and row is not None:
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
