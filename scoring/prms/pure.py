"""PURE-PRM-7B: the problem's ids, then every step's ids and a separator, where P(right) - P(wrong) is read.

    PROBLEM STEP SEPARATOR STEP SEPARATOR

There is no template, and nothing between problem and first step. The separator is one newline on the model card and in
PURE's own training code, and a blank line in PRMBench's toolkit (option `separator`); the author reports better
results with the newline. The head is that of a stock token classifier with two labels; label 1 is "right".
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from scoring.prms.base import SEPARATORS, Encoder, Family, Options, Scale, Separated, Tokenizer, single_id
from scoring.readout import Readout, one_layer


class PurePrm(Family, frozen=True):
    """The adapter of one checkpoint of the family."""

    separator: str = "newline"

    NAME = "pure"
    HEAD = "score.weight and score.bias with 2 labels"
    OPTIONS: ClassVar[Options] = {"separator": tuple(SEPARATORS)}
    MEANINGS: ClassVar[Mapping[str, str]] = {
        "separator": "behind every step: newline, as on the model card, or blank-line, as in PRMBench's toolkit",
    }
    CHECKPOINTS = ("jinachris/PURE-PRM-7B",)
    SOURCE = "the model card; CJReinforce/PURE; PRMBench, mr_eval/models/pure_prm.py"

    scale = Scale("PURE", -1.0, 1.0, 0.0, "the model card: above 0 is right", comparison="<=")

    @property
    def readout(self) -> Readout:
        """The head over the body's last hidden state; the probability of label 1 less that of label 0."""
        return Readout(one_layer(self.hidden), reward=(-1.0, 1.0))

    @property
    def chosen(self) -> Mapping[str, Any]:
        """What of the settings is the family's own."""
        return {"separator": self.separator}

    def encoder(self, tokenizer: Tokenizer) -> Encoder:
        """Cases to ids.

        Raises:
            CheckpointError: the separator is not one token of the vocabulary.
        """
        return Separated(tokenizer, [single_id(tokenizer, SEPARATORS[self.separator])], self.max_length)
