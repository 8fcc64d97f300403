r"""Universal-PRM: Qwen's chat layout with a reference answer, one number for all that was said so far.

    <|im_start|>system\nYou are a helpful assistant.<|im_end|>\n
    <|im_start|>user\nPROBLEM\n\n###\n\nThe reference answer is: REFERENCE<|im_end|>\n
    <|im_start|>assistant\nSTEP\n\nSTEP\n\n<|im_end|>

A step's reward is the sigmoid of the number at the end of the text that ends with this step, so a case is read once a
step. The steps so far are encoded as one text. The card's example gives the solution of the benchmark as reference;
here it is the case's `reference_answer`. An empty step is run as it stands.

The card shows how the model is used and not what is in it, so the head is taken from the tensors: it must be the only
one beside the body, a layer from the body's width to one number. Where in the text it is read is an option.
Source: the model card of infly/Universal-PRM-7B.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

from scoring.data.errors import ForeignCheckpoint
from scoring.data.readout import OUTPUT, Encoded, Linear, Readout, Refused
from scoring.models.checkpoint import Checkpoint, positive
from scoring.models.prms.base import NO_STEPS, Encoder, Family, Options, Scale, Tokenizer, special_id, too_long

SYSTEM = "You are a helpful assistant."
NO_REFERENCE = "There is no reference answer for this question."
TURN, TURN_END = "<|im_start|>", "<|im_end|>"
ENDS = {"im_end": TURN_END, "endoftext": "<|endoftext|>"}
BODY = "model."

_HEAD = re.compile(r"(?:\w+[._])*(?:score|reward|value|v|rm|regression|classifier|head|summary|scorer)")


class UniversalPrm(Family, frozen=True):
    """The adapter of one checkpoint of the family.

    `head` is the layer's name. `end` is the token behind the text, `pooling` where the number is read: "last" at that
    token, "before-end" at the one before. With `reference` "hidden" the model is told that there is none, whatever the
    case has.
    """

    head: str
    bias: bool
    end: str = "im_end"
    pooling: str = "last"
    reference: str = "given"

    NAME = "universal"
    HEAD = "one layer from the body's width to one number"
    CHECKPOINTS = ("infly/Universal-PRM-7B",)
    CHOSEN: ClassVar[Mapping[str, str]] = {"head": "head", "end": "end", "pooling": "pooling", "reference": "reference"}
    SOURCE = "model card"
    OPTIONS: ClassVar[Options] = {
        "end": tuple(ENDS),
        "pooling": ("last", "before-end"),
        "reference": ("given", "hidden"),
    }
    MEANINGS: ClassVar[Mapping[str, str]] = {
        "end": "the token behind the text, which the model card takes from the tokenizer: im_end or endoftext",
        "pooling": "where the number is read: last, at that token, or before-end, at the one before it",
        "reference": "given: the case's reference answer is read; hidden: the model is told that there is none",
    }

    scale = Scale("Universal-PRM", 0.0, 1.0, 0.5, "the middle of the range; the card names no threshold")

    @classmethod
    def parts(cls, checkpoint: Checkpoint, options: Mapping[str, str]) -> dict[str, Any]:
        """Return the options, and the head found in the checkpoint.

        Raises:
            ForeignCheckpoint: beside the body there is not exactly one layer to one number; and what there is.
            CheckpointError: the config lacks the width.
        """
        head, bias = _head(checkpoint, positive(checkpoint.config, "hidden_size"))
        return {**options, "head": head, "bias": bias}

    @property
    def reads(self) -> tuple[str, ...]:
        """The reference answer, unless it is hidden."""
        return ("reference_answer",) if self.reference == "given" else ()

    @cached_property
    def readout(self) -> Readout:
        """The sigmoid of the head's one number."""
        return Readout((Linear(self.head, self.hidden, 1, self.bias),), "sigmoid", (1.0,), body=BODY)

    def encoder(self, tokenizer: Tokenizer) -> Encoder:
        """Return the encoder of cases to ids; it takes the reference answer (text or None) third, if it is read.

        Raises:
            CheckpointError: a special token is not in the vocabulary.
        """
        return _Layout(self, tokenizer)


class _Layout:
    """The ids of a case; what is alike in every case is made once."""

    def __init__(self, adapter: UniversalPrm, tokenizer: Tokenizer) -> None:
        self._encode, self._limit = tokenizer.encode, adapter.max_length
        self._turn, turn_end = (special_id(tokenizer, token) for token in (TURN, TURN_END))
        self._turn_end = (turn_end, *self._encode("\n"))
        self._start = (self._turn, *self._encode(f"system\n{SYSTEM}"), *self._turn_end)
        self._assistant = (*self._turn_end, self._turn, *self._encode("assistant\n"))
        self._end = special_id(tokenizer, ENDS[adapter.end])
        self._before = 1 if adapter.pooling == "before-end" else 0

    def __call__(self, problem: str, steps: Sequence[str], reference: str | None = None) -> Encoded | Refused:
        """The tokens of one case, a sequence a step."""
        if not steps:
            return NO_STEPS
        # An empty reference is none, as in the card's example.
        question = f"user\n{problem}\n\n###\n\nThe reference answer is: {reference or NO_REFERENCE}"
        before = (*self._start, self._turn, *self._encode(question), *self._assistant)
        sequences = []
        so_far = ""
        for step in steps:
            so_far += f"{step}\n\n"
            ids = (*before, *self._encode(so_far), self._end)
            if len(ids) > self._limit:
                return too_long(len(ids), self._limit)
            sequences.append(Encoded(ids, (len(ids) - 1 - self._before,)))
        return Encoded.together(sequences)


def _head(checkpoint: Checkpoint, hidden: int) -> tuple[str, bool]:
    """Name of the one layer beside the body and whether it has a bias."""
    beside = {name: shape for name, shape in checkpoint.shapes.items() if not name.startswith(BODY) and name != OUTPUT}
    weights = [name.removesuffix(".weight") for name, shape in beside.items() if name.endswith(".weight")]
    name = weights[0] if len(weights) == 1 else ""
    layer = Linear(name, hidden, 1, bias=f"{name}.bias" in beside)
    if not _HEAD.fullmatch(name) or beside != layer.shapes:
        listed = ", ".join(f"{name} {'x'.join(map(str, shape))}" for name, shape in list(beside.items())[:6])
        raise ForeignCheckpoint(
            f"{checkpoint.name} has no head that adapter 'universal' knows: beside its body is {listed or 'nothing'}.",
            f"Expected is one layer, such as score.weight of 1x{hidden}, and at most its bias.",
        )
    return layer.name, layer.bias
