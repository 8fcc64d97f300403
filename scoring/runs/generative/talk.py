"""What a family says to a model about a case: a talk, which asks, hears and in the end judges."""

import math
import re
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from scoring.data.errors import InputError
from scoring.formats.reading.critic_answers import ParseFault
from scoring.models.asking import GeneratedAnswer, Message, Prompt, Sampling, TokenLogprobs
from scoring.models.critics.template import Template

# -- the reward of a generative PRM: how likely one of two words is where the model decides.
#
# A server tells the log-probabilities of the likeliest tokens alone. Where one of the two words is none of them, it
# is at most as likely as the least likely of those told, and is given that probability: GenPRM's own rule
# (RyanLiu112/GenPRM, `genprm_inference.py`), which keeps the reward away from the word by less than the truth. Where
# neither is, or both have probability 0, nothing is decided, and there is a reason and no number.


LIKELIEST = 20
"""How many tokens are asked for in a place: the most that OpenAI and vLLM give unless told otherwise."""
_NOTHING = -700.0
"""A logarithm below which a probability is 0 in double precision (vLLM tells -9999 for what cannot come)."""


class DecisionWords(Struct, frozen=True):
    """The two tokens that decide, as they are told, blanks included. The reward is p(yes) / (p(yes) + p(no))."""

    yes: str
    no: str

    def probability(self, place: TokenLogprobs) -> float | ParseFault:
        """Return the reward at a generated token: a number in [0, 1], or why there is none."""
        logprobs = _told(place)
        if self.yes not in logprobs and self.no not in logprobs:
            return ParseFault.NO_WORD
        least = min(logprobs.values())
        yes, no = logprobs.get(self.yes, least), logprobs.get(self.no, least)
        if math.isnan(yes) or math.isnan(no) or max(yes, no) <= _NOTHING:
            return ParseFault.BOTH_ZERO
        # With the difference no exponential overflows, and none of the two is 0 before the other is 1.
        apart = no - yes
        return 1.0 / (1.0 + math.exp(apart)) if apart < 0 else math.exp(-apart) / (1.0 + math.exp(-apart))


def _told(place: TokenLogprobs) -> dict[str, float]:
    """Token -> log-probability. Two tokens of one text (a tokenizer that drops blanks) count as the likelier one."""
    logprob_of = {place.token: place.logprob}
    for token, logprob in place.top:
        logprob_of[token] = max(logprob, logprob_of.get(token, -math.inf))
    return logprob_of


_BOX = re.compile(r"(Yes|No)\}", re.IGNORECASE)


def boxed_word(text: str) -> str | None:
    r"""Return the word of the last `Yes}` or `No}` of a text, with a capital; None where there is none."""
    matches = _BOX.findall(text)
    return matches[-1].capitalize() if matches else None


def first_boxed_word(text: str) -> str | None:
    """Return the word of the first such box."""
    match = _BOX.search(text)
    return match[1].capitalize() if match else None


def last_token(tokens: Sequence[TokenLogprobs], word: str, *, closed: bool) -> TokenLogprobs | None:
    """Return the last generated token that is exactly this word; None where there is none.

    Args:
        tokens: all tokens of one answer.
        word: without blanks.
        closed: whether the token after it must begin with the brace that closes the box; a last token needs none.
    """
    for at in range(len(tokens) - 1, -1, -1):
        behind = tokens[at + 1].token if at + 1 < len(tokens) else "}"
        if tokens[at].token == word and (not closed or behind.startswith("}")):
            return tokens[at]
    return None


Allowed = Mapping[str, tuple[str, ...]]
"""What of a family can be chosen: option -> its values, the default first. One with a single value is a text: any other
may be given."""
DECIDING = Sampling(temperature=0.0, max_tokens=1, logprobs=LIKELIEST)
"""How the token is generated that decides. Its log-probabilities are the model's own, before any temperature."""


class Question(Struct, frozen=True):
    """One thing to be asked, and how it is answered."""

    prompt: Prompt
    sampling: Sampling


class JudgedTalk(Struct, frozen=True):
    """What a talk came to: one reward for each of its steps, in [0, 1], or which `fault` the step after these has.

    `places` are the generated tokens that rewards were or could not be read at, step for step; of a step whose reward
    was read of words alone, or that has no such token, there is None.
    """

    rewards: tuple[float, ...] = ()
    places: tuple[TokenLogprobs | None, ...] = ()
    fault: ParseFault | None = None

    def __add__(self, other: "JudgedTalk") -> "JudgedTalk":
        return JudgedTalk(self.rewards + other.rewards, self.places + other.places, other.fault)


