"""What people said of the shown cases, and of cases that are gone: rulings, ratings, tags, notes, categories."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import polars as pl
from msgspec import Struct

from inspector.provenance import provenance_of_people
from inspector.selection import Selection
from inspector.sentences import counted
from scoring.benchmarks import demo
from scoring.errors import UsageError
from scoring.names import match_name
from scoring.triage.actions import RULINGS
from scoring.triage.history import History
from scoring.triage.journal import Journal
from scoring.triage.queue import Queue
from scoring.triage.words import Words, words_of

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
    benchmark of the workspace any more. `hidden` counts cases that somebody speaks of and that the request leaves out.
    `people` are those who are listened to.
    """

    shown: tuple[Words, ...]
    gone: tuple[Words, ...]
    hidden: int
    people: tuple[str, ...]
    history: History

    @property
    def gone_cases(self) -> int:
        """How many cases are gone."""
        return _cases(self.gone)


def annotations(selection: Selection, who: str = "") -> Annotations:
    """Gather what all people say, or `who`, by name or a unique part of it.

    Raises:
        UsageError: there is no folder that could hold it, or no person of that name.
    """
    history = journal_of(selection).history
    people = (match_name(who, history.people, "person"),) if who else history.people
    named = set(history.cases)
    shown = selection.cases["case"].gather(selection.shown)
    there = shown.filter(shown.is_in(list(named))).to_list()
    lost = gone(selection, named.difference(selection.cases["case"]))
    hidden = _cases(_words(history, named.difference(there, lost), people))
    return Annotations(_words(history, there, people), _words(history, lost, people), hidden, people, history)


def journal_of(selection: Selection, done: str = "said anything of") -> Journal:
    """Give the journal of the workspace; `done` is what nobody has done to these cases where there is none.

    Raises:
        UsageError: there is no folder that could hold one.
    """
    if selection.journal is None:
        raise UsageError(
            f"there is no workspace folder here, so nobody has {done} these cases.",
            "Make one: prm-inspect import PATH",
        )
    return selection.journal


def gone(selection: Selection, cases: Iterable[str]) -> list[str]:
    """Find those of these cases that are in no benchmark of the workspace, by name.

    Where benchmarks are asked for, only cases that were in one of these.
    """
    asked = selection.request.benchmarks
    rest = {case for case in cases if not asked or benchmark_of(case) in asked}
    # Where none is asked for all that were imported are read; the demo is known without.
    if any(benchmark_of(case) == demo.NAME for case in rest):
        rest.difference_update(selection.workspace.cases((demo.NAME,))[0]["case"])
    return sorted(rest.difference(selection.cases["case"]))


def benchmark_of(case: str) -> str:
    """Read the benchmark in a case's identity."""
    return case.partition("/")[0]


def gone_words(count: int) -> str:
    """Say that people spoke of cases that are gone, and how to see them."""
    words = "is in no benchmark here any more; what was said of it"
    if count != 1:
        words = "are in no benchmark here any more; what was said of them"
    return f"{counted(count, 'case')} that people spoke of {words} is kept, and listed by --gone"


def _words(history: History, cases: Iterable[str], people: Sequence[str]) -> tuple[Words, ...]:
    listened = set(people)
    return tuple(one for case in cases for one in words_of(case, history.of_case(case)) if one.who in listened)


def _cases(words: Iterable[Words]) -> int:
    return len({one.case for one in words})


# -- rows, and how they came to be


def annotation_rows(selection: Selection, words: Sequence[Words]) -> pl.DataFrame:
    """Make a row for the words of each person on each case, with the columns of ANNOTATIONS."""
    named = selection.cases.select("case", "subset", "key").filter(pl.col("case").is_in({one.case for one in words}))
    there = {case: (subset, key) for case, subset, key in named.iter_rows()}
    rows = [_row(one, *there.get(one.case, (None, None))) for one in words]
    return pl.DataFrame(rows, schema=ANNOTATIONS, orient="row")


def _row(words: Words, subset: str | None, key: str | None) -> dict[str, Any]:
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
    selection: Selection, gathered: Annotations, words: Sequence[Words], command: str, *, only_gone: bool = False
) -> dict[str, Any]:
    """Say how rows of people's words came to be; of scorers only where a condition speaks of them."""
    return {
        **provenance_of_people(selection, command, (*NOTES, *((GONE,) if only_gone else ()))),
        "people": list(gathered.people),
        "rulings": rulings_by_person(words),
        **queues(gathered),
        "tags": tags_in_use(words),
        "coverage": coverage(selection, gathered, words, only_gone=only_gone),
        "gone": gathered.gone_cases,
    }


def rulings_by_person(words: Iterable[Words]) -> dict[str, dict[str, int]]:
    """Count how often each person ruled what, in the order of RULINGS; those who ruled on nothing are left out."""
    counts = Counter((one.who, one.ruling) for one in words if one.ruling)
    return {
        who: {ruling: counts[who, ruling] for ruling in RULINGS if counts[who, ruling]}
        for who in sorted({who for who, _ in counts})
    }


def tags_in_use(words: Iterable[Words]) -> dict[str, int]:
    """Count on how many cases somebody put each tag, the most used first, then by name."""
    counts = Counter(tag for _, tag in {(one.case, tag) for one in words for tag in one.tags})
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def queues(gathered: Annotations) -> dict[str, Any]:
    """Say how far each person is in the queue that they are at, and in those of others in which cases wait."""
    of = {who: found for who in gathered.people if (found := gathered.history.queues(who))}
    aside = {who: [queue_words(one) for one in found[:-1] if one.waiting] for who, found in of.items()}
    put_aside = {who: words for who, words in aside.items() if words}
    now = {who: queue_words(found[-1]) for who, found in of.items()}
    return {"queues": now, **({"queues_aside": put_aside} if put_aside else {})}


def queue_words(queue: Queue) -> str:
    """Write `12 of 87 ruled, 3 skipped, 72 to come (as listed)`."""
    skipped = f", {len(queue.skipped):,} skipped" if queue.skipped else ""
    done = f"{len(queue.ruled):,} of {len(queue.cases):,} ruled{skipped}, {len(queue.waiting):,} to come"
    return f"{done} ({queue.words})"


def coverage(selection: Selection, gathered: Annotations, words: Sequence[Words], *, only_gone: bool) -> str:
    """Say of how many cases people speak, and how many of them are ruled on."""
    n, ruled = _cases(words), _cases(one for one in words if one.ruling)
    of = f"{counted(n, 'case')} that {'is' if n == 1 else 'are'} gone"
    if not only_gone:
        of = f"{n:,} of {counted(selection.shown.size, 'case')}"
    hidden = f"; of {counted(gathered.hidden, 'case')} that the request leaves out, too" if gathered.hidden else ""
    return f"people speak of {of}, and {ruled:,} of them {'is' if ruled == 1 else 'are'} ruled on{hidden}"
