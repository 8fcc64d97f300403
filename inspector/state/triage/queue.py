"""A queue of cases to decide about: which come into it, and what is said of how far it is."""

import re
from collections import Counter
from collections.abc import Mapping

from inspector.render.texts.sentences import counted
from inspector.state.filtering.filter_words import filter_words
from inspector.state.screen_state import ScreenState
from inspector.state.triage.queue_orders import ONCE_MORE, QueueOrder, queue_rows
from scoring.workspace.triage.actions import RULINGS
from scoring.workspace.triage.journal import Journal
from scoring.workspace.triage.queues import Queue

# -- the cases of a queue: which of a list come into it, and where they are in the workspace


def queue_cases(state: ScreenState, journal: Journal, order: str = "listed", seed: int = 0) -> list[str]:
    """Return the listed cases on which the author of the journal has not ruled, by name, in an order of `queue_orders`.

    In the orders ONCE_MORE also those on which they have: that is what is to be decided once more.

    Raises:
        InspectError: see `queue_rows`.
    """
    who, rulings = journal.author.who, journal.triage.rulings
    listed = state.cases["case"].gather(queue_rows(state, order, seed))
    return [case for case in listed.to_list() if order in ONCE_MORE or who not in rulings.get(case, ())]


def row_of(state: ScreenState, case: str) -> int | None:
    """Find the row id of a case; None where it is in the workspace no more."""
    row = (state.cases["case"] == case).arg_max() if state.cases.height else None
    return row if row is not None and state.cases["case"][row] == case else None


def first_row(state: ScreenState, queue: Queue) -> int | None:
    """Find the row id of the first case that waits and is still there; None where there is none."""
    rows = (row_of(state, case) for case in queue.waiting)
    return next((row for row in rows if row is not None), None)


# -- what a queue is called, and what is said of how far it is


def queue_name(state: ScreenState, order: QueueOrder, seed: int, *, marked: bool = False) -> str:
    """Name a queue of the listed cases: where from, what was kept or `marked`, through whom, their order."""
    by_chance = f", seed {seed}" if order.name == "random" or order.name.startswith("by ") else ""
    kept = "marked cases" if marked else filter_words(state)
    through = f", through {state.focus.scorer}" if state.focus.scorer else ""
    return f"{state.focus.benchmark}, {kept}{through}, {order.words}{by_chance}"


def place_words(queue: Queue, case: str) -> str:
    """Write where a case stands in its queue: `12 of 87`."""
    return f"{queue.places[case] + 1:,} of {len(queue.cases):,}" if case in queue.places else "not of the queue"


def left_words(queue: Queue) -> str:
    """Write how many of its cases wait: `75 of 87 to go`."""
    return f"{len(queue.waiting):,} of {len(queue.cases):,} to go"


def progress_words(queue: Queue) -> str:
    """Write how many are decided, and how many wait."""
    skipped = f", {len(queue.skipped):,} skipped" if queue.skipped else ""
    return f"{len(queue.ruled):,} ruled{skipped}, {len(queue.waiting):,} to go"


def sum_words(queue: Queue, rulings: Mapping[str, str]) -> str:
    """Sum up what came of a queue: its author's rulings (by case), counted in the order of RULINGS."""
    counts = Counter(rulings[case] for case in queue.ruled if case in rulings)
    parts = ", ".join(f"{counts[ruling]:,} {ruling}" for ruling in RULINGS if counts[ruling])
    skipped = f"; {counted(len(queue.skipped), 'case')} skipped" if queue.skipped else ""
    return f"{parts or 'no ruling'}{skipped}"


def end_forms(queue: Queue, rulings: Mapping[str, str]) -> tuple[str, ...]:
    """Return what is said where no case waits any more, and shorter."""
    if not queue.skipped:
        return f"All decided: {sum_words(queue, rulings)}", f"all decided: {len(queue.ruled):,} ruled", "all decided"
    short = f"none waits: {len(queue.ruled):,} ruled, {len(queue.skipped):,} skipped"
    return f"None waits: {sum_words(queue, rulings)}", short


def ruling_forms(now: str | None) -> tuple[str, ...]:
    """Return the rulings with their digits, the present one in brackets; and shorter."""
    marked = [f"[{at} {ruling}]" if ruling == now else f"{at} {ruling}" for at, ruling in enumerate(RULINGS, 1)]
    short = (re.sub(r"(\d \w+)[^]]*", r"\1", form) for form in marked)
    return "   ".join(marked), "  ".join(marked), " ".join(short)
