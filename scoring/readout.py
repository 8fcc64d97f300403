"""What an adapter tells an engine to read, as plain data: head layout, positions, transform.

An engine runs the body over `Encoded.ids`, puts the head over the hidden states at `Encoded.positions` and transforms
the logits in float32; it knows nothing of PRM families, and nothing here knows of an engine.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Transform = Literal["softmax", "sigmoid"]
Shape = tuple[int, ...]


@dataclass(frozen=True)
class Linear:
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


@dataclass(frozen=True)
class Readout:
    """Which tensors make the head and how its logits become one reward.

    `head` are the layers in order, with a ReLU between two of them, over the last hidden state after the final norm.
    `body` is the prefix of the body's tensors; those named in `ignored` may be there and are not used. The reward is
    the `transform` of the last layer's outputs in float32, at index `good` (0-based).
    """

    head: tuple[Linear, ...]
    transform: Transform = "softmax"
    good: int = 1
    body: str = "model."
    ignored: tuple[str, ...] = ("lm_head.weight",)

    @property
    def shapes(self) -> dict[str, Shape]:
        """Name and shape of every tensor of the head."""
        return {name: shape for layer in self.head for name, shape in layer.shapes.items()}

    def problems(self, tensors: Mapping[str, Shape]) -> list[str]:
        """What keeps a checkpoint's tensors (name -> shape) from being read so; the body's own are the engine's matter.

        A head that is missing in part would otherwise be random, and its rewards plausible.
        """
        found: list[str] = []
        for name, shape in self.shapes.items():
            if name not in tensors:
                found.append(f"{name} is missing")
            elif tensors[name] != shape:
                found.append(f"{name} is {_times(tensors[name])} and should be {_times(shape)}")
        known = {*self.shapes, *self.ignored}
        strangers = [name for name in tensors if name not in known and not name.startswith(self.body)]
        return found + [f"{name} is not expected" for name in strangers]


def two_layers(hidden: int, labels: int = 2) -> tuple[Linear, ...]:
    """The head of Qwen's PRMs: `score.0`, ReLU, `score.2`."""
    return (Linear("score.0", hidden, hidden), Linear("score.2", hidden, labels))


def one_layer(hidden: int, labels: int = 2, *, bias: bool = True) -> tuple[Linear, ...]:
    """The head of a stock token classifier: `score`."""
    return (Linear("score", hidden, labels, bias),)


@dataclass(frozen=True, slots=True)
class Encoded:
    """A case for an engine: token ids, and the 0-based indices into them that are read, one a step and rising."""

    ids: tuple[int, ...]
    positions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Refused:
    """A case that gets no rewards, and why, in words for the reader of a table."""

    reason: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What an engine has for one case: `index` is its place in what the engine was given, 0-based.

    `rewards` is one number a position, as it came (it may be NaN), or why there is none.
    """

    index: int
    rewards: tuple[float, ...] | Refused


@dataclass(frozen=True, slots=True)
class Batch:
    """Answers that came together, and what they cost: tokens run (padding not counted) and padding tokens run.

    A batch that had to be run again in smaller pieces counts each time, so `tokens` may exceed the cases' own.
    """

    answers: tuple[Answer, ...]
    tokens: int
    padding: int


def _times(shape: Shape) -> str:
    return "x".join(map(str, shape)) or "a scalar"
