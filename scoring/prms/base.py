"""What every PRM family must be able to do: turn a case into tokens and say what is read where.

An adapter is made from a `Checkpoint` without importing anything of weight. With a tokenizer it gives an encoder,
which writes a case's ids piece by piece and records a position a step while it does: data text is never searched for
special tokens, and nothing is found again by its id.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct

from scoring.checkpoint import Checkpoint
from scoring.errors import CheckpointError, ForeignCheckpoint
from scoring.readout import Encoded, Readout, Refused
from scoring.scorer import Comparison

Encoder = Callable[..., Encoded | Refused]
"""Problem (text), steps (texts) and what else `Adapter.reads` names (texts or None) of one case -> tokens and
positions, as many as steps; or why not. Never raises for a text."""

Options = Mapping[str, tuple[str, ...]]
"""What of a family can be chosen: name -> the values there are, the family's own first."""


class Tokenizer(Protocol):
    """The vocabulary of a checkpoint."""

    def encode(self, text: str) -> list[int]:
        """The ids of plain text. Whatever the text says, no special or added token is among them."""
        ...

    def spans(self, text: str) -> tuple[list[int], list[int]]:
        """The same ids, and for each the place in the text (characters, 0-based) behind the last one it stands for."""
        ...

    def special(self, token: str) -> int | None:
        """The id of an added token, or None if the vocabulary has no such one."""
        ...


class Scale(Struct, frozen=True):
    """A family's name for people, the range of its rewards, its own cut within it, and whose cut that is.

    `comparison` is how a reward stands to the cut where its step is wrong. Families that judge redundancy have a second
    cut, above which a step is redundant.
    """

    family: str
    low: float
    high: float
    threshold: float
    threshold_source: str
    comparison: Comparison = "<"
    redundancy_threshold: float | None = None
    redundancy_threshold_source: str = ""


class Adapter(Protocol):
    """One PRM family, for one checkpoint.

    A family may have more: `cautions`, sentences about what is only assumed of the checkpoint;
    `template_note(checkpoint)`, what its chat template would do otherwise; and, where rewards are ratios to another
    model, `reference_model(policy, reference)`, which gives a `scoring.checkpoint.Reference`.
    """

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

    @property
    def reads(self) -> tuple[str, ...]:
        """Which texts of a case are read beside problem and steps, by column: the encoder gets them in this order."""
        return ()

    def encoder(self, tokenizer: Tokenizer) -> Encoder:
        """The encoder with this tokenizer.

        Raises:
            CheckpointError: the tokenizer lacks a token that the family needs.
        """
        ...


def too_long(tokens: int, limit: int) -> Refused:
    """The refusal of a case that does not fit; an encoder never cuts one, because steps cut off would have no reward.

    Who asks for it has such a case cut at a step by `scoring.prm_runs`, which knows it by this refusal alone.
    """
    return Refused(f"{tokens:,} tokens are more than the {limit:,} the model takes", over_length=True)


def behind(start: Sequence[int], ids: Sequence[int], positions: Sequence[int], limit: int) -> Encoded | Refused:
    """A text's ids and positions behind tokens that begin every sequence; refused above `limit` tokens in all."""
    if len(start) + len(ids) > limit:
        return too_long(len(start) + len(ids), limit)
    return Encoded((*start, *ids), tuple(position + len(start) for position in positions))


OVER_LENGTH = r"^[\d,]+ tokens are more than the [\d,]+ the model takes$"
"""A regular expression for the whole reason of `too_long`, by which a cached row is known."""


NO_STEPS = Refused("the case has no steps")


def check_tensors(readout: Readout, checkpoint: Checkpoint, adapter: str, expected: str) -> None:
    """Make sure that a checkpoint's tensors are what a family's read-out reads.

    Raises:
        ForeignCheckpoint: they are not; the first three that are not, and what was expected, in words.
    """
    problems = readout.problems(checkpoint.shapes)
    if problems:
        more = f" and {len(problems) - 3} more" if len(problems) > 3 else ""
        raise ForeignCheckpoint(
            f"the head of {checkpoint.name} is not one that adapter {adapter!r} reads: "
            f"{'; '.join(problems[:3])}{more}.",
            f"Expected is {expected}.",
        )


def special_id(tokenizer: Tokenizer, token: str) -> int:
    """The id of an added token that a family cannot do without.

    Raises:
        CheckpointError: the vocabulary has no such token.
    """
    index = tokenizer.special(token)
    if index is None:
        raise CheckpointError(f"the tokenizer has no token {token}.", _OTHERS)
    return index


def check_ids(tokenizer: Tokenizer, text: str, ids: Sequence[int]) -> None:
    """Make sure that the vocabulary is the one whose ids a family knows by number.

    Raises:
        CheckpointError: the text has other ids.
    """
    found = tokenizer.encode(text)
    if found != list(ids):
        raise CheckpointError(f"the tokenizer gives {text!r} the ids {found}, and the PRM knows it as {ids}.", _OTHERS)


_OTHERS = "Use the tokenizer.json that came with the PRM."
