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

from msgspec import Struct

from scoring.checkpoint import Checkpoint, positive
from scoring.errors import ForeignCheckpoint
from scoring.prms.base import (
    NO_STEPS,
    Encoder,
    Options,
    Scale,
    Tokenizer,
    check_ids,
    check_tensors,
    special_id,
    too_long,
)
from scoring.prms.step_numbers import without_number
from scoring.readout import Encoded, Linear, Readout, Refused

START, HEAD = "<s>", "score_head"
PLUS_IDS = {"mistral": 648, "llama": 718}
"""The id of "+" at the beginning of a text in each of the two vocabularies, where a blank is put before it."""
EARLIER = {"mistral": 1, "llama": 0}
"""How many tokens before the last of a step the published code reads, by the body's type."""


class ReasonEval(Struct, frozen=True, dict=True):
    """The adapter of one checkpoint of the family. `max_length` in tokens, `hidden` the width of the body.

    `earlier`: see `EARLIER`; it is 0 whatever the body with the option position=last. `plus`: see `PLUS_IDS`.
    """

    hidden: int
    max_length: int
    earlier: int
    plus: int
    bias: bool = True
    numbers: str = "kept"

    CHECKPOINTS: ClassVar[tuple[str, ...]] = (
        "GAIR/ReasonEval-7B",
        "GAIR/ReasonEval-34B",
    )
    SOURCE: ClassVar[str] = "ReasonEval; PRMBench"
    SEPARATED: ClassVar[bool] = False
    OPTIONS: ClassVar[Options] = {"position": ("published", "last"), "numbers": ("kept", "removed")}
    MEANINGS: ClassVar[Mapping[str, str]] = {
        "position": "published: the 7B one token before a step's last, as its authors' code; last: at the last token",
        "numbers": "removed: without a leading 'Step 3.' or '3.', as PRMBench's toolkit has steps; kept: as they are",
    }
    reads: ClassVar[tuple[str, ...]] = ()

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
    def of(cls, checkpoint: Checkpoint, position: str = "published", numbers: str = "kept") -> "ReasonEval":
        """The adapter for a checkpoint.

        Raises:
            ForeignCheckpoint: the head is not one layer with three classes, or the body neither of the two published.
            CheckpointError: the config lacks a number.
        """
        config, body = checkpoint.config, checkpoint.config.get("model_type")
        if body not in EARLIER:
            raise ForeignCheckpoint(
                f"{checkpoint.name} has a body of type {body!r}; ReasonEval's are {' and '.join(EARLIER)}.", ""
            )
        adapter = cls(
            positive(config, "hidden_size"),
            positive(config, "max_position_embeddings"),
            EARLIER[body] if position == "published" else 0,
            PLUS_IDS[body],
            bias=f"{HEAD}.bias" in checkpoint.tensors,
            numbers=numbers,
        )
        check_tensors(adapter.readout, checkpoint, "reasoneval", f"a layer {HEAD} with 3 classes")
        return adapter

    @cached_property
    def readout(self) -> Readout:
        """Classes 0 wrong, 1 neutral, 2 right."""
        head = (Linear(HEAD, self.hidden, 3, self.bias),)
        return Readout(head, "softmax", reward=(0.0, 1.0, 1.0), redundancy=(0.0, 1.0, 0.0))

    @property
    def settings(self) -> Mapping[str, Any]:
        """What beside the weights changes the rewards."""
        return {
            "adapter": "reasoneval",
            "layout": 1,
            "tokens_before_last": self.earlier,
            "numbers": self.numbers,
            "max_length": self.max_length,
        }

    def encoder(self, tokenizer: Tokenizer) -> Encoder:
        """Cases to ids.

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
