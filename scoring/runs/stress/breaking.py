"""Rewritings that make one right step wrong, which can be seen: an equation of numbers held, and no longer does."""

import random
import re
from collections.abc import Iterator
from fractions import Fraction

from msgspec import Struct

from scoring.runs.stress.preserving import mentioned_terms
from scoring.runs.stress.rewriting import NotRewritten, Rewriting, Solution
from scoring.workspace.variants import Edit

# Neither longer numbers nor longer sums: a search for them must end soon whatever a text holds.
_NUM = r"\d{1,15}(?:,\d{3}){0,5}(?:\.\d{1,12})?"
_OP = r"\+|-|−|\*|/|×|÷|·|\\times|\\cdot|\\div"
_GAP = " {0,3}"
_EQUATION = re.compile(
    r"(?<![\w.,^(){}\[\]=+\-−*/×÷·\\%])"
    rf"(?P<left>{_NUM}(?:{_GAP}(?:{_OP}){_GAP}{_NUM}){{1,20}})(?P<equals>{_GAP}={_GAP})(?P<right>{_NUM})"
)
"""Numbers joined by operators, an equals sign and one number."""
_BEFORE = re.compile(r"(?:[\w)\]}^.=+\-−*/×÷·%,(]|\\times|\\cdot|\\div)\s*$")
_AFTER = re.compile(r"\s*(?:[.,]?\d|[-+−*/×÷·^%(=!]|\\times|\\cdot|\\div|\\frac|[A-Za-z](?![A-Za-z]))")
"""What goes on with the equation, so that it may not be all of it."""
_OTHER_NUMBERS = re.compile(
    r"\b(?:mod|modulo|modular|congruent|base|binary|hexadecimal|clock)\b|\\p?mod\b|≡", re.IGNORECASE
)
_PLUS = {"+": "-", "-": "+", "−": "+"}


class Equation(Struct, frozen=True):
    """An equation of numbers in a text: where (characters, 0-based) it begins, its sides, and whether it holds."""

    start: int
    left: str
    equals: str
    right: str

    @property
    def holds(self) -> bool:
        """Whether both sides are the same number, exactly."""
        value = value_of(self.left)
        return value is not None and value == _number(self.right)

    @property
    def end(self) -> int:
        """The character behind it."""
        return self.start + len(self.left) + len(self.equals) + len(self.right)

    def put(self, text: str, left: str, right: str) -> str:
        """Return the text with other sides in its place."""
        return f"{text[: self.start]}{left}{self.equals}{right}{text[self.end :]}"


def equations(text: str) -> Iterator[Equation]:
    """Yield the equations of a text that stand by themselves: nothing before or behind goes on with them."""
    for match in _EQUATION.finditer(text):
        before, after = text[: match.start()], text[match.end() :]
        word = re.search(r"[A-Za-z]{2,}\s+$", before)
        if (not _BEFORE.search(before) or word) and not _AFTER.match(after):
            yield Equation(match.start(), match["left"], match["equals"], match["right"])


def value_of(expression: str) -> Fraction | None:
    """Compute numbers joined by operators, products first; None where a divisor is 0."""
    parts = re.split(rf"\s*({_OP})\s*", expression.strip())
    terms, sign = [_number(parts[0])], 1
    for operator, number in zip(parts[1::2], map(_number, parts[2::2]), strict=True):
        if operator in _PLUS:
            sign = 1 if operator == "+" else -1
            terms.append(sign * number)
        elif operator in {"/", "÷", "\\div"}:
            if not number:
                return None
            terms[-1] /= number
        else:
            terms[-1] *= number
    return sum(terms, Fraction(0))


def _number(text: str) -> Fraction:
    return Fraction(text.replace(",", ""))


def _holding(solution: Solution, *, used: bool) -> list[tuple[int, Equation]]:
    """Equations that hold in steps whose gold label is right; `used`: a later step has the number on the right."""
    if any(_OTHER_NUMBERS.search(text) for text in (solution.problem, *solution.steps)):
        raise NotRewritten("numbers may be of another base, or equal up to multiples")
    places = []
    for at, text in enumerate(solution.steps):
        if not (at < len(solution.right) and solution.right[at]):
            continue
        later = frozenset().union(*map(mentioned_terms, solution.steps[at + 1 :]))
        places += [(at, each) for each in equations(text) if each.holds and (not used or each.right in later)]
    return places


def change_number(solution: Solution, rng: random.Random) -> list[Edit]:
    """Put another number behind the equals sign of an equation that holds, where a later step uses it."""
    places = _holding(solution, used=True)
    if not places:
        raise NotRewritten("no right step has an equation of numbers that holds and whose result is used later")
    at, equation = rng.choice(places)
    digits = equation.right.replace(",", "")
    scale = 10 ** len(digits.partition(".")[2])
    number = int(_number(digits) * scale)
    # Never below 1, so that neither the sign nor the number of digits behind the point changes.
    other = rng.choice([number + by for by in (-9, -3, -2, -1, 1, 2, 3, 9, 10) if number + by > 0])
    text = f"{other // scale}.{other % scale:0{len(str(scale)) - 1}d}" if scale > 1 else str(other)
    return [Edit("replace", at, text=equation.put(solution.steps[at], equation.left, text))]


def flip_sign(solution: Solution, rng: random.Random) -> list[Edit]:
    """Put minus for plus, or plus for minus, in an equation that holds, so that it no longer does."""
    places = []
    for at, equation in _holding(solution, used=False):
        for match in re.finditer(r"[+\-−]", equation.left):
            left = f"{equation.left[: match.start()]}{_PLUS[match.group()]}{equation.left[match.end() :]}"
            if value_of(left) != _number(equation.right):
                places.append((at, equation, left))
    if not places:
        raise NotRewritten("no right step has a sum or a difference of numbers that holds")
    at, equation, left = rng.choice(places)
    return [Edit("replace", at, text=equation.put(solution.steps[at], left, equation.right))]


BREAKING = (
    Rewriting("changed-number", "breaking", "a result that is used later made another number", change_number),
    Rewriting("flipped-sign", "breaking", "a plus made a minus, or a minus a plus", flip_sign),
)
