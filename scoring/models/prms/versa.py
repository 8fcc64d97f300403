r"""VersaPRM and its base models: plain text with a tag behind every step, where the model says `-` or `+`.

    <|begin_of_text|>PROBLEM \n\nSTEP \n\n\n\nSTEP \n\n\n\n

The tag is a blank and four newlines, one token of Llama-3's vocabulary (23535) and of Qwen's (22701), which has no
token for the beginning of a text. The text is encoded in one go. Problem and steps lose the blanks around them and
every tag within, as in the authors' evaluation; a text that makes a tag all the same, or merges with one, is refused.

VersaPRM is published as a difference (LoRA) to Llama-PRM800K: it is to be merged into that model before. Layout and
columns are those of UW-Madison-Lee-Lab/VersaPRM. All of its differences belong to Llama models; the one PRM of the
family over Qwen is whole.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from scoring.data.errors import ForeignCheckpoint
from scoring.data.readout import OUTPUT, Readout, Vocabulary
from scoring.models.checkpoint import Checkpoint
from scoring.models.prms.base import Encoder, Family, MarkedText, Scale, Tokenizer, check_ids, marked, single_id

EMBEDDINGS = "model.embed_tokens.weight"
START, TAG = "<|begin_of_text|>", " \n\n\n\n"
MINUS, PLUS = 12, 10
"""The ids of the two signs, the same in Llama-3's vocabulary and in Qwen's."""


class VersaPrm(Family, frozen=True):
    """The adapter of one checkpoint of the family.

    `tied`: the output matrix is the embeddings (the family's 3B model).
    """

    tied: bool = False

    NAME = "versa"
    HEAD = f"a language model with {OUTPUT}, or with {EMBEDDINGS} where the config ties the two"
    CHECKPOINTS = (
        "UW-Madison-Lee-Lab/VersaPRM",
        "UW-Madison-Lee-Lab/VersaPRM-Aug",
        "UW-Madison-Lee-Lab/VersaPRM-Small-Subset",
        "UW-Madison-Lee-Lab/VersaPRM-Math-Subset",
        "UW-Madison-Lee-Lab/VersaPRM-Base-8B",
        "UW-Madison-Lee-Lab/VersaPRM-Base-3B",
        "UW-Madison-Lee-Lab/Llama-PRM800K",
        "UW-Madison-Lee-Lab/Qwen-PRM800K",
    )
    SOURCE = "UW-Madison-Lee-Lab/VersaPRM, evaluation"

    scale = Scale("VersaPRM", 0.0, 1.0, 0.5, "the likelier of the two signs; its authors give no cut")

    @classmethod
    def parts(cls, checkpoint: Checkpoint, options: Mapping[str, str]) -> dict[str, Any]:
        """Return whether the output matrix is the embeddings.

        Raises:
            ForeignCheckpoint: a LoRA adapter lies over a body for which the family has none.
        """
        config = checkpoint.config
        if checkpoint.merged and config.get("model_type") != "llama":
            raise ForeignCheckpoint(
                f"the family's LoRA adapters belong to Llama models, and the base of {checkpoint.name} is a "
                f"{config.get('model_type')} model.",
                "Give its own base as --base; an adapter of your own, merged elsewhere, as a folder.",
            )
        return {**options, "tied": config.get("tie_word_embeddings") is True}

    @property
    def readout(self) -> Readout:
        """The probability of `+` of the two signs."""
        return Readout(Vocabulary((MINUS, PLUS), self.hidden, tied=EMBEDDINGS if self.tied else OUTPUT))

    def encoder(self, tokenizer: Tokenizer) -> Encoder:
        """Return the encoder of cases to ids.

        Raises:
            CheckpointError: the tag is not one token of the vocabulary, or a sign is not the token that is read.
        """
        check_ids(tokenizer, "-", (MINUS,))
        check_ids(tokenizer, "+", (PLUS,))
        tag, begin = single_id(tokenizer, TAG), tokenizer.special(START)
        start = () if begin is None else (begin,)

        return marked(_text, tokenizer, tag, start, self.max_length)


def _text(problem: str, steps: Sequence[str]) -> MarkedText:
    text = MarkedText()
    text.add(f"{_clean(problem)} \n\n")
    for step in steps:
        text.mark(_clean(step) + TAG)
    return text


def _clean(text: str) -> str:
    return text.strip().replace(TAG, "")
