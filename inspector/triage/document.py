"""The document of `triage`: what people say of the cases, a row a case and person."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import polars as pl

from inspector.provenance import provenance
from inspector.selection import Selection
from inspector.sentences import counted
from inspector.triage.said import Said, benchmark_of, said
from scoring.deciding import speaks_of
from scoring.export import Document
from scoring.triage.actions import RULINGS
from scoring.triage.queue import Queue
from scoring.triage.words import Words

TRIAGED: dict[str, pl.DataType] = {
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


def triage_document(selection: Selection, form: str = "", *, who: str = "", only_gone: bool = False) -> Document:
    """What people say of the shown cases, in their order, by person; or of the cases that are gone.

    Raises:
        UsageError: there is no folder that could hold it, or no person of that name.
    """
    found = said(selection, who)
    words = found.gone if only_gone else found.shown
    asked = [*(flag("--who", found.people[0]) if who else ()), *(("--gone",) if only_gone else ())]
    command = selection.request.command("triage", *asked, form=form)
    rows = triage_rows(selection, words)
    facts = described(selection, found, words, command, only_gone=only_gone)
    return Document(rows, {**facts, "outdated": rows.filter("outdated")["case"].n_unique()})


def triage_rows(selection: Selection, words: Sequence[Words]) -> pl.DataFrame:
    """A row for the words of each person on each case, with the columns of TRIAGED."""
    spoken = selection.cases.select("case", "subset", "key").filter(pl.col("case").is_in({one.case for one in words}))
    there = {case: (subset, key) for case, subset, key in spoken.iter_rows()}
    rows = [_row(one, *there.get(one.case, (None, None))) for one in words]
    return pl.DataFrame(rows, schema=TRIAGED, orient="row")


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


def described(
    selection: Selection, found: Said, words: Sequence[Words], command: str, *, only_gone: bool = False
) -> dict[str, Any]:
    """How a document of people's words came to be; of scorers only where a condition speaks of them."""
    facts = provenance(selection, command, (*NOTES, *((GONE,) if only_gone else ())), decides=False)
    kept = ["command", "version", "data", "filter", "notes"]
    if any(speaks_of(one.scorer.name, selection.request.where) for one in selection.evaluations):
        kept += ["rule", "threshold", "threshold_source"]
    return {
        **{name: facts[name] for name in kept},
        "people": list(found.people),
        "rulings": rulings_by_person(words),
        "queues": dict(queues(found)),
        "tags": tags_in_use(words),
        "coverage": coverage(selection, found, words, only_gone=only_gone),
        "gone": len({one.case for one in found.gone}),
    }


def rulings_by_person(words: Iterable[Words]) -> dict[str, dict[str, int]]:
    """How often each person ruled what, in the order of RULINGS; those who ruled on nothing are left out."""
    counts = Counter((one.who, one.ruling) for one in words if one.ruling)
    return {
        who: {ruling: counts[who, ruling] for ruling in RULINGS if counts[who, ruling]}
        for who in sorted({who for who, _ in counts})
    }


def tags_in_use(words: Iterable[Words]) -> dict[str, int]:
    """On how many cases somebody put each tag, the most used first, then by name."""
    counts = Counter(tag for _, tag in {(one.case, tag) for one in words for tag in one.tags})
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def queues(found: Said) -> Iterable[tuple[str, str]]:
    """How far each person is in the queue that they began last."""
    for who in found.people:
        queue = found.history.queue(who)
        if queue is not None:
            yield who, queue_words(queue)


def queue_words(queue: Queue) -> str:
    """`12 of 87 ruled, 3 skipped, 72 to come (as listed)`."""
    skipped = f", {len(queue.skipped):,} skipped" if queue.skipped else ""
    done = f"{len(queue.ruled):,} of {len(queue.cases):,} ruled{skipped}, {len(queue.waiting):,} to come"
    return f"{done} ({queue.words})"


def coverage(selection: Selection, found: Said, words: Sequence[Words], *, only_gone: bool) -> str:
    """Of how many cases people speak, and how many of them are ruled on."""
    spoken, ruled = {one.case for one in words}, {one.case for one in words if one.ruling}
    of = f"{counted(len(spoken), 'case')} that {'is' if len(spoken) == 1 else 'are'} gone"
    if not only_gone:
        of = f"{len(spoken):,} of {counted(selection.shown.size, 'case')}"
    hidden = f"; of {counted(found.hidden, 'case')} that the request leaves out, too" if found.hidden else ""
    return f"people speak of {of}, and {len(ruled):,} of them {'is' if len(ruled) == 1 else 'are'} ruled on{hidden}"


def flag(name: str, value: str) -> tuple[str, ...]:
    """A flag and its value as words of a command; in one where the value looks like a flag itself."""
    return (f"{name}={value}",) if value.startswith("-") else (name, value)
