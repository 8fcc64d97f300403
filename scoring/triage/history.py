"""What people's actions on cases come to: rulings, ratings of steps, tags, notes and their categories.

Every action that was undone is left out. What a tag says is said by all; the rest belongs to who said it.

Actions are ordered by (counter, who, machine, line), whatever file they were read from and in which order, so that
copies of journals that are put together always come to the same.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from scoring.triage.account import Account
from scoring.triage.actions import CHANGES, DECIDING, QUEUE, REDO, REVERSALS, RULE, SAID, UNDO, Action, Batch, batch_of
from scoring.triage.queue import Queue, queue_of


class History:
    """All actions in order, which of them hold, and what these come to."""

    def __init__(self, actions: Iterable[Action] = ()) -> None:
        self.actions = sorted(actions)
        self._undone: set[Batch] = set()
        for action in self.actions:
            if action.kind in REVERSALS:
                self._reverse(action)
        self._of_case: defaultdict[str, list[Action]] | None = None
        self._queues: dict[str, tuple[Queue, ...]] = {}
        self._told = Account()
        self._told.take(self._holding(self.actions))
        self.triage = self._told.triage()

    @property
    def last(self) -> int:
        """The highest counter there is."""
        return self.actions[-1].n if self.actions else 0

    @property
    def cases(self) -> tuple[str, ...]:
        """Every case that anybody said something of, whether it holds or not, in the order in which they came up."""
        return tuple(self._by_case)

    @property
    def people(self) -> tuple[str, ...]:
        """Everybody who did anything, by name."""
        return tuple(sorted({action.who for action in self.actions}))

    def add(self, action: Action) -> None:
        """One more action, later than all that are there."""
        self.actions.append(action)
        self._file((action,))
        self._reverse(action)
        if action.kind in REVERSALS:
            told: tuple[Action, ...] = self.batch(batch_of(action))
        else:
            told = tuple(self._holding((action,)))
        self._queues_after(action, told)
        cases = frozenset(case for one in told if one.kind in SAID for case in one.cases)
        if action.kind in REVERSALS:
            self._tell_again(cases)
        else:
            self._told.take(told)
        self.triage = self._told.triage(self.triage, cases)

    def batch(self, batch: Batch) -> tuple[Action, ...]:
        """The actions of a batch, in order."""
        who, machine, of = batch
        return tuple(
            one
            for one in self.actions
            if one.of == of and one.kind in CHANGES and (one.who, one.machine) == (who, machine)
        )

    def of_case(self, case: str) -> tuple[tuple[Action, bool], ...]:
        """What was done to a case, in order, and whether it holds: an action that was undone does not."""
        return tuple((one, batch_of(one) not in self._undone) for one in self._by_case.get(case, ()))

    def told(self, case: str) -> tuple[tuple[Action, bool | None], ...]:
        """Everything that concerns a case, in order: what was done to it, queues it came into, and what was undone.

        Beside each action whether it holds; None of an undo or redo.
        """
        changes = [one for one in self.actions if case in one.cases]
        batches = {batch_of(one) for one in changes}
        return tuple(
            (one, None if one.kind in REVERSALS else batch_of(one) not in self._undone)
            for one in self.actions
            if case in one.cases or (one.kind in REVERSALS and batch_of(one) in batches)
        )

    def queue(self, who: str) -> Queue | None:
        """The queue that a person is at, and how far they are; None where there is none."""
        return queues[-1] if (queues := self.queues(who)) else None

    def queues(self, who: str) -> tuple[Queue, ...]:
        """The queues that a person began, the one that they are at last.

        One that is begun once more, with the same cases, words and scorer, is gone on with. A ruling decides in every
        queue that was begun before it, leaving out and deferring only in the one that its author is at.
        """
        if who not in self._queues:
            self._queues[who] = self._found_queues(who)
        return self._queues[who]

    def _found_queues(self, who: str) -> tuple[Queue, ...]:
        begun: dict[Action, list[Action]] = {}
        known: dict[tuple[object, ...], Action] = {}
        for one in self._holding([one for one in self.actions if one.kind in DECIDING and one.who == who]):
            if one.kind == QUEUE:
                first = known.setdefault((one.value, one.content, one.cases), one)
                begun[first] = begun.pop(first, [])
                continue
            for since in begun.values() if one.kind == RULE else [*begun.values()][-1:]:
                since.append(one)
        return tuple(queue_of(first, since) for first, since in begun.items())

    def stacks(self, who: str, machine: str) -> tuple[list[Batch], list[Batch]]:
        """The batches that a person at a machine can undo, and those to redo; each with the next one last.

        A new action leaves nothing to redo. One that joins a batch which was undone is undone with it.
        """
        done: dict[int, None] = {}
        undone: dict[int, None] = {}
        hidden: set[int] = set()
        for action in self.actions:
            if action.machine != machine or action.who != who:
                continue
            kind, batch = action.kind, action.of
            if kind == UNDO:
                hidden.add(batch)
                _move(batch, done, undone)
            elif kind == REDO:
                hidden.discard(batch)
                _move(batch, undone, done)
            elif batch not in hidden:
                if undone:
                    undone = {}
                done.setdefault(batch)
        return [(who, machine, of) for of in done], [(who, machine, of) for of in undone]

    @property
    def _by_case(self) -> Mapping[str, list[Action]]:
        """The actions that say something of each case, in order; found when they are first asked for."""
        if self._of_case is None:
            self._of_case = defaultdict(list)
            self._file(self.actions)
        return self._of_case

    def _file(self, actions: Iterable[Action]) -> None:
        if self._of_case is not None:
            for action in actions:
                if action.kind in SAID:
                    for case in action.cases:
                        self._of_case[case].append(action)

    def _reverse(self, action: Action) -> None:
        if action.kind == UNDO:
            self._undone.add(batch_of(action))
        elif action.kind == REDO:
            self._undone.discard(batch_of(action))

    def _holding(self, actions: Iterable[Action]) -> Iterable[Action]:
        """Those that were not undone."""
        return (one for one in actions if batch_of(one) not in self._undone) if self._undone else actions

    def _tell_again(self, cases: frozenset[str]) -> None:
        """Take in what holds of these cases, as if nobody had said anything of them before."""
        self._told.forget(cases)
        about = [one for one in self.actions if not cases.isdisjoint(one.cases)]
        within = (one._replace(cases=tuple(case for case in one.cases if case in cases)) for one in about)
        self._told.take(self._holding(within))

    def _queues_after(self, action: Action, told: Iterable[Action]) -> None:
        """Bring its author's queues, where they are known, to what they are after one more action.

        `told` is it, or what it reversed. Nearly always that is a decision about one case, and all of the queues need
        not be gone through.
        """
        who = action.who
        for one in told:
            if one.kind not in DECIDING:
                continue
            if one is not action or one.kind == QUEUE or len(one.cases) > 1:
                self._queues.pop(who, None)
                return
            if queues := self._queues.get(who):
                others = tuple(queue.after(one) for queue in queues[:-1]) if one.kind == RULE else queues[:-1]
                self._queues[who] = (*others, queues[-1].after(one))


def _move(batch: int, source: dict[int, None], target: dict[int, None]) -> None:
    """Move a batch from one stack to the other; it is the last one, unless a line was lost or two wrote at once."""
    if batch in source:
        del source[batch]
        target[batch] = None
