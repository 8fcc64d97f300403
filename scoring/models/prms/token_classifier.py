"""Stock token classifiers whose steps end in separators: those of TRL's PRM trainer, PURE's and SCAN's.

TRL's: the problem's ids, then every step's ids and a separator's, which is read.

    PROBLEM STEP SEPARATOR STEP SEPARATOR

Label 1 of 2 is "right". Options: `separator`: the models differ; `published` is what the checkpoint's name shows it
was trained with, else TRL's default, a newline. `layout`: `training` is the trainer's own, pieces encoded apart;
`joint` is that of Hugging Face's ProcessBench script, where problem and steps are joined by the separator, each prefix
of the solution is encoded in one go, and its last token is read. The models were not trained on the latter: a full
stop and a separator are one token in it, and the problem has a separator too. `start`: the trainer puts the tokenizer's
start token first where tokenizer_config.json names one (bos_token); here that is done where it is chosen.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, ClassVar

from scoring.data.errors import CheckpointError
from scoring.data.readout import Encoded, Readout, Refused, one_layer
from scoring.models.checkpoint import Checkpoint
from scoring.models.prms.base import (
    NO_STEPS,
    SEPARATORS,
    Encoder,
    Family,
    Options,
    Scale,
    Separated,
    Tokenizer,
    single_id,
    special_id,
    too_long,
)
from scoring.models.prms.chat import special_token, tokenizer_settings

BLANK_LINE = "\n\n"
_WITH_BLANK_LINE = re.compile(r"qwen2\.5-math-(?:1\.5|7)b-instruct-prm-0\.[12]\Z", re.IGNORECASE)
"""The published models (plaguss', HuggingFaceH4's) that were trained with a blank line."""


class TokenClassifierPrm(Family, frozen=True):
    """The adapter of one checkpoint of the family.

    `assumed`: nobody chose the separator, and the checkpoint's name is not one that tells it. `start` is the token that
    begins a text ("" = none), `left_out` one that TRL would put there and that was not chosen.
    """

    separator: str = "newline"
    layout: str = "training"
    assumed: bool = False
    start: str = ""
    left_out: str = ""

    NAME = "token_classifier"
    HEAD = "score.weight and score.bias with 2 labels"
    OPTIONS: ClassVar[Options] = {
        "separator": ("published", *SEPARATORS),
        "layout": ("training", "joint"),
        "start": ("none", "tokenizer"),
    }
    MEANINGS: ClassVar[Mapping[str, str]] = {
        "separator": "behind every step: newline, blank-line, or published: what the checkpoint's name shows",
        "layout": "training: pieces encoded apart, as TRL's trainer; joint: each prefix as one text with a separator"
        " behind the problem too, as Hugging Face's ProcessBench script",
        "start": "tokenizer: the start token of tokenizer_config.json is put first, as by TRL's trainer; none: not",
    }
    CHECKPOINTS = (
        "plaguss/Qwen2.5-0.5B-Math-Shepherd-PRM-0.2",
        "plaguss/Qwen2.5-Math-1.5B-Instruct-PRM-0.1",
        "plaguss/Qwen2.5-Math-1.5B-Instruct-PRM-0.2",
        "plaguss/Qwen2.5-Math-7B-Instruct-PRM-0.1",
        "plaguss/Qwen2.5-Math-7B-Instruct-PRM-0.2",
        "HuggingFaceH4/Qwen2.5-Math-1.5B-Instruct-PRM-0.2",
        "HuggingFaceH4/Qwen2.5-Math-7B-Instruct-PRM-0.2",
        "trl-lib/Qwen2-0.5B-Reward-Math-Sheperd",
        "axolotl-ai-co/Qwen2.5-Math-PRM-7B",
    )
    CHOSEN: ClassVar[Mapping[str, str]] = {"text_layout": "layout", "separator": "separator"}
    SOURCE = (
        "huggingface/trl, the PRM trainer (in releases up to 1.13.0; removed by #7133); "
        "huggingface/ProcessBench, code/run_eval_prm_trl.py"
    )

    scale = Scale("token classifier (TRL)", 0.0, 1.0, 0.5, "the likelier of its two labels", comparison="<=")

    @classmethod
    def parts(cls, checkpoint: Checkpoint, options: Mapping[str, str]) -> dict[str, Any]:
        """Return the layout, the separator and whether it is assumed, the start token and whether it is left out."""
        separator, assumed = options["separator"], False
        if separator == "published":
            name = checkpoint.name.rsplit("/", 1)[-1].lower()
            separator = "blank-line" if _WITH_BLANK_LINE.match(name) else "newline"
            assumed = separator == "newline" and name not in {
                checkpoint_name.rsplit("/", 1)[-1].lower() for checkpoint_name in cls.CHECKPOINTS
            }
        token = special_token(tokenizer_settings(checkpoint.folder), "bos_token")
        start, left_out = (token, "") if options["start"] == "tokenizer" else ("", token)
        own = {"separator": separator, "layout": options["layout"], "assumed": assumed}
        return {**own, "start": start, "left_out": left_out}

    @property
    def cautions(self) -> tuple[str, ...]:
        """What is only assumed of this checkpoint or done otherwise in training, and how to say what is right."""
        sentences = []
        if self.assumed:
            assumed = (
                "WARNING: a newline is assumed for the separator, TRL's default: the checkpoint's name tells none."
            )
            why = "Another one than it was trained with changes every reward and costs many points of F1."
            sentences.append(f"{assumed} {why} Give --option separator=blank-line, or =newline if that is right.")
        if self.left_out:
            sentences.append(
                f"TRL's trainer puts {self.left_out} first, the tokenizer's start token, and here it is left out. "
                "--option start=tokenizer puts it there."
            )
        return tuple(sentences)

    @property
    def readout(self) -> Readout:
        """The head over the body's last hidden state; label 1 of 2."""
        return Readout(one_layer(self.hidden))

    @property
    def settings(self) -> Mapping[str, Any]:
        """What beside the weights changes the rewards."""
        return {**super().settings, **({"start": self.start} if self.start else {})}

    def encoder(self, tokenizer: Tokenizer) -> Encoder:
        """Return the encoder of cases to ids.

        Raises:
            CheckpointError: the vocabulary has no token for the separator, or not its own start token.
        """
        separator = SEPARATORS[self.separator]
        start = (special_id(tokenizer, self.start),) if self.start else ()
        if self.layout == "joint":
            return _Joint(tokenizer, separator, self.max_length, start)
        ids = tokenizer.encode(separator)
        if not ids:
            raise CheckpointError(
                f"the tokenizer gives nothing for {separator!r}.", "Use the PRM's own tokenizer.json."
            )
        return Separated(tokenizer, ids, self.max_length, start=start)


