"""A person's queue of cases to decide about."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from scoring.workspace.triage.actions import DEFER, RULE, SKIP, Action


class Queue(Struct, frozen=True):
    """Cases that one person decides about, one after the other.

    `ruled` were ruled on since the queue was begun, `skipped` are left out; `waiting` are the others in the order in
    which they come, with those that were deferred at the end: the last `late` ones. A case is in one of the three, by
    what was done last. `places` say where in `cases` each case is (0-based). They are looked at through `scorer`, ""
    where nobody noted it.
    """

    words: str
    cases: tuple[str, ...]
    places: Mapping[str, int]
    ruled: tuple[str, ...]
    skipped: tuple[str, ...]
    waiting: tuple[str, ...]
    late: int
    scorer: str = ""

    @property
    def case(self) -> str | None:
        """The one to decide about; None where all are done."""
        return self.waiting[0] if self.waiting else None

    def waits(self, case: str) -> bool:
        """Return whether a case waits."""
        return self._has(self._first, case) or case in self._late

    def after(self, action: Action) -> "Queue":
        """Return the queue after its author did one more thing that holds; cheap where that is about few cases."""
        groups, late = {"": self._first, RULE: self.ruled, SKIP: self.skipped}, self._late
        for case in action.cases:
            if case not in self.places:
                continue
            groups = {kind: self._less(cases, case) for kind, cases in groups.items()}
            late = tuple(key for key in late if key != case)
            kind = _kind(action)
            if kind == DEFER:
                late = (*late, case)
            elif kind in groups:
                at = self._at(groups[kind], case)
                groups[kind] = (*groups[kind][:at], case, *groups[kind][at:])
        waiting = (*groups[""], *late)
        return replace(self, ruled=groups[RULE], skipped=groups[SKIP], waiting=waiting, late=len(late))

    @property
    def _first(self) -> tuple[str, ...]:
        return self.waiting[: len(self.waiting) - self.late]

    @property
    def _late(self) -> tuple[str, ...]:
        return self.waiting[len(self.waiting) - self.late :]

    def _at(self, cases: tuple[str, ...], case: str) -> int:
        """Where a case of the queue is, or would be, among some in the order of the queue."""
        return bisect_left(cases, self.places[case], key=self.places.__getitem__)

    def _has(self, cases: tuple[str, ...], case: str) -> bool:
        return case in self.places and cases[(at := self._at(cases, case)) : at + 1] == (case,)

    def _less(self, cases: tuple[str, ...], case: str) -> tuple[str, ...]:
        at = self._at(cases, case)
        return (*cases[:at], *cases[at + 1 :]) if self._has(cases, case) else cases


def queue_of(begun: Action, since: Iterable[Action]) -> Queue:
    """Return a queue after everything that its author did since; what was undone is left out already."""
    last: dict[str, str] = {}
    deferred: dict[str, None] = {}
    for action in since:
        kind = _kind(action)
        for case in action.cases:
            last[case] = kind
            if kind == DEFER:
                deferred.pop(case, None)
                deferred[case] = None
    cases = tuple(dict.fromkeys(begun.cases))
    places = {case: place for place, case in enumerate(cases)}
    late = tuple(case for case in deferred if case in places and last[case] == DEFER)
    first = tuple(case for case in cases if not last.get(case))
    ruled, skipped = (
        tuple(sorted((case for case, of in last.items() if of == kind and case in places), key=places.__getitem__))
        for kind in (RULE, SKIP)
    )
    return Queue(begun.value, cases, places, ruled, skipped, (*first, *late), len(late), begun.content)


def _kind(action: Action) -> str:
    """What an action comes to in a queue; "" where it takes a ruling away, so that the case waits again."""
    return "" if action.kind == RULE and not action.value else action.kind
