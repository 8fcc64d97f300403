"""What people said of the shown cases, and of cases that are gone: rulings, ratings, tags, notes, categories."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl
from msgspec import Struct

from inspector.render.texts.sentences import counted
from inspector.state.provenance import provenance_of_people
from inspector.state.result_set import ResultSet
from scoring.data.errors import UsageError
from scoring.data.names import match_name
from scoring.data.schema import Ints
from scoring.formats.benchmarks import demo
from scoring.metrics.annotator_agreement import MISSING, AnnotatorAnswers
from scoring.workspace.triage.actions import RATINGS, RULINGS, TAG, Action, content_of, taken_back
from scoring.workspace.triage.annotations import Annotation, words_of
from scoring.workspace.triage.history import History
from scoring.workspace.triage.journal import Journal
from scoring.workspace.triage.queues import Queue
from scoring.workspace.triage.statements import KINDS, NO, RATING, RULING, YES, annotation_frame

ANNOTATIONS: dict[str, pl.DataType] = {
    "case": pl.String(),
    "benchmark": pl.String(),
    # Null of cases that are gone.
    "subset": pl.String(),
    "who": pl.String(),
    "ruling": pl.String(),
    # Steps (0-based) that the person rated, and the rating of each: -1, 0 or 1.
    "rated_steps": pl.List(pl.Int64()),
    "ratings": pl.List(pl.Int64()),
    # Tags that the person put on, and those they took off.
    "tags": pl.List(pl.String()),
    "without_tags": pl.List(pl.String()),
    "note": pl.String(),
    "category": pl.String(),
    # When the person said the last of this, by the clock of their machine.
    "last": pl.String(),
    # Whether the ruling or a rating was said of another text of the case than it has here, and so does not count.
    # Null of cases that are gone.
    "outdated": pl.Boolean(),
}
NOTES = (
    "a row a case and person of whom anything stands there; what was undone or taken away is in `triage CASE`",
    "tags: those that the person put on; without_tags: those they took off; rated_steps: 0-based",
)
GONE = "cases that are in no benchmark here any more: no condition on their columns can be asked"


class Annotations(Struct, frozen=True, eq=False):
    """What people said, a person's words on a case each.

    `shown` are of the shown cases, in their order and by name of who said them; `gone` of cases that are in no
    benchmark of the workspace any more. `hidden` counts cases that somebody speaks of and that the query leaves out.
    `people` are those who are listened to.
    """

    shown: tuple[Annotation, ...]
    gone: tuple[Annotation, ...]
    hidden: int
    people: tuple[str, ...]
    history: History

    @property
    def gone_cases(self) -> int:
        """How many cases are gone."""
        return _cases(self.gone)


def annotations(results: ResultSet, who: str = "") -> Annotations:
    """Gather what all people say, or `who`, by name or a unique part of it.

    Raises:
        UsageError: there is no folder that could hold it, or no person of that name.
    """
    history = journal_of(results).history
    people = (match_name(who, history.people, "person"),) if who else history.people
    named = set(history.cases)
    cases = results.cases["case"].gather(results.shown)
    there = cases.filter(cases.is_in(list(named))).to_list()
    lost = gone(results, named.difference(results.cases["case"]))
    hidden = _cases(_words(history, named.difference(there, lost), people))
    return Annotations(_words(history, there, people), _words(history, lost, people), hidden, people, history)


def journal_of(results: ResultSet, done: str = "said anything of") -> Journal:
    """Return the journal of the workspace; `done` is what nobody has done to these cases where there is none.

    Raises:
        UsageError: there is no folder that could hold one.
    """
    if results.journal is None:
        raise UsageError(
            f"there is no workspace folder here, so nobody has {done} these cases.",
            "Make one: prm-inspect import PATH",
        )
    return results.journal


def gone(results: ResultSet, cases: Iterable[str]) -> list[str]:
    """Find those of these cases that are in no benchmark of the workspace, by name.

    Where benchmarks are asked for, only cases that were in one of these.
    """
    benchmarks = results.query.benchmarks
    rest = {case for case in cases if not benchmarks or benchmark_of(case) in benchmarks}
    # Where none is asked for all that were imported are read; the demo is known without.
    if any(benchmark_of(case) == demo.NAME for case in rest):
        rest.difference_update(results.workspace.cases((demo.NAME,))[0]["case"])
    return sorted(rest.difference(results.cases["case"]))


def benchmark_of(case: str) -> str:
    """Read the benchmark in a case's identity."""
    return case.partition("/")[0]


def gone_words(count: int) -> str:
    """Say that people spoke of cases that are gone, and how to see them."""
    words = "is in no benchmark here any more; what was said of it"
    if count != 1:
        words = "are in no benchmark here any more; what was said of them"
    return f"{counted(count, 'case')} that people spoke of {words} is kept, and listed by --gone"


def _words(history: History, cases: Iterable[str], people: Sequence[str]) -> tuple[Annotation, ...]:
    listened = set(people)
    return tuple(
        statement for case in cases for statement in words_of(case, history.of_case(case)) if statement.who in listened
    )


