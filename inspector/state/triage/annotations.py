"""What people said of the shown cases, and of cases that are gone: rulings, ratings, tags, notes, categories."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import polars as pl
from msgspec import Struct

from inspector.render.texts.sentences import counted
from inspector.state.provenance import provenance_of_people
from scoring.data.errors import UsageError
from scoring.data.names import match_name
from scoring.formats.benchmarks import demo
from scoring.selection.result_set import ResultSet
from scoring.workspace.triage.actions import RULINGS
from scoring.workspace.triage.annotations import Annotation, words_of
from scoring.workspace.triage.history import History
from scoring.workspace.triage.journal import Journal
from scoring.workspace.triage.queues import Queue

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
    if results.labels.journal is None:
        raise UsageError(
            f"there is no workspace folder here, so nobody has {done} these cases.",
            "Make one: prm-inspect import PATH",
        )
    return results.labels.journal


def gone(results: ResultSet, cases: Iterable[str]) -> list[str]:
    """Find those of these cases that are in no benchmark of the workspace, by name.

    Where benchmarks are asked for, only cases that were in one of these.
    """
    benchmarks = results.query.benchmarks
    rest = {case for case in cases if not benchmarks or benchmark_of(case) in benchmarks}
    # Where none is asked for all that were imported are read; the demo is known without.
    if any(benchmark_of(case) == demo.NAME for case in rest):
        rest.difference_update(results.loaded.workspace.cases((demo.NAME,))[0]["case"])
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
