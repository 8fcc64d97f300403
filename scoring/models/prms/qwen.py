r"""Qwen's math PRMs: Qwen's chat layout, `<extra_0>` after every step, P(step is right) read at each of them.

    <|im_start|>system
    SYSTEM<|im_end|>
    <|im_start|>user
    PROBLEM<|im_end|>
    <|im_start|>assistant
    STEP<extra_0>STEP<extra_0><|im_end|>

The head is `score.0`, ReLU, `score.2`; a token classifier with the same layout of text and one layer `score` is read
too. Label 1 is "right". An empty step is run as it stands: nothing, and its end.

Options, the model card's own first. `system`: the card's text; `prmbench`, that text as PRMBench's toolkit sends it,
with a backspace character for `\b`; `qwen2.5`, the general default of Qwen2.5's chat template; or `template`, the one
that the checkpoint's own chat template puts first, as where nobody sends any: GR-Ben's script and ReasonFlux's page do
not. `numbers`: PRMBench removes "Step 3." from steps.

ReasonFlux-PRM-7B and Babelscape's Qwen2.5-Math-PRM-7B-PDDL-r are used by their authors as this family is. Nobody here
has seen their config and tensors: they are read where these are the family's, and refused where not.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

from scoring.data.errors import CheckpointError
from scoring.data.readout import Encoded, Readout, Refused, one_layer, two_layers
from scoring.models.checkpoint import Checkpoint
from scoring.models.prms.base import (
    NO_STEPS,
    Encoder,
    Family,
    Options,
    Scale,
    Tokenizer,
    special_id,
    too_long,
    without_number,
)
from scoring.models.prms.chat import CHATML, template_note, template_system

SYSTEM = r"Please reason step by step, and put your final answer within \boxed{}."
"""The system turn the published models were trained with. A checkpoint whose config has `system_prompt` uses that
instead; an empty one means no system turn."""

SYSTEMS = {
    "prmbench": SYSTEM.replace(r"\b", "\b"),
    "qwen2.5": "You are Qwen, created by Alibaba Cloud. You are a helpful assistant.",
}
"""Other system turns that the models have been run with, by the value of the option."""

TURN, TURN_END, STEP_END = "<|im_start|>", "<|im_end|>", "<extra_0>"
_LABELS = 2


class QwenPrm(Family, frozen=True):
    """The adapter of one checkpoint of the family."""

    layers: int = 2
    bias: bool = True
    system: str = SYSTEM
    numbers: str = "kept"

    NAME = "qwen"
    HEAD = "score.0 and score.2, or score alone, with 2 labels"
    OPTIONS: ClassVar[Options] = {"system": ("own", *SYSTEMS, "template"), "numbers": ("kept", "removed")}
    MEANINGS: ClassVar[Mapping[str, str]] = {
        "system": "the system turn. own: the model card's, or the config's; prmbench: the card's with a backspace for"
        " \\b; qwen2.5: the general default of Qwen2.5's chat template; template: that of the checkpoint's template",
        "numbers": "removed: without a leading 'Step 3.' or '3.', as PRMBench's toolkit has steps; kept: as they are",
    }
    CHECKPOINTS = (
        "Qwen/Qwen2.5-Math-PRM-7B",
        "Qwen/Qwen2.5-Math-PRM-72B",
        "Qwen/Qwen2.5-Math-7B-PRM800K",
        "Gen-Verse/ReasonFlux-PRM-7B",
        "Babelscape/Qwen2.5-Math-PRM-7B-PDDL-r",
    )
    SOURCE = "the model cards; Gen-Verse/ReasonFlux, ReasonFlux_PRM/README.md"

    scale = Scale("Qwen2.5-Math-PRM", 0.0, 1.0, 0.5, "the model's own decision between its two classes")

    @classmethod
    def parts(cls, checkpoint: Checkpoint, options: Mapping[str, str]) -> dict[str, Any]:
        """Return the system turn and the treatment of numbers, and what the head is made of.

        Raises:
            CheckpointError: the config's system turn is no text, or there is no template whose system turn was chosen.
        """
        own, tensors = checkpoint.config.get("system_prompt", SYSTEM), checkpoint.shapes
        if not isinstance(own, str):
            raise CheckpointError(f"config.json has system_prompt = {own!r}, which should be text.", "")
        system = options["system"]
        sent = template_system(checkpoint, CHATML) if system == "template" else SYSTEMS.get(system, own)
        layers, bias = 1 if "score.weight" in tensors else 2, "score.weight" not in tensors or "score.bias" in tensors
        return {**options, "layers": layers, "bias": bias, "system": sent}

    def template_note(self, checkpoint: Checkpoint) -> str:
        """Return what the checkpoint's chat template would do otherwise; "" for nothing."""
        return template_note(checkpoint, CHATML, self.system)

    @cached_property
    def readout(self) -> Readout:
        """The head over the body's last hidden state; label 1 of 2."""
        return Readout(
            two_layers(self.hidden, _LABELS) if self.layers == 2 else one_layer(self.hidden, _LABELS, bias=self.bias)
        )

    @property
    def chosen(self) -> Mapping[str, Any]:
        """What of the settings is the family's own, whatever was chosen."""
        return {"system_prompt": self.system, "step_end": STEP_END, "head_layers": self.layers}

    @property
    def settings(self) -> Mapping[str, Any]:
        """What beside the weights changes the rewards; a system turn that has a name, by that name too."""
        named = [name for name, text in SYSTEMS.items() if text == self.system]
        return {
            **super().settings,
            # Steps as they stand are the layout; only another treatment of them is a setting.
            **({} if self.numbers == "kept" else {"numbers": self.numbers}),
            **({"system": named[0]} if named else {}),
        }

    def encoder(self, tokenizer: Tokenizer) -> Encoder:
        """Return the encoder of cases to ids.

        Raises:
            CheckpointError: one of the three special tokens is not in the vocabulary.
        """
        return _Layout(self, tokenizer)


class _Layout:
    """The ids of a case, piece by piece; the pieces that are alike in every case are made once."""

    def __init__(self, adapter: QwenPrm, tokenizer: Tokenizer) -> None:
        self._encode = tokenizer.encode
        self._limit, self._numbers = adapter.max_length, adapter.numbers
        self._turn, self._turn_end, self._step_end = (
            special_id(tokenizer, name) for name in (TURN, TURN_END, STEP_END)
        )
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
        for index, text in enumerate(steps):
            step = without_number(text) if self._numbers == "removed" else text
            ids += self._encode(f"assistant\n{step}" if index == 0 else step)
            positions.append(len(ids))
            ids.append(self._step_end)
        ids += self._end
        if len(ids) > self._limit:
            return too_long(len(ids), self._limit)
        if ids.count(self._step_end) != len(steps):
            return Refused(f"the text gives {ids.count(self._step_end)} step ends for {len(steps)} steps")
        return Encoded(tuple(ids), tuple(positions))
