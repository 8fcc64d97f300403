"""Qwen's math PRMs: Qwen's chat layout, `<extra_0>` after every step, P(step is right) read at each of them.

    <|im_start|>system
    SYSTEM<|im_end|>
    <|im_start|>user
    PROBLEM<|im_end|>
    <|im_start|>assistant
    STEP<extra_0>STEP<extra_0><|im_end|>

The head is `score.0`, ReLU, `score.2`; a token classifier with the same layout of text and one layer `score` is read
too. Label 1 is "right". An empty step is run as it stands: nothing, and its end.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from scoring.checkpoint import Checkpoint, positive
from scoring.errors import CheckpointError, ForeignCheckpoint
from scoring.prms.base import NO_STEPS, Encoder, Scale, Tokenizer, too_long
from scoring.readout import Encoded, Readout, Refused, one_layer, two_layers

SYSTEM = r"Please reason step by step, and put your final answer within \boxed{}."
"""The system turn the published models were trained with. A checkpoint whose config has `system_prompt` uses that
instead; an empty one means no system turn."""

TURN, TURN_END, STEP_END = "<|im_start|>", "<|im_end|>", "<extra_0>"
_LABELS = 2


@dataclass(frozen=True)
class QwenPrm:
    """The adapter of one checkpoint of the family. `max_length` in tokens, `hidden` the width of the body."""

    hidden: int
    max_length: int
    layers: int = 2
    bias: bool = True
    system: str = SYSTEM

    scale = Scale("Qwen2.5-Math-PRM", 0.0, 1.0, 0.5, "the model's own decision between its two classes")

    @classmethod
    def of(cls, checkpoint: Checkpoint) -> "QwenPrm":
        """The adapter for a checkpoint, its head checked tensor by tensor.

        Raises:
            ForeignCheckpoint: the head is not one of the two that the family has.
            CheckpointError: the config lacks a number.
        """
        config, tensors = checkpoint.config, checkpoint.shapes
        system = config.get("system_prompt", SYSTEM)
        if not isinstance(system, str):
            raise CheckpointError(f"config.json has system_prompt = {system!r}, which should be text.", "")
        adapter = cls(
            hidden=positive(config, "hidden_size"),
            max_length=positive(config, "max_position_embeddings"),
            layers=1 if "score.weight" in tensors else 2,
            bias="score.weight" not in tensors or "score.bias" in tensors,
            system=system,
        )
        problems = adapter.readout.problems(tensors)
        if problems:
            more = f" and {len(problems) - 3} more" if len(problems) > 3 else ""
            raise ForeignCheckpoint(
                f"the head of {checkpoint.name} is not one that adapter 'qwen' reads: {'; '.join(problems[:3])}{more}.",
                "Expected are score.0 and score.2, or score alone, with 2 labels.",
            )
        return adapter

    @cached_property
    def readout(self) -> Readout:
        """The head over the body's last hidden state; label 1 of 2."""
        return Readout(
            two_layers(self.hidden, _LABELS) if self.layers == 2 else one_layer(self.hidden, _LABELS, bias=self.bias)
        )

    @property
    def settings(self) -> Mapping[str, Any]:
        """What beside the weights changes the rewards."""
        return {
            "adapter": "qwen",
            "layout": 1,
            "system_prompt": self.system,
            "step_end": STEP_END,
            "head_layers": self.layers,
            "max_length": self.max_length,
        }

    def encoder(self, tokenizer: Tokenizer) -> Encoder:
        """Cases to ids.

        Raises:
            CheckpointError: one of the three special tokens is not in the vocabulary.
        """
        return _Layout(self, tokenizer)


class _Layout:
    """The ids of a case, piece by piece; the pieces that are alike in every case are made once."""

    def __init__(self, adapter: QwenPrm, tokenizer: Tokenizer) -> None:
        self._encode = tokenizer.encode
        self._limit = adapter.max_length
        self._turn, self._turn_end, self._step_end = (_special(tokenizer, name) for name in (TURN, TURN_END, STEP_END))
        end = (self._turn_end, *self._encode("\n"))
        self._start = (self._turn, *self._encode(f"system\n{adapter.system}"), *end) if adapter.system else ()
        self._end = end

    def __call__(self, problem: str, steps: Sequence[str]) -> Encoded | Refused:
        """The tokens of one case and where its steps end."""
        if not steps:
            return NO_STEPS
        # The role and the text after it are one stretch of text, as they are when the rendered chat is encoded whole.
        ids = [*self._start, self._turn, *self._encode(f"user\n{problem}"), *self._end, self._turn]
        positions = []
        for index, step in enumerate(steps):
            ids += self._encode(f"assistant\n{step}" if index == 0 else step)
            positions.append(len(ids))
            ids.append(self._step_end)
        ids += self._end
        if len(ids) > self._limit:
            return too_long(len(ids), self._limit)
        if ids.count(self._step_end) != len(steps):
            return Refused(f"the text gives {ids.count(self._step_end)} step ends for {len(steps)} steps")
        return Encoded(tuple(ids), tuple(positions))


def _special(tokenizer: Tokenizer, token: str) -> int:
    index = tokenizer.special(token)
    if index is None:
        raise CheckpointError(
            f"the tokenizer has no token {token}, so no step could be found.",
            "Use the tokenizer.json that came with the PRM, not that of its base model.",
        )
    return index
