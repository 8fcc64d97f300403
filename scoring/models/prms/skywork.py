r"""Skywork-o1-Open-PRM: the problem and a newline, then every step's ids and a newline, where P(right) is read.

    <|endoftext|>PROBLEM\n STEP \n STEP \n

There is no template. Problem and newline are one piece of text; steps and their newlines are encoded apart. The head
is TRL's value head over a causal language model: `v_head.summary`, one linear layer, whose sigmoid is the probability.

The authors' own script takes every line for a step. A benchmark's steps may have several lines; here each has one
reward, read after its last line. An empty step is run as it stands: its newline alone. Option `layout`:

`lines` gives the authors' script's ids, a piece of text a line. In `steps` a step is one piece, the newlines in it text
like any other; no piece had one in training. In `one-line` each run of line breaks becomes a blank. `prmbench` is that
of PRMBench's toolkit, with numbers and another step token:

    <|endoftext|>PROBLEM\n "Step 1: STEP " ки "\nStep 2: STEP " ки

That toolkit reads one more token behind everything and counts it as the label of a right step. No step's reward depends
on it, so it is left out; a figure of whole sets differs by it. It takes a step that says `ки` for two: such a case is
refused. It judges differences of rewards, which is the rule `diff<=`, and takes numbers off steps, option `numbers`.
Sources: SkyworkAI/skywork-o1-prm-inference, model_utils; PRMBench, mr_eval/models/skywork_prm.py.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import ClassVar

from scoring.data.readout import Encoded, Linear, Readout, Refused
from scoring.models.prms.base import (
    Encoder,
    Family,
    Options,
    Scale,
    Separated,
    Tokenizer,
    numbered,
    single_id,
    special_id,
    without_number,
)

START, STEP_END = "<|endoftext|>", "\n"
TAG = "ки"
"""The step token of PRMBench's layout; without a blank before it, it is one token of Qwen's vocabulary."""
_LINE_BREAKS = re.compile(r"\s*\n\s*")


class SkyworkPrm(Family, frozen=True):
    """The adapter of one checkpoint of the family."""

    layout: str = "lines"
    numbers: str = "kept"

    NAME = "skywork"
    HEAD = "v_head.summary.weight and v_head.summary.bias, 1 output"
    OPTIONS: ClassVar[Options] = {"layout": ("lines", "steps", "one-line", "prmbench"), "numbers": ("kept", "removed")}
    MEANINGS: ClassVar[Mapping[str, str]] = {
        "layout": "lines: a piece of text a line, as the authors' script; steps: a piece a step; one-line: line breaks"
        " become blanks; prmbench: numbered steps that end in ки",
        "numbers": "removed: without a leading 'Step 3.' or '3.', as PRMBench's toolkit has steps; kept: as they are",
    }
    CHECKPOINTS = (
        "Skywork/Skywork-o1-Open-PRM-Qwen-2.5-1.5B",
        "Skywork/Skywork-o1-Open-PRM-Qwen-2.5-7B",
    )
    CHOSEN: ClassVar[Mapping[str, str]] = {"text_layout": "layout", "numbers": "numbers"}
    SOURCE = "SkyworkAI/skywork-o1-prm-inference; PRMBench, mr_eval/models/skywork_prm.py"

    scale = Scale("Skywork-o1-Open-PRM", 0.0, 1.0, 0.5, "even odds; its authors give none and ProcessBench tunes one")

    @property
    def readout(self) -> Readout:
        """The value head over the body's last hidden state; its sigmoid."""
        return Readout((Linear("v_head.summary", self.hidden, 1),), "sigmoid", (1.0,))

    def encoder(self, tokenizer: Tokenizer) -> Encoder:
        """Return the encoder of cases to ids.

        Raises:
            CheckpointError: the vocabulary lacks `<|endoftext|>`, or what ends a step is not one token of it.
        """
        end = single_id(tokenizer, TAG if self.layout == "prmbench" else STEP_END)
        separated = Separated(tokenizer, [end], self.max_length, start=[special_id(tokenizer, START)])

        def encode(problem: str, steps: Sequence[str]) -> Encoded | Refused:
            texts = [without_number(step) if self.numbers == "removed" else step for step in steps]
            if self.layout == "prmbench" and (cut := [at for at, text in enumerate(texts) if TAG in text]):
                return Refused(f"step {cut[0]} says {TAG}, at which this layout ends a step; other layouts take it")
            pieces = [self._pieces(text, number) for number, text in enumerate(texts, 1)]
            case = separated(problem + STEP_END, [piece for step in pieces for piece in step])
            if isinstance(case, Refused):
                return case
            ends = accumulate(map(len, pieces))
            return Encoded(case.ids, tuple(case.positions[end - 1] for end in ends))

        return encode

    def _pieces(self, step: str, number: int) -> list[str]:
        """What of a step is encoded by itself, each with a step end behind it; the last one's is read."""
        if self.layout == "lines":
            return step.split("\n")
        if self.layout == "one-line":
            return [_LINE_BREAKS.sub(" ", step.strip())]
        if self.layout == "prmbench":
            return [f"{STEP_END if number > 1 else ''}{numbered(step.strip(), number)} "]
        return [step]