Talk = Generator[Question, GeneratedAnswer, JudgedTalk]
"""Yields a question, is sent the answer to it, and returns what it came to. It hears only of answers that came."""


class TalkFamily(Protocol):
    """One family of generative PRMs with its options chosen. It knows neither an engine nor the cache.

    It has one talk a step, or one a case.
    """

    @property
    def reader(self) -> str:
        """Which reader makes numbers of the answers, and its version."""
        ...

    @property
    def longest(self) -> int | None:
        """The most tokens that are asked for of one answer; None = no limit."""
        ...

    def talks(self, problem: str, steps: Sequence[str]) -> list[Talk]:
        """Return the talks about a case whose rewards, one behind the other, are those of its steps."""
        ...


def came(answer: GeneratedAnswer) -> bool:
    """Return whether the model answered, be it with nothing: a failure of the server is none of its answers."""
    return answer.text is not None


def said(answer: GeneratedAnswer) -> str:
    """Return all that the model wrote, whether or not a server tells its reasoning apart."""
    return (answer.reasoning or "") + (answer.text or "")


def decide_talk(words: DecisionWords, answer: GeneratedAnswer) -> JudgedTalk:
    """Return what the one token of an answer to a decision question comes to."""
    if not answer.logprobs:
        return lacking(ParseFault.NO_LOGPROBS if said(answer) else ParseFault.EMPTY_ANSWER)
    place = answer.logprobs[0]
    return judged(words.probability(place), place)


def judged(reward: float | ParseFault, place: TokenLogprobs | None) -> JudgedTalk:
    """Judge one step by a number or a fault at a place."""
    return lacking(reward, place) if isinstance(reward, ParseFault) else JudgedTalk((reward,), (place,))


def lacking(fault: ParseFault, place: TokenLogprobs | None = None) -> JudgedTalk:
    """Judge a step that has no reward."""
    return JudgedTalk((), (place,), fault)


# -- the words of a generative PRM's prompt: a template file with messages, filled in one pass.
#
# The file is one of `scoring.models.critics.template` without worked examples; its placeholders are the family's own. A
# model is trained on one wording and judges by another less well, so `--template FILE` swaps in the official one.


_FOLDER = Path(__file__).with_name("templates")


class TalkTemplate(Struct, frozen=True):
    """A template and the names that stand for a case's texts in it, as `{name}`. Other braces are text."""

    template: Template
    names: tuple[str, ...]
    own: bool

    @classmethod
    def of(cls, path: Path | None, packaged: str, names: tuple[str, ...]) -> "TalkTemplate":
        """Read the user's file, or else this package's.

        Raises:
            InputError: it cannot be read, has worked examples, or lacks one of the names.
        """
        template = packaged_wording(packaged) if path is None else Template.read(path)
        wording = cls(template, names, own=path is None)
        text = "\n".join(message.text for message in (*template.instructions, template.question))
        missing = [f"{{{name}}}" for name in names if f"{{{name}}}" not in text]
        if missing:
            raise InputError(
                f"the template {template.source} has no {' and no '.join(missing)}.", "Write it where the text goes."
            )
        if template.examples:
            raise InputError(f"the template {template.source} has worked examples.", "Leave them out: none are sent.")
        return wording

    def prompt(self, values: Mapping[str, str]) -> Prompt:
        """Return the messages with the values of all names, in which nothing is looked for."""
        mark = re.compile(rf"\{{({'|'.join(self.names)})\}}")
        return tuple(
            Message(message.role, mark.sub(lambda match: values[match[1]], message.text))
            for message in (*self.template.instructions, self.template.question)
        )

    @property
    def note(self) -> str:
        """What to know about the words before looking at figures."""
        where = f"template {self.template.source} ({self.template.hash[:8]})"
        if not self.own:
            return where
        return f"{where}: this program's own words, not those it was trained on; --template FILE takes these"


def packaged_wording(name: str) -> Template:
    """Read one of this package's own templates, by the name of its file."""
    return Template.of((_FOLDER / name).read_text("utf-8"), name)
