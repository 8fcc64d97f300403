r"""SCAN-Pro and SCAN-Base: the problem and a blank line, then every step and a blank line, where P(right) is read.

    PROBLEM\n\n STEP \n\n STEP \n\n

There is no template. Problem and blank line are one piece of text, so a full stop before it is one token with it;
steps and their blank lines are encoded apart. The head is that of a stock token classifier with one label, whose
sigmoid is the probability. The authors cut at 8,192 tokens; here the limit is the config's, and nothing is cut. Layout
and head are those of yyDing1/SCAN-PRM.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from msgspec import Struct

from scoring.checkpoint import Checkpoint, positive
from scoring.prms.base import Encoder, Options, Scale, Separated, Tokenizer, check_tensors, single_id
from scoring.readout import Encoded, Readout, Refused, one_layer

BLANK_LINE = "\n\n"


class ScanPrm(Struct, frozen=True):
    """The adapter of one checkpoint of the family. `max_length` in tokens, `hidden` the width of the body."""

    hidden: int
    max_length: int

    OPTIONS: ClassVar[Options] = {}
    reads: ClassVar[tuple[str, ...]] = ()
    SOURCE: ClassVar[str] = "yyDing1/SCAN-PRM, src/train_prm"

    scale = Scale("SCAN", 0.0, 1.0, 0.5, "the cut of its training; its authors sweep cuts on ProcessBench")

    @classmethod
    def of(cls, checkpoint: Checkpoint) -> "ScanPrm":
        """The adapter for a checkpoint, its head checked tensor by tensor.

        Raises:
            ForeignCheckpoint: the head is not the family's.
            CheckpointError: the config lacks a number.
        """
        config = checkpoint.config
        adapter = cls(positive(config, "hidden_size"), positive(config, "max_position_embeddings"))
        check_tensors(adapter.readout, checkpoint, "scan", "score.weight and score.bias with 1 label")
        return adapter

    @property
    def readout(self) -> Readout:
        """The head over the body's last hidden state; the sigmoid of its one label."""
        return Readout(one_layer(self.hidden, 1), "sigmoid", (1.0,))

    @property
    def settings(self) -> Mapping[str, Any]:
        """What beside the weights changes the rewards."""
        return {"adapter": "scan", "layout": 1, "max_length": self.max_length}

    def encoder(self, tokenizer: Tokenizer) -> Encoder:
        """Cases to ids.

        Raises:
            CheckpointError: a blank line is not one token of the vocabulary.
        """
        separated = Separated(tokenizer, [single_id(tokenizer, BLANK_LINE)], self.max_length)

        def encode(problem: str, steps: Sequence[str]) -> Encoded | Refused:
            return separated(problem + BLANK_LINE, steps)

        return encode
