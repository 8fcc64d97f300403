"""What a queue is called, and what is said of how far it is."""

import re
from collections import Counter
from collections.abc import Mapping

from inspector.filtering.filter_words import filter_words
from inspector.inspection import Inspection
from inspector.sentences import counted
from inspector.triage.queue_orders import QueueOrder
from scoring.triage.actions import RULINGS
from scoring.triage.queue import Queue


def queue_name(inspection: Inspection, order: QueueOrder, seed: int, *, marked: bool = False) -> str:
    """What a queue of the listed cases is called: where from, what was kept or `marked`, through whom, their order."""
    by_chance = f", seed {seed}" if order.name == "random" or order.name.startswith("by ") else ""
    kept = "marked cases" if marked else filter_words(inspection)
    through = f", through {inspection.scorer}" if inspection.scorer else ""
    return f"{inspection.benchmark}, {kept}{through}, {order.words}{by_chance}"


def place_words(queue: Queue, case: str) -> str:
    """Where a case stands in its queue: `12 of 87`."""
    return f"{queue.places[case] + 1:,} of {len(queue.cases):,}" if case in queue.places else "not of the queue"


def left_words(queue: Queue) -> str:
    """How many of its cases wait: `75 of 87 to go`."""
    return f"{len(queue.waiting):,} of {len(queue.cases):,} to go"


def progress_words(queue: Queue) -> str:
    """How many are decided, and how many wait."""
    skipped = f", {len(queue.skipped):,} skipped" if queue.skipped else ""
    return f"{len(queue.ruled):,} ruled{skipped}, {len(queue.waiting):,} to go"


def sum_words(queue: Queue, rulings: Mapping[str, str]) -> str:
    """What came of a queue: its author's rulings (by case), counted in the order of RULINGS."""
    counts = Counter(rulings[case] for case in queue.ruled if case in rulings)
    told = ", ".join(f"{counts[ruling]:,} {ruling}" for ruling in RULINGS if counts[ruling])
    skipped = f"; {counted(len(queue.skipped), 'case')} skipped" if queue.skipped else ""
    return f"{told or 'no ruling'}{skipped}"


def end_forms(queue: Queue, rulings: Mapping[str, str]) -> tuple[str, ...]:
    """What is said where no case waits any more, and shorter."""
    if not queue.skipped:
        return f"All decided: {sum_words(queue, rulings)}", f"all decided: {len(queue.ruled):,} ruled", "all decided"
    short = f"none waits: {len(queue.ruled):,} ruled, {len(queue.skipped):,} skipped"
    return f"None waits: {sum_words(queue, rulings)}", short


def ruling_forms(now: str | None) -> tuple[str, ...]:
    """The rulings with their digits, the present one in brackets; and shorter."""
    marked = [f"[{at} {one}]" if one == now else f"{at} {one}" for at, one in enumerate(RULINGS, 1)]
    short = (re.sub(r"(\d \w+)[^]]*", r"\1", one) for one in marked)
    return "   ".join(marked), "  ".join(marked), " ".join(short)
