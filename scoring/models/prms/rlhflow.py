"""RLHFlow's Llama-3.1 PRMs: a chat in which every step is a user's turn and every answer is `+`, run in one pass.

    <|begin_of_text|><|start_header_id|>user<|end_header_id|>

    PROBLEM STEP<|eot_id|><|start_header_id|>assistant<|end_header_id|>

    +<|eot_id|><|start_header_id|>user<|end_header_id|>

    STEP<|eot_id|> ...

The blank line before each `+` is read: it is where the model says `+` or `-`. ProcessBench's script asks for one step
at a time and answers `+` itself each time; attention looks back only, so one pass over the whole chat reads the same
numbers. (It wants `+` as the likeliest token of all: where a third one is likelier than both signs it says "wrong" and
the share of `+` may say "right".) The template takes blanks off both ends of a turn, so a step of blanks alone is an
empty turn.

Options, the authors' own first: `softmax`: over the two signs, or over the full vocabulary (PRMBench).
`joiner` of the problem and the first step: a blank, or a blank line (ProcessBench's script). `system`: no system turn,
as in training, or the one that Llama-3.1's template puts first by default, or the one of the checkpoint's own template,
which its authors' script uses. `blanks` before the first step: kept as they are, or taken off, as the authors' script
does before it joins problem and step; no other step can tell. `numbers`: PRMBench removes "Step 3.".
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from scoring.data.errors import CheckpointError
from scoring.data.readout import OUTPUT, Encoded, Readout, Refused, Vocabulary
from scoring.models.checkpoint import Checkpoint
from scoring.models.prms.base import NO_STEPS, Encoder, Family, Options, Scale, Tokenizer, too_long, without_number
from scoring.models.prms.chat import LLAMA3, template_note, template_system

PLUS, MINUS = 10, 12
"""The ids of the two signs in Llama-3's vocabulary."""

SYSTEM = "Cutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\n"
"""The system turn of Llama-3.1's template where a chat has none; the date is the template's own."""

_JOINERS = {"space": " ", "blank-line": "\n\n"}
_SYSTEMS = {"none": "", "default": SYSTEM}


