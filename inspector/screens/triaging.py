"""Beginning a queue of the cases that are listed, or going on with one."""

from collections.abc import Sequence
from functools import partial

from inspector.render.texts.sentences import NO_FOLDER, counted
from inspector.render.texts.text import clean
from inspector.screens.controller import QueueScreen
from inspector.screens.dialog import Picking
from inspector.state.screen_state import ScreenState
from inspector.state.triage.queue import first_row, left_words, queue_cases, queue_name
from inspector.state.triage.queue_orders import ONCE_MORE, queue_orders
from inspector.widgets.pick_list import Pick
from scoring.data.errors import InspectError
from scoring.workspace.triage.journal import Journal
from scoring.workspace.triage.queues import Queue

GO_ON = "go on "
"""How the keys of picks begin that go on with a queue; its number (0-based, the present one first) comes behind."""
OFFERED = 6
"""Queues to go on with that are offered at most, the latest ones."""


def choose_queue(screen: QueueScreen) -> None:
    """Ask which queue: one in which cases wait, or a new one in one of several orders."""
    state = screen.state
    journal = state.results.labels.journal
    if journal is None:
        screen.say(NO_FOLDER)
        return
    screen.close_rail()
    waiting = [queue for queue in reversed(journal.queues) if first_row(state, queue) is not None][:OFFERED]
    picks = [
        Pick(f"{GO_ON}{at}", f"Go on, {left_words(queue)}; {queue.words}", strong=queue is journal.queue)
        for at, queue in enumerate(waiting)
    ]
    listed = screen.listed(state)
    if listed is None:
        if len(picks) > 1:
            picking = Picking("Go on with a queue", picks)
            screen.app.push_screen(picking, partial(_take, screen, journal, waiting))
        elif picks:
            _take(screen, journal, waiting, picks[0].key)
        else:
            key = screen.context.keys.of("triage")
            screen.say(f"No case waits for you: open a list of cases, then {key} there.")
        return
    marked = "" if listed is state else "marked "
    new = len(queue_cases(listed, journal))
    if state.shown.size:
        orders = [order for order in queue_orders(state) if new or order.name in ONCE_MORE]
        picks += [Pick(order.name, order.words[:1].upper() + order.words[1:]) for order in orders]
    if not picks:
        screen.say("There is no case in the list to decide about.")
        return
    ruled = listed.shown.size - new
    left_out = f"; {counted(ruled, 'case')} that you ruled on left out" if ruled else ""
    title = f"Decide about {counted(new, f'{marked}case')} of the list{left_out}"
    hints = [f"{screen.context.keys.of('blind')} in a queue hides gold and scorers until you rule"]
    if waiting:
        hints.insert(0, "A new queue puts the others aside: they wait, and one goes on with them here")
    screen.app.push_screen(Picking(title, picks, hints=hints), partial(_take, screen, journal, waiting))


def _take(screen: QueueScreen, journal: Journal, waiting: Sequence[Queue], chosen: str | None) -> None:
    if chosen is None:
        return
    if not chosen.startswith(GO_ON):
        _begin(screen, journal, chosen)
        return
    queue = waiting[int(chosen.removeprefix(GO_ON))]
    try:
        if queue != journal.queue:
            journal.begin(queue.words, queue.cases, queue.scorer)
    except InspectError as error:
        screen.notify(clean(str(error)), severity="error", markup=False)
        return
    _go_on(screen, journal)


def _begin(screen: QueueScreen, journal: Journal, order: str) -> None:
    state = screen.state
    listed = screen.listed(state)
    if listed is not None:
        seed = state.results.query.seed
        chosen = next(queue_order for queue_order in queue_orders(state) if queue_order.name == order)
        try:
            cases = queue_cases(listed, journal, order, seed)
            if not cases:
                screen.say(f"There is no such case: {chosen.words}.")
                return
            words = queue_name(state, chosen, seed, marked=listed is not state)
            journal.begin(words, cases, state.focus.scorer or "")
        except InspectError as error:
            screen.notify(clean(str(error)), severity="error", markup=False)
            return
        _go_on(screen, journal)


def _go_on(screen: QueueScreen, journal: Journal) -> None:
    state = screen.state
    row = None if journal.queue is None else first_row(state, journal.queue)
    if journal.queue is not None and row is not None:
        _look_as_before(screen, state, journal.queue.scorer, row)
        screen.go_through(row)


def _look_as_before(screen: QueueScreen, state: ScreenState, scorer: str, row: int) -> None:
    """Look through the scorer that the queue was made with, if it has said anything of the case's benchmark."""
    if scorer and scorer != state.focus.scorer:
        benchmark = str(state.cases["benchmark"][row])
        there = {evaluation.scorer.name: evaluation for evaluation in state.results.evaluations}
        if scorer in there and there[scorer].coverage.covers(benchmark):
            screen.put(state.focused(scorer, benchmark))
        else:
            sentence = f"{scorer}, through which this queue was begun, is not here."
            screen.notify(clean(sentence), severity="warning", markup=False)
