"""Cases beside what people say of them, one case at a time, for the formats that are made of people's words."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import polars as pl

from scoring.foreign_rows.line import Line, left_out
from scoring.triage.adjudicated import BEYOND, OUTDATED, adjudicate
from scoring.triage.words import Words

IMPORT_PROBLEM = "import problem"
"""The ruling that takes a case out of every file: what is there is not what the benchmark holds."""


@dataclass(frozen=True)
class Judged:
    """What those say of a case who are listened to; each rules on it or rates a step of it, or did so of another text
    of it, which does not count.

    `adjudication` is one of `scoring.triage.adjudicated`, and `earliest_error` (0-based, -1 = none) the label that
    people give; None where nobody rules "gold wrong" or "import problem".
    """

    words: tuple[Words, ...]
    adjudication: str | None = None
    earliest_error: int | None = None

    @property
    def outdated(self) -> bool:
        """Whether anything was said of another text of the case."""
        return any(one.outdated for one in self.words)

    @property
    def rulings(self) -> frozenset[str]:
        """All rulings on the case."""
        return frozenset(one.ruling for one in self.words if one.ruling is not None)


def judged(words: Iterable[Words], cases: pl.DataFrame) -> dict[str, Judged]:
    """The cases on which somebody rules or of which somebody rates a step.

    Args:
        words: those of the people who are listened to, those on one case together.
        cases: columns of METADATA.
    """
    of_case = groupby((one for one in words if one.ruling or one.ratings), key=lambda one: one.case)
    spoken = {case: tuple(those) for case, those in of_case}
    adjudicated = adjudicate(spoken, cases).rows
    labels = {case: rest for case, *rest in adjudicated.select("case", "adjudication", "earliest_error").iter_rows()}
    keys = dict(cases.select("case", "key").filter(pl.col("case").is_in(list(spoken))).iter_rows())
    return {
        case: Judged(tuple(one.of(keys[case]) for one in those), *labels.get(case, ()))
        for case, those in spoken.items()
        if case in keys
    }


def ratings_of(case: Mapping[str, Any], of: Judged) -> dict[int, int] | Line:
    """The ratings of a case's steps (0-based, ascending), or why it is left out.

    What one person rates and another does not counts; where two rate a step differently the case is left out, and so
    is one that anybody rules an import problem.
    """
    if IMPORT_PROBLEM in of.rulings:
        return left_out("ruled an import problem")
    pairs = sorted({pair for one in of.words for pair in one.ratings.items()})
    if not pairs:
        return left_out(OUTDATED if of.outdated else "no step is rated")
    found = dict(pairs)
    if len(found) < len(pairs):
        return left_out("people rate a step differently")
    return left_out(BEYOND) if max(found) >= len(case["steps"]) else found


def beside_words(cases: pl.DataFrame, words: Iterable[Words]) -> Iterator[tuple[dict[str, Any], Judged]]:
    """Every case (a row of `scoring.schema.CASES`, in order) that people rule on or rate, with what they say."""
    of_case = judged(words, cases)
    for row in cases.filter(pl.col("case").is_in(list(of_case))).iter_rows(named=True):
        yield row, of_case[row["case"]]
