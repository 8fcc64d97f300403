"""A person's queue of cases to decide about."""

from collections.abc import Iterable
from dataclasses import dataclass

from scoring.triage.actions import DEFER, RULE, SKIP, Action


@dataclass(frozen=True)
class Queue:
    """Cases that one person decides about, one after the other.

    `ruled` were ruled on since the queue was begun, `skipped` are left out; `waiting` are the others in the order in
    which they come, with those that were deferred at the end. A case is in one of the three, by what was done last.
    """

    words: str
    cases: tuple[str, ...]
    ruled: tuple[str, ...]
    skipped: tuple[str, ...]
    waiting: tuple[str, ...]

    @property
    def case(self) -> str | None:
        """The one to decide about; None where all are done."""
        return self.waiting[0] if self.waiting else None


def queue_of(begun: Action, since: Iterable[Action]) -> Queue:
    """A queue after everything that its author did since; what was undone is left out already."""
    last: dict[str, str] = {}
    deferred: dict[str, None] = {}
    for action in since:
        for case in action.cases:
            last[case] = action.kind if action.value or action.kind != RULE else ""
            if action.kind == DEFER:
                deferred.pop(case, None)
                deferred[case] = None
    cases = tuple(dict.fromkeys(begun.cases))
    there = set(cases)
    late = tuple(case for case in deferred if case in there and last[case] == DEFER)
    first = tuple(case for case in cases if last.get(case, "") == "")
    ruled, skipped = (tuple(case for case in cases if last.get(case) == kind) for kind in (RULE, SKIP))
    return Queue(begun.value, cases, ruled, skipped, (*first, *late))
