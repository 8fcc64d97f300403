"""Which gold labels figures are made of, the benchmark's own or adjudicated ones, and what is to be said of them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from inspector.render.texts.sentences import counted, gold_words
from scoring.workspace.triage.actions import RATE, RULE
from scoring.workspace.triage.adjudicated import (
    CHANGED,
    CONFIRMED,
    DENYING,
    GONE,
    OVERLAID,
    UNDECIDED,
    WITHOUT_GOLD,
    Adjudicated,
    adjudicate,
)
from scoring.workspace.triage.annotations import Annotation, words_of

if TYPE_CHECKING:
    from scoring.workspace.triage.journal import Journal

COLUMN = "adjudication"
"""The column beside the cases that says what became of each label; only there where labels are adjudicated."""


class LabelSet(NamedTuple):
    """Cases with the labels that were asked for; `adjudicated` is what was laid over their own, None = nothing.

    `columns` (by name) say beside the cases what became of each label: null where no ruling bears on it.
    """

    cases: pl.DataFrame
    adjudicated: Adjudicated | None
    columns: Mapping[str, pl.Series]


def on_labels(journal: "Journal | None") -> dict[str, tuple[Annotation, ...]]:
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


def changed_words(adjudicated: Adjudicated | None, case: str) -> str:
    """Write `changed by ann, the benchmark says step 2`; "" where a case (by identity) has its own label."""
    row = None if adjudicated is None else adjudicated.overlaid.get(case)
    if row is None:
        return ""
    own = {"earliest_error": row["own_earliest_error"], "error_steps": row["own_error_steps"]}
    what = "taken away as an import problem" if row[COLUMN] == WITHOUT_GOLD else "changed"
    return f"{what} by {_names(row['who'])}, the benchmark says: {gold_words(own)}"


def other_labels(adjudicated: Adjudicated | None) -> str:
    """Explain why figures are not those of the benchmark's own labels, as printed ones are; "" where they are."""
    changed = 0 if adjudicated is None else adjudicated.count(*OVERLAID)
    return f"{counted(changed, 'gold label')} adjudicated here" if changed else ""


def with_own_labels(why: str) -> str:
    """Say what figures are not comparable with, and why: the words of `other_labels`."""
    return f"with figures of the benchmark's own labels: {why}"


def published_note(adjudicated: Adjudicated | None) -> Iterator[str]:
    """Yield a sentence for where printed figures stand beside those here; none where both are of the same labels."""
    if why := other_labels(adjudicated):
        yield f"published figures are of the benchmark's own labels, and {why}: not comparable"


def _parts(adjudicated: Adjudicated, n: int) -> Iterator[str]:
    changed, without = adjudicated.count(CHANGED), adjudicated.count(WITHOUT_GOLD)
    undecided, confirmed, gone = (adjudicated.count(*which) for which in (UNDECIDED, (CONFIRMED,), (GONE,)))
    if changed or without:
        left_out = f" and {without:,} without one ({WITHOUT_GOLD})" if without else ""
        yield f"{changed:,} of {counted(n, 'case')} changed{left_out}, by {_names(adjudicated.people)}"
    else:
        yield "no ruling here changes any, so that they are the original ones"
    if undecided:
        parts = ", ".join(f"{count:,} {why}" for why, count in adjudicated.counts.items() if why in UNDECIDED)
        yield f"{undecided:,} undecided and as they were ({parts})"
    if confirmed:
        yield f"{confirmed:,} ruled wrong and then rated as the gold says"
    if gone:
        yield f"{gone:,} of the ruled cases not here"


def _names(people: Sequence[str]) -> str:
    *others, last = people
    return f"{', '.join(others)} and {last}" if others else last
