"""What people do to cases, one action after another."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

TAG, UNTAG, NOTE, RULE, RATE, SORT = "tag", "untag", "note", "rule", "rate", "sort"
QUEUE, SKIP, DEFER = "queue", "skip", "defer"
UNDO, REDO = "undo", "redo"
OWN = frozenset({NOTE, RULE, SORT})
"""Actions whose text stands until their author says something else of the case; "" takes it away."""
IN_QUEUES = frozenset({QUEUE, SKIP, DEFER})
SAID = frozenset({TAG, UNTAG, RATE}) | OWN
"""Actions that say something of cases themselves."""
CHANGES = SAID | IN_QUEUES
"""Actions that name cases; the other two speak of actions."""
REVERSALS = frozenset({UNDO, REDO})
DECIDING = IN_QUEUES | {RULE}
"""Actions that change where a case is in a queue."""
GOLD_WRONG = "gold wrong"
RULINGS = ("model wrong", GOLD_WRONG, "both defensible", "import problem", "unsure")
"""What a person may decide about a case: whether the label or the scorer is mistaken."""
RATINGS = (-1, 0, 1)
"""What a person may say of a step: wrong, neutral, right (PRM800K's three labels)."""
_CONTENT = 12
"""Hex digits of a case's `key` that say which text of it somebody saw."""


class Action(NamedTuple):
    """One thing that somebody did. The first four fields order actions.

    `n` is a Lamport counter: larger than that of every action its author had seen. `line` is the 1-based line of its
    file. `of` is, of an undo or redo, the batch it speaks of, else the action's own batch: the counter of the first of
    the actions that were done at once. `content` is, of a ruling or a rating, that of the case when it was said
    (`content_of`), of a queue the scorer that its cases were looked at through; "" where nobody noted it. `value` is

    | action | value |
    | --- | --- |
    | tag, untag | the tag |
    | note | the text; "" takes the note away |
    | rule | one of RULINGS; "" takes the ruling away |
    | rate | step (0-based), a blank, one of RATINGS; nothing behind the blank takes the rating away |
    | sort | the category of the author's note; "" takes it out of its category |
    | queue | in words how the queue was made; `cases` are in its order |
    | skip, defer | "": the case is left out of the author's queue, or comes at its end |
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
    content: str = ""


JournalChange = tuple[str, Sequence[str], str]
"""(one of CHANGES; cases; the value, see `Action`)."""
ActionBatch = tuple[str, str, int]
"""(who, machine, counter of its first action): what is undone and redone as one."""


def batch_of(action: Action) -> ActionBatch:
    """Return the batch that an action belongs to, or that an undo or redo speaks of."""
    return (action.who, action.machine, action.of)


def content_of(key: str) -> str:
    """Return the beginning of a case's `key`: it differs where problem or steps differ."""
    return key[:_CONTENT]


def taken_back(action: Action) -> Action:
    """Return the action that takes a ruling or a rating away again."""
    return action._replace(value=f"{rating_of(action.value)[0]} " if action.kind == RATE else "")


@lru_cache(1024)
def rating_of(value: str) -> tuple[int, int | None]:
    """Step (0-based) and rating of a `rate` action; None takes the rating away.

    Raises:
        ValueError: that is neither.
    """
    step, blank, rating = value.partition(" ")
    if not step.isdecimal() or not step.isascii() or not blank or rating not in {"", *map(str, RATINGS)}:
        raise ValueError(f"{value!r} is not a step and rating")
    return int(step), int(rating) if rating else None
