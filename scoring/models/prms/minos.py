r"""MATH-Minos: a token classifier with one label, whose logit is read at a tag behind every step.

    Human: PROBLEM\n\nAssistant:Step 1: STEP и\nStep 2: STEP и\n

The tag is the one token of a blank and `и`; the reward is the logit there, positive for a right step. The layout is
that of PRMBench, the only place where its steps are judged: the authors publish one for whole answers.

A text with the tag's token in it (a Russian "and" by itself) is refused. An empty step is run as it stands.
Sources: PRMBench, mr_eval/models/mathminos_mistral.py; MATH-Minos, RM/process_reward_modeling_pointwise.py.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

from scoring.data.readout import Readout, one_layer
from scoring.models.checkpoint import Checkpoint
from scoring.models.prms.base import (
    Encoder,
    Family,
    MarkedText,
    Options,
    Scale,
    Tokenizer,
    check_ids,
    marked,
    numbered,
    special_id,
    without_number,
)

START, TAG = "<s>", "и"
TAG_ID = 839


class Minos(Family, frozen=True):
    """The adapter of one checkpoint of the family."""

    bias: bool = True
    numbers: str = "removed"

    NAME = "minos"
    HEAD = "a layer score with 1 label"
    CHOSEN: ClassVar[Mapping[str, str]] = {"numbers": "numbers"}
    SOURCE = "PRMBench; MATH-Minos"
    OPTIONS: ClassVar[Options] = {"numbers": ("removed", "kept")}
    MEANINGS: ClassVar[Mapping[str, str]] = {
        "numbers": "removed: a step's own leading 'Step 3.' or '3.' goes before the layout numbers it, as in PRMBench;"
        " kept: it stays behind that number",
    }

    # A logit has no bounds; at -10 and 10 its sigmoid is within 0.00005 of 0 and 1, so nothing to see lies beyond.
    scale = Scale("MATH-Minos", -10.0, 10.0, 0.0, "PRMBench: the logit's sign", "<=")

    @classmethod
    def parts(cls, checkpoint: Checkpoint, options: Mapping[str, str]) -> dict[str, Any]:
        """Return the options, and whether the head has a bias."""
        return {**options, "bias": "score.bias" in checkpoint.tensors}

    @cached_property
    def readout(self) -> Readout:
        """The one logit of the head, as it is."""
        return Readout(one_layer(self.hidden, 1, bias=self.bias), "none", (1.0,))

    def encoder(self, tokenizer: Tokenizer) -> Encoder:
        """Return the encoder of cases to ids.

        Raises:
            CheckpointError: the vocabulary is not that of the family.
        """
        check_ids(tokenizer, TAG, (TAG_ID,))
        return marked(self._text, tokenizer, TAG_ID, (special_id(tokenizer, START),), self.max_length)

    def _text(self, problem: str, steps: Sequence[str]) -> MarkedText:
        text = MarkedText()
        text.add(f"Human: {problem}\n\nAssistant:")
        for index, step in enumerate(steps):
            text.add(f"{numbered(without_number(step) if self.numbers == 'removed' else step, index + 1)} ")
            text.mark(TAG)
            text.add("\n")
        return text
