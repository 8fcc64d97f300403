"""What every engine must be able to do: run token ids and return numbers at positions."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from scoring.readout import Batch, Encoded


class Engine(Protocol):
    """A loaded model. Making one is expensive; it is made when the first case needs it."""

    @property
    def name(self) -> str:
        """What runs, with versions, device and dtype: written beside every row."""
        ...

    def read(self, cases: Sequence[Encoded]) -> Iterator[Batch]:
        """Answers for all cases, each exactly once, in an order that depends on nothing but the cases.

        What one case gets does not depend on the others beyond rounding. A case that cannot be run (memory) is
        answered with a reason and the rest goes on. The iterator may be left early.

        Raises:
            CheckpointError: the weights themselves hold numbers that are not finite, or the tokenizer is another
                model's: no case would get rewards that mean anything.
        """
        ...
