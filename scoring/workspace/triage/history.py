"""What people's actions on cases come to: rulings, ratings of steps, tags, notes with their categories, and queues.

Every action that was undone is left out. What a tag says is said by all; the rest belongs to who said it.

Actions are ordered by (counter, who, machine, line), whatever file they were read from and in which order, so that
copies of journals that are put together always come to the same.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from typing import Any

from msgspec import Struct, field

from scoring.workspace.triage.actions import (
    CHANGES,
    DECIDING,
    NOTE,
    QUEUE,
    RATE,
    REDO,
    REVERSALS,
    RULE,
    SAID,
    SORT,
    TAG,
    UNDO,
    UNTAG,
    Action,
    ActionBatch,
    batch_of,
    rating_of,
)
from scoring.workspace.triage.queues import Queue, queue_of

Statement = Mapping[str, str]
"""A text by who said it."""


class Triage(Struct, frozen=True, eq=False, dict=True):
    """Tags (in alphabetical order) are said by all; all else is by who said it, so that nobody's hides another's.

    `ratings` are by step (0-based). A case that is in no benchmark here any more is kept.
    """

    tags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    rulings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    categories: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    ratings: Mapping[str, Mapping[str, Mapping[int, int]]] = field(default_factory=dict)

    @cached_property
    def people(self) -> frozenset[str]:
        """Who rules, rates, notes or sorts; tags are everybody's."""
        by_case = (*self.notes.values(), *self.rulings.values(), *self.categories.values(), *self.ratings.values())
        return frozenset(who for of in by_case for who in of)

    @cached_property
    def tags_in_use(self) -> dict[str, int]:
        """How many cases each tag is on, the most used first, then by name."""
        counts = Counter(tag for tags in self.tags.values() for tag in tags)
        return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))

    def note(self, case: str) -> str:
        """Join the notes on a case into one text, "" where there is none; where several people wrote one, with their
        names.
        """
        notes = self.notes.get(case, {})
        if len(notes) == 1:
            return next(iter(notes.values()))
        return "; ".join(f"{who}: {notes[who]}" for who in sorted(notes))


class TriageState:
    """Takes actions that hold, in order, and says what they come to."""

    def __init__(self) -> None:
        self._tags: dict[str, set[str]] = {}
        self._own: dict[str, dict[str, Statement]] = {NOTE: {}, RULE: {}, SORT: {}}
        self._ratings: dict[str, dict[str, dict[int, int | None]]] = {}

    def take(self, actions: Iterable[Action]) -> None:
        """More actions; those that say nothing of cases come to nothing."""
        owns = self._own
        for action in actions:
            own = owns.get(action.kind)
            if own is None:
                self._take_other(action)
                continue
            for case in action.cases:
                # What was handed out stays as it is.
                own[case] = {**own[case], action.who: action.value} if case in own else {action.who: action.value}

    def _take_other(self, action: Action) -> None:
        kind, value = action.kind, action.value
        if kind == TAG:
            for case in action.cases:
                if case in self._tags:
                    self._tags[case].add(value)
                else:
                    self._tags[case] = {value}
        elif kind == UNTAG:
            for case in action.cases:
                if case in self._tags:
                    self._tags[case].discard(value)
        elif kind == RATE:
            step, rating = rating_of(value)
            for case in action.cases:
                self._ratings.setdefault(case, {}).setdefault(action.who, {})[step] = rating

    def forget(self, cases: Iterable[str]) -> None:
        """Nobody said anything of these."""
        for case in cases:
            self._tags.pop(case, None)
            self._ratings.pop(case, None)
            for own in self._own.values():
                own.pop(case, None)

    def triage(self, was: Triage | None = None, cases: Collection[str] = ()) -> Triage:
        """Return what was taken in, less what was taken away again; or what it `was`, with that of these cases anew.

        What is said of all cases in one respect is the same object as long as nothing of it changes.
        """
        if was is None:
            return _triage(self._tags, self._own, self._ratings)
        own = {kind: _some(values, cases) for kind, values in self._own.items()}
        now = _triage(_some(self._tags, cases), own, _some(self._ratings, cases))
        names = ("tags", "notes", "rulings", "categories", "ratings")
        return Triage(*(_put(getattr(was, name), getattr(now, name), cases) for name in names))


def _some(by_case: Mapping[str, Any], cases: Iterable[str]) -> dict[str, Any]:
    return {case: by_case[case] for case in cases if case in by_case}


def _put(was: Mapping[str, Any], changed: Mapping[str, Any], cases: Iterable[str]) -> Mapping[str, Any]:
    """What is said of all cases where this was found of some."""
    if all(was.get(case) == changed.get(case) for case in cases):
        return was
    now = dict(was)
    for case in cases:
        if case in changed:
            now[case] = changed[case]
        else:
            now.pop(case, None)
    return now


def _triage(
    tagged: Mapping[str, set[str]],
    own: Mapping[str, Mapping[str, Statement]],
    rated: Mapping[str, Mapping[str, Mapping[int, int | None]]],
) -> Triage:
    # Equal tags are one object: a hundred thousand cases tagged at once share theirs.
    alike: dict[tuple[str, ...], tuple[str, ...]] = {}
    tags = {}
    for case, on_it in tagged.items():
        if on_it:
            listed = tuple(on_it) if len(on_it) == 1 else tuple(sorted(on_it))
            tags[case] = alike.setdefault(listed, listed)
    ratings = {}
    for case, of in rated.items():
        there = {who: kept_ratings for who, steps in of.items() if (kept_ratings := _rated(steps))}
        if there:
            ratings[case] = there
    return Triage(tags, _given(own[NOTE]), _given(own[RULE]), _given(own[SORT]), ratings)


