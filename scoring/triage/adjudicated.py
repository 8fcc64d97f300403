"""Adjudicated gold labels: what the labels of cases are after people have triaged them. The cases' own stay untouched.

Who rules "gold wrong" and rates steps of the case gives it a label: its earliest error is the lowest step (0-based)
that they rate -1, or -1 where they rate some step and none -1; its error steps are those that they rate -1, and every
other step is right. Who rates nothing gives no label. Where all who give one give the same, and nobody rules "model
wrong" or "import problem", that is the case's label. Where everybody with one of these three rulings rules "import
problem", the case has no label: it leaves every denominator, as cases without gold do. "both defensible" and "unsure"
decide nothing and deny nothing. Everything else keeps its own label, and says why.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from scoring.schema import STEP_INDEX
from scoring.triage.said import Triage

CHANGED, CONFIRMED, WITHOUT_GOLD = "changed", "as the gold says", "import problem"
UNRATED, RULINGS_DIFFER = "no step is rated", "people differ on the ruling"
STEPS_DIFFER, BEYOND, GONE = "people differ on the step", "a rated step is beyond the last", "the case is not here"
OVERLAID = (CHANGED, WITHOUT_GOLD)
"""What makes a case's label another one than its own."""
UNDECIDED = (UNRATED, RULINGS_DIFFER, STEPS_DIFFER, BEYOND)
"""Why a case keeps its own label though somebody rules that it is wrong, or that the case is."""
ADJUDICATIONS = {
    "case": pl.String(),
    # CHANGED, CONFIRMED (the label that people give is the one it has), WITHOUT_GOLD, one of UNDECIDED, or GONE.
    "adjudication": pl.String(),
    # The label that people give, as in `scoring.schema.METADATA`; null but where it is CHANGED or CONFIRMED.
    "earliest_error": STEP_INDEX,
    # Null too where the case's own labels list no error steps: then only the earliest error is labelled.
    "error_steps": pl.List(STEP_INDEX),
    # Whose words these are: of those who give a label, else of those who rule "gold wrong" or "import problem".
    "who": pl.List(pl.String()),
    # The label that the case has by itself.
    "own_earliest_error": STEP_INDEX,
    "own_error_steps": pl.List(STEP_INDEX),
}
_GOLD, _IMPORT, _MODEL = "gold wrong", "import problem", "model wrong"
_DECIDE = frozenset({_GOLD, _IMPORT, _MODEL})
_Label = tuple[int, ...]
"""The error steps that a person names, ascending; () = none is wrong."""


@dataclass(frozen=True, eq=False)
class Adjudicated:
    """Labels after triage: `rows` are the cases with a ruling that bears on theirs, with the columns of ADJUDICATIONS.

    They are in the order of the cases; those that are GONE come last, by name.
    """

    rows: pl.DataFrame

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many cases there are of each adjudication that occurs, the most frequent first, then by name."""
        counted = self.rows["adjudication"].value_counts(name="n").sort("n", "adjudication", descending=[True, False])
        return dict(counted.iter_rows())

    def count(self, *adjudications: str) -> int:
        """How many cases there are of these."""
        return sum(self.counts.get(name, 0) for name in adjudications)

    @cached_property
    def overlaid(self) -> dict[str, dict[str, Any]]:
        """The rows of the cases whose label is another one than their own, by case."""
        changed = self.rows.filter(pl.col("adjudication").is_in(OVERLAID))
        return {row["case"]: row for row in changed.iter_rows(named=True)}

    @cached_property
    def people(self) -> tuple[str, ...]:
        """Whose words make a label another one than the case's own, by name."""
        overlaid = self.rows.filter(pl.col("adjudication").is_in(OVERLAID))
        return tuple(overlaid["who"].explode().drop_nulls().unique().sort())

    def over(self, cases: pl.DataFrame) -> pl.DataFrame:
        """The cases with these labels laid over their own; the same frame where none is another.

        Only `earliest_error` and `error_steps` change. The error type and what else a benchmark says of the error are
        still said of the error that it named.
        """
        changed = self.rows.filter(pl.col("adjudication").is_in(OVERLAID))
        if changed.is_empty():
            return cases
        laid = changed.select("case", pl.col("earliest_error", "error_steps").name.prefix("adjudicated_"))
        joined = cases.join(laid.with_columns(laid=True), on="case", how="left", maintain_order="left")
        there = pl.col("laid").is_not_null()
        columns = (
            pl.when(there).then(f"adjudicated_{name}").otherwise(name).alias(name)
            for name in ("earliest_error", "error_steps")
        )
        return joined.with_columns(columns).select(cases.columns)


