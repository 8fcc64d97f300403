"""Final answers of responses, judged: as the file does, else by comparing them with the reference."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct, field

from scoring.formats.reading.answer_forms import ANSWER_RULES, answer_form, same_answer, told_apart
from scoring.formats.reading.findings import Finding
from scoring.formats.reading.math_verify import MOST_LOST, MathVerify

ANSWER, IS_RIGHT = "parsed_answer", "final_answer_correct"
COMPARED_BY, EQUAL_ANSWER = "answer_compared_by", "equal_answer"
"""The metadata columns that say by what a final answer was compared with the reference, and to which answer to the same
problem, spelled differently, math-verify found it equal.
"""
BY_RULES = f"rules {ANSWER_RULES}"
BY_TEXT = f"{BY_RULES}, as text"
"""The values of the first, beside math-verify's version: BY_TEXT = nothing can tell whether two texts that differ are
equal as mathematics.
"""
OLD_COMPARISON = "final-answers"
"""The finding of imports by version 0.2, which compared answers as texts."""
ANSWER_FINDINGS = (OLD_COMPARISON, "answers-compared", "answers-as-text", "answers-too-hard")
"""The findings that say how answers were compared."""
_MOST_ASKED = 8
"""Answers to a problem, the reference aside, that an answer is compared with by math-verify."""
_OPERATION = re.compile(r"[\d\\+*/^_=<>|()\[\]-]")
_WORD = re.compile(r"[A-Za-z]{3,}")


class ResponseAnswers(Struct):
    """Judges final answers: as the file does, else by comparing them with the reference."""

    math_verify: MathVerify
    compared: Counter[str] = field(default_factory=Counter)
    right: int = 0
    unread: int = 0
    open: int = 0
    # By what the producer names of the first n, how often that was looked at, and how often it is another answer.
    named: Counter[str] = field(default_factory=Counter)
    named_otherwise: Counter[str] = field(default_factory=Counter)

    # The answers to each problem that math-verify compares others with.
    known: dict[str, list[str]] = field(default_factory=dict)

    def judge(self, problem: str, answer: str | None, reference: str | None, label: object = None) -> dict[str, Any]:
        """Return the columns of a response's final answer.

        Args:
            problem: the id of the problem.
            answer: what the response states; None = nothing that can be read.
            reference: the right answer; None = unknown.
            label: whether the answer is right, if the file says so.
        """
        columns: dict[str, Any] = {ANSWER: answer}
        equal = None if answer is None else self._equal_answer(problem, answer, reference)
        if equal is not None:
            columns[EQUAL_ANSWER] = equal
        if isinstance(label, bool):
            return {**columns, IS_RIGHT: label}
        self.unread += answer is None and reference is not None
        self.open += reference is None
        if answer is None or reference is None:
            return {**columns, IS_RIGHT: None}
        is_same = same_answer(answer, reference)
        right, by = is_same, BY_RULES
        if not is_same and not told_apart(answer, reference):
            decided = self._asked(reference, answer)
            right, by = bool(decided), BY_TEXT if decided is None else f"math-verify {self.math_verify.version}"
        self.compared[by] += 1
        self.right += right
        return {**columns, IS_RIGHT: right, COMPARED_BY: by}

    def _equal_answer(self, problem: str, answer: str, reference: str | None) -> str | None:
        """Return the answer to the problem to which math-verify alone finds this one equal; None without any."""
        if self.math_verify.version is None:
            return None
        known = self.known.setdefault(problem, [])
        others = [*([] if reference is None else [reference]), *known]
        if any(same_answer(answer, other) for other in others):
            return None
        equal = next((other for other in others if self._asked(other, answer)), None)
        if equal is None and len(known) < _MOST_ASKED:
            known.append(answer)
        return equal

    def _asked(self, reference: str, answer: str) -> bool | None:
        """Ask math-verify; None where it cannot tell, or where nothing but a unit or a word differs."""
        forms = answer_form(reference), answer_form(answer)
        units = {form.unit for form in forms if form.unit}
        if told_apart(*forms):
            return False
        if len(units) > 1 or not _are_expressions([form.value for form in forms]):
            return None
        return self.math_verify.equal(forms[0].value, forms[1].value)

    def findings(self, source: str) -> Iterator[Finding]:
        """Count how final answers were compared with the reference."""
        if compared := self.compared.total():
            words = ", ".join(f"{self.compared[by]:,} by {by}" for by in sorted(self.compared))
            message = (
                f"{compared:,} final answers were compared with the reference and {self.right:,} equal it ({words})"
            )
            yield Finding("note", "answers-compared", message, source)
        if as_text := self.compared[BY_TEXT]:
            more = "" if self.math_verify.version else "; pip install 'prm-inspect[answers]' compares expressions"
            message = (
                f"{as_text:,} of {compared:,} final answers count as wrong by their text alone{more}; "
                "a list final_answer_correct in each row states which are right"
            )
            yield Finding("note", "answers-as-text", message, source)
        if lost := self.math_verify.lost:
            rest = ", and nothing was asked after them" if lost >= MOST_LOST else ""
            message = f"{lost:,} pairs of answers took math-verify too long or too much memory{rest}"
            yield Finding("note", "answers-too-hard", message, source)
        if self.unread:
            message = (
                f"{self.unread:,} responses state no final answer that can be read: whether it is right is unknown"
            )
            yield Finding("warning", "no-final-answer", message, source)
        if self.open:
            message = f"of {self.open:,} responses nothing says whether their final answer is right"
            yield Finding("note", "no-final-answer", message, source)
        if self.named_otherwise.total():
            counts = ", ".join(f"{self.named_otherwise[name]:,} of {n:,} {name}" for name, n in self.named.items())
            message = (
                f"the file names another answer than the texts and last scores of its completions give in {counts}"
            )
            yield Finding("note", "other-answer", message, source)


def _are_expressions(values: Sequence[str]) -> bool:
    """Whether math-verify can compare two answers: it reads a word as a product of its letters."""
    return any(map(_OPERATION.search, values)) and not any(map(_WORD.fullmatch, values))
