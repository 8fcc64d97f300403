"""Drills: independent facts, one a line, each right or wrong by itself.

A small PRM learns its tables from these long before it learns them from solutions.
"""

from dataclasses import dataclass
from random import Random

from generator.render import VOICES, math
from generator.value_errors import near

PROBLEM = "Check each line."
WRONG = 0.4
"""Share of the lines that are wrong."""
OPERATIONS = {"+": 32, "-": 32, "*": 16, "/": 10, "%": 10}
"""How often each operation comes: sums and differences take longest to learn."""
PERCENTAGES = (5, 10, 20, 25, 30, 40, 50, 60, 75, 80)


@dataclass(frozen=True)
class Drill:
    """Some facts, a label for each (True right), and the character at which a wrong one departs from the right one."""

    steps: tuple[str, ...]
    labels: tuple[bool, ...]
    bad_from: tuple[int, ...]


def drill(rng: Random, voice: str) -> Drill:
    """Four to ten facts in one voice."""
    if voice not in VOICES:
        raise ValueError(f"no voice is called {voice!r}")
    steps, labels, bad_from = [], [], []
    for _ in range(rng.randint(4, 10)):
        op = rng.choices(list(OPERATIONS), list(OPERATIONS.values()))[0]
        body, result = _fact(rng, op)
        shown = near(rng, result) if rng.random() < WRONG else result
        right, text = (math(voice, f"{body} = {value}") for value in (result, shown))
        steps.append(text)
        labels.append(shown == result)
        bad_from.append(-1 if shown == result else first_difference(right, text))
    return Drill(tuple(steps), tuple(labels), tuple(bad_from))


def first_difference(a: str, b: str) -> int:
    """The first character at which two texts differ; the length of the shorter if it begins the longer."""
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def _fact(rng: Random, op: str) -> tuple[str, int]:
    """A formula in ASCII and its value."""
    large = rng.random() < 0.2
    if op == "+":
        a, b = rng.randint(2, 190 if large else 90), rng.randint(2, 60 if large else 30)
        return f"{a} + {b}", a + b
    if op == "-":
        b = rng.randint(2, 60 if large else 30)
        a = rng.randint(b + 1, 240 if large else 110)
        return f"{a} - {b}", a - b
    if op == "*":
        a, b = (rng.randint(10, 30), rng.randint(2, 4)) if large else (rng.randint(2, 9), rng.randint(2, 9))
        return f"{a} * {b}", a * b
    if op == "/":
        a, b = rng.randint(2, 30 if large else 12), rng.randint(2, 9)
        return f"{a * b} / {b}", a
    share = rng.choice(PERCENTAGES)
    whole = rng.choice([n for n in range(20, 201, 4) if share * n % 100 == 0])
    return f"{share}% of {whole}", share * whole // 100
