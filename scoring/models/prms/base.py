"""What every PRM family must be able to do: turn a case into tokens and say what is read where.

An adapter is made from a `Checkpoint` without importing anything of weight. With a tokenizer it gives an encoder,
which writes a case's ids piece by piece and records a position a step while it does: data text is never searched for
special tokens, and nothing is found again by its id.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Protocol, Self

from msgspec import Struct

from scoring.data.errors import CheckpointError, ForeignCheckpoint
from scoring.data.readout import Encoded, Readout, Refused
from scoring.data.scorer import Comparison
from scoring.models.checkpoint import Checkpoint, positive

Encoder = Callable[..., Encoded | Refused]
"""Problem (text), steps (texts) and what else `Adapter.reads` names (texts or None) of one case -> tokens and
positions, as many as steps; or why not. Never raises for a text."""

Options = Mapping[str, tuple[str, ...]]
"""What of a family can be chosen: name -> the values there are, the family's own first."""


class Tokenizer(Protocol):
    """The vocabulary of a checkpoint."""

    def encode(self, text: str) -> list[int]:
        """Encode plain text to its ids. Whatever the text says, no special or added token is among them."""
        ...

    def spans(self, text: str) -> tuple[list[int], list[int]]:
        """Return the same ids, and for each the place in the text (characters, 0-based) behind the last one it stands
        for.
        """
        ...

    def special(self, token: str) -> int | None:
        """Return the id of an added token, or None if the vocabulary has no such one."""
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
    model, `reference_model(policy, reference)`, which gives a `scoring.models.checkpoint.Reference`.
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
        """Return the encoder with this tokenizer.

        Raises:
            CheckpointError: the tokenizer lacks a token that the family needs.
        """
        ...


class Family(Struct, frozen=True, dict=True):
    """An adapter of this program's: one PRM family, for one checkpoint. What a class does not state is as it is here.

    Class attributes:
        NAME: What the adapter is called.
        HEAD: What its read-out reads, in words.
        OPTIONS, MEANINGS: What can be chosen, and what the values of each option do.
        CHOSEN: Settings of its own, by the fields that hold them.
        CHECKPOINTS: Hub names of the published checkpoints that it reads.
        SOURCE: Where its facts come from.
        SCALE: Its scale, where `scale` depends on the options.
        PREFIX: Whether a step's reward depends on what stands before it and on nothing after it.
        SEPARATED: Whether a step is read at a token that is none of its text.

    Attributes:
        hidden: The width of the body.
        max_length: In tokens.
    """

    hidden: int
    max_length: int

    NAME: ClassVar[str]
    HEAD: ClassVar[str]
    OPTIONS: ClassVar[Options] = {}
    MEANINGS: ClassVar[Mapping[str, str]] = {}
    CHOSEN: ClassVar[Mapping[str, str]] = {}
    CHECKPOINTS: ClassVar[tuple[str, ...]] = ()
    SOURCE: ClassVar[str] = ""
    PREFIX: ClassVar[bool] = True
    SEPARATED: ClassVar[bool] = True

    @classmethod
    def of(cls, checkpoint: Checkpoint, **options: str) -> Self:
        """Make the adapter of a checkpoint, its head checked tensor by tensor.

        Raises:
            ForeignCheckpoint: the head is not the family's, or something else shows that the checkpoint is of another.
            CheckpointError: the config lacks a number, or the checkpoint something that the options need.
        """
        chosen = {**{name: values[0] for name, values in cls.OPTIONS.items()}, **options}
        own, config = cls.parts(checkpoint, chosen), checkpoint.config
        adapter = cls(positive(config, "hidden_size"), positive(config, "max_position_embeddings"), **own)
        check_tensors(adapter.readout, checkpoint, cls.NAME, cls.HEAD)
        return adapter

    @classmethod
    def parts(cls, checkpoint: Checkpoint, options: Mapping[str, str]) -> dict[str, Any]:  # noqa: ARG003  # families do
        """Return the fields that the family has beside the sizes, from all options and what the checkpoint shows."""
        return dict(options)

    @property
    def readout(self) -> Readout:
        """What an engine reads."""
        raise NotImplementedError

    @property
    def reads(self) -> tuple[str, ...]:
        """Which texts of a case are read beside problem and steps: none."""
        return ()

    @property
    def chosen(self) -> Mapping[str, Any]:
        """What of the settings is the family's own."""
        return {name: getattr(self, field) for name, field in self.CHOSEN.items()}

    @property
    def settings(self) -> Mapping[str, Any]:
        """What beside the weights changes the rewards."""
        return {"adapter": self.NAME, "layout": 1, **self.chosen, "max_length": self.max_length}


