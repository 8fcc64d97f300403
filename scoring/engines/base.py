"""What every engine must be able to do: run token ids and return numbers at positions."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from scoring.asking import Answered, Ask, Noticed
from scoring.readout import Batch, Encoded


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

    def answers(self, asks: Iterator[Ask | None]) -> Iterator[Answered | Noticed | None]:
        """What comes back, each ask exactly once, in the order of arrival.

        `asks` is drawn lazily: never more than are in flight, and a few. None in it says that there is nothing to ask
        before another answer has come: it is drawn from again then. None is given at least every 0.2 s while
        nothing comes, so that the caller can save what it has and hear signals. What fails is an answer with a reason,
        after the retries that are worth it. The iterator may be left early, which cancels what is in flight.

        Raises:
            EngineError: nothing can be had at all (no server, a wrong key, no such model).
        """
        ...
