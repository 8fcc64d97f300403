r"""A critic's answer in a `\boxed{...}`, read as ProcessBench and as GR-Ben read it, and a loose reader.

The two differ: ProcessBench lets the text of the box vote and reads the winner as a number, GR-Ben looks for a number
in a box and for nothing else. ProcessBench: arXiv 2412.06559, `run_eval.py`, 0-based. GR-Ben: `run_llm_eval.py`,
1-based.

Each reader finds the number in its own way. What the number means is the prompt's to say, not the reader's: `base` is
what the prompt calls the first step, 0 or 1, so that an answer to a prompt that counts from 0 is never read as one that
counts from 1.
"""

import re
from collections import Counter, deque
from collections.abc import Sequence
from typing import NamedTuple

from scoring.formats.reading.answer_reasoning import SplitAnswer, parted, silent
from scoring.formats.reading.critic_answers import ParseFault, ParseNote, Reading, Span, fault_words

_BOX = re.compile(r"\\boxed\{([^}]*)\}")
_NUMBER_IN_BOX = re.compile(r"\\boxed\s*\{\s*(-?\d+)\s*\}")
_OPENED = re.compile(r"\\boxed\s*\{")
_DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212\ufe63\uff0d", "-"))
"""Whatever is written for a minus."""
_NUMBERS = re.compile(r"(?:^\s*-\s*|(?<![A-Za-z0-9_])-)?(?:(?<!\w)\.)?\d+(?:\.\d+)?")
_BRACE = re.compile(r"[{}]")
_LARGEST = 2**31 - 1


class Box(NamedTuple):
    """The words of a box as they vote, and the characters of the text that are the box (the end not among them)."""

    words: str
    start: int
    end: int


def processbench_box(answer: str) -> Box | None:
    r"""Find the last `\boxed{...}` of an answer, up to its first `}`, its words stripped; None where there is none."""
    # What follows the last brace holds no box, and looking for one there takes quadratic time.
    return _last(_BOX, answer[: answer.rfind("}") + 1])


def processbench_ballot(answer: str) -> str | None:
    r"""Return what the answer votes with: the text of its last `\boxed{...}` up to the first `}`, stripped.

    None where there is no such box; a box without text votes with the empty text.
    """
    box = processbench_box(answer)
    return None if box is None else box.words


def loose_box(answer: str) -> Box | None:
    r"""Find the last `\boxed{...}` of an answer, up to the brace that closes it, its words stripped; None without one.

    Blanks may stand before the brace, and what is in it may hold braces: `\boxed {\text{2}}`.
    """
    start = answer.rfind(r"\boxed")
    opened = _OPENED.match(answer, start) if start >= 0 else None
    if opened is None:
        return None
    depth = 1
    for brace in _BRACE.finditer(answer, opened.end()):
        depth += 1 if brace[0] == "{" else -1
        if not depth:
            return Box(answer[opened.end() : brace.start()].strip(), start, brace.end())
    return None


def only_number(words: str) -> int | None:
    """Return the one whole number among words; None where there is none, several, or one with a decimal point.

    A dash of any kind is a minus, unless it joins the number to a word: `paragraph-1` is 1.
    """
    numbers = _NUMBERS.findall(words.translate(_DASHES))
    return integer_of("".join(numbers[0].split())) if len(numbers) == 1 else None


def zero_based_from(number: int, base: int) -> int:
    """Return a number as a verdict, the first step being called `base` (0 or 1): -1 stays, what names no step is -2."""
    return zero_based(number) if base else max(number, -2)


def processbench_verdict(ballot: str | None, base: int = 0) -> int | None:
    """Return the earliest error that a ballot names: 0-based, -1 = none, -2 = a number below that, which names no step.

    `base` is what the prompt calls the first step. None where it is no integer. Whatever Python reads as one is one
    ("+2", "03"); a number too large for a column of 32 bits becomes the largest that fits, as far beyond the last step.
    """
    number = integer_of(ballot)
    return None if number is None else zero_based_from(number, base)


def vote(ballots: Sequence[str | None]) -> str | None:
    """Return the most frequent ballot, of equally frequent ones the first; None does not vote, nor does nobody win
    then.

    Texts are compared as they are: "1" and "01" are two.
    """
    counted = Counter(ballot for ballot in ballots if ballot is not None)
    return max(counted, key=counted.__getitem__, default=None)


def grben_box(answer: str) -> Box | None:
    r"""Find the last `\boxed{...}` that holds a number and nothing else; None without one."""
    return _last(_NUMBER_IN_BOX, answer)


