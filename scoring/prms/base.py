"""What every PRM family must be able to do: turn a case into tokens and say what is read where.

An adapter is made from a `Checkpoint` without importing anything of weight. With a tokenizer it gives an encoder,
which writes a case's ids piece by piece and records a position a step while it does: data text is never searched for
special tokens, and nothing is found again by its id.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from scoring.readout import Encoded, Readout, Refused

Encoder = Callable[[str, Sequence[str]], Encoded | Refused]
"""Problem and steps of one case -> tokens and positions, as many as steps; or why not. Never raises for a text."""


class Tokenizer(Protocol):
    """The vocabulary of a checkpoint."""

    def encode(self, text: str) -> list[int]:
        """The ids of plain text. Whatever the text says, no special or added token is among them."""
        ...

    def special(self, token: str) -> int | None:
        """The id of an added token, or None if the vocabulary has no such one."""
        ...


@dataclass(frozen=True)
class Scale:
    """A family's name for people, the range of its rewards, its own cut within it, and whose cut that is."""

    family: str
    low: float
    high: float
    threshold: float
    threshold_source: str


class Adapter(Protocol):
    """One PRM family, for one checkpoint."""

    @property
    def scale(self) -> Scale:
        """How to read the rewards."""
        ...

    @property
    def readout(self) -> Readout:
        """What an engine reads."""
        ...

    @property
    def settings(self) -> Mapping[str, Any]:
        """Everything beside the weights that changes the rewards, as JSON values: it goes into the fingerprint."""
        ...

    def encoder(self, tokenizer: Tokenizer) -> Encoder:
        """The encoder with this tokenizer.

        Raises:
            CheckpointError: the tokenizer lacks a token that the family needs.
        """
        ...


def too_long(tokens: int, limit: int) -> Refused:
    """The refusal of a case that does not fit: it is never cut, because the steps cut off would have no reward."""
    return Refused(f"{tokens:,} tokens are more than the {limit:,} the model takes")


NO_STEPS = Refused("the case has no steps")
