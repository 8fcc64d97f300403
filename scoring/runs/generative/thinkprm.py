r"""ThinkPRM (Khalifa et al., 2025; mukhal/ThinkPRM, `prm/thinkprm_api.py`, `utils/helper.py`).

The model thinks about a whole prefix of the solution, is then asked whether that is correct, and p(yes) is the score of
the prefix: the reward of a step is the score of the prefix that ends with it, so each step takes a talk of two
questions. The `\boxed{correct}` that it writes about single steps are not read, as upstream does not.

What is not as upstream:

- Upstream scores the two words as continuations by their log-probability a token (sglang's `choices`, after a question
  that ends in a blank); here one token is generated behind the question mark and both words are looked up among the
  likeliest in its place. For words of one token the two differ by how the blank is cut.
- Where the server fails upstream scores the fixed vector [0, 1], P(yes) = 1 / (1 + e) = 0.269. Here that is a reason.
- The question follows the thoughts after one line break, as in the training chains; upstream does not strip them.
- Step numbers are compared as numbers; upstream compares them as text and stops at "Step 10" of ten steps.
"""

import re
from collections.abc import Sequence

from msgspec import Struct

from scoring.formats.reading.critic_answers import ParseFault
from scoring.models.asking import Message, Prompt, Sampling
from scoring.runs.generative.decision_words import DecisionWords
from scoring.runs.generative.talk import DECIDING, Allowed, Question, Talk, decide_talk, lacking, said
from scoring.runs.generative.talk_templates import TalkTemplate

OPTIONS: Allowed = {
    # Steps begin with their number, and the chain stops where it turns to one that is not there: upstream's
    # `process_verifier`.
    "numbered": ("on", "off"),
    # What the thoughts begin with: commit 0beccfb and the model cards have a line of their own there, 045b1ae nothing.
    "suffix": ("none", "verify"),
    # The template of DeepSeek-R1's distillations, on which the models are built, begins every answer so.
    "opening": ("think", "none"),
    # The words of the training chains, which 045b1ae reads; or upstream's `label_categories`.
    "words": ("Yes", "yes"),
}
NAMES = ("problem", "steps")
QUESTION = "Is the solution correct?"
_WORDS = {"Yes": DecisionWords(" Yes", " No"), "yes": DecisionWords(" yes", " no")}
_SUFFIX = "\nLet's verify step by step:"
_NUMBER = re.compile(r"Step \d+:")


def bare(step: str) -> str:
    """Strip a step of the number that it comes with. One of which nothing stays is left out, and has no number."""
    return _NUMBER.sub("", step.replace("## Step", "Step")).strip()


class ThinkPrm(Struct, frozen=True):
    """One ThinkPRM with its options; `sampling` is that of the thoughts."""

    wording: TalkTemplate
    options: dict[str, str]
    sampling: Sampling
    reader = "thinkprm-1"

    @property
    def longest(self) -> int | None:
        """The most tokens of one answer."""
        return self.sampling.max_tokens

    def talks(self, problem: str, steps: Sequence[str]) -> list[Talk]:
        """Return one talk for each prefix, the shortest first."""
        return [self._talk(problem, steps[: end + 1]) for end in range(len(steps))]

    def _talk(self, problem: str, prefix: Sequence[str]) -> Talk:
        said_steps = self._steps(prefix)
        prompt = self.wording.prompt({"problem": problem, "steps": "\n".join(said_steps)})
        opening = self._opening()
        answer = yield Question(self._from(prompt, opening), self._thinking(len(said_steps)))
        thoughts = said(answer)
        if not thoughts.strip():
            return lacking(ParseFault.EMPTY_ANSWER)
        answer_start = f"{opening}{thoughts.rstrip()}\n{QUESTION}"
        return decide_talk(_WORDS[self.options["words"]], (yield Question(self._from(prompt, answer_start), DECIDING)))

    def _steps(self, prefix: Sequence[str]) -> list[str]:
        """The steps as they are written; those without text are left out, as upstream does."""
        kept = [text for text in map(bare, prefix) if text]
        if self.options["numbered"] == "off":
            return kept
        return [f"Step {number}: {step}" for number, step in enumerate(kept, 1)]

    def _opening(self) -> str:
        """What the model finds already written of its answer."""
        think = "<think>\n" if self.options["opening"] == "think" else ""
        return think + (_SUFFIX if self.options["suffix"] == "verify" else "")

    def _thinking(self, steps: int) -> Sampling:
        beyond = (f"Step {steps + 1}:",) if self.options["numbered"] == "on" else ()
        sampling = self.sampling
        return Sampling(
            sampling.temperature,
            sampling.top_p,
            sampling.top_k,
            sampling.max_tokens,
            stop=(QUESTION, "</think>", *beyond),
        )

    @staticmethod
    def _from(prompt: Prompt, written: str) -> Prompt:
        return (*prompt, Message("assistant", written)) if written else prompt
