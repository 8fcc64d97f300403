r"""Readers of answers that name the earliest error in a `\boxed{...}`: ProcessBench's and GR-Ben's."""

from scoring.critics.boxed import (
    grben_answer,
    grben_box,
    processbench_ballot,
    processbench_box,
    processbench_verdict,
    zero_based,
)
from scoring.critics.faults import Fault, Note, told
from scoring.critics.reading import Reading, Span
from scoring.critics.reasoning import Parted, parted, silent


def read_processbench(text: str, _n_steps: int) -> Reading:
    """The last box of all that was generated, reasoning included, 0-based.

    Zheng et al., arXiv 2412.06559, `run_eval.py`. A number that names no step of the case is a verdict, and wrong. A
    box within reasoning alone counts, and the reading notes it: that model may not have come to a conclusion.
    """
    box, part = processbench_box(text), parted(text)
    if box is None:
        return Reading(reason=silent(part) or told(Fault.NO_BOX))
    verdict = processbench_verdict(box.words)
    reason = None if verdict is not None else _unread(box.words)
    span = Span(box.start, box.end)
    return Reading(ballot=box.words, verdict=verdict, reason=reason, notes=_notes(part), span=span)


def read_grben(text: str, _n_steps: int) -> Reading:
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
    return Reading(ballot=box.words, verdict=zero_based(number), span=Span(before + box.start, before + box.end))


def _unread(box: str) -> str:
    return told(Fault.NO_NUMBER_IN_BOX, box) if box else told(Fault.EMPTY_BOX)


def _notes(part: Parted) -> tuple[str, ...]:
    if not part.closed:
        return (Note.BOX_IN_OPEN_REASONING,)
    alone = part.reasoning is not None and processbench_ballot(part.answer) is None
    return (Note.BOX_IN_REASONING,) if alone else ()
