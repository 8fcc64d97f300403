r"""Readers of answers that name the earliest error in a `\boxed{...}`: ProcessBench's, GR-Ben's, and a loose one.

Each finds the number in its own way. What the number means is the prompt's to say, not the reader's: `base` is what
the prompt calls the first step, 0 or 1, so that an answer to a prompt that counts from 0 is never read as one that
counts from 1.
"""

from scoring.critics.boxed import (
    grben_answer,
    grben_box,
    loose_box,
    only_number,
    processbench_ballot,
    processbench_box,
    processbench_verdict,
    zero_based_from,
)
from scoring.critics.faults import Fault, Note, told
from scoring.critics.reading import Reading, Span
from scoring.critics.reasoning import Parted, parted, silent


def read_processbench(text: str, _n_steps: int, base: int = 0) -> Reading:
    """The last box of all that was generated, reasoning included, 0-based.

    Zheng et al., arXiv 2412.06559, `run_eval.py`. A number that names no step of the case is a verdict, and wrong. A
    box within reasoning alone counts, and the reading notes it: that model may not have come to a conclusion.
    """
    box, part = processbench_box(text), parted(text)
    if box is None:
        return Reading(reason=silent(part) or told(Fault.NO_BOX))
    verdict = processbench_verdict(box.words, base)
    reason = None if verdict is not None else _unread(box.words)
    span = Span(box.start, box.end)
    return Reading(ballot=box.words, verdict=verdict, reason=reason, notes=_notes(part), span=span)


def read_grben(text: str, _n_steps: int, base: int = 1) -> Reading:
    """The last box of the answer proper that holds a number and nothing else, which counts from 1.

    GR-Ben, `run_llm_eval.py`. The ballot is the number as written, the verdict 0-based: -1 stays "no error", 0 and what
    is below -1 name no step. Without such a box there is no ballot, and the case leaves the denominators.
    """
    part = parted(text)
    if reason := silent(part):
        return Reading(reason=reason)
    number, box = grben_answer(part.answer), grben_box(part.answer)
    if number is None or box is None:
        other = processbench_ballot(part.answer)
        return Reading(reason=told(Fault.NO_BOX) if other is None else _unread(other))
    before = len(text) - len(part.answer)
    span = Span(before + box.start, before + box.end)
    return Reading(ballot=box.words, verdict=zero_based_from(number, base), span=span)


def read_loosely(text: str, _n_steps: int, base: int = 0) -> Reading:
    r"""The one whole number in the last box of all that was generated, whatever words stand around it.

    It forgives how a number is written and nothing else: `\boxed{\text{paragraph 2}}`, `\boxed {2}` and `\boxed{-1.}`
    are read, a box with two numbers or a decimal is not, and nothing outside a box counts. The ballot is the number, so
    that answers that write it differently vote together.
    """
    box, part = loose_box(text), parted(text)
    if box is None:
        return Reading(reason=silent(part) or told(Fault.NO_BOX))
    number = only_number(box.words)
    if number is None:
        return Reading(reason=_unread(box.words), span=Span(box.start, box.end))
    verdict = zero_based_from(number, base)
    return Reading(ballot=str(number), verdict=verdict, notes=_notes(part), span=Span(box.start, box.end))


def _unread(box: str) -> str:
    return told(Fault.NO_NUMBER_IN_BOX, box) if box else told(Fault.EMPTY_BOX)


def _notes(part: Parted) -> tuple[str, ...]:
    if not part.closed:
        return (Note.BOX_IN_OPEN_REASONING,)
    alone = part.reasoning is not None and processbench_ballot(part.answer) is None
    return (Note.BOX_IN_REASONING,) if alone else ()
