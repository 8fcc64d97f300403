"""What an adapter tells an engine to read, as plain data: head layout, positions, transform.

An engine runs the body over `Encoded.ids`, puts the head over the hidden states at `Encoded.positions`, transforms the
logits in float32 and weighs what comes out; it knows nothing of PRM families, and nothing here knows of an engine.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from msgspec import Struct

Transform = Literal["softmax", "sigmoid", "none"]
Combine = Literal["least", "gate"]
Shape = tuple[int, ...]

BEYOND_MEMORY = "tokens are more than the memory of the"
"""What an engine says of a case for which it had no memory: another time or elsewhere there may be more, so that a
cached row that says so is tried again by the next run."""

BEYOND_SERVER = "tokens are more than the server's"
"""Likewise of a server, whose limit is what it was started with, and of a vLLM of ours what memory holds."""
FAILED = "no answer: "
"""How a reason begins where an answer did not come, and asking again may help."""

EMPTY_LABELS = "an empty list of labels"
"""The reason of a result that PRMBench's toolkit counts as valid: it has a list of labels, with nothing in it."""
OUTPUT = "lm_head.weight"
"""A language model's own output matrix [tokens, hidden]."""


class Linear(Struct, frozen=True):
    """One linear layer of a head: the tensors `<name>.weight` [outputs, inputs] and, with `bias`, `<name>.bias`."""

    name: str
    inputs: int
    outputs: int
    bias: bool = True

    @property
    def shapes(self) -> dict[str, Shape]:
        """Tensor name -> shape."""
        weight: dict[str, Shape] = {f"{self.name}.weight": (self.outputs, self.inputs)}
        return weight | ({f"{self.name}.bias": (self.outputs,)} if self.bias else {})


class Vocabulary(Struct, frozen=True):
    """A head that is part of a language model's own output matrix: what it would say next, of a few tokens.

    `ids` are the tokens whose logits are read, in this order; with none, the one logit is the mean over all rows, which
    must repeat every `tiled` rows: else it is another model's matrix, and its mean means nothing. With `whole` a
    softmax runs over all tokens instead of these alone. The rows lie in the tensor `name` [tokens, hidden], or in
    `tied`, the embeddings, where the checkpoint has no such tensor; a family that never shares the two sets `tied` to
    `name`.
    """

    ids: tuple[int, ...]
    hidden: int
    whole: bool = False
    tiled: int = 0
    name: str = OUTPUT
    tied: str = "model.embed_tokens.weight"

    def source(self, tensors: Container[str]) -> str:
        """Return the tensor that holds the rows."""
        return self.name if self.name in tensors else self.tied

    def problems(self, tensors: Mapping[str, Shape]) -> list[str]:
        """List what keeps the rows from being read."""
        source = self.source(tensors)
        if source not in tensors:
            return [f"{self.name} is missing"]
        shape, wanted = tensors[source], max(self.ids, default=0) + 1
        if len(shape) != 2 or shape[1] != self.hidden or shape[0] < wanted:
            return [f"{source} is {_times(shape)} and should be {wanted} or more x{self.hidden}"]
        return []


class LogRatio(Vocabulary, frozen=True):
    """How much likelier one language model finds the text itself than another.

    The one number at a position is `factor` times the sum, over the tokens behind `Encoded.since` up to the one behind
    the position, of the token's log-probability less that under the reference model; with `single` over those behind
    the position before. `ids` is (), as all tokens of the text are read, and `whole` is set.
    """

    factor: float = 1.0
    single: bool = False


