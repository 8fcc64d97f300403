"""What an answer was read as."""

from dataclasses import dataclass, field
from typing import Literal

from msgspec import Struct


class Span(Struct, frozen=True):
    """Where in a text what counted was read: characters `start` to `end` (0-based, the end not among them).

    `part` says of which text, where a server told an answer's reasoning apart.
    """

    start: int
    end: int
    part: Literal["answer", "reasoning"] = "answer"


@dataclass(frozen=True, slots=True)
class Reading:
    """What an answer says, or in `reason` why nothing can be read of it: a short phrase that names the kind of fault
    first (`scoring.critics.faults`), so that answers can be counted by it.

    Of a protocol that asks for the earliest error: `ballot`, the words that vote, and `verdict`, the step they name,
    0-based, -1 = none, -2 = a number that names no step; a ballot without a verdict votes, and counts as unparsed if
    it wins. Of a protocol that asks for step rewards: `rewards`, one a step in [-1, 1], and `redundancy`, one a step,
    where asked for. Rewards beside a reason are what was said, of whatever length or range: they are no rewards of the
    steps, and only the official figures count their signs. `notes` are of an answer that could be read, some of
    `scoring.critics.faults.Note`. `span` is the place in the text at which all of this was read; None = at none that
    can be told. Readings that say the same are equal wherever it stood.
    """

    ballot: str | None = None
    verdict: int | None = None
    rewards: tuple[float, ...] | None = None
    redundancy: tuple[float, ...] | None = None
    reason: str | None = None
    notes: tuple[str, ...] = ()
    span: Span | None = field(default=None, compare=False)