def _given(by_case: Mapping[str, Statement]) -> dict[str, Statement]:
    """Texts by case and who said them, without those that are empty."""
    kept: dict[str, Statement] = {}
    for case, of in by_case.items():
        there = {who: text for who, text in of.items() if text} if "" in of.values() else of
        if there:
            kept[case] = there
    return kept


def _rated(steps: Mapping[int, int | None]) -> dict[int, int]:
    """Ratings that were not taken away, by step."""
    if len(steps) == 1:
        return {step: rating for step, rating in steps.items() if rating is not None}
    return {step: rating for step, rating in sorted(steps.items()) if rating is not None}


class History:
    """All actions in order, which of them hold, and what these come to."""

    def __init__(self, actions: Iterable[Action] = ()) -> None:
        self.actions = sorted(actions)
        self._undone: set[ActionBatch] = set()
        for action in self.actions:
            if action.kind in REVERSALS:
                self._reverse(action)
        self._of_case: defaultdict[str, list[Action]] | None = None
        self._queues: dict[str, tuple[Queue, ...]] = {}
        self._told = TriageState()
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
        """Add one more action, later than all that are there."""
        self.actions.append(action)
        self._file((action,))
        self._reverse(action)
        if action.kind in REVERSALS:
            holding: tuple[Action, ...] = self.batch(batch_of(action))
        else:
            holding = tuple(self._holding((action,)))
        self._queues_after(action, holding)
        cases = frozenset(case for held in holding if held.kind in SAID for case in held.cases)
        if action.kind in REVERSALS:
            self._tell_again(cases)
        else:
            self._told.take(holding)
        self.triage = self._told.triage(self.triage, cases)

    def batch(self, batch: ActionBatch) -> tuple[Action, ...]:
        """Return the actions of a batch, in order."""
        who, machine, of = batch
        return tuple(
            action
            for action in self.actions
            if action.of == of and action.kind in CHANGES and (action.who, action.machine) == (who, machine)
        )

    def of_case(self, case: str) -> tuple[tuple[Action, bool], ...]:
        """Return what was done to a case, in order, and whether it holds: an action that was undone does not."""
        return tuple((action, batch_of(action) not in self._undone) for action in self._by_case.get(case, ()))

    def told(self, case: str) -> tuple[tuple[Action, bool | None], ...]:
        """Return everything that concerns a case, in order: what was done to it, queues it came into, and what was
        undone.

        Beside each action whether it holds; None of an undo or redo.
        """
        changes = [action for action in self.actions if case in action.cases]
        batches = {batch_of(change) for change in changes}
        return tuple(
            (action, None if action.kind in REVERSALS else batch_of(action) not in self._undone)
            for action in self.actions
            if case in action.cases or (action.kind in REVERSALS and batch_of(action) in batches)
        )

    def queue(self, who: str) -> Queue | None:
        """Return the queue that a person is at, and how far they are; None where there is none."""
        return queues[-1] if (queues := self.queues(who)) else None

    def queues(self, who: str) -> tuple[Queue, ...]:
        """Return the queues that a person began, the one that they are at last.

        One that is begun once more, with the same cases, words and scorer, is gone on with. A ruling decides in every
        queue that was begun before it, leaving out and deferring only in the one that its author is at.
        """
        if who not in self._queues:
            self._queues[who] = self._found_queues(who)
        return self._queues[who]

    def _found_queues(self, who: str) -> tuple[Queue, ...]:
        begun: dict[Action, list[Action]] = {}
        known: dict[tuple[object, ...], Action] = {}
        for action in self._holding([past for past in self.actions if past.kind in DECIDING and past.who == who]):
            if action.kind == QUEUE:
                first = known.setdefault((action.value, action.content, action.cases), action)
                begun[first] = begun.pop(first, [])
                continue
            for since in begun.values() if action.kind == RULE else [*begun.values()][-1:]:
                since.append(action)
        return tuple(queue_of(first, since) for first, since in begun.items())

    def stacks(self, who: str, machine: str) -> tuple[list[ActionBatch], list[ActionBatch]]:
        """Return the batches that a person at a machine can undo, and those to redo; each with the next one last.

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
        return (action for action in actions if batch_of(action) not in self._undone) if self._undone else actions

    def _tell_again(self, cases: frozenset[str]) -> None:
        """Take in what holds of these cases, as if nobody had said anything of them before."""
        self._told.forget(cases)
        about = [action for action in self.actions if not cases.isdisjoint(action.cases)]
        within = (action._replace(cases=tuple(case for case in action.cases if case in cases)) for action in about)
        self._told.take(self._holding(within))

    def _queues_after(self, action: Action, holding: Iterable[Action]) -> None:
        """Bring its author's queues, where they are known, to what they are after one more action.

        `holding` is it, or what it reversed. Nearly always that is a decision about one case, and not every
        queue needs to be gone through.
        """
        who = action.who
        for held in holding:
            if held.kind not in DECIDING:
                continue
            if held is not action or held.kind == QUEUE or len(held.cases) > 1:
                self._queues.pop(who, None)
                return
            if queues := self._queues.get(who):
                others = tuple(queue.after(held) for queue in queues[:-1]) if held.kind == RULE else queues[:-1]
                self._queues[who] = (*others, queues[-1].after(held))


def _move(batch: int, source: dict[int, None], target: dict[int, None]) -> None:
    """Move a batch from one stack to the other; it is the last one, unless a line was lost or two wrote at once."""
    if batch in source:
        del source[batch]
        target[batch] = None
