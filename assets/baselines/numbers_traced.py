"""Where do the step's numbers come from?"""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from baselines import evidence
from baselines.equations import equations
from baselines.tokens import NUMBER, Token, tokens

NAME = "numbers-traced"
ABOUT = (
    "The share of a step's numbers that stand in the problem or in an earlier step, or are the result of an equation "
    "in the step itself, smoothed by their count; 0.6 for a step without numbers."
)

COUNTED = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
WORDS = {word: Fraction(n) for n, word in enumerate(COUNTED)}
WORDS |= {
    word: Fraction(n)
    for n, words in {
        2: ("half", "twice", "double", "pair"),
        3: ("third", "triple", "yard", "yards"),
        4: ("quarter", "gallon", "gallons", "quart", "quarts"),
        7: ("week", "weeks"),
        12: ("dozen", "dozens", "foot", "feet", "year", "years"),
        16: ("pound", "pounds"),
        24: ("day", "days"),
        60: ("hour", "hours", "minute", "minutes"),
    }.items()
    for word in words
}
"""Words that bring a number with them: numerals, and units with how many of the next smaller go into them."""
ALWAYS = frozenset(map(Fraction, (0, 1, 2, 100)))


def rewards(problem: str, steps: Sequence[str]) -> list[float]:
    """One number in [0, 1] a step, from the problem and the steps up to it."""
    known = set(ALWAYS) | set(named(tokens(problem)))
    found = []
    for step in steps:
        read = tokens(step)
        results = {equation.right for equation in equations(read)}
        numbers = {token.value for token in read if token.kind == NUMBER}
        good = sum(value in known or value in results for value in numbers)
        found.append(evidence.reward(good / 2, len(numbers) - good))
        known.update(named(read))
    return found


def named(read: Sequence[Token]) -> Iterator[Fraction]:
    """Every number, and every word that brings one with it."""
    for token in read:
        if token.kind == NUMBER:
            yield token.value
        elif token.text in WORDS:
            yield WORDS[token.text]
