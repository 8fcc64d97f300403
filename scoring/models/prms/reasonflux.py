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

from collections.abc import Sequence

from scoring.data.readout import Encoded, Linear, Readout, Refused
from scoring.models.prms.base import NO_STEPS, Encoder, Family, Scale, Tokenizer, too_long

LAYER, SEPARATOR = "reward_head", "\n\n"


class ReasonFluxPrm(Family, frozen=True):
    """The adapter of one checkpoint of the family."""

    NAME = "reasonflux"
    HEAD = f"{LAYER}.weight and {LAYER}.bias, 1 output"
    CHECKPOINTS = ("Gen-Verse/ReasonFlux-PRM-1.5B",)
    SOURCE = "Gen-Verse/ReasonFlux, ReasonFlux_PRM"
    SEPARATED = False

    scale = Scale("ReasonFlux-PRM", 0.0, 1.0, 0.5, "the middle of the range; its authors name no threshold")

    @property
    def readout(self) -> Readout:
        """The sigmoid of the head's one number."""
        return Readout((Linear(LAYER, self.hidden, 1),), "sigmoid", (1.0,))

    def encoder(self, tokenizer: Tokenizer) -> Encoder:
        """Return the encoder of cases to ids, a sequence a step."""

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