def grben_ballot(answer: str) -> str | None:
    r"""Return the number in the last `\boxed{...}` that holds a number alone, as written; None without one."""
    box = grben_box(answer)
    return None if box is None else box.words


def grben_answer(answer: str) -> int | None:
    r"""Return the number in the last `\boxed{...}` that holds a number and nothing else, 1-based as it is written.

    -1 says that no step is wrong; 0 and other negative numbers name no step and are given as they are. None where no
    box holds a number. A number too large for 32 bits becomes the largest that fits.
    """
    return integer_of(grben_ballot(answer))


def zero_based(answer: int) -> int:
    """Return a 1-based answer as a verdict: -1 stays "no error"; 0 or anything below -1 names no step, so -2."""
    if answer >= 1:
        return answer - 1
    return -1 if answer == -1 else -2


def _last(pattern: re.Pattern[str], text: str) -> Box | None:
    """The last match of a pattern whose one group are the words."""
    last = deque(pattern.finditer(text), maxlen=1)
    return Box(last[0][1].strip(), *last[0].span()) if last else None


def integer_of(text: str | None) -> int | None:
    """Read the text as a whole number, cut to 32 bits; None where it is not a number."""
    if text is None:
        return None
    try:
        number = int(text)
    except ValueError:
        # No number, or one of thousands of digits.
        return None
    return max(-_LARGEST, min(number, _LARGEST))


def read_processbench(text: str, _n_steps: int, base: int = 0) -> Reading:
    """Read the last box of all that was generated, reasoning included, 0-based.

    Zheng et al., arXiv 2412.06559, `run_eval.py`. A number that names no step of the case is a verdict, and wrong. A
    box within reasoning alone counts, and the reading notes it: that model may not have come to a conclusion.
    """
    box, part = processbench_box(text), parted(text)
    if box is None:
        return Reading(reason=silent(part) or fault_words(ParseFault.NO_BOX))
    verdict = processbench_verdict(box.words, base)
    reason = None if verdict is not None else _unread(box.words)
    span = Span(box.start, box.end)
    return Reading(ballot=box.words, verdict=verdict, reason=reason, notes=_notes(part), span=span)


def read_grben(text: str, _n_steps: int, base: int = 1) -> Reading:
    """Read the last box of the answer proper that holds a number and nothing else, which counts from 1.

    GR-Ben, `run_llm_eval.py`. The ballot is the number as written, the verdict 0-based: -1 stays "no error", 0 and what
    is below -1 name no step. Without such a box there is no ballot, and the case leaves the denominators.
    """
    part = parted(text)
    if reason := silent(part):
        return Reading(reason=reason)
    number, box = grben_answer(part.answer), grben_box(part.answer)
    if number is None or box is None:
        other = processbench_ballot(part.answer)
        return Reading(reason=fault_words(ParseFault.NO_BOX) if other is None else _unread(other))
    before = len(text) - len(part.answer)
    span = Span(before + box.start, before + box.end)
    return Reading(ballot=box.words, verdict=zero_based_from(number, base), span=span)


def read_loosely(text: str, _n_steps: int, base: int = 0) -> Reading:
    r"""Read the one whole number in the last box of all that was generated, whatever words stand around it.

    It forgives how a number is written and nothing else: `\boxed{\text{paragraph 2}}`, `\boxed {2}` and `\boxed{-1.}`
    are read, a box with two numbers or a decimal is not, and nothing outside a box counts. The ballot is the number, so
    that answers that write it differently vote together.
    """
    box, part = loose_box(text), parted(text)
    if box is None:
        return Reading(reason=silent(part) or fault_words(ParseFault.NO_BOX))
    number = only_number(box.words)
    if number is None:
        return Reading(reason=_unread(box.words), span=Span(box.start, box.end))
    verdict = zero_based_from(number, base)
    return Reading(ballot=str(number), verdict=verdict, notes=_notes(part), span=Span(box.start, box.end))


def _unread(box: str) -> str:
    return fault_words(ParseFault.NO_NUMBER_IN_BOX, box) if box else fault_words(ParseFault.EMPTY_BOX)


def _notes(part: SplitAnswer) -> tuple[str, ...]:
    if not part.closed:
        return (ParseNote.BOX_IN_OPEN_REASONING,)
    alone = part.reasoning is not None and processbench_ballot(part.answer) is None
    return (ParseNote.BOX_IN_REASONING,) if alone else ()