def too_long(tokens: int, limit: int) -> Refused:
    """Return the refusal of a case that does not fit; an encoder never cuts one, because steps cut off would have no
    reward.

    Who asks for it has such a case cut at a step by `scoring.runs.prm_runs`, which knows it by this refusal alone.
    """
    return Refused(f"{tokens:,} tokens are more than the {limit:,} the model takes", over_length=True)


def behind(start: Sequence[int], ids: Sequence[int], positions: Sequence[int], limit: int) -> Encoded | Refused:
    """Put a text's ids and positions behind tokens that begin every sequence; refused above `limit` tokens in all."""
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
    """Return the id of an added token that a family cannot do without.

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
    token_ids = tokenizer.encode(text)
    if token_ids != list(ids):
        raise CheckpointError(
            f"the tokenizer gives {text!r} the ids {token_ids}, and the PRM knows it as {ids}.", _OTHERS
        )


_OTHERS = "Use the tokenizer.json that came with the PRM."


# -- text that is encoded piece by piece: the problem, then every step with the ids of a separator behind it


SEPARATORS = {"newline": "\n", "blank-line": "\n\n"}
"""The names of separators, and their text."""


class Separated:
    """An encoder that reads the last token of the separator behind each step.

    Pieces are encoded apart, as these families were trained, so no letter of a step is one token with the separator,
    and a newline within a step is text of that step. An empty step is its separator alone.
    """

    def __init__(
        self, tokenizer: Tokenizer, separator: Sequence[int], limit: int, *, start: Sequence[int] = ()
    ) -> None:
        """An encoder with a `separator` of at least one id, for at most `limit` tokens, which begin with `start`."""
        self._encode = tokenizer.encode
        self._separator, self._limit, self._start = tuple(separator), limit, tuple(start)

    def __call__(self, problem: str, steps: Sequence[str]) -> Encoded | Refused:
        """The tokens of one case and where its steps end. `problem` is with whatever belongs to its own piece."""
        if not steps:
            return NO_STEPS
        ids = [*self._start, *self._encode(problem)]
        positions = []
        for step in steps:
            ids += self._encode(step)
            ids += self._separator
            positions.append(len(ids) - 1)
        if len(ids) > self._limit:
            return too_long(len(ids), self._limit)
        return Encoded(tuple(ids), tuple(positions))


def single_id(tokenizer: Tokenizer, text: str) -> int:
    """Return the one id of a text that a family needs to be one token.

    Raises:
        CheckpointError: it is several.
    """
    ids = tokenizer.encode(text)
    if len(ids) != 1:
        raise CheckpointError(f"the tokenizer gives {text!r} the ids {ids}, and the PRM knows it as one.", _OTHERS)
    return ids[0]


# -- text that is encoded whole, with places in it that are read: they are noted while it is written, never looked for


class MarkedText:
    """A text in the making.

    Where a family's checkpoints were trained on text encoded in one go, its pieces must not be encoded apart: letters
    on both sides of a seam may be one token. So the places are noted as characters and found again as tokens.
    """

    def __init__(self) -> None:
        """An empty text."""
        self._parts: list[str] = []
        self._length = 0
        self._places: list[int] = []

    def add(self, text: str) -> None:
        """Write on. What is added first is the problem's, what stands before mark k is step k's."""
        self._parts.append(text)
        self._length += len(text)

    def mark(self, text: str) -> None:
        """Write on; the token that ends where this text does is read."""
        self.add(text)
        self._places.append(self._length)

    def encode(self, tokenizer: Tokenizer, mark: int) -> tuple[list[int], list[int]] | Refused:
        """Return the ids of the whole text, and the index (0-based) of the token at each mark.

        Args:
            tokenizer: with the checkpoint's vocabulary.
            mark: the id that the token at every mark has, and that no other token of the text may have: the model would
                take it for the end of a step.
        """
        ids, ends = tokenizer.spans("".join(self._parts))
        positions = self._positions(ends)
        merged = [step for step, position in enumerate(positions) if position < 0 or ids[position] != mark]
        if merged:
            where = _listed([f"step {step}" for step in merged])
            return Refused(f"the end of {where} is one token with the text beside it; {_NO_WAY}")
        read = set(positions)
        others = [ends[index] for index, token in enumerate(ids) if token == mark and index not in read]
        if others:
            where = _listed([self._described(place) for place in others])
            return Refused(f"a step end stands within {where}, where the model would take it for one; {_NO_WAY}")
        return ids, positions

    def places(self, tokenizer: Tokenizer) -> tuple[list[int], list[int]]:
        """Return the ids of the whole text, and the index (0-based) of the token at each mark: -1 where no token ends
        there.

        It is the last one, where several tokens are one character (the bytes of a letter the vocabulary lacks).
        """
        ids, ends = tokenizer.spans("".join(self._parts))
        return ids, self._positions(ends)

    def _positions(self, ends: Sequence[int]) -> list[int]:
        at = {end: index for index, end in enumerate(ends)}
        return [at.get(place, -1) for place in self._places]

    def _described(self, place: int) -> str:
        """Whose text ends at a place, and the text around it."""
        step = min(bisect_left(self._places, place), len(self._places) - 1)
        whose = "the problem" if not step and place <= len(self._parts[0]) else f"step {step}"
        around = "".join(self._parts)[max(0, place - _AROUND) : place + _AROUND]
        return f"{whose} ({around!r})"


def marked(
    write: Callable[[str, Sequence[str]], MarkedText], tokenizer: Tokenizer, mark: int, start: Sequence[int], limit: int
) -> Encoder:
    """Make an encoder of the texts that `write` gives, whose marks all have the id `mark`.

    `start` begins every sequence, of at most `limit` tokens.
    """

    def encode(problem: str, steps: Sequence[str]) -> Encoded | Refused:
        if not steps:
            return NO_STEPS
        placed = write(problem, steps).encode(tokenizer, mark)
        return placed if isinstance(placed, Refused) else behind(start, *placed, limit)

    return encode


_AROUND = 12
"""Characters that are shown on both sides of a place."""
_MANY = 3
_NO_WAY = "this family cannot score such a text"


def _listed(things: Sequence[str]) -> str:
    more = [f"{len(things) - _MANY} more"] if len(things) > _MANY else []
    *first, last = (*dict.fromkeys(things[:_MANY]), *more)
    return f"{', '.join(first)} and {last}" if first else last


# -- numbers that steps may come with, for families whose layout has numbers of its own


# The number is any word of digits, and a decimal such as "3.5 apples" loses its "3." too: published results have both.
_NUMBER = re.compile(r"(?:Step\s*)?\d+\.\s*", re.IGNORECASE)


def without_number(step: str) -> str:
    """Strip the step as PRMBench hands it to most PRMs: without one leading "Step 3." or "3.".

    "Step 3:" stays. Source: PRMBench, mr_eval/utils/model_utils.py.
    """
    stripped = step.strip()
    match = _NUMBER.match(stripped)
    return stripped[match.end() :] if match else stripped


def numbered(step: str, number: int) -> str:
    """Put the step behind its number, 1-based, as in "Step 3: text"."""
    return f"Step {number}: {step}"