class RlhflowPrm(Family, frozen=True):
    """The adapter of one checkpoint of the family.

    `own` is the system turn of the checkpoint's own template, where that was chosen.
    """

    softmax: str = "two-way"
    joiner: str = "space"
    system: str = "none"
    numbers: str = "kept"
    blanks: str = "kept"
    own: str = ""

    NAME = "rlhflow"
    HEAD = f"a language model with its own {OUTPUT}"
    OPTIONS: ClassVar[Options] = {
        "softmax": ("two-way", "full-vocabulary"),
        "joiner": tuple(_JOINERS),
        "system": ("none", "default", "template"),
        "numbers": ("kept", "removed"),
        "blanks": ("kept", "stripped"),
    }
    MEANINGS: ClassVar[Mapping[str, str]] = {
        "softmax": "two-way: the share of + among the two signs; full-vocabulary: its probability, as PRMBench's",
        "joiner": "between the problem and the first step: space, or blank-line as in ProcessBench's script",
        "system": "none: no system turn, as in training; default: the one that Llama-3.1's template puts first;"
        " template: the one that the checkpoint's own template puts first",
        "numbers": "removed: without a leading 'Step 3.' or '3.', as PRMBench's toolkit has steps; kept: as they are",
        "blanks": "before the first step. kept: as they are; stripped: taken off, as the authors' script does",
    }
    CHECKPOINTS = (
        "RLHFlow/Llama3.1-8B-PRM-Mistral-Data",
        "RLHFlow/Llama3.1-8B-PRM-Deepseek-Data",
    )
    SOURCE = "RLHFlow/RLHF-Reward-Modeling, math-rm; PRMBench, mr_eval/models/llama3_1_8b_prm.py"
    SCALE = Scale("RLHFlow", 0.0, 1.0, 0.5, "the likelier of the two signs, as ProcessBench's script decides")

    @classmethod
    def parts(cls, checkpoint: Checkpoint, options: Mapping[str, str]) -> dict[str, Any]:
        """Return the options, and the system turn of the checkpoint's own template where that was chosen.

        Raises:
            CheckpointError: there is no template whose system turn was chosen.
        """
        chosen = options["system"]
        sent = template_system(checkpoint, LLAMA3) if chosen == "template" else _SYSTEMS[chosen]
        # What the template puts first may be what another value is.
        named = next((name for name, text in _SYSTEMS.items() if text == sent), "template")
        return {**options, "system": named, "own": sent if named == "template" else ""}

    def template_note(self, checkpoint: Checkpoint) -> str:
        """Return what the checkpoint's chat template would do otherwise; "" for nothing."""
        return template_note(checkpoint, LLAMA3, _SYSTEMS.get(self.system, self.own))

    @property
    def scale(self) -> Scale:
        """How to read the rewards."""
        if self.softmax == "two-way":
            return self.SCALE
        return Scale("RLHFlow", 0.0, 1.0, 0.5, "PRMBench's toolkit: above 0.5 is right", comparison="<=")

    @property
    def readout(self) -> Readout:
        """The probability of `+`, of two tokens or of all."""
        if self.softmax == "full-vocabulary":
            return Readout(Vocabulary((PLUS,), self.hidden, whole=True, tied=OUTPUT), reward=(1.0, 0.0))
        return Readout(Vocabulary((PLUS, MINUS), self.hidden, tied=OUTPUT), reward=(1.0, 0.0))

    @property
    def chosen(self) -> Mapping[str, Any]:
        """What of the settings is the family's own, whatever was chosen."""
        return {name: getattr(self, name) for name in self.OPTIONS if name != "blanks"}

    @property
    def settings(self) -> Mapping[str, Any]:
        """What beside the weights changes the rewards."""
        return {
            **super().settings,
            # Settings that came later are said where they change something, so that a scorer of before stays the same.
            **({} if self.blanks == "kept" else {"blanks": self.blanks}),
            **({"system_prompt": self.own} if self.system == "template" else {}),
        }

    def encoder(self, tokenizer: Tokenizer) -> Encoder:
        """Return the encoder of cases to ids.

        Raises:
            CheckpointError: a special token is not in the vocabulary, or a sign is not the token that is read.
        """
        return _Chat(self, tokenizer)


class _Chat:
    """The ids of a chat, piece by piece; the pieces that are alike in every case are made once."""

    def __init__(self, adapter: RlhflowPrm, tokenizer: Tokenizer) -> None:
        self._adapter, self._writer = adapter, LLAMA3.writer(tokenizer)
        sent = _SYSTEMS.get(adapter.system, adapter.own)
        self._start = [*self._writer.start, *(self._writer.turn("system", sent) if sent else ())]
        plus, minus = (tokenizer.encode(f"{LLAMA3.gap}{sign}") for sign in "+-")
        if len(plus) < 2 or plus[-1] != PLUS or minus != [*plus[:-1], MINUS]:
            raise CheckpointError(
                f"the tokenizer gives {plus} and {minus} for the signs after a blank line, which should end in"
                f" {PLUS} and {MINUS}.",
                "Use the tokenizer.json that came with the PRM.",
            )
        self._signed = self._writer.turn("assistant", "+")

    def __call__(self, problem: str, steps: Sequence[str]) -> Encoded | Refused:
        """The tokens of one case, and where the sign of each step is said."""
        if not steps:
            return NO_STEPS
        ids, positions = list(self._start), []
        for index, step in enumerate(steps):
            text = without_number(step) if self._adapter.numbers == "removed" else step
            if index == 0:
                text = text.strip() if self._adapter.blanks == "stripped" else text
                text = problem + _JOINERS[self._adapter.joiner] + text
            ids += (*self._writer.turn("user", text), *self._signed)
            # The sign is the last token before the turn's end, and is read at the one before it.
            positions.append(len(ids) - 3)
        if len(ids) > self._adapter.max_length:
            return too_long(len(ids), self._adapter.max_length)
        return Encoded(tuple(ids), tuple(positions))
