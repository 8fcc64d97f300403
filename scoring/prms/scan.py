r"""SCAN-Pro and SCAN-Base: the problem and a blank line, then every step and a blank line, where P(right) is read.

    PROBLEM\n\n STEP \n\n STEP \n\n

There is no template. Problem and blank line are one piece of text, so a full stop before it is one token with it;
steps and their blank lines are encoded apart. The head is that of a stock token classifier with one label, whose
sigmoid is the probability. The authors cut at 8,192 tokens; here the limit is the config's, and nothing is cut. Layout
and head are those of yyDing1/SCAN-PRM.
"""

from scoring.prms.base import Encoder, Family, Scale, Separated, Tokenizer, single_id
from scoring.readout import Readout, one_layer

BLANK_LINE = "\n\n"


class ScanPrm(Family, frozen=True):
    """The adapter of one checkpoint of the family."""

    NAME = "scan"
    HEAD = "score.weight and score.bias with 1 label"
    SOURCE = "yyDing1/SCAN-PRM, src/train_prm"

    scale = Scale("SCAN", 0.0, 1.0, 0.5, "the cut of its training; its authors sweep cuts on ProcessBench")

    @property
    def readout(self) -> Readout:
        """The head over the body's last hidden state; the sigmoid of its one label."""
        return Readout(one_layer(self.hidden, 1), "sigmoid", (1.0,))

    def encoder(self, tokenizer: Tokenizer) -> Encoder:
        """Cases to ids.

        Raises:
            CheckpointError: a blank line is not one token of the vocabulary.
        """
        separated = Separated(tokenizer, [single_id(tokenizer, BLANK_LINE)], self.max_length)
        return lambda problem, steps: separated(problem + BLANK_LINE, steps)
