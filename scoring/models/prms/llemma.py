r"""The Llemma PRMs of ScalableMath: one number, read at the blank line behind every step.

    # Question\n\nPROBLEM\n\n# Solution\n\nSTEP\n\nSTEP\n\n

All rows of the output matrix are the same one or two, repeated; the reward is the sigmoid of the mean of the logits
over the vocabulary, that is of one row, their mean. It is read at the first newline of the two behind a step. What is
written behind the last blank line (the authors' inference an end-of-text, an answer) is read by nobody, because the
body only looks back: it is left out.

Option `layout`: `authors` has steps as they are; `prmbench` writes them as PRMBench's toolkit does, and reads each at
its own end, as the authors do. The toolkit itself reads elsewhere: its search finds the blank line after `# Solution`
too and takes it for the end of the first step, so that each step gets the number of the step before it; that of the
whole solution is left over and counts as the label of a right step. Its published figures are of these rewards.
`prmbench-shifted` reads as it does, without the number left over: no step is judged by its own text.

Blank lines within a step, more newlines and empty steps are run as they stand: the places that are read are known from
the writing and not looked for, so they cost no step its reward. The checkpoints came without a tokenizer: theirs is
that of EleutherAI/llemma_7b.
Sources: easy-to-hard, scripts/convert_checkpoint_to_hf.py; PRMBench, mr_eval/models/llemma7b_prm.py.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import ClassVar

from scoring.data.readout import OUTPUT, Encoded, Readout, Refused, Vocabulary
from scoring.models.prms.base import (
    NO_STEPS,
    Encoder,
    Family,
    MarkedText,
    Options,
    Scale,
    Tokenizer,
    behind,
    check_ids,
    special_id,
)

START = "<s>"
PLUS_ID, NEWLINE_ID = 718, 13


class LlemmaPrm(Family, frozen=True):
    """The adapter of one checkpoint of the family."""

    layout: str = "authors"

    NAME = "llemma"
    HEAD = f"a language model with its own {OUTPUT}"
    CHECKPOINTS = (
        "ScalableMath/llemma-7b-prm-prm800k-level-1to3-hf",
        "ScalableMath/llemma-7b-prm-metamath-level-1to3-hf",
        "ScalableMath/llemma-7b-oprm-prm800k-level-1to3-hf",
    )
    CHOSEN: ClassVar[Mapping[str, str]] = {"text_layout": "layout"}
    SOURCE = "easy-to-hard; PRMBench"
    OPTIONS: ClassVar[Options] = {"layout": ("authors", "prmbench", "prmbench-shifted")}
    MEANINGS: ClassVar[Mapping[str, str]] = {
        "layout": "authors: steps as they are; prmbench: stripped, without blank lines, each read at its own end;"
        " prmbench-shifted: as PRMBench's toolkit reads, each at the end of the step before: its published figures",
    }

    scale = Scale(
        "Llemma PRM", 0.0, 1.0, 0.5, "PRMBench; a free number of the model's, its authors set no threshold", "<="
    )

    @cached_property
    def readout(self) -> Readout:
        """The mean of the rows of the output matrix, which the family does not share with the embeddings."""
        return Readout(Vocabulary((), self.hidden, tiled=2, tied=OUTPUT), "sigmoid", (1.0,))

    def encoder(self, tokenizer: Tokenizer) -> Encoder:
        """Return the encoder of cases to ids.

        Raises:
            CheckpointError: the vocabulary is not that of the family.
        """
        check_ids(tokenizer, "+\n\n", (PLUS_ID, NEWLINE_ID, NEWLINE_ID))
        start = special_id(tokenizer, START)

        def encode(problem: str, steps: Sequence[str]) -> Encoded | Refused:
            if not steps:
                return NO_STEPS
            ids, positions = self._text(problem, steps).places(tokenizer)
            where = "before" if self._shifted else "behind"
            for step, position in enumerate(positions):
                if position < 0 or ids[position : position + 2] != [NEWLINE_ID] * 2:
                    return Refused(f"the blank line {where} step {step} is one token with the text beside it")
            return behind((start,), ids, positions, self.max_length)

        return encode

    @property
    def _shifted(self) -> bool:
        return self.layout == "prmbench-shifted"

    def _text(self, problem: str, steps: Sequence[str]) -> MarkedText:
        text = MarkedText()
        text.add(f"# Question\n\n{problem}\n\n# Solution")
        _end(text, read=self._shifted)
        for number, step in enumerate(steps, 1):
            text.add(step if self.layout == "authors" else step.replace("\n\n", "").strip())
            _end(text, read=not self._shifted or number < len(steps))
        return text


def _end(text: MarkedText, *, read: bool) -> None:
    """Write a blank line, whose first newline may be read."""
    (text.mark if read else text.add)("\n")
    text.add("\n")
