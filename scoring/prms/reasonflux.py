r"""ReasonFlux-PRM-1.5B: the problem and a text right behind it, and one number for all of it, read at its last token.

    PROBLEM STEP\n\nSTEP\n\nSTEP

There is no template and nothing between problem and text. A step's reward is the sigmoid of the number at the end of
the text that ends with this step, so a case is read once a step. That steps are joined by blank lines, as they are cut
for the 7B, is our reading: the authors' code gives the 1.5B a whole text. It cuts it at 2,048 tokens; here the limit is
the config's, and nothing is cut. An empty step ends where the blank line before it does.

The head is one layer, `reward_head`, which its authors save as a pickle of its own beside the language model
(`reward_head.pt`): it is opened with --allow-pickle alone, as weights, and converted once. Nobody here has seen the
checkpoint: its tensors are looked at, and what does not fit is refused. Its 7B is read as Qwen's PRMs are.
Source: Gen-Verse/ReasonFlux, ReasonFlux_PRM/utils/rm_utils.py and README.md.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from msgspec import Struct

from scoring.checkpoint import Checkpoint, positive
from scoring.prms.base import NO_STEPS, Encoder, Options, Scale, Tokenizer, check_tensors, too_long
from scoring.readout import Encoded, Linear, Readout, Refused

HEAD, SEPARATOR = "reward_head", "\n\n"


class ReasonFluxPrm(Struct, frozen=True):
    """The adapter of one checkpoint of the family. `max_length` in tokens, `hidden` the width of the body."""

    hidden: int
    max_length: int

    OPTIONS: ClassVar[Options] = {}
    reads: ClassVar[tuple[str, ...]] = ()
    CHECKPOINTS: ClassVar[tuple[str, ...]] = ("Gen-Verse/ReasonFlux-PRM-1.5B",)
    SOURCE: ClassVar[str] = "Gen-Verse/ReasonFlux, ReasonFlux_PRM"
    SEPARATED: ClassVar[bool] = False

    scale = Scale("ReasonFlux-PRM", 0.0, 1.0, 0.5, "the middle of the range; its authors name no threshold")

    @classmethod
    def of(cls, checkpoint: Checkpoint) -> "ReasonFluxPrm":
        """The adapter for a checkpoint, its head checked tensor by tensor.

        Raises:
            ForeignCheckpoint: the head is not the family's.
            CheckpointError: the config lacks a number.
        """
        config = checkpoint.config
        adapter = cls(positive(config, "hidden_size"), positive(config, "max_position_embeddings"))
        check_tensors(adapter.readout, checkpoint, "reasonflux", f"{HEAD}.weight and {HEAD}.bias, 1 output")
        return adapter

    @property
    def readout(self) -> Readout:
        """The sigmoid of the head's one number."""
        return Readout((Linear(HEAD, self.hidden, 1),), "sigmoid", (1.0,))

    @property
    def settings(self) -> Mapping[str, Any]:
        """What beside the weights changes the rewards."""
        return {"adapter": "reasonflux", "layout": 1, "max_length": self.max_length}

    def encoder(self, tokenizer: Tokenizer) -> Encoder:
        """Cases to ids, a sequence a step."""

        def encode(problem: str, steps: Sequence[str]) -> Encoded | Refused:
            if not steps:
                return NO_STEPS
            sequences = []
            for number in range(1, len(steps) + 1):
                ids = tuple(tokenizer.encode(problem + SEPARATOR.join(steps[:number])))
                if not ids:
                    return Refused("problem and first step are empty, so there is no token to read")
                if len(ids) > self.max_length:
                    return too_long(len(ids), self.max_length)
                sequences.append(Encoded(ids, (len(ids) - 1,)))
            return Encoded.together(sequences)

        return encode
