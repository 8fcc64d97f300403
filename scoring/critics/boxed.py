r"""A critic's answer in a `\boxed{...}`, read as ProcessBench and as GR-Ben read it.

The two differ: ProcessBench lets the text of the box vote and reads the winner as a number, GR-Ben looks for a number
in a box and for nothing else. ProcessBench: arXiv 2412.06559, `run_eval.py`, 0-based. GR-Ben: `run_llm_eval.py`,
1-based.
"""

import re
from collections import Counter, deque
from collections.abc import Sequence
from typing import NamedTuple

_BOX = re.compile(r"\\boxed\{([^}]*)\}")
_NUMBER_IN_BOX = re.compile(r"\\boxed\s*\{\s*(-?\d+)\s*\}")
_OPENED = re.compile(r"\\boxed\s*\{")
_BRACE = re.compile(r"[{}]")
_NUMBERS = re.compile(r"-?\d+(?:\.\d+)?")
_LARGEST = 2**31 - 1


class Box(NamedTuple):
    """The words of a box as they vote, and the characters of the text that are the box (the end not among them)."""

    words: str
    start: int
    end: int


def processbench_box(answer: str) -> Box | None:
    r"""The last `\boxed{...}` of an answer, up to its first `}`, its words stripped; None where there is none."""
    # What follows the last brace holds no box, and looking for one there takes quadratic time.
    return _last(_BOX, answer[: answer.rfind("}") + 1])


def processbench_ballot(answer: str) -> str | None:
    r"""What the answer votes with: the text of its last `\boxed{...}` up to the first `}`, stripped.

    None where there is no such box; a box without text votes with the empty text.
    """
    box = processbench_box(answer)
    return None if box is None else box.words


def loose_box(answer: str) -> Box | None:
    r"""The last `\boxed{...}` of an answer, up to the brace that closes it, its words stripped; None without one.

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
    """The one whole number among words; None where there is none, several, or one with a decimal point."""
    found = _NUMBERS.findall(words.replace("\u2212", "-"))
    return _integer(found[0]) if len(found) == 1 else None


def zero_based_from(number: int, base: int) -> int:
    """A number as a verdict, where the first step is called `base` (0 or 1): -1 stays, what names no step is -2."""
    return zero_based(number) if base else max(number, -2)


def processbench_verdict(ballot: str | None, base: int = 0) -> int | None:
    """The earliest error that a ballot names: 0-based, -1 = none, -2 = a number below that, which names no step.

    `base` is what the prompt calls the first step. None where it is no integer. Whatever Python reads as one is one
    ("+2", "03"); a number too large for a column of 32 bits becomes the largest that fits, as far beyond the last step.
    """
    number = _integer(ballot)
    return None if number is None else zero_based_from(number, base)


def vote(ballots: Sequence[str | None]) -> str | None:
    """The most frequent ballot, of equally frequent ones the first; None does not vote, nor does nobody win then.

    Texts are compared as they are: "1" and "01" are two.
    """
    counted = Counter(ballot for ballot in ballots if ballot is not None)
    return max(counted, key=counted.__getitem__, default=None)


def grben_box(answer: str) -> Box | None:
    r"""The last `\boxed{...}` that holds a number and nothing else; None without one."""
    return _last(_NUMBER_IN_BOX, answer)


def grben_ballot(answer: str) -> str | None:
    r"""The number in the last `\boxed{...}` that holds a number and nothing else, as written; None without one."""
    box = grben_box(answer)
    return None if box is None else box.words


def grben_answer(answer: str) -> int | None:
    r"""The number in the last `\boxed{...}` that holds a number and nothing else, 1-based as it is written.

    -1 says that no step is wrong; 0 and other negative numbers name no step and are given as they are. None where no
    box holds a number. A number too large for 32 bits becomes the largest that fits.
    """
    return _integer(grben_ballot(answer))


def zero_based(answer: int) -> int:
    """A 1-based answer as a verdict: -1 stays "no error"; 0 or anything below -1 names no step and becomes -2."""
    if answer >= 1:
        return answer - 1
    return -1 if answer == -1 else -2


def _last(pattern: re.Pattern[str], text: str) -> Box | None:
    """The last match of a pattern whose one group are the words."""
    last = deque(pattern.finditer(text), maxlen=1)
    return Box(last[0][1].strip(), *last[0].span()) if last else None


def _integer(text: str | None) -> int | None:
    if text is None:
        return None
    try:
        number = int(text)
    except ValueError:
        # No number, or one of thousands of digits.
        return None
    return max(-_LARGEST, min(number, _LARGEST))
