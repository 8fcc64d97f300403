"""Math-Shepherd: a language model that says `+` or `-` after a tag behind every step.

    PROBLEM Step 1: STEP ки
    Step 2: STEP ки

The tag is the one token of a blank and `ки`; the reward is P(+) among the two, read at the tag. What upstream scripts
write behind the last tag (PRMBench a newline) is read by nobody, because the body only looks back: it is left out.

A text with the tag's token in it (Russian words that begin so) is refused, except in the layout `versa`, whose authors
delete the tag from problem and steps wherever it occurs. An empty step is run as it stands. Lines
within a step are text of it; search-and-learn, which has one text and no steps, would set a tag at each blank line.
Sources: the model card of peiyi9979/math-shepherd-mistral-7b-prm; PRMBench, mr_eval/models/math_shepherd.py;
search-and-learn, sal/models/reward_models.py and sal/config.py; VersaPRM, evaluation/get_rewards_reasoning_step.py;
openr, reason/inference/rm_call.py.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

from msgspec import Struct

from scoring.data.readout import OUTPUT, Readout, Vocabulary
from scoring.models.prms.base import (
    Encoder,
    Family,
    MarkedText,
    Options,
    Scale,
    Tokenizer,
    check_ids,
    marked,
    numbered,
    special_id,
)

START, TAG = "<s>", "ки"
GOOD_ID, BAD_ID, TAG_ID = 648, 387, 12902

SEARCH_AND_LEARN = r"""Solve the following math problem efficiently and clearly:

- For simple problems (2 steps or fewer):
Provide a concise solution with minimal explanation.

- For complex problems (3 steps or more):
Use this step-by-step format:

## Step 1: [Concise description]
[Brief explanation and calculations]

## Step 2: [Concise description]
[Brief explanation and calculations]

...

Regardless of the approach, always conclude with:

Therefore, the final answer is: $\boxed{answer}$. I hope it is correct.

Where [answer] is just the final number or expression that solves the problem."""
"""What search-and-learn tells the model that writes solutions, and puts before the problem for the PRM too."""


class _Layout(Struct, frozen=True):
    """A layout of the text: what comes before the problem, before the first step, and before each later step.

    `line` makes of a step and its number (1-based) the text before its tag. With `strips` the tag is deleted from the
    texts of a case first. `version` rises when a correction gives other ids.
    """

    line: Callable[[str, int], str]
    before: str = ""
    joiner: str = " "
    between: str = "\n"
    strips: bool = False
    version: int = 1


def _as_card(step: str, number: int) -> str:
    return step if step.startswith(f"Step {number}:") else numbered(step, number)


def _as_prmbench(step: str, number: int) -> str:
    bare = step.strip()
    return bare if bare.startswith(("Step", "step")) else numbered(bare, number)


LAYOUTS: dict[str, _Layout] = {
    "card": _Layout(_as_card),
    "prmbench": _Layout(_as_prmbench),
    "search-and-learn": _Layout(lambda step, _: step, f"{SEARCH_AND_LEARN}\n", "\n ", "\n\n"),
    "versa": _Layout(numbered, joiner=" \n", strips=True, version=2),
    "openr": _Layout(lambda step, _: step.strip()),
}
"""Whose layout -> what it is; the model card's own first."""


class MathShepherd(Family, frozen=True):
    """The adapter of one checkpoint of the family."""

    layout: str = "card"

    NAME = "math_shepherd"
    HEAD = f"a language model with its own {OUTPUT}"
    CHECKPOINTS = ("peiyi9979/math-shepherd-mistral-7b-prm",)
    CHOSEN: ClassVar[Mapping[str, str]] = {"text_layout": "layout"}
    SOURCE = "model card; PRMBench; search-and-learn; VersaPRM; openr"
    OPTIONS: ClassVar[Options] = {"layout": tuple(LAYOUTS)}
    MEANINGS: ClassVar[Mapping[str, str]] = {
        "layout": "card: 'Step 2: ' before steps that lack it; prmbench: before those that do not begin with 'Step';"
        " versa: before all, texts without ки; openr: before none; search-and-learn: before none, a system prompt"
        " first, blank lines between steps",
    }

    scale = Scale("Math-Shepherd", 0.0, 1.0, 0.5, "the model's own choice between + and -, as in ProcessBench")

    @cached_property
    def readout(self) -> Readout:
        """The rows of `+` and `-` in the output matrix, which the family does not share with the embeddings."""
        return Readout(Vocabulary((GOOD_ID, BAD_ID), self.hidden, tied=OUTPUT), "softmax", (1.0, 0.0))

    @property
    def settings(self) -> Mapping[str, Any]:
        """Everything beside the weights that changes the rewards."""
        return {**super().settings, "layout": LAYOUTS[self.layout].version}

    def encoder(self, tokenizer: Tokenizer) -> Encoder:
        """Return the encoder of cases to ids.

        Raises:
            CheckpointError: the vocabulary is not that of the family.
        """
        check_ids(tokenizer, "+ -", (GOOD_ID, BAD_ID))
        check_ids(tokenizer, TAG, (TAG_ID,))
        return marked(self._text, tokenizer, TAG_ID, (special_id(tokenizer, START),), self.max_length)

    def _text(self, problem: str, steps: Sequence[str]) -> MarkedText:
        layout, text = LAYOUTS[self.layout], MarkedText()
        if layout.strips:
            problem, steps = problem.replace(TAG, ""), [step.replace(TAG, "") for step in steps]
        text.add(f"{layout.before}{problem}{layout.joiner}")
        for number, step in enumerate(steps, 1):
            text.add(f"{layout.between if number > 1 else ''}{layout.line(step, number)} ")
            text.mark(TAG)
        return text