class _Joint:
    """Every prefix of a solution as one text; the last token of each is read."""

    def __init__(self, tokenizer: Tokenizer, separator: str, limit: int, start: tuple[int, ...]) -> None:
        self._encode, self._separator, self._limit, self._start = tokenizer.encode, separator, limit, start

    def __call__(self, problem: str, steps: Sequence[str]) -> Encoded | Refused:
        """One sequence where the prefixes' tokens are those of the whole, as they mostly are; else one a step."""
        if not steps:
            return NO_STEPS
        text, prefixes = problem + self._separator, []
        for step in steps:
            text += step + self._separator
            prefixes.append((*self._start, *self._encode(text)))
        longest = max(map(len, prefixes))
        if longest > self._limit:
            return too_long(longest, self._limit)
        whole, ends = prefixes[-1], [len(ids) - 1 for ids in prefixes]
        rising = all(end < other for end, other in pairwise(ends))
        if rising and all(whole[: len(ids)] == ids for ids in prefixes):
            return Encoded(whole, tuple(ends))
        return Encoded.together([Encoded(ids, (len(ids) - 1,)) for ids in prefixes])


class PurePrm(Family, frozen=True):
    """PURE-PRM-7B: the problem's ids, then every step's ids and a separator, where P(right) - P(wrong) is read.

        PROBLEM STEP SEPARATOR STEP SEPARATOR

    There is no template, and nothing between problem and first step. The separator is one newline on the model card
    and in PURE's own training code, and a blank line in PRMBench's toolkit (option `separator`); the author reports
    better results with the newline. The head is that of a stock token classifier with two labels; label 1 is "right".
    """

    separator: str = "newline"

    NAME = "pure"
    HEAD = "score.weight and score.bias with 2 labels"
    OPTIONS: ClassVar[Options] = {"separator": tuple(SEPARATORS)}
    MEANINGS: ClassVar[Mapping[str, str]] = {
        "separator": "behind every step: newline, as on the model card, or blank-line, as in PRMBench's toolkit",
    }
    CHECKPOINTS = ("jinachris/PURE-PRM-7B",)
    CHOSEN: ClassVar[Mapping[str, str]] = {"separator": "separator"}
    SOURCE = "the model card; CJReinforce/PURE; PRMBench, mr_eval/models/pure_prm.py"

    scale = Scale("PURE", -1.0, 1.0, 0.0, "the model card: above 0 is right", comparison="<=")

    @property
    def readout(self) -> Readout:
        """The head over the body's last hidden state; the probability of label 1 less that of label 0."""
        return Readout(one_layer(self.hidden), reward=(-1.0, 1.0))

    def encoder(self, tokenizer: Tokenizer) -> Encoder:
        """Return the encoder of cases to ids.

        Raises:
            CheckpointError: the separator is not one token of the vocabulary.
        """
        return Separated(tokenizer, [single_id(tokenizer, SEPARATORS[self.separator])], self.max_length)


class ScanPrm(Family, frozen=True):
    r"""SCAN-Pro and SCAN-Base: the problem and a blank line, then every step and a blank line, where P(right) is read.

        PROBLEM\n\n STEP \n\n STEP \n\n

    There is no template. Problem and blank line are one piece of text, so a full stop before it is one token with it;
    steps and their blank lines are encoded apart. The head is that of a stock token classifier with one label, whose
    sigmoid is the probability. The authors cut at 8,192 tokens; here the limit is the config's, and nothing is cut.
    Layout and head are those of yyDing1/SCAN-PRM.
    """

    NAME = "scan"
    HEAD = "score.weight and score.bias with 1 label"
    SOURCE = "yyDing1/SCAN-PRM, src/train_prm"

    scale = Scale("SCAN", 0.0, 1.0, 0.5, "the cut of its training; its authors sweep cuts on ProcessBench")

    @property
    def readout(self) -> Readout:
        """The head over the body's last hidden state; the sigmoid of its one label."""
        return Readout(one_layer(self.hidden, 1), "sigmoid", (1.0,))

    def encoder(self, tokenizer: Tokenizer) -> Encoder:
        """Return the encoder of cases to ids.

        Raises:
            CheckpointError: a blank line is not one token of the vocabulary.
        """
        separated = Separated(tokenizer, [single_id(tokenizer, BLANK_LINE)], self.max_length)
        return lambda problem, steps: separated(problem + BLANK_LINE, steps)
