"""What several people say of the shown cases, side by side, and the cases on which they differ."""

from collections import defaultdict
from collections.abc import Iterator

import numpy as np
import polars as pl
from msgspec import Struct

from inspector.state.triage.annotations import journal_of
from scoring.data.errors import UsageError
from scoring.data.schema import Ints
from scoring.metrics.annotator_agreement import MISSING, AnnotatorAnswers
from scoring.selection.result_set import ResultSet
from scoring.workspace.triage.actions import RATINGS, RULINGS, TAG, Action, content_of, taken_back
from scoring.workspace.triage.statements import KINDS, NO, RATING, RULING, YES, annotation_frame

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
    answers: AnnotatorAnswers
    cases: tuple[str, ...]

    def cases_of(self, answers: AnnotatorAnswers) -> tuple[str, ...]:
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
        """Yield everything that anybody speaks of: rulings, ratings, each tag by name, categories."""
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
        answers = AnnotatorAnswers(codes, _places(units["case"], cases), len(values), ordinal=about == RATING)
        return Topic(about, tag, values, answers, cases)


def statements_by_person(results: ResultSet) -> StatementsByPerson:
    """Gather what people say of the shown cases.

    Rulings and ratings of another text than a case has here are left out.

    Raises:
        UsageError: there is no folder that could hold it, or fewer than two people say anything.
    """
    journal = journal_of(results)
    cases = results.cases.select("case", "key")[results.shown]
    keys = dict(cases.iter_rows())

    def of_case(case: str) -> Iterator[tuple[Action, bool]]:
        """Let what was said last count: where that was of another text, what was said before it does not come back."""
        here = {"", content_of(keys[case])}
        return (
            (action if action.content in here else taken_back(action), holds) for action, holds in journal.of_case(case)
        )

    rows = annotation_frame(of_case, cases["case"])
    people = tuple(sorted(rows["who"].unique()))
    if len(people) < 2:
        only = f"only {people[0]} has" if people else "nobody has"
        raise UsageError(
            f"{only} ruled on, rated, tagged or sorted any of these cases; agreement needs two people.",
            f"Copy the others' journals (WHO-MACHINE.jsonl) into {journal.folder}, or widen the filter.",
        )
    triage = journal.triage
    named = {case for by_case in (triage.rulings, triage.ratings, triage.tags, triage.categories) for case in by_case}
    return StatementsByPerson(rows, people, len(named.difference(results.cases["case"])))


def _places(column: pl.Series, names: tuple[str, ...]) -> Ints:
    """Find where each text stands in a list that holds all of them."""
    numbers = {name: number for number, name in enumerate(names)}
    return np.array([numbers[text] for text in column], dtype=np.int64)


class Disagreement(Struct, frozen=True):
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


def disagreements(results: ResultSet, people: StatementsByPerson) -> pl.DataFrame:
    """List the shown cases on which people differ, with the columns of DISAGREEMENTS.

    Those of the most kinds come first, then of the most people, then of the most things.
    """
    by_case: defaultdict[str, list[Disagreement]] = defaultdict(list)
    for difference in _differences(people):
        by_case[difference.case].append(difference)
    cases = results.cases.select("case", "benchmark", "subset")[results.shown]
    rows = [
        {**case, **_differing(by_case[case["case"]])}
        for case in cases.filter(pl.col("case").is_in(list(by_case))).iter_rows(named=True)
    ]
    rows.sort(key=lambda row: (-len(row["kinds"]), -len(row["people"]), -row["things"]))
    return pl.DataFrame(rows, schema=DISAGREEMENTS, orient="row")


def _differing(differences: list[Disagreement]) -> dict[str, object]:
    """The row of one case."""
    words = {
        kind: "; ".join(difference.words for difference in differences if difference.about == kind) for kind in KINDS
    }
    return {
        "kinds": [kind for kind in KINDS if words[kind]],
        "people": sorted({who for difference in differences for who in difference.values}),
        "things": len(differences),
        **{kind: text or None for kind, text in words.items()},
    }


def _differences(people: StatementsByPerson) -> Iterator[Disagreement]:
    """By kind, then by tag or step."""
    by = ["about", "tag", "case", "step"]
    differing = people.statements.filter(pl.col("value").n_unique().over(by) > 1)
    grouped = differing.group_by(by, maintain_order=True).agg("who", "value").sort("tag", "step", nulls_last=False)
    for about, tag, case, step, who, values in grouped.iter_rows():
        yield Disagreement(case, about, tag, step, dict(zip(who, values, strict=True)))
