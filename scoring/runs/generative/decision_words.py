"""The reward of a generative PRM: how likely one of two words is where the model decides.

A server tells the log-probabilities of the likeliest tokens alone. Where one of the two words is none of them, it
is at most as likely as the least likely of those told, and is given that probability: GenPRM's own rule
(RyanLiu112/GenPRM, `genprm_inference.py`), which keeps the reward away from the word by less than the truth. Where
neither is, or both have probability 0, nothing is decided, and there is a reason and no number.
"""

import math
import re
from collections.abc import Sequence

from msgspec import Struct

from scoring.formats.reading.critic_answers import ParseFault
from scoring.models.asking import TokenLogprobs

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
