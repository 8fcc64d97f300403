"""What a critic's answer was read as, and what can be wrong with it: the kinds by which answers are counted."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from msgspec import Struct

_SHOWN = 40


class ParseFault(StrEnum):
    """One kind of fault. A reason is a kind, and often a detail after it, as `told` writes it."""

    CUT = "cut at the token limit"
    REASONING_OPEN = "reasoning never ended"
    EMPTY_ANSWER = "empty answer"
    NO_BOX = "no box"
    EMPTY_BOX = "empty box"
    NO_NUMBER_IN_BOX = "box without a number"
    NO_JSON = "no JSON"
    OPEN_JSON = "JSON never closed"
    STRAY_BRACE = "brace closed before one was opened"
    BROKEN_JSON = "broken JSON"
    NO_VALIDITY = "JSON without validity"
    NO_REDUNDANCY = "JSON without redundancy"
    NO_LABELS = "JSON without a label of a step"
    NO_SUCH_STEP = "label of no step"
    NO_LIST = "no list"
    NOT_A_NUMBER = "not a number"
    NOT_FINITE = "not finite"
    TOO_SHORT = "list too short"
    TOO_LONG = "list too long"
    TRUTH_VALUES = "truth values"
    OUT_OF_RANGE = "out of range"
    NO_LOGPROBS = "no log-probabilities"
    NO_WORD = "neither word among the likeliest"
    BOTH_ZERO = "both words have probability 0"
    SPLIT_WORD = "the word is no token of its own"


class ParseNote(StrEnum):
    """What an answer that could be read should be known for."""

    BOX_IN_OPEN_REASONING = "the box is in reasoning that never ended"
    BOX_IN_REASONING = "the box is in the reasoning alone"
    NEUTRAL_BY_DEFAULT = "steps without a label count as neutral"


NOTHING_THERE = frozenset(
    {
        ParseFault.REASONING_OPEN,
        ParseFault.EMPTY_ANSWER,
        ParseFault.NO_BOX,
        ParseFault.NO_JSON,
        ParseFault.OPEN_JSON,
        ParseFault.BROKEN_JSON,
    }
)
"""Faults that the token limit explains, where the answer ended at it."""


def fault_words(fault: ParseFault, detail: str = "") -> str:
    """Write the reason: `fault (detail)`. Of the detail no more than 40 characters are shown, and none that acts."""
    if not detail:
        return fault.value
    excerpt = f"{detail[:_SHOWN]}…" if len(detail) > _SHOWN else detail
    return f"{fault} ({''.join(character if character.isprintable() else '·' for character in excerpt)})"


def fault_of(reason: str) -> ParseFault | None:
    """Return the kind that a reason begins with; None for reasons of other origin."""
    return next(
        (fault for fault in ParseFault if reason == fault or reason.startswith((f"{fault} (", f"{fault}: "))), None
    )


class Span(Struct, frozen=True):
    """Where in a text what counted was read: characters `start` to `end` (0-based, the end not among them).

    `part` says of which text, where a server told an answer's reasoning apart.
    """

    start: int
    end: int
    part: Literal["answer", "reasoning"] = "answer"


@dataclass(frozen=True, slots=True)
class Reading:
    """What an answer says, or in `reason` why nothing can be read of it: a short phrase that names the kind of
    `ParseFault` first, so that answers can be counted by it.

    Of a protocol that asks for the earliest error: `ballot`, the words that vote, and `verdict`, the step they name,
    0-based, -1 = none, -2 = a number that names no step; a ballot without a verdict votes, and counts as unparsed if
    it wins. Of a protocol that asks for step rewards: `rewards`, one a step in [-1, 1], and `redundancy`, one a step,
    where asked for. Rewards beside a reason are what was said, of whatever length or range: they are no rewards of the
    steps, and only the official figures count their signs. `notes` are of an answer that could be read, some of
    `ParseNote`. `span` is the place in the text at which all of this was read; None = at none that can be told.
    Readings that say the same are equal wherever it stood.
    """

    ballot: str | None = None
    verdict: int | None = None
    rewards: tuple[float, ...] | None = None
    redundancy: tuple[float, ...] | None = None
    reason: str | None = None
    notes: tuple[str, ...] = ()
    span: Span | None = field(default=None, compare=False)