def _cases(words: Iterable[Annotation]) -> int:
    return len({statement.case for statement in words})


# -- rows, and how they came to be


def annotation_rows(results: ResultSet, words: Sequence[Annotation]) -> pl.DataFrame:
    """Make a row for the words of each person on each case, with the columns of ANNOTATIONS."""
    named = results.cases.select("case", "subset", "key").filter(
        pl.col("case").is_in({statement.case for statement in words})
    )
    there = {case: (subset, key) for case, subset, key in named.iter_rows()}
    rows = [_row(statement, *there.get(statement.case, (None, None))) for statement in words]
    return pl.DataFrame(rows, schema=ANNOTATIONS, orient="row")


def _row(words: Annotation, subset: str | None, key: str | None) -> dict[str, Any]:
    return {
        "case": words.case,
        "benchmark": benchmark_of(words.case),
        "subset": subset,
        "who": words.who,
        "ruling": words.ruling,
        "rated_steps": list(words.ratings),
        "ratings": list(words.ratings.values()),
        "tags": list(words.tags),
        "without_tags": list(words.without),
        "note": words.note,
        "category": words.category,
        "last": words.last or None,
        "outdated": None if key is None else words.of(key).outdated,
    }


def annotation_facts(
    results: ResultSet, gathered: Annotations, words: Sequence[Annotation], command: str, *, only_gone: bool = False
) -> dict[str, Any]:
    """Record how rows of people's words came to be; of scorers only where a condition speaks of them."""
    return {
        **provenance_of_people(results, command, (*NOTES, *((GONE,) if only_gone else ()))),
        "people": list(gathered.people),
        "rulings": rulings_by_person(words),
        **queues(gathered),
        "tags": tags_in_use(words),
        "coverage": coverage(results, gathered, words, only_gone=only_gone),
        "gone": gathered.gone_cases,
    }


def rulings_by_person(words: Iterable[Annotation]) -> dict[str, dict[str, int]]:
    """Count how often each person ruled what, in the order of RULINGS; those who ruled on nothing are left out."""
    counts = Counter((statement.who, statement.ruling) for statement in words if statement.ruling)
    return {
        who: {ruling: counts[who, ruling] for ruling in RULINGS if counts[who, ruling]}
        for who in sorted({who for who, _ in counts})
    }


def tags_in_use(words: Iterable[Annotation]) -> dict[str, int]:
    """Count on how many cases somebody put each tag, the most used first, then by name."""
    counts = Counter(tag for _, tag in {(statement.case, tag) for statement in words for tag in statement.tags})
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def queues(gathered: Annotations) -> dict[str, Any]:
    """Count how far all are in the queue that they are at, and in those of others in which cases wait."""
    of = {who: own_queues for who in gathered.people if (own_queues := gathered.history.queues(who))}
    aside = {who: [queue_words(queue) for queue in own_queues[:-1] if queue.waiting] for who, own_queues in of.items()}
    put_aside = {who: words for who, words in aside.items() if words}
    now = {who: queue_words(own_queues[-1]) for who, own_queues in of.items()}
    return {"queues": now, **({"queues_aside": put_aside} if put_aside else {})}


def queue_words(queue: Queue) -> str:
    """Write `12 of 87 ruled, 3 skipped, 72 to come (as listed)`."""
    skipped = f", {len(queue.skipped):,} skipped" if queue.skipped else ""
    done = f"{len(queue.ruled):,} of {len(queue.cases):,} ruled{skipped}, {len(queue.waiting):,} to come"
    return f"{done} ({queue.words})"


def coverage(results: ResultSet, gathered: Annotations, words: Sequence[Annotation], *, only_gone: bool) -> str:
    """Say how many cases people speak of, and how many of them are ruled on."""
    n, ruled = _cases(words), _cases(statement for statement in words if statement.ruling)
    of = f"{counted(n, 'case')} that {'is' if n == 1 else 'are'} gone"
    if not only_gone:
        of = f"{n:,} of {counted(results.shown.size, 'case')}"
    hidden = f"; of {counted(gathered.hidden, 'case')} that the query leaves out, too" if gathered.hidden else ""
    return f"people speak of {of}, and {ruled:,} of them {'is' if ruled == 1 else 'are'} ruled on{hidden}"


# -- what whoever is at work said of a case: all that they are shown of what people said, while labels are hidden


def own_tags(journal: Journal, case: str) -> tuple[str, ...]:
    """Return the tags on a case that the author of the journal put there, in alphabetical order."""
    spoken = words_of(case, journal.of_case(case))
    there = journal.triage.tags.get(case, ())
    return tuple(
        tag for statement in spoken if statement.who == journal.author.who for tag in statement.tags if tag in there
    )


def own_note(journal: Journal, case: str) -> str:
    """Return the author's note on a case, "" where there is none."""
    return journal.triage.notes.get(case, {}).get(journal.author.who, "")


# -- what several people say of the shown cases, side by side, and the cases on which they differ


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


# -- where they differ


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
