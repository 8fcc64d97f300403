"""What a family says to a model about a case: a talk, which asks, hears and in the end judges."""

from collections.abc import Generator, Mapping, Sequence
from typing import Protocol

from msgspec import Struct

from scoring.formats.reading.critic_answers import ParseFault
from scoring.models.asking import GeneratedAnswer, Prompt, Sampling, TokenLogprobs
from scoring.runs.generative.decision_words import LIKELIEST, DecisionWords

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
