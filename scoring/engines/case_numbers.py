"""From a head's logits to the numbers of a case: the last part of the way, which every local engine goes alike."""

import math
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

from scoring.readout import Answer, Refused

Numbers = list[list[float]]
"""What is read in one sequence: the reward at each position, and the redundancy behind it where there is one."""

TRANSFORMS: dict[str, Callable[[Any], Any]] = {
    "softmax": lambda logits: logits.softmax(-1),
    "sigmoid": lambda logits: logits.sigmoid(),
    "none": lambda logits: logits,
}
"""Readout.transform -> what it does to logits [positions, outputs] in float32."""


def answer_of(index: int, parts: Sequence[Numbers | Refused | None], why: Callable[[], str]) -> Answer:
    """The numbers of all sequences of a case in order, or the first refusal of one.

    Of numbers that are not all finite `why` says the reason.
    """
    rows: Numbers = []
    for part in parts:
        if isinstance(part, Refused):
            return Answer(index, part)
        rows += part or []
    rewards, *redundancy = zip(*rows, strict=True) if rows else ((),)
    told = "" if all(map(math.isfinite, chain.from_iterable(rows))) else why()
    return Answer(index, tuple(rewards), tuple(redundancy[0]) if redundancy else None, told)
