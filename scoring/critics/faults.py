"""What can be wrong with a critic's answer: the kinds that reasons begin with, by which answers are counted."""

from enum import StrEnum

_SHOWN = 40


class Fault(StrEnum):
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


class Note(StrEnum):
    """What an answer that could be read should be known for."""

    BOX_IN_OPEN_REASONING = "the box is in reasoning that never ended"
    BOX_IN_REASONING = "the box is in the reasoning alone"


NOTHING_THERE = frozenset(
    {Fault.REASONING_OPEN, Fault.EMPTY_ANSWER, Fault.NO_BOX, Fault.NO_JSON, Fault.OPEN_JSON, Fault.BROKEN_JSON}
)
"""Faults that the token limit explains, where the answer ended at it."""


def told(fault: Fault, detail: str = "") -> str:
    """The reason: `fault (detail)`. Of the detail no more than 40 characters are shown, and none that acts."""
    if not detail:
        return fault.value
    shown = f"{detail[:_SHOWN]}…" if len(detail) > _SHOWN else detail
    return f"{fault} ({''.join(one if one.isprintable() else '·' for one in shown)})"


def fault_of(reason: str) -> Fault | None:
    """The kind that a reason begins with; None for reasons of other origin."""
    return next((fault for fault in Fault if reason == fault or reason.startswith((f"{fault} (", f"{fault}: "))), None)
