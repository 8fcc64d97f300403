"""The gold labels of a result set: the benchmark's own or adjudicated ones, and a note about them."""

from collections.abc import Iterator, Mapping, Sequence

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
"""The column that says how adjudication changed each label; present only if labels are adjudicated."""


class Labels(Struct, frozen=True, eq=False):
    """The gold labels of the cases, and the journal that changes them.

    Attributes:
        journal: Where tags, notes and rulings are written; None = the workspace has no folder.
        adjudicated: The labels laid over the benchmark's own; None = the cases have their own.
        sources: Statements about labels, by case, when the labels were made.
        outdated: Whether those statements have changed since.
    """

    journal: Journal | None = None
    adjudicated: Adjudicated | None = None
    sources: Mapping[str, Sequence[Annotation]] = field(default_factory=dict)
    outdated: bool = False

    def after(self, journal: Journal) -> "Labels":
        """Return the labels with another journal: outdated if its statements about labels differ from `sources`."""
        outdated = self.adjudicated is not None and (self.outdated or on_labels(journal) != self.sources)
        return replace(self, journal=journal, outdated=outdated)


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


def labelled(
    kind: str, journal: Journal | None, cases: pl.DataFrame
) -> tuple[pl.DataFrame, Labels, dict[str, pl.Series]]:
    """Label cases as their benchmark does, or as the journal's rulings do.

    Args:
        kind: `original`, `adjudicated`, or `both`: the cases keep their own labels, and conditions may refer to the
            adjudicated ones.
        journal: tags, notes and rulings on the cases.
        cases: n rows.

    Returns:
        The cases, their labels, and the column COLUMN by its name unless `kind` is `original`: null where no ruling
        bears on a label.
    """
    if kind == "original":
        return cases, Labels(journal), {}
    sources = on_labels(journal)
    adjudicated = adjudicate(sources, cases)
    known = adjudicated.rows.select("case", COLUMN)
    column = cases.select("case").join(known, on="case", how="left", maintain_order="left")[COLUMN]
    if kind == "both":
        return cases, Labels(journal, None, sources), {COLUMN: column}
    return adjudicated.over(cases), Labels(journal, adjudicated, sources), {COLUMN: column}


def labels_words(adjudicated: Adjudicated, n: int) -> str:
    """Describe the labels of n cases: how many are changed, by whom, and how many rulings change none."""
    return f"adjudicated: {'; '.join(_parts(adjudicated, n))}"


def labels_note(adjudicated: Adjudicated | None, n: int) -> Iterator[str]:
    """Yield a note that the figures of n cases use adjudicated labels; nothing for the benchmark's own."""
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
