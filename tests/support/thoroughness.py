"""How many examples hypothesis tries: a few every time, many with `pytest --thorough`."""

import os
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

from hypothesis import settings

THOROUGH = bool(os.environ.get("PRM_INSPECT_THOROUGH"))
"""Whether `--thorough` was asked for; workers of pytest-xdist hear of it by the environment."""
USUAL, FEW = 100, 25


def up_to(most: int, usually: int | None = None, **more: Any) -> settings:
    """Settings for a test that deserves `most` examples: so many where all is tried, else a quarter, at least five.

    `usually` is how many there are else where each takes long, or where another axis multiplies them.
    """
    return settings(max_examples=most if THOROUGH else usually or max(5, most // 4), **more)


def also(*more: Any) -> tuple[Any, ...]:
    """What is tried only where all is tried: further parameters of a test whose law the others hold already."""
    return more if THOROUGH else ()


def one_of(among: Sequence[Any], number: int) -> Sequence[Any]:
    """All of them where all is tried, else one: another one for another number."""
    return among if THOROUGH or not among else [among[number % len(among)]]


def together(*axes: Iterable[Any]) -> list[tuple[Any, ...]]:
    """All combinations where all is tried, else each value of every axis at least once, in turn with the others."""
    values = [list(axis) for axis in axes]
    if THOROUGH:
        return list(product(*values))
    return [tuple(axis[number % len(axis)] for axis in values) for number in range(max(map(len, values)))]
