"""A small workspace in which it can be told in advance which gold labels are contested, by whom and how strongly."""

import making
import reference
from inspector.request import Request

GOLD = (-1, 1, 0, -1, 1, -1, -1, 0, None, -1)
FIRST = (2, 1, 0, -1, 1, -1, 1, 0, 0, -1)
SECOND = (2, 1, 1, -1, 1, -1, -1, 0, 0, -1)
THIRD = (2, 1, 0, -1, 1, 0, -1, None, 0, -1)
"""Against the gold of the first case all three; of others one alone, which is outweighed. The ninth has no gold label,
and on the fourth, the tenth and the first a rule of construction speaks against it."""
ANSWERS = [False, None, None, False, True, None, None, None, None, None]
SUBSETS = ("one", "one", "one", "two", "two", "two", "two", "two", "two", "two")


def scored(verdicts, gold=GOLD, subsets=SUBSETS):
    """Cases of three steps with rewards of which the first one below 0.5 is the verdict; None was never scored."""
    made = []
    for number, verdict in enumerate(verdicts):
        rewards = None if verdict is None else tuple(0.1 if step == verdict else 0.9 for step in range(3))
        listed = (7,) if gold[number] is None else None
        made.append(reference.Case(3, gold[number], rewards, subset=subsets[number], error_steps=listed))
    return made


def write(root, *verdicts, gold=GOLD, families=("", "", "", ""), names="abcd", **columns):
    """A workspace with a scorer for each of the lists of verdicts."""
    cases = scored([None] * len(gold), gold, SUBSETS[: len(gold)])
    scorers = [
        (making.scorer(name, family=family), scored(said, gold, SUBSETS[: len(gold)]))
        for name, family, said in zip(names, families, verdicts, strict=False)
    ]
    making.workspace(root, cases, scorers, **columns)
    return Request(workspace=str(root))
