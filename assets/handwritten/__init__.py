"""Cases written by hand, in LaTeX, Chinese and Japanese and plain English, by the subset they belong to."""

from collections.abc import Mapping, Sequence

from handwritten import algebra, arithmetic, everyday, reasoning
from handwritten.written import Written

HANDWRITTEN: Mapping[str, Sequence[Written]] = {
    "arithmetic": arithmetic.CASES,
    "algebra": algebra.CASES,
    "everyday": everyday.CASES,
    "reasoning": reasoning.CASES,
}
