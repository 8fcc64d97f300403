"""R-PRM (She et al., 2025; NJUNLP/R-PRM, `src/evaluate/GenPRM/evaluate-PRM-CoT.py`, `src/utils/inference.py`).

Each step is a talk of its own: the model reads the question, the steps before and the step, analyses, and ends with a
verdict line. What it wrote is cut right behind the first question of that line, or the question is put behind it where
it did not come to it, and the reward is p(Yes) / (p(Yes) + p(No)) of the next token.

What is not as upstream: its prompt file ends with the characters backslash and n around the tag of the assistant's turn
and is sent as it is; here the model's own chat template writes the turns, for no engine here takes a text without
turns. The question that is put behind an answer without one is the verdict line's own. Upstream's tidying of blank
lines before the second pass is not done.

`reader=text` reads as ljxzs-jjlzs/ProcessBench does, a fork of ProcessBench: 1 if "Yes" follows the first question and
0 else, also where there is no question.
"""

from collections.abc import Sequence

from msgspec import Struct

from scoring.formats.reading.critic_answers import ParseFault
from scoring.models.asking import Message, Prompt, Sampling
from scoring.models.prms.base import numbered
from scoring.runs.generative.decision_words import DecisionWords
from scoring.runs.generative.talk import DECIDING, Allowed, JudgedTalk, Question, Talk, decide_talk, lacking, said
from scoring.runs.generative.talk_templates import TalkTemplate

OPTIONS: Allowed = {
    "reader": ("softmax", "text"),
    # What stands for the steps before the first one.
    "first": ("There are none: this is the first step.",),
}
NAMES = ("problem", "previous", "step")
QUESTION = "Is the step correct (Yes/No)?"
_VERDICT = f"\nVerification: {QUESTION}"
_WORDS = DecisionWords(" Yes", " No")


class RPrm(Struct, frozen=True):
    """One R-PRM with its options; `sampling` is that of the analysis."""

    wording: TalkTemplate
    options: dict[str, str]
    sampling: Sampling

    @property
    def reader(self) -> str:
        """Which of the two readers, and its version."""
        return f"rprm-{self.options['reader']}-1"

    @property
    def longest(self) -> int | None:
        """The most tokens of one answer."""
        return self.sampling.max_tokens

    def talks(self, problem: str, steps: Sequence[str]) -> list[Talk]:
        """Return one talk a step."""
        lines = [numbered(step, number) for number, step in enumerate(steps, 1)]
        return [
            self._talk(
                self.wording.prompt(
                    {"problem": problem, "previous": "\n".join(lines[:at]) or self.options["first"], "step": line}
                )
            )
            for at, line in enumerate(lines)
        ]

    def _talk(self, prompt: Prompt) -> Talk:
        analysis = said((yield Question(prompt, self.sampling)))
        before, question, behind = analysis.partition(QUESTION)
        if self.options["reader"] == "text":
            return JudgedTalk((float(bool(question) and behind.lstrip().startswith("Yes")),), (None,))
        if not analysis.strip():
            return lacking(ParseFault.EMPTY_ANSWER)
        answer_start = before + question if question else before.rstrip() + _VERDICT
        return decide_talk(_WORDS, (yield Question((*prompt, Message("assistant", answer_start)), DECIDING)))
