"""Adjudicated gold labels: what the labels of cases are after people have triaged them. The cases' own stay untouched.

Who rules "gold wrong" and rates the steps of the case gives it a label: its earliest error is the lowest step
(0-based) that they rate -1, and where none is, there is no error (-1); neutral steps are right. For "no error" every
step has to be rated. One -1 is enough where only the earliest error is labelled: the steps before the lowest one count
as right though nobody rated them, as in PRM800K and ProcessBench, whose annotators stop at the first error. Where the
benchmark lists all error steps every step has to be rated, since every one of them is counted. Who rates fewer gives no
label, yet denies one that says otherwise of a step that they rated.

Where all who give one give the same, and nobody rules anything else, that is the case's label: who finds both
defensible defends the gold, too. Where everybody rules "import problem", the case has no label: it leaves every
denominator, as cases without gold do. Who is "unsure" decides nothing and denies nothing. What was said of another text
of the case than it has here, before it was imported again, does not count. Everything else keeps its own label, and
says why.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import polars as pl
from msgspec import Struct

from scoring.data.schema import STEP_INDEX
from scoring.workspace.triage.actions import GOLD_WRONG, RULINGS
from scoring.workspace.triage.annotations import Annotation

CHANGED, CONFIRMED, WITHOUT_GOLD = "changed", "as the gold says", "import problem"
UNRATED, RULINGS_DIFFER = "no step is rated", "people differ on the ruling"
UNFINISHED, OUTDATED = "not every step is rated", "said of another text of the case"
STEPS_DIFFER, BEYOND, GONE = "people differ on the step", "a rated step is beyond the last", "the case is not here"
OVERLAID = (CHANGED, WITHOUT_GOLD)
"""What makes a case's label another one than its own."""
UNDECIDED = (UNRATED, UNFINISHED, RULINGS_DIFFER, STEPS_DIFFER, BEYOND, OUTDATED)
"""Why a case keeps its own label though somebody rules that it is wrong, or that the case is."""
ADJUDICATIONS = {
    "case": pl.String(),
    # CHANGED, CONFIRMED (the label that people give is the one it has), WITHOUT_GOLD, one of UNDECIDED, or GONE.
    "adjudication": pl.String(),
    # The label that people give, as in `scoring.data.schema.METADATA`; null but where it is CHANGED or CONFIRMED.
    "earliest_error": STEP_INDEX,
    # Null too of an erroneous case where only the earliest error is labelled.
    "error_steps": pl.List(STEP_INDEX),
    # Whose words these are: of those who give a label, else of those who rule "gold wrong" or "import problem".
    "who": pl.List(pl.String()),
    # The label that the case has by itself.
    "own_earliest_error": STEP_INDEX,
    "own_error_steps": pl.List(STEP_INDEX),
}
_GOLD, _IMPORT = GOLD_WRONG, "import problem"
_DECIDE = frozenset(RULINGS) - {"unsure"}
DENYING = frozenset({_GOLD, _IMPORT})
"""Rulings that bear on a label; a case on which nobody rules so keeps its own."""
_Label = tuple[int, ...]
"""The error steps that a person names, ascending; () = none is wrong."""


