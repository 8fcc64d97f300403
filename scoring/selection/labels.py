"""Which gold labels figures are made of, the benchmark's own or adjudicated ones, and what is to be said of them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import polars as pl
from msgspec import Struct, field
from msgspec.structs import replace

from scoring.workspace.triage.actions import RATE, RULE
from scoring.workspace.triage.adjudicated import (
    CHANGED,
    CONFIRMED,
    DENYING,
    GONE,
    UNDECIDED,
    WITHOUT_GOLD,
    Adjudicated,
    adjudicate,
)
from scoring.workspace.triage.annotations import Annotation, words_of
from scoring.workspace.triage.journal import Journal

COLUMN = "adjudication"
"""The column beside the cases that says what became of each label; only there where labels are adjudicated."""


class Labels(Struct, frozen=True, eq=False):
    """Whose gold labels the cases have, and where people write what changes them.

    Attributes:
        journal: Where tags, notes and rulings are written; None = the workspace has no folder.
        adjudicated: The labels laid over the benchmark's own; None = the cases have their own.
        sources: What was said by case when the labels were made.
        outdated: Whether people have said something else of the labels since.
    """

    journal: Journal | None = None
    adjudicated: Adjudicated | None = None
    sources: Mapping[str, Sequence[Annotation]] = field(default_factory=dict)
    outdated: bool = False

    def after(self, journal: Journal) -> "Labels":
        """Return the same labels beside what is said now, in this journal: outdated where that speaks of labels."""
        outdated = self.adjudicated is not None and (self.outdated or on_labels(journal) != self.sources)
        return replace(self, journal=journal, outdated=outdated)


class LabelSet(NamedTuple):
    """Cases with the labels that were asked for; `adjudicated` is what was laid over their own, None = nothing.

    `columns` (by name) say beside the cases what became of each label: null where no ruling bears on it.
    """

    cases: pl.DataFrame
    adjudicated: Adjudicated | None
    columns: Mapping[str, pl.Series]


def on_labels(journal: Journal | None) -> dict[str, tuple[Annotation, ...]]:
    """Return everybody's rulings and ratings on the cases whose label somebody denies, or denies its import."""
    ruled = {} if journal is None else journal.triage.rulings
    return {
        case: words_of(
            case, ((action, holds) for action, holds in journal.of_case(case) if action.kind in {RULE, RATE})
        )
        for case, statements in ruled.items()
        if journal is not None and not DENYING.isdisjoint(statements.values())
    }


def label_set(labels: str, statements: Mapping[str, Sequence[Annotation]], cases: pl.DataFrame) -> LabelSet:
    """Label cases as they are (`original`) or after triage (`adjudicated`), which `statements` speak of.

    Of `both` it is the one with their own, of which the columns beside are known as well: conditions may speak of them.
    """
    if labels == "original":
        return LabelSet(cases, None, {})
    adjudicated = adjudicate(statements, cases)
    known = adjudicated.rows.select("case", COLUMN)
    column = cases.select("case").join(known, on="case", how="left", maintain_order="left")[COLUMN]
    laid = labels == "adjudicated"
    return LabelSet(adjudicated.over(cases) if laid else cases, adjudicated if laid else None, {COLUMN: column})


def labels_words(adjudicated: Adjudicated, n: int) -> str:
    """Describe the labels of n cases: how many are changed, by whom, and how many rulings change none."""
    return f"adjudicated: {'; '.join(_parts(adjudicated, n))}"


def labels_note(adjudicated: Adjudicated | None, n: int) -> Iterator[str]:
    """Yield a sentence for whoever reads figures of n cases; none where the labels are the benchmark's own."""
    if adjudicated is not None:
        yield f"Labels are {labels_words(adjudicated, n)}."


def _parts(adjudicated: Adjudicated, n: int) -> Iterator[str]:
    changed, without = adjudicated.count(CHANGED), adjudicated.count(WITHOUT_GOLD)
    undecided, confirmed, gone = (adjudicated.count(*which) for which in (UNDECIDED, (CONFIRMED,), (GONE,)))
    if changed or without:
        left_out = f" and {without:,} without one ({WITHOUT_GOLD})" if without else ""
        yield f"{changed:,} of {_cases(n)} changed{left_out}, by {names_words(adjudicated.people)}"
    else:
        yield "no ruling here changes any, so that they are the original ones"
    if undecided:
        parts = ", ".join(f"{count:,} {why}" for why, count in adjudicated.counts.items() if why in UNDECIDED)
        yield f"{undecided:,} undecided and as they were ({parts})"
    if confirmed:
        yield f"{confirmed:,} ruled wrong and then rated as the gold says"
    if gone:
        yield f"{gone:,} of the ruled cases not here"


def names_words(people: Sequence[str]) -> str:
    """Write `ann, bob and eve`."""
    *others, last = people
    return f"{', '.join(others)} and {last}" if others else last


def _cases(n: int) -> str:
    return f"{n:,} case" if n == 1 else f"{n:,} cases"
