"""What people's actions on cases come to: tags and notes, with every action that was undone left out.

Actions are ordered by (counter, who, machine, line), whatever file they were read from and in which order, so that
copies of journals that are put together always come to the same.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

TAG, UNTAG, NOTE, UNDO, REDO = "tag", "untag", "note", "undo", "redo"
CHANGES = frozenset({TAG, UNTAG, NOTE})
"""Actions that say something of cases; the other two speak of actions."""


class Action(NamedTuple):
    """One thing that somebody did. The first four fields order actions.

    `n` is a Lamport counter: larger than that of every action its author had seen. `line` is the 1-based line of its
    file. `of` is, of an undo or redo, the batch it speaks of, else the action's own batch: the counter of the first of
    the actions that were done at once. `value` is a tag, or a note's text ("" takes the note away).
    """

    n: int
    who: str
    machine: str
    line: int
    kind: str
    cases: tuple[str, ...]
    value: str
    of: int
    time: str


Batch = tuple[str, str, int]
"""(who, machine, counter of its first action): what is undone and redone as one."""


def batch_of(action: Action) -> Batch:
    """The batch that an action belongs to, or that an undo or redo speaks of."""
    return (action.who, action.machine, action.of)


@dataclass(frozen=True, eq=False)
class Triage:
    """Tags (in alphabetical order) and notes a case. A note belongs to who wrote it: nobody's hides another's.

    A case that is in no benchmark here any more is kept.
    """

    tags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @cached_property
    def tags_in_use(self) -> dict[str, int]:
        """How many cases each tag is on, the most used first, then by name."""
        counts = Counter(tag for tags in self.tags.values() for tag in tags)
        return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))

    def note(self, case: str) -> str:
        """The notes on a case in one text, "" where there is none; where several people wrote one, with their names."""
        notes = self.notes.get(case, {})
        if len(notes) == 1:
            return next(iter(notes.values()))
        return "; ".join(f"{who}: {notes[who]}" for who in sorted(notes))


class History:
    """All actions in order, which of them hold, and what these come to."""

    def __init__(self, actions: Iterable[Action] = ()) -> None:
        self.actions = sorted(actions)
        self._undone: set[Batch] = set()
        self._of_case: defaultdict[str, list[Action]] = defaultdict(list)
        for action in self.actions:
            self._take(action)
        self.triage = Triage()
        self._settle(self._of_case)

    @property
    def last(self) -> int:
        """The highest counter there is."""
        return self.actions[-1].n if self.actions else 0

    def add(self, action: Action) -> None:
        """One more action, later than all that are there."""
        self.actions.append(action)
        self._take(action)
        told = self.batch(batch_of(action)) if action.kind in {UNDO, REDO} else (action,)
        self._settle({case for one in told for case in one.cases})

    def batch(self, batch: Batch) -> tuple[Action, ...]:
        """The actions of a batch, in order."""
        who, machine, of = batch
        return tuple(
            one
            for one in self.actions
            if one.of == of and one.kind in CHANGES and (one.who, one.machine) == (who, machine)
        )

    def stacks(self, who: str, machine: str) -> tuple[list[Batch], list[Batch]]:
        """The batches that a person at a machine can undo, and those to redo; each with the next one last.

        A new action leaves nothing to redo. One that joins a batch which was undone is undone with it.
        """
        done: list[Batch] = []
        undone: list[Batch] = []
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
                undone = []
                if batch not in done:
                    done.append(batch)
        return done, undone

    def _take(self, action: Action) -> None:
        if action.kind in CHANGES:
            for case in action.cases:
                self._of_case[case].append(action)
        elif action.kind == UNDO:
            self._undone.add(batch_of(action))
        elif action.kind == REDO:
            self._undone.discard(batch_of(action))

    def _settle(self, cases: Iterable[str]) -> None:
        """Put what the actions on these cases come to in the place of what was there."""
        tags, notes = dict(self.triage.tags), dict(self.triage.notes)
        # Equal tags are one object: a hundred thousand cases tagged at once share theirs.
        alike: dict[tuple[str, ...], tuple[str, ...]] = {}
        for case in cases:
            tagged, noted = self._fold(case)
            if tagged:
                tags[case] = alike.setdefault(tagged, tagged)
            else:
                tags.pop(case, None)
            if noted:
                notes[case] = noted
            else:
                notes.pop(case, None)
        self.triage = Triage(tags, notes)

    def _fold(self, case: str) -> tuple[tuple[str, ...], dict[str, str]]:
        """Tags and notes of one case."""
        tags: set[str] = set()
        notes: dict[str, str] = {}
        for action in self._of_case[case]:
            kind = action.kind
            if self._undone and batch_of(action) in self._undone:
                continue
            if kind == TAG:
                tags.add(action.value)
            elif kind == UNTAG:
                tags.discard(action.value)
            else:
                notes[action.who] = action.value
        return tuple(sorted(tags)), {who: text for who, text in notes.items() if text}


def _move(batch: Batch, source: list[Batch], target: list[Batch]) -> None:
    """Move a batch from one stack to the other; it is the last one, unless a line was lost or two wrote at once."""
    if batch in source[-1:]:
        source.pop()
    elif batch in source:
        source.remove(batch)
    else:
        return
    target.append(batch)
