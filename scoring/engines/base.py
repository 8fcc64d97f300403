"""What every engine must be able to do: run token ids and return numbers at positions."""

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any, Protocol

from scoring.data.readout import Batch, Combine, Encoded, EngineOutput, Refused
from scoring.models.asking import Answered, GenerationRequest, Noticed


class Engine(Protocol):
    """A loaded model. Making one is expensive; it is made when the first case needs it."""

    @property
    def name(self) -> str:
        """What runs, with versions, device and dtype: written beside every row."""
        ...

    def read(self, cases: Sequence[Encoded]) -> Iterator[Batch | Noticed]:
        """Answers for all cases, each exactly once, in an order that depends on nothing but the cases; and notices.

        What one case gets does not depend on the others beyond rounding. A case that cannot be run (memory) is
        answered with a reason and the rest goes on. The iterator may be left early.

        Raises:
            CheckpointError: the weights themselves hold numbers that are not finite, or the tokenizer is another
                model's: no case would get rewards that mean anything.
        """
        ...


class AnsweringEngine(Protocol):
    """A loaded model or a server that answers in words."""

    @property
    def name(self) -> str:
        """What runs, with versions as far as they are known: written beside every answer."""
        ...

    def answers(self, asks: Iterator[GenerationRequest | None]) -> Iterator[Answered | Noticed | None]:
        """Yield what comes back, each ask exactly once, in the order of arrival.

        `asks` is drawn lazily: never more than are in flight, and a few. None in it says that there is nothing to ask
        before another answer has come: it is drawn from again then. None is given at least every 0.2 s while
        nothing comes, so that the caller can save what it has and hear signals. What fails is an answer with a reason,
        after the retries that are worth it. The iterator may be left early, which cancels what is in flight.

        Raises:
            EngineError: nothing can be had at all (no server, a wrong key, no such model).
        """
        ...


# -- from a head's logits to the numbers of a case: the last part of the way, which every local engine goes alike


EngineNumbers = list[list[float]]
"""What is read in one sequence: the reward at each position, and the redundancy behind it where there is one."""

TRANSFORMS: dict[str, Callable[[Any], Any]] = {
    "softmax": lambda logits: logits.softmax(-1),
    "sigmoid": lambda logits: logits.sigmoid(),
    "none": lambda logits: logits,
}
"""Readout.transform -> what it does to logits [positions, outputs] in float32."""


def answer_of(
    index: int,
    parts: Sequence[EngineNumbers | Refused | None],
    why: Callable[[], str],
    combine: Combine | None = None,
    places: int = 1,
) -> EngineOutput:
    """Return the numbers of all sequences of a case in order, or the first refusal of one.

    Of numbers that are not all finite `why` says the reason. With `combine` each `places` rewards become one.
    """
    rows: EngineNumbers = []
    for part in parts:
        if isinstance(part, Refused):
            return EngineOutput(index, part)
        rows += part or []
    rewards, *redundancy = zip(*rows, strict=True) if rows else ((),)
    if combine is not None:
        rewards = tuple(combined(rewards[at : at + places], combine) for at in range(0, len(rewards), places))
    nonfinite = "" if all(map(math.isfinite, chain.from_iterable(rows))) else why()
    return EngineOutput(index, tuple(rewards), tuple(redundancy[0]) if redundancy else None, nonfinite)


def combined(rewards: Sequence[float], how: Combine) -> float:
    """Combine several rewards of a step into one; not finite where one is not. See `scoring.data.readout.Readout`."""
    if not all(map(math.isfinite, rewards)):
        return math.nan
    if how == "least":
        return min(rewards)
    *signs, last = rewards
    return last if all(sign >= 0.5 for sign in signs) else -1.0
