"""The cases of a queue: which of a list come into it, and where they are in the workspace."""

from inspector.inspection import Inspection
from inspector.triage.queue_orders import ONCE_MORE, queue_rows
from scoring.triage.history import Queue
from scoring.triage.journal import Journal


def queue_cases(inspection: Inspection, journal: Journal, order: str = "listed", seed: int = 0) -> list[str]:
    """The listed cases on which the author of the journal has not ruled, by name, in an order of `queue_orders`.

    In the orders ONCE_MORE also those on which they have: that is what is to be decided once more.

    Raises:
        InspectError: see `queue_rows`.
    """
    who, rulings = journal.author.who, journal.triage.rulings
    listed = inspection.cases["case"].gather(queue_rows(inspection, order, seed))
    return [case for case in listed.to_list() if order in ONCE_MORE or who not in rulings.get(case, ())]


def row_of(inspection: Inspection, case: str) -> int | None:
    """The row id of a case; None where it is in the workspace no more."""
    found = (inspection.cases["case"] == case).arg_max() if inspection.cases.height else None
    return found if found is not None and inspection.cases["case"][found] == case else None


def first_row(inspection: Inspection, queue: Queue) -> int | None:
    """The row id of the first case that waits and is still there; None where there is none."""
    rows = (row_of(inspection, case) for case in queue.waiting)
    return next((row for row in rows if row is not None), None)