class Adjudicated(Struct, frozen=True, eq=False, dict=True):
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
        """Count the cases of these."""
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
        """Lay these labels over the cases' own; the same frame where none is another.

        Only `earliest_error` and `error_steps` change, and nothing is said any more of a label beyond the last step.
        The error type and what else a benchmark says of the error are still said of the error that it named.
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
        # What a person's labels replace: nothing more is said of it.
        gone = pl.when(~there).then(pl.col("^(earliest_error_as_given|errors_so_far)$"))
        named = pl.coalesce("adjudicated_error_steps", pl.concat_list("adjudicated_earliest_error"))
        neutral = pl.col("^neutral_steps$")
        still = pl.when(there).then(neutral.list.set_difference(named)).otherwise(neutral)
        return joined.with_columns(*columns, gone, still).select(cases.columns)


def adjudicate(words_by_case: Mapping[str, Sequence[Annotation]], cases: pl.DataFrame) -> Adjudicated:
    """Return the labels of cases after triage.

    Args:
        words_by_case: everybody's words on a case, by its identity; cases without a DENYING ruling are passed over.
        cases: columns `case`, `key`, `benchmark`, `n_steps`, `earliest_error` and `error_steps`. A case that people
            ruled on and that is not here is GONE, if others of its benchmark are here. Where none of a benchmark has an
            error step listed, [] is all that its clean cases can have, and only earliest errors are labelled.
    """
    ruled = {case: words for case, words in words_by_case.items() if any(word.ruling in DENYING for word in words)}
    if not ruled:
        return Adjudicated(pl.DataFrame(schema=ADJUDICATIONS))
    listing = set(cases.filter(pl.col("error_steps").list.len() > 0)["benchmark"].unique())
    columns = ("case", "key", "benchmark", "n_steps", "earliest_error", "error_steps")
    there = cases.select(columns).filter(pl.col("case").is_in(list(ruled)))
    rows = [
        (
            case,
            *_adjudication(ruled[case], key, _Own(n_steps, earliest, listed, benchmark in listing)),
            earliest,
            listed,
        )
        for case, key, benchmark, n_steps, earliest, listed in there.iter_rows()
    ]
    benchmarks = set(cases["benchmark"].unique())
    gone = sorted(case for case in set(ruled).difference(there["case"]) if case.partition("/")[0] in benchmarks)
    rows += [(case, GONE, None, None, _who(ruled[case], DENYING), None, None) for case in gone]
    return Adjudicated(pl.DataFrame(rows, schema=ADJUDICATIONS, orient="row"))


def label_of(ratings: Mapping[int, int], n_steps: int, *, every: bool) -> _Label | None:
    """Return the error steps (0-based, ascending) that one person's ratings of a case name; None where these give no
    label.

    Args:
        ratings: -1, 0 or 1 by step.
        n_steps: how many steps the case has.
        every: every error step is labelled, not the earliest error alone.
    """
    wrong = tuple(sorted(step for step, rating in ratings.items() if rating == -1))
    whole = all(step in ratings for step in range(n_steps))
    return wrong if whole or (wrong and not every) else None


class _Own(NamedTuple):
    """A case's own label, and whether its benchmark lists error steps."""

    n_steps: int
    earliest: int | None
    listed: list[int] | None
    lists: bool

    @property
    def every(self) -> bool:
        """Whether every error step is labelled, not the earliest error alone."""
        return self.lists and self.listed is not None


def _adjudication(
    every: Sequence[Annotation], key: str, own: _Own
) -> tuple[str, int | None, list[int] | None, list[str]]:
    """What the words of all come to on one case: adjudication, earliest error, error steps, and whose words."""
    words = [own_words.of(key) for own_words in every]
    ruled = [word for word in words if word.ruling in DENYING]
    deciding = {word.ruling for word in words if word.ruling in _DECIDE}
    if len(deciding) == 1 and ruled and ruled[0].ruling == _GOLD:
        return _by_ratings(ruled, own)
    why = OUTDATED if not ruled else RULINGS_DIFFER if len(deciding) > 1 else WITHOUT_GOLD
    return why, None, None, _who(ruled or every, DENYING)


def _by_ratings(ruled: Sequence[Annotation], own: _Own) -> tuple[str, int | None, list[int] | None, list[str]]:
    """The same where everybody who decides rules "gold wrong"."""
    rated = {word.who: word.ratings for word in ruled if word.ratings}
    if not rated:
        return OUTDATED if any(word.outdated for word in ruled) else UNRATED, None, None, _who(ruled, DENYING)
    if any(step >= own.n_steps for steps in rated.values() for step in steps):
        return BEYOND, None, None, sorted(rated)
    every = own.every
    labels = {who: label_of(steps, own.n_steps, every=every) for who, steps in rated.items()}
    # Where only the earliest error is labelled, what people say of the steps after it makes no difference.
    given_labels = {who: label if every else label[:1] for who, label in labels.items() if label is not None}
    if not given_labels:
        return UNFINISHED, None, None, sorted(rated)
    label, *others = set(given_labels.values())
    if others or any(_denies(rated[who], label, every=every) for who in rated.keys() - given_labels.keys()):
        return STEPS_DIFFER, None, None, sorted(rated)
    earliest = label[0] if label else -1
    # Where only the earliest error is labelled, nobody knows of the steps after it; without one all are right.
    listed = list(label) if every or not label else None
    same = earliest == own.earliest and (not every or listed == own.listed)
    return CONFIRMED if same else CHANGED, earliest, own.listed if same else listed, sorted(given_labels)


def _denies(ratings: Mapping[int, int], label: _Label, *, every: bool) -> bool:
    """Whether ratings that give no label themselves say otherwise of a step than a label does."""
    steps = ratings.keys() if every else ratings.keys() & set(label)
    return any((ratings[step] == -1) != (step in label) for step in steps)


def _who(words: Iterable[Annotation], rulings: Collection[str]) -> list[str]:
    return sorted(word.who for word in words if word.ruling in rulings)
