"""What `triage` shows on a terminal: few columns a case and person, a summary in sentences, a history in lines."""

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from inspector.sentences import counted
from inspector.triaged.case_document import signed

LISTED = 12
"""Tags that the summary names."""
_MINUTES, _SECONDS = len("2026-01-31T12:34"), len("2026-01-31T12:34:56")
"""Letters of a time as it is shown, which is UTC."""


def wide_triage(rows: pl.DataFrame) -> pl.DataFrame:
    """A line a case and person: the ratings in one text, tags that were taken off with a minus, the time in minutes."""
    lines = [
        {
            "case": row["case"],
            "who": row["who"],
            "ruling": row["ruling"],
            "ratings": _ratings(row),
            "tags": " ".join([*row["tags"], *(f"-{tag}" for tag in row["without_tags"])]) or None,
            "category": row["category"],
            "last": _minutes(row["last"]),
            "note": row["note"],
        }
        for row in rows.iter_rows(named=True)
    ]
    names = ("case", "who", "ruling", "ratings", "tags", "category", "last", "note")
    return pl.DataFrame(lines, schema=dict.fromkeys(names, pl.String()), orient="row")


def history_lines(rows: pl.DataFrame) -> Iterator[tuple[str, str]]:
    """Of each action its number, time and author, and what it did in words."""
    number = max((len(str(n)) for n in rows["n"]), default=0)
    who = [f"{row['who']}@{row['machine']}" for row in rows.select("who", "machine").iter_rows(named=True)]
    longest = max(map(len, who), default=0)
    for row, author in zip(rows.iter_rows(named=True), who, strict=True):
        time = (row["time"] or "")[:_SECONDS].replace("T", " ", 1)
        undone = " (undone)" if row["holds"] is False else ""
        yield f"{row['n']:>{number}}  {time:<{_SECONDS}}  {author:<{longest}}", f"{row['words']}{undone}"


def summary(facts: Mapping[str, Any]) -> Iterator[str]:
    """Rulings by person, how far their queues are, tags in use, and cases that are gone."""
    for who, rulings in facts["rulings"].items():
        told = ", ".join(f"{count:,} {ruling}" for ruling, count in rulings.items())
        yield f"{who} ruled on {counted(sum(rulings.values()), 'case')}: {told}"
    for who, told in facts["queues"].items():
        yield f"queue of {who}: {told}"
    tags = facts["tags"]
    if tags:
        more = f" and {len(tags) - LISTED:,} more" if len(tags) > LISTED else ""
        yield "tags: " + ", ".join(f"{tag} {count:,}" for tag, count in list(tags.items())[:LISTED]) + more


def gone_words(count: int) -> str:
    """That people spoke of cases that are gone, and how to see them."""
    words = "is in no benchmark here any more; what was said of it"
    if count != 1:
        words = "are in no benchmark here any more; what was said of them"
    return f"{counted(count, 'case')} that people spoke of {words} is kept, and listed by --gone"


def _ratings(row: Mapping[str, Any]) -> str | None:
    pairs = zip(row["rated_steps"], row["ratings"], strict=True)
    return " ".join(f"{step}:{signed(rating)}" for step, rating in pairs) or None


def _minutes(time: str | None) -> str | None:
    return None if time is None else time[:_MINUTES].replace("T", " ", 1)