class Readout(Struct, frozen=True):
    """Which tensors make the head and how its logits become one reward, and perhaps a redundancy beside it.

    `head` are layers in order, with a ReLU between two of them, or rows of the output matrix, over the last hidden
    state after the final norm. `body` is the prefix of the body's tensors; those named in `ignored` may be there and
    are not used. The outputs go through `transform` in float32; the reward is `offset` plus their sum weighted with
    `reward`, and the redundancy, where a family gives one, their sum weighted with `redundancy`. With `combine` several
    positions are read for a step (`Encoded.places`): its reward is the least of theirs, or that of the last of them, -1
    where one before it is below 0.5.
    """

    head: tuple[Linear, ...] | Vocabulary
    transform: Transform = "softmax"
    reward: tuple[float, ...] = (0.0, 1.0)
    redundancy: tuple[float, ...] | None = None
    body: str = "model."
    ignored: tuple[str, ...] = (OUTPUT,)
    combine: Combine | None = None
    offset: float = 0.0

    @property
    def several(self) -> bool:
        """Whether a reward is made of more than one reading, or model: of what servers and vLLM give it is not."""
        return self.combine is not None or isinstance(self.head, LogRatio)

    @property
    def shapes(self) -> dict[str, Shape]:
        """Name and shape of every tensor of a head of its own; {} for rows of the vocabulary."""
        if isinstance(self.head, Vocabulary):
            return {}
        return {name: shape for layer in self.head for name, shape in layer.shapes.items()}

    def problems(self, tensors: Mapping[str, Shape]) -> list[str]:
        """List what keeps a checkpoint's tensors (name -> shape) from being read so; the body's own are the engine's
        matter.

        A head that is missing in part would otherwise be random, and its rewards plausible.
        """
        faults = self.head.problems(tensors) if isinstance(self.head, Vocabulary) else []
        for name, shape in self.shapes.items():
            if name not in tensors:
                faults.append(f"{name} is missing")
            elif tensors[name] != shape:
                faults.append(f"{name} is {_times(tensors[name])} and should be {_times(shape)}")
        known = {*self.shapes, *self.ignored}
        strangers = [name for name in tensors if name not in known and not name.startswith(self.body)]
        return faults + [f"{name} is not expected" for name in strangers]

    def used(self, tensors: Mapping[str, Shape]) -> list[str]:
        """Return the names among a checkpoint's tensors that are read: the body's, then the head's."""
        head = [self.head.source(tensors)] if isinstance(self.head, Vocabulary) else list(self.shapes)
        body = [name for name in tensors if name.startswith(self.body) and name not in head]
        return body + [name for name in head if name in tensors]


def two_layers(hidden: int, labels: int = 2) -> tuple[Linear, ...]:
    """Return the head of Qwen's PRMs: `score.0`, ReLU, `score.2`."""
    return (Linear("score.0", hidden, hidden), Linear("score.2", hidden, labels))


def one_layer(hidden: int, labels: int = 2, *, bias: bool = True) -> tuple[Linear, ...]:
    """Return the head of a stock token classifier: `score`."""
    return (Linear("score", hidden, labels, bias),)


class Encoded(Struct, frozen=True):
    """A case for an engine: token ids, and the 0-based indices into them that are read, one a step and rising.

    `further` are sequences that are run beside the first, for a family that reads a case several times; the positions
    of all together, in order, are the steps, or with `places` above 1 so many of them are a step. `since` is the first
    position that counts where numbers are summed up to a position; it is no later than the first of these.
    """

    ids: tuple[int, ...]
    positions: tuple[int, ...]
    further: tuple["Encoded", ...] = ()
    since: int = 0
    places: int = 1

    @classmethod
    def together(cls, sequences: Sequence["Encoded"], places: int = 1) -> "Encoded":
        """Join a case that is read several times, at least once."""
        first, *further = sequences
        return cls(first.ids, first.positions, tuple(further), places=places)

    @property
    def sequences(self) -> tuple["Encoded", ...]:
        """All sequences, in order."""
        return (self, *self.further)

    @property
    def n_positions(self) -> int:
        """How many steps are read in all; a position each, or `places` of them."""
        return sum(len(sequence.positions) for sequence in self.sequences) // self.places

    @property
    def n_tokens(self) -> int:
        """How many tokens are run in all."""
        return sum(len(sequence.ids) for sequence in self.sequences)


@dataclass(frozen=True, slots=True)
class Refused:
    """A case that gets no rewards, and why, in words for the reader of a table.

    `over_length` says that it has more tokens than the model takes, so that fewer of its steps might fit. It is no part
    of what makes two refusals equal.
    """

    reason: str
    over_length: bool = field(default=False, compare=False)


class EngineOutput(Struct, frozen=True):
    """What an engine has for one case: `index` is its place in what the engine was given, 0-based.

    `rewards` is one number a position, as it came (it may be NaN), or why there is none; `redundancy` likewise, where
    the read-out gives one. `why` is what the engine knows of numbers among them that are not finite.
    """

    index: int
    rewards: tuple[float, ...] | Refused
    redundancy: tuple[float, ...] | None = None
    why: str = ""


class Batch(Struct, frozen=True):
    """Answers that came together, and what they cost: tokens run (padding not counted) and padding tokens run.

    A batch that had to be run again in smaller pieces counts each time, so `tokens` may exceed the cases' own.
    """

    answers: tuple[EngineOutput, ...]
    tokens: int
    padding: int


def _times(shape: Shape) -> str:
    return "x".join(map(str, shape)) or "a scalar"
