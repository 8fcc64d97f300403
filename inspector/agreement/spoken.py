"""What several people say of the shown cases, and what they say it of."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from inspector.selection import Selection
from scoring.errors import UsageError
from scoring.metrics.people import MISSING, Answers
from scoring.triage.actions import RATINGS, RULINGS, TAG, Action, content_of, taken_back
from scoring.triage.statements import KINDS, NO, RATING, RULING, YES, statements

_VALUES = {RULING: RULINGS, RATING: tuple(map(str, RATINGS)), TAG: (NO, YES)}
"""What may be said, in order; categories are whatever people call them."""


@dataclass(frozen=True, eq=False)
class Subject:
    """One thing that people speak of, of every case or step: a kind of statement, or one tag.

    `answers` has a column for each of the people; its numbers are places in `values`. `cases` are those whose numbers
    `answers.cases` holds, `steps` (0-based) of each unit; None where units are cases.
    """

    about: str
    tag: str | None
    values: tuple[str, ...]
    answers: Answers
    cases: tuple[str, ...]
    steps: tuple[int | None, ...]


@dataclass(frozen=True, eq=False)
class Spoken:
    """`said` has the columns of STATEMENTS, of the shown cases in the order shown; `people` are in order of name.

    `elsewhere` counts cases that somebody spoke of and that are in none of the benchmarks looked at.
    """

    said: pl.DataFrame
    people: tuple[str, ...]
    elsewhere: int

    def subjects(self) -> Iterator[Subject]:
        """Everything that anybody speaks of: rulings, ratings, each tag by name, categories."""
        for about in KINDS:
            of_kind = self.said.filter(about=about)
            for tag in sorted(of_kind["tag"].unique().to_list(), key=lambda name: name or ""):
                yield self._subject(about, tag, of_kind.filter(pl.col("tag").eq_missing(pl.lit(tag, pl.String))))

    def _subject(self, about: str, tag: str | None, said: pl.DataFrame) -> Subject:
        values = _VALUES.get(about) or tuple(sorted(said["value"].unique()))
        units = said.select("case", "step").unique(maintain_order=True).with_row_index("unit")
        placed = said.join(units, on=["case", "step"], nulls_equal=True)
        codes = np.full((units.height, len(self.people)), MISSING, dtype=np.int64)
        codes[placed["unit"].to_numpy(), _places(placed["who"], self.people)] = _places(placed["value"], values)
        cases = tuple(units["case"].unique(maintain_order=True))
        answers = Answers(codes, _places(units["case"], cases), len(values), ordinal=about == RATING)
        return Subject(about, tag, values, answers, cases, tuple(units["step"]))


def spoken(selection: Selection) -> Spoken:
    """What people say of the shown cases; rulings and ratings of another text than a case has here are left out.

    Raises:
        UsageError: there is no folder that could hold it, or fewer than two people say anything.
    """
    journal = selection.journal
    if journal is None:
        raise UsageError(
            "there is no workspace folder here, so nobody has said anything of these cases.",
            "Make one: prm-inspect import PATH",
        )
    shown = selection.cases.select("case", "key")[selection.shown]
    keys = dict(shown.iter_rows())

    def of_case(case: str) -> Iterator[tuple[Action, bool]]:
        """What was said last counts: where that was of another text, what was said before it does not come back."""
        here = {"", content_of(keys[case])}
        return ((one if one.content in here else taken_back(one), holds) for one, holds in journal.of_case(case))

    said = statements(of_case, shown["case"])
    people = tuple(sorted(said["who"].unique()))
    if len(people) < 2:
        only = f"only {people[0]} has" if people else "nobody has"
        raise UsageError(
            f"{only} ruled on, rated, tagged or sorted any of these cases; agreement needs two people.",
            f"Copy the others' journals (WHO-MACHINE.jsonl) into {journal.folder}, or widen the filter.",
        )
    triage = journal.triage
    named = {case for one in (triage.rulings, triage.ratings, triage.tags, triage.categories) for case in one}
    return Spoken(said, people, len(named.difference(selection.cases["case"])))


def _places(column: pl.Series, names: tuple[str, ...]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Where each text stands in a list that holds all of them."""
    numbers = {name: number for number, name in enumerate(names)}
    return np.array([numbers[text] for text in column], dtype=np.int64)
