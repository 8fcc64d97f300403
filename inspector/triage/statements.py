"""What several people say of the shown cases, side by side, and the cases on which they differ."""

from collections import defaultdict
from collections.abc import Iterator

import numpy as np
import polars as pl
from msgspec import Struct

from inspector.selection import Selection
from inspector.triage.annotations import journal_of
from scoring.errors import UsageError
from scoring.metrics.people import MISSING, Answers
from scoring.step_rewards import Ints
from scoring.triage.actions import RATINGS, RULINGS, TAG, Action, content_of, taken_back
from scoring.triage.words import KINDS, NO, RATING, RULING, YES, statements

_VALUES = {RULING: RULINGS, RATING: tuple(map(str, RATINGS)), TAG: (NO, YES)}
"""What may be said, in order; categories are whatever people call them."""
DISAGREEMENTS = {
    "case": pl.String(),
    "benchmark": pl.String(),
    "subset": pl.String(),
    # Kinds of statements and people that differ, and how many rulings, steps, tags and categories they differ on.
    "kinds": pl.List(pl.String()),
    "people": pl.List(pl.String()),
    "things": pl.Int64(),
    # What each says, of every kind on which they differ, else null.
    **dict.fromkeys(KINDS, pl.String()),
}


class Topic(Struct, frozen=True, eq=False):
    """One thing that people speak of, of every case or step: a kind of statement, or one tag.

    `answers` has a column for each of the people; its numbers are places in `values`, and those of `answers.cases`
    places in `cases`. Its units are cases, or steps where the topic is ratings.
    """

    about: str
    tag: str | None
    values: tuple[str, ...]
    answers: Answers
    cases: tuple[str, ...]

    def cases_of(self, answers: Answers) -> tuple[str, ...]:
        """Name the cases that some of its answers are of."""
        return tuple(self.cases[number] for number in np.unique(answers.cases).tolist())


class StatementsByPerson(Struct, frozen=True, eq=False):
    """What people say of the shown cases.

    `statements` has the columns of STATEMENTS, in the order in which cases are shown; `people` are in order of name.
    `elsewhere` counts cases that somebody spoke of and that are in none of the benchmarks looked at.
    """

    statements: pl.DataFrame
    people: tuple[str, ...]
    elsewhere: int

    def topics(self) -> Iterator[Topic]:
        """Give everything that anybody speaks of: rulings, ratings, each tag by name, categories."""
        for about in KINDS:
            of_kind = self.statements.filter(about=about)
            for tag in sorted(of_kind["tag"].unique().to_list(), key=lambda name: name or ""):
                yield self._topic(about, tag, of_kind.filter(pl.col("tag").eq_missing(pl.lit(tag, pl.String))))

    def _topic(self, about: str, tag: str | None, rows: pl.DataFrame) -> Topic:
        values = _VALUES.get(about) or tuple(sorted(rows["value"].unique()))
        units = rows.select("case", "step").unique(maintain_order=True).with_row_index("unit")
        placed = rows.join(units, on=["case", "step"], nulls_equal=True)
        codes = np.full((units.height, len(self.people)), MISSING, dtype=np.int64)
        codes[placed["unit"].to_numpy(), _places(placed["who"], self.people)] = _places(placed["value"], values)
        cases = tuple(units["case"].unique(maintain_order=True))
        answers = Answers(codes, _places(units["case"], cases), len(values), ordinal=about == RATING)
        return Topic(about, tag, values, answers, cases)


def statements_by_person(selection: Selection) -> StatementsByPerson:
    """Gather what people say of the shown cases.

    Rulings and ratings of another text than a case has here are left out.

    Raises:
        UsageError: there is no folder that could hold it, or fewer than two people say anything.
    """
    journal = journal_of(selection)
    shown = selection.cases.select("case", "key")[selection.shown]
    keys = dict(shown.iter_rows())

    def of_case(case: str) -> Iterator[tuple[Action, bool]]:
        """What was said last counts: where that was of another text, what was said before it does not come back."""
        here = {"", content_of(keys[case])}
        return ((one if one.content in here else taken_back(one), holds) for one, holds in journal.of_case(case))

    rows = statements(of_case, shown["case"])
    people = tuple(sorted(rows["who"].unique()))
    if len(people) < 2:
        only = f"only {people[0]} has" if people else "nobody has"
        raise UsageError(
            f"{only} ruled on, rated, tagged or sorted any of these cases; agreement needs two people.",
            f"Copy the others' journals (WHO-MACHINE.jsonl) into {journal.folder}, or widen the filter.",
        )
    triage = journal.triage
    named = {case for one in (triage.rulings, triage.ratings, triage.tags, triage.categories) for case in one}
    return StatementsByPerson(rows, people, len(named.difference(selection.cases["case"])))


def _places(column: pl.Series, names: tuple[str, ...]) -> Ints:
    """Find where each text stands in a list that holds all of them."""
    numbers = {name: number for number, name in enumerate(names)}
    return np.array([numbers[text] for text in column], dtype=np.int64)


# -- where they differ


class Difference(Struct, frozen=True):
    """One thing of a case of which people say different things: `values` by who says it; `step` is 0-based."""

    case: str
    about: str
    tag: str | None
    step: int | None
    values: dict[str, str]

    @property
    def words(self) -> str:
        """Write what each says, and of what."""
        by_person = ", ".join(f"{who}: {value}" for who, value in sorted(self.values.items()))
        of = self.tag if self.step is None else f"step {self.step}"
        return by_person if of is None else f"{of} ({by_person})"


def disagreements(selection: Selection, people: StatementsByPerson) -> pl.DataFrame:
    """List the shown cases on which people differ, with the columns of DISAGREEMENTS.

    Those of the most kinds come first, then of the most people, then of the most things.
    """
    by_case: defaultdict[str, list[Difference]] = defaultdict(list)
    for difference in _differences(people):
        by_case[difference.case].append(difference)
    shown = selection.cases.select("case", "benchmark", "subset")[selection.shown]
    rows = [
        {**case, **_differing(by_case[case["case"]])}
        for case in shown.filter(pl.col("case").is_in(list(by_case))).iter_rows(named=True)
    ]
    rows.sort(key=lambda row: (-len(row["kinds"]), -len(row["people"]), -row["things"]))
    return pl.DataFrame(rows, schema=DISAGREEMENTS, orient="row")


def _differing(differences: list[Difference]) -> dict[str, object]:
    """The row of one case."""
    words = {kind: "; ".join(one.words for one in differences if one.about == kind) for kind in KINDS}
    return {
        "kinds": [kind for kind in KINDS if words[kind]],
        "people": sorted({who for one in differences for who in one.values}),
        "things": len(differences),
        **{kind: text or None for kind, text in words.items()},
    }


def _differences(people: StatementsByPerson) -> Iterator[Difference]:
    """By kind, then by tag or step."""
    by = ["about", "tag", "case", "step"]
    differing = people.statements.filter(pl.col("value").n_unique().over(by) > 1)
    grouped = differing.group_by(by, maintain_order=True).agg("who", "value").sort("tag", "step", nulls_last=False)
    for about, tag, case, step, who, values in grouped.iter_rows():
        yield Difference(case, about, tag, step, dict(zip(who, values, strict=True)))