def adjudicate(triage: Triage, cases: pl.DataFrame) -> Adjudicated:
    """The labels of cases after triage.

    Args:
        triage: rulings and ratings, by who said them.
        cases: columns `case`, `benchmark`, `n_steps`, `earliest_error` and `error_steps`. A case that people ruled on
            and that is not here is GONE, if others of its benchmark are here.
    """
    ruled = {
        case: rulings for case, rulings in triage.rulings.items() if not {_GOLD, _IMPORT}.isdisjoint(rulings.values())
    }
    if not ruled:
        return Adjudicated(pl.DataFrame(schema=ADJUDICATIONS))
    columns = ("case", "n_steps", "earliest_error", "error_steps")
    there = cases.select(columns).filter(pl.col("case").is_in(list(ruled)))
    rows = [
        (case, *_adjudication(ruled[case], triage.ratings.get(case, {}), n_steps, earliest, listed), earliest, listed)
        for case, n_steps, earliest, listed in there.iter_rows()
    ]
    benchmarks = set(cases["benchmark"].unique())
    gone = sorted(case for case in set(ruled).difference(there["case"]) if case.partition("/")[0] in benchmarks)
    rows += [(case, GONE, None, None, _who(ruled[case], (_GOLD, _IMPORT)), None, None) for case in gone]
    return Adjudicated(pl.DataFrame(rows, schema=ADJUDICATIONS, orient="row"))


def label_of(ratings: Mapping[int, int]) -> _Label | None:
    """The error steps (0-based, ascending) that one person's ratings of a case name; None where they rate nothing."""
    return tuple(sorted(step for step, rating in ratings.items() if rating == -1)) if ratings else None


def _adjudication(
    rulings: Mapping[str, str],
    ratings: Mapping[str, Mapping[int, int]],
    n_steps: int,
    earliest: int | None,
    listed: list[int] | None,
) -> tuple[str, int | None, list[int] | None, list[str]]:
    """What the words of all come to on one case: adjudication, earliest error, error steps, and whose words."""
    deciding = _DECIDE.intersection(rulings.values())
    ruled = _who(rulings, (_GOLD, _IMPORT))
    if len(deciding) > 1:
        return RULINGS_DIFFER, None, None, ruled
    if deciding == {_IMPORT}:
        return WITHOUT_GOLD, None, None, ruled
    rated = {who: ratings[who] for who in ruled if ratings.get(who)}
    if not rated:
        return UNRATED, None, None, ruled
    who = sorted(rated)
    if any(step >= n_steps for steps in rated.values() for step in steps):
        return BEYOND, None, None, who
    labels = {label_of(steps) or () for steps in rated.values()}
    # Where only the earliest error is labelled, what people say of the steps after it makes no difference.
    if len({label[:1] for label in labels} if listed is None else labels) > 1:
        return STEPS_DIFFER, None, None, who
    label = next(iter(labels))
    found = label[0] if label else -1, None if listed is None else list(label)
    return CONFIRMED if found == (earliest, listed) else CHANGED, *found, who


def _who(rulings: Mapping[str, str], ruling: Iterable[str]) -> list[str]:
    return sorted(who for who, said in rulings.items() if said in ruling)
