r"""ReasonEval: three classes for every step (wrong, neutral, right), which give its validity and its redundancy.

    Question:\nPROBLEM\nAnswer:\nLet's think step by step.\n STEP STEP STEP

Prompt and steps are each encoded by themselves, as text between special tokens is, and follow each other without a
token between them. Validity, the reward, is P(neutral) + P(right); redundancy is P(neutral).

The 34B (a Llama body) is read at the last token of a step. The 7B (a Mistral body) was published with code that puts a
first token back after it has counted places without it, so it is read one token earlier: at the last but one token of
a step, or, where a step is a single token, at the last of what stands before. Its results are all made so.

An empty step has no token of its own and its case is refused.
Sources: ReasonEval, codes/examples.py; PRMBench, mr_eval/models/reasoneval.py.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

from scoring.data.errors import ForeignCheckpoint
from scoring.data.readout import Encoded, Linear, Readout, Refused
from scoring.models.checkpoint import Checkpoint
from scoring.models.prms.base import (
    NO_STEPS,
    Encoder,
    Family,
    Options,
    Scale,
    Tokenizer,
    check_ids,
    special_id,
    too_long,
    without_number,
)

START, LAYER = "<s>", "score_head"
PLUS_IDS = {"mistral": 648, "llama": 718}
"""The id of "+" at the beginning of a text in each of the two vocabularies, where a blank is put before it."""
EARLIER = {"mistral": 1, "llama": 0}
"""How many tokens before the last of a step the published code reads, by the body's type."""


class ReasonEval(Family, frozen=True):
    """The adapter of one checkpoint of the family.

    `earlier`: see `EARLIER`; it is 0 whatever the body with the option position=last. `plus`: see `PLUS_IDS`.
    """

    earlier: int
    plus: int
    bias: bool = True
    numbers: str = "kept"

    NAME = "reasoneval"
    HEAD = f"a layer {LAYER} with 3 classes"
    CHECKPOINTS = (
        "GAIR/ReasonEval-7B",
        "GAIR/ReasonEval-34B",
    )
    CHOSEN: ClassVar[Mapping[str, str]] = {"tokens_before_last": "earlier", "numbers": "numbers"}
    SOURCE = "ReasonEval; PRMBench"
    SEPARATED = False
    OPTIONS: ClassVar[Options] = {"position": ("published", "last"), "numbers": ("kept", "removed")}
    MEANINGS: ClassVar[Mapping[str, str]] = {
        "position": "published: the 7B one token before a step's last, as its authors' code; last: at the last token",
        "numbers": "removed: without a leading 'Step 3.' or '3.', as PRMBench's toolkit has steps; kept: as they are",
    }

    scale = Scale(
        "ReasonEval",
        0.0,
        1.0,
        0.5,
        "ReasonEval",
        "<=",
        redundancy_threshold=0.15,
        redundancy_threshold_source="PRMBench",
    )

    @classmethod
    def parts(cls, checkpoint: Checkpoint, options: Mapping[str, str]) -> dict[str, Any]:
        """Return where the body is read, how it begins a text, whether the head has a bias, and how numbers are
        treated.

        Raises:
            ForeignCheckpoint: the body is neither of the two published.
        """
        body = checkpoint.config.get("model_type")
        if body not in EARLIER:
            raise ForeignCheckpoint(
                f"{checkpoint.name} has a body of type {body!r}; ReasonEval's are {' and '.join(EARLIER)}.", ""
            )
        earlier, bias = (
            EARLIER[body] if options["position"] == "published" else 0,
            f"{LAYER}.bias" in checkpoint.tensors,
        )
        return {"earlier": earlier, "plus": PLUS_IDS[body], "bias": bias, "numbers": options["numbers"]}

    @cached_property
    def readout(self) -> Readout:
        """Classes 0 wrong, 1 neutral, 2 right."""
        head = (Linear(LAYER, self.hidden, 3, self.bias),)
        return Readout(head, "softmax", reward=(0.0, 1.0, 1.0), redundancy=(0.0, 1.0, 0.0))

    def encoder(self, tokenizer: Tokenizer) -> Encoder:
        """Return the encoder of cases to ids.

        Raises:
            CheckpointError: the vocabulary is not that of the body, or puts no blank before a text.
        """
        check_ids(tokenizer, "+", (self.plus,))
        start = special_id(tokenizer, START)

        def encode(problem: str, steps: Sequence[str]) -> Encoded | Refused:
            if not steps:
                return NO_STEPS
            ids = [start, *tokenizer.encode(f"Question:\n{problem}\nAnswer:\nLet's think step by step.\n")]
            positions = []
            for index, step in enumerate(steps):
                own = tokenizer.encode(without_number(step) if self.numbers == "removed" else step)
                if not own:
                    return Refused(f"step {index} is empty, and ReasonEval reads a step at its own tokens")
                ids += own
                positions.append(len(ids) - 1 - self.earlier)
            if len(ids) > self.max_length:
                return too_long(len(ids), self.max_length)
            return Encoded(tuple(ids), tuple(positions))

        return encode
