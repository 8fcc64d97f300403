"""What people's actions on cases come to: rulings, ratings of steps, tags, notes and their categories.

Every action that was undone is left out. What a tag says is said by all; the rest belongs to who said it.

Actions are ordered by (counter, who, machine, line), whatever file they were read from and in which order, so that
copies of journals that are put together always come to the same.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from scoring.triage.actions import (
    CHANGES,
    IN_QUEUES,
    NOTE,
    QUEUE,
    RATE,
    REDO,
    RULE,
    SORT,
    TAG,
    UNDO,
    UNTAG,
    Action,
    Batch,
    batch_of,
    rating_of,
)
from scoring.triage.queue import Queue, queue_of
from scoring.triage.said import Said, Triage


class History:
    """All actions in order, which of them hold, and what these come to."""

    def __init__(self, actions: Iterable[Action] = ()) -> None:
        self.actions = sorted(actions)
        self._undone: set[Batch] = set()
        self._of_case: defaultdict[str, list[Action]] = defaultdict(list)
        self._of_queues: defaultdict[str, list[Action]] = defaultdict(list)
        for action in self.actions:
            self._take(action)
        self.triage = Triage()
        self._settle(self._of_case)

    @property
    def last(self) -> int:
        """The highest counter there is."""
        return self.actions[-1].n if self.actions else 0

    @property
    def cases(self) -> tuple[str, ...]:
        """Every case that anybody said something of, whether it holds or not, in the order in which they came up."""
        return tuple(self._of_case)

    @property
    def people(self) -> tuple[str, ...]:
        """Everybody who did anything, by name."""
        return tuple(sorted({action.who for action in self.actions}))

    def add(self, action: Action) -> None:
        """One more action, later than all that are there."""
        self.actions.append(action)
        self._take(action)
        told = self.batch(batch_of(action)) if action.kind in {UNDO, REDO} else (action,)
        self._settle({case for one in told if one.kind not in IN_QUEUES for case in one.cases})

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
        return tuple((one, batch_of(one) not in self._undone) for one in self._of_case.get(case, ()))

    def told(self, case: str) -> tuple[tuple[Action, bool | None], ...]:
        """Everything that concerns a case, in order: what was done to it, queues it came into, and what was undone.

        Beside each action whether it holds; None of an undo or redo.
        """
        changes = [one for one in self.actions if case in one.cases]
        batches = {batch_of(one) for one in changes}
        return tuple(
            (one, None if one.kind in {UNDO, REDO} else batch_of(one) not in self._undone)
            for one in self.actions
            if case in one.cases or (one.kind in {UNDO, REDO} and batch_of(one) in batches)
        )

    def queue(self, who: str) -> Queue | None:
        """The queue that a person began last, and how far they are; None where there is none."""
        holding = [one for one in self._of_queues.get(who, ()) if batch_of(one) not in self._undone]
        begun = max((at for at, one in enumerate(holding) if one.kind == QUEUE), default=None)
        return None if begun is None else queue_of(holding[begun], holding[begun + 1 :])

    def stacks(self, who: str, machine: str) -> tuple[list[Batch], list[Batch]]:
        """The batches that a person at a machine can undo, and those to redo; each with the next one last.

        A new action leaves nothing to redo. One that joins a batch which was undone is undone with it.
        """
        done: dict[Batch, None] = {}
        undone: dict[Batch, None] = {}
        hidden: set[Batch] = set()
        for action in self.actions:
            if (action.who, action.machine) != (who, machine):
                continue
            batch = batch_of(action)
            if action.kind == UNDO:
                hidden.add(batch)
                _move(batch, done, undone)
            elif action.kind == REDO:
                hidden.discard(batch)
                _move(batch, undone, done)
            elif batch not in hidden:
                undone = {}
                done.setdefault(batch)
        return list(done), list(undone)

    def _take(self, action: Action) -> None:
        if action.kind in IN_QUEUES or action.kind == RULE:
            self._of_queues[action.who].append(action)
        if action.kind in CHANGES - IN_QUEUES:
            for case in action.cases:
                self._of_case[case].append(action)
        elif action.kind == UNDO:
            self._undone.add(batch_of(action))
        elif action.kind == REDO:
            self._undone.discard(batch_of(action))

    def _settle(self, cases: Iterable[str]) -> None:
        """Put what the actions on these cases come to in the place of what was there."""
        was = self.triage
        said: tuple[dict[str, Any], ...] = tuple(
            dict(one) for one in (was.tags, was.notes, was.rulings, was.categories, was.ratings)
        )
        # Equal tags are one object: a hundred thousand cases tagged at once share theirs.
        alike: dict[tuple[str, ...], tuple[str, ...]] = {}
        for case in cases:
            tagged, *rest = self._fold(case)
            for there, found in zip(said, (alike.setdefault(tagged, tagged), *rest), strict=True):
                if found:
                    there[case] = found
                else:
                    there.pop(case, None)
        self.triage = Triage(*said)

    def _fold(self, case: str) -> tuple[tuple[str, ...], Said, Said, Said, Mapping[str, Mapping[int, int]]]:
        """Tags, notes, rulings, categories and ratings of one case."""
        tags: set[str] = set()
        own: dict[str, dict[str, str]] = {}
        ratings: dict[str, dict[int, int | None]] = {}
        for action in self._of_case[case]:
            kind, who, value = action.kind, action.who, action.value
            if self._undone and batch_of(action) in self._undone:
                continue
            if kind == TAG:
                tags.add(value)
            elif kind == UNTAG:
                tags.discard(value)
            elif kind == RATE:
                step, rating = rating_of(value)
                ratings.setdefault(who, {})[step] = rating
            else:
                own.setdefault(kind, {})[who] = value
        notes, rulings, categories = (_given(own[kind]) if kind in own else {} for kind in (NOTE, RULE, SORT))
        rated = {who: _rated(steps) for who, steps in ratings.items()} if ratings else {}
        return tuple(sorted(tags)), notes, rulings, categories, {who: steps for who, steps in rated.items() if steps}


def _given(said: dict[str, str]) -> dict[str, str]:
    return {who: text for who, text in said.items() if text}


def _rated(steps: dict[int, int | None]) -> dict[int, int]:
    """Ratings that were not taken away, by step."""
    return {step: rating for step, rating in sorted(steps.items()) if rating is not None}


def _move(batch: Batch, source: dict[Batch, None], target: dict[Batch, None]) -> None:
    """Move a batch from one stack to the other; it is the last one, unless a line was lost or two wrote at once."""
    if batch in source:
        del source[batch]
        target[batch] = None
