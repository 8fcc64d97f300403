"""From a head's logits to the numbers of a case: the last part of the way, which every local engine goes alike."""

import math
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

from scoring.readout import Answer, Combine, Refused

Numbers = list[list[float]]
"""What is read in one sequence: the reward at each position, and the redundancy behind it where there is one."""

TRANSFORMS: dict[str, Callable[[Any], Any]] = {
    "softmax": lambda logits: logits.softmax(-1),
    "sigmoid": lambda logits: logits.sigmoid(),
    "none": lambda logits: logits,
}
"""Readout.transform -> what it does to logits [positions, outputs] in float32."""


def answer_of(
    index: int,
    parts: Sequence[Numbers | Refused | None],
    why: Callable[[], str],
    combine: Combine | None = None,
    places: int = 1,
) -> Answer:
    """The numbers of all sequences of a case in order, or the first refusal of one.

    Of numbers that are not all finite `why` says the reason. With `combine` each `places` rewards become one.
    """
    rows: Numbers = []
    for part in parts:
        if isinstance(part, Refused):
            return Answer(index, part)
        rows += part or []
    rewards, *redundancy = zip(*rows, strict=True) if rows else ((),)
    if combine is not None:
        rewards = tuple(combined(rewards[at : at + places], combine) for at in range(0, len(rewards), places))
    told = "" if all(map(math.isfinite, chain.from_iterable(rows))) else why()
    return Answer(index, tuple(rewards), tuple(redundancy[0]) if redundancy else None, told)


def combined(rewards: Sequence[float], how: Combine) -> float:
    """One reward of several of a step; not finite where one is not. See `scoring.readout.Readout`."""
    if not all(map(math.isfinite, rewards)):
        return math.nan
    if how == "least":
        return min(rewards)
    *signs, last = rewards
    return last if all(sign >= 0.5 for sign in signs) else -1.0
