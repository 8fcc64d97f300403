r"""Normal forms of final answers: two answers with the same form are the same mathematics, spelled differently.

The rules are those of MATH's `is_equiv` (Hendrycks et al. 2021) and Minerva's normalization (Lewkowycz et al. 2022,
Listing 1), with exact rationals in place of texts, and brackets that matter. Nothing is evaluated: `2^3` is not 8, so
that no answer is too expensive to read.

- A number is an exact rational: `\frac12`, `\dfrac{2}{4}`, `1/2`, `.5` and `0.50` are one, and 0.333 is not 1/3.
- A comma before three digits separates thousands outside of brackets, and elements within: `1,000` is a thousand,
  `1, 000` a list and `(1,000)` a pair. `1{,}000` and `1\,000` are a thousand everywhere.
- Brackets and the order within them matter. The elements of a set, and numbers in a list without brackets, have no
  order.
- `x = 5`, `(x, y) = (1, 2)` and `x \in [1, 5]` are what follows the sign, as MATH has it.
- A unit is compared where both answers have one, and dropped where one of them lacks it. A percent equals the number
  before its sign, as in MATH, and a hundredth of it. An answer without a unit therefore equals two answers that differ
  from each other: `distinct_answers` keeps such a trio apart.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations

from scoring.formats.reading.answer_latex import PERCENT, AnswerForm, parsed_answer

ANSWER_RULES = 1
"""The version of these rules. It is stored with each answer that they judged."""
_LONGEST, _MOST_ROUNDS = 1000, 4
"""Limits within which an answer is parsed; others are compared as texts without repeated blanks."""


def answer_form(answer: str) -> AnswerForm:
    """Return the normal form of an answer, in a time that its length bounds."""
    text = " ".join(answer.split())
    return AnswerForm(text) if len(text) > _LONGEST else _form(text)


@lru_cache(maxsize=65536)
def _form(text: str) -> AnswerForm:
    spelling, parsed = text, AnswerForm(text)
    for _ in range(_MOST_ROUNDS):
        form = parsed_answer(spelling)
        if form is None or len(str(form)) > _LONGEST:
            return AnswerForm(text)
        if form == parsed:
            break
        spelling, parsed = str(form), form
    return parsed


def same_answer(left: str | AnswerForm, right: str | AnswerForm) -> bool:
    """Return whether two answers are equal by the rules; units are compared where both have one."""
    first, second = (answer_form(answer) if isinstance(answer, str) else answer for answer in (left, right))
    if first == second:
        return True
    if (first.unit and second.unit) or first.unit == second.unit:
        return False
    if first.value == second.value:
        return True
    percent, plain = (first, second) if first.unit else (second, first)
    numbers = (percent.number, plain.number)
    return percent.unit == PERCENT and None not in numbers and numbers[0] == 100 * (numbers[1] or 0)


def told_apart(left: str | AnswerForm, right: str | AnswerForm) -> bool:
    """Return whether the rules can tell that two answers that they do not find equal differ as mathematics.

    They can for two numbers, two choices, and two intervals, tuples, lists or sets of numbers with the same brackets.
    """
    first, second = (answer_form(answer) if isinstance(answer, str) else answer for answer in (left, right))
    return bool(first.kind) and first.kind == second.kind


def distinct_answers(answers: Sequence[str | None]) -> list[str | None]:
    """Return for each answer to one problem a spelling that all answers equal to it share; None for no answer.

    An answer without a unit joins those with one, unless they would then join answers that differ: all of these stay
    apart. The result does not depend on the order of the answers.
    """
    forms = [None if answer is None else answer_form(answer) for answer in answers]
    known = sorted({form for form in forms if form is not None}, key=str)
    spelled = {form: str(form) for form in known}
    # Only a unit makes two forms equal, so that all others are groups of their own.
    if any(form.unit for form in known):
        for group in _connected(known):
            if all(same_answer(left, right) for left, right in combinations(group, 2)):
                spelled.update(dict.fromkeys(group, str(group[0])))
    return [None if form is None else spelled[form] for form in forms]


def _connected(forms: Sequence[AnswerForm]) -> Iterator[list[AnswerForm]]:
    left = list(forms)
    while left:
        group = [left.pop(0)]
        for member in group:
            joined = [form for form in left if same_answer(member, form)]
            group += joined
            left = [form for form in left if form not in joined]
        yield sorted(group, key=str)
