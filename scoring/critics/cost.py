"""What asking a critic costs: an estimate before, from characters, and the exact sum after, from the usage told."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeVar

from scoring.asking import Answer, Ask
from scoring.critics.prices import Price

CHARACTERS_A_TOKEN = 4
"""What an English prompt has about; one in Chinese or of formulas has fewer, and so more tokens than estimated."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What is about to be asked, of one subset or of all.

    `asks` are prompts, `answers` all that they are to bring. `characters` are those of the prompts' messages, each
    prompt once. Tokens are estimated from these; a chat template's own come on top.
    """

    asks: int = 0
    answers: int = 0
    characters: int = 0
    longest: int = 0

    def __add__(self, other: "Estimate") -> "Estimate":
        return Estimate(
            self.asks + other.asks,
            self.answers + other.answers,
            self.characters + other.characters,
            max(self.longest, other.longest),
        )

    @property
    def tokens_in(self) -> int:
        """Estimated tokens of the prompts where the server gives all answers to a prompt in one call."""
        return -(-self.characters // CHARACTERS_A_TOKEN)

    def tokens_out_at_most(self, max_tokens: int | None) -> int | None:
        """The tokens of the answers if each is as long as it may be; None where no limit is set."""
        return None if max_tokens is None else self.answers * max_tokens

    def money(self, price: Price, tokens_out: int) -> Decimal:
        """What the prompts and so many tokens of answers would cost, as an estimate."""
        return price.of(self.tokens_in, tokens_out)


Group = TypeVar("Group")


def estimates(asks: Iterable[tuple[Group, Ask]]) -> dict[Group, Estimate]:
    """What is to be asked a group, such as a subset, in the order in which groups come first."""
    found: dict[Group, Estimate] = {}
    for subset, ask in asks:
        length = sum(len(message.text) for message in ask.prompt)
        found[subset] = found.get(subset, Estimate()) + Estimate(1, ask.count, length, length)
    return found


@dataclass(frozen=True, slots=True)
class Spent:
    """What was used, by the usage that came with the answers.

    `untold_in` and `untold_out` are answers with text but without a count: where there are any, the tokens are at least
    so many and the money is too. Of several answers to one call the first has the prompt's tokens and the others 0.
    """

    answers: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    untold_in: int = 0
    untold_out: int = 0

    def __add__(self, other: "Spent") -> "Spent":
        return Spent(
            self.answers + other.answers,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            self.untold_in + other.untold_in,
            self.untold_out + other.untold_out,
        )

    @property
    def exact(self) -> bool:
        """Whether every answer came with its counts."""
        return not self.untold_in and not self.untold_out

    def money(self, price: Price) -> Decimal:
        """What the counted tokens cost, exactly; the least that was paid where counts are missing."""
        return price.of(self.tokens_in, self.tokens_out)


def spent(answers: Iterable[Answer]) -> Spent:
    """The sum over the answers to one call.

    A count that is told for the whole call is on the first answer, and the others' None is then no missing one.
    """
    listed = list(answers)
    whole_call = (
        len(listed) > 1 and listed[0].tokens_out is not None and all(one.tokens_out is None for one in listed[1:])
    )
    came = [one for one in listed if one.text is not None]
    return Spent(
        answers=len(came),
        tokens_in=sum(one.tokens_in or 0 for one in listed),
        tokens_out=sum(one.tokens_out or 0 for one in listed),
        untold_in=sum(one.tokens_in is None for one in came),
        untold_out=0 if whole_call else sum(one.tokens_out is None for one in came),
    )
