"""GenPRM (Zhao et al., 2025; RyanLiu112/GenPRM, `genprm_inference.py`, `prm_evaluate.py`), without running code.

One talk a case. Each step is a turn of the user; the answer to it is written in stages, each of which begins with words
put into the model's mouth: an analysis, a verification by Python, and the judgement, a box whose word gives the reward
p(Yes) / (p(Yes) + p(No)). The answers to earlier steps stay in the conversation.

Code is never run (upstream's `execute` off). Upstream then does not stop at the end of a code block: the model goes on
and imagines what its code would have printed. Where a call ends without a judgement it is begun again behind the head
of a code output, also left to the model. The paper's figures are with code run.

At most `rounds` calls and `max_tokens` tokens a step, analysis included, go before the model is made to judge from its
analysis alone, in 20 tokens. Upstream repeats that last call until it ends in `</output>`, for ever if need be; here it
is made once, and a box is enough. Tokens of what is put into the mouth are estimated, four characters each.

What is not as upstream: the chat template opens the assistant's turn (upstream's text ends with the user's), and the
word is read where it stands in a box behind the last `<output>`. `reader=official` reads as upstream does: the first
box of the whole critique says which word is looked for, which is then read where it last is a token, box or not;
without a box, or with both probabilities 0, the reward is 0.5.
"""

from collections.abc import Generator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from scoring.formats.reading.critic_answers import ParseFault
from scoring.models.asking import GeneratedAnswer, Message, Prompt, Sampling
from scoring.runs.generative.decision_words import LIKELIEST, DecisionWords, boxed_word, first_boxed_word, last_token
from scoring.runs.generative.talk import Allowed, JudgedTalk, Question, Talk, judged, lacking, said
from scoring.runs.generative.talk_templates import TalkTemplate

OPTIONS: Allowed = {
    "analyze": ("on", "off"),
    "verify": ("on", "off"),
    "rounds": ("3", "1", "2"),
    "reader": ("box", "official"),
    # What leads from the tag of the verification to its code.
    "check": ("Let me check this paragraph for errors with python code:",),
}
NAMES = ("problem", "step")
BUDGET = 2048
"""Tokens of one step's critique, where nothing else is said."""
_ANALYSIS_ENDS = "</analyze>\n"
_OUTPUT = "<output>\n**Judgement**: $\\boxed"
_OUTPUT_ENDS = "</output>\n"
_CODE_OUTPUT = "[Code Output]\n\n```\n"
_LAST_CALL = 20
_CHARACTERS_A_TOKEN = 4
_WORDS = DecisionWords("Yes", "No")


class _Critique(Struct):
    """What is written about one step so far: `text` of both hands, and tokens left for the model's."""

    text: str
    left: int

    def put(self, words: str) -> None:
        """Put words into the model's mouth."""
        self.text += words
        self.left -= -(-len(words) // _CHARACTERS_A_TOKEN)

    def hear(self, answer: GeneratedAnswer) -> str:
        """Add what the model wrote."""
        words = said(answer)
        self.text += words
        told_tokens = answer.tokens_out
        self.left -= -(-len(words) // _CHARACTERS_A_TOKEN) if told_tokens is None else told_tokens
        return words


class GenPrm(Struct, frozen=True):
    """One GenPRM with its options; `sampling` holds for every stage, its `max_tokens` for a whole step."""

    wording: TalkTemplate
    options: dict[str, str]
    sampling: Sampling

    @property
    def reader(self) -> str:
        """Which of the two readers, and its version."""
        return f"genprm-{self.options['reader']}-1"

    @property
    def longest(self) -> int | None:
        """The most tokens of one answer."""
        return self._budget

    @property
    def _budget(self) -> int:
        return self.sampling.max_tokens or BUDGET

    def talks(self, problem: str, steps: Sequence[str]) -> list[Talk]:
        """Return one talk, about all steps."""
        return [self._talk(problem, steps)] if steps else []

    def _talk(self, problem: str, steps: Sequence[str]) -> Talk:
        conversation = self.wording.prompt({"problem": problem, "step": steps[0]})
        so_far = JudgedTalk()
        for number, step in enumerate(steps, 1):
            if number > 1:
                conversation = (*conversation, Message("user", step))
            critique, output = yield from self._step(conversation, number)
            so_far += output
            if so_far.fault is not None:
                # What follows would be asked about a critique that says nothing.
                return so_far
            conversation = (*conversation, Message("assistant", critique))
        return so_far

    def _step(self, conversation: Prompt, number: int) -> Generator[Question, GeneratedAnswer, tuple[str, JudgedTalk]]:
        critique = _Critique("", self._budget)
        analysis = ""
        if self.options["analyze"] == "on":
            critique.put(f"<analyze>\nLet's analyze the Paragraph {number} step by step: ")
            answer = yield self._question(conversation, critique.text, _ANALYSIS_ENDS, self._budget)
            critique.hear(answer)
            analysis = critique.text = critique.text.partition("</analyze>")[0] + _ANALYSIS_ENDS
        checked = self.options["verify"] == "on"
        critique.put(f"<verify>\n{self.options['check']}\n```python\n" if checked else _OUTPUT)
        for _ in range(int(self.options["rounds"])):
            if critique.left <= 0:
                break
            begun = critique.text.endswith(_OUTPUT)
            answer = yield self._question(conversation, critique.text, _OUTPUT_ENDS, critique.left)
            words = critique.hear(answer)
            if (begun or "<output>" in words) and boxed_word(words.rpartition("<output>")[2]):
                return self._judgement(critique.text, words, answer)
            critique.put(_CODE_OUTPUT)
        critique.text = (analysis or f"{critique.text}</verify>\n") + _OUTPUT
        answer = yield self._question(conversation, critique.text, _OUTPUT_ENDS, _LAST_CALL)
        return self._judgement(critique.text + said(answer), said(answer), answer)

    def _question(self, conversation: Prompt, written: str, end: str, most: int) -> Question:
        judges = LIKELIEST if end == _OUTPUT_ENDS else None
        sampling = replace(self.sampling, stop=(end,), max_tokens=most, logprobs=judges)
        return Question((*conversation, Message("assistant", written)), sampling)

    def _judgement(self, text: str, words: str, answer: GeneratedAnswer) -> tuple[str, JudgedTalk]:
        """The critique as it stays in the conversation, and what it comes to."""
        whole = text if text.endswith(_OUTPUT_ENDS) else f"{text.rstrip()}\n{_OUTPUT_ENDS}"
        official = self.options["reader"] == "official"
        word = first_boxed_word(text) if official else boxed_word(words)
        if word is None:
            # 0.5 is upstream's answer to a critique without a verdict.
            return whole, JudgedTalk((0.5,), (None,)) if official else lacking(ParseFault.NO_BOX)
        if not answer.logprobs:
            return whole, lacking(ParseFault.NO_LOGPROBS)
        place = last_token(answer.logprobs, word, closed=not official)
        if place is None:
            return whole, lacking(ParseFault.SPLIT_WORD)
        reward = _WORDS.probability(place)
        return whole, judged(0.5 if official and reward is ParseFault.BOTH_ZERO else reward, place)
