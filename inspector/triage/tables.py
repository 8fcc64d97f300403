"""What `triage` shows on a terminal: few columns a case and person, a summary in sentences, a history in lines."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import polars as pl
from rich.cells import cell_len

from inspector.sentences import counted
from inspector.text import clean
from inspector.triage.case_document import signed

LISTED = 12
"""Tags that the summary names."""
_MINUTES, _SECONDS = len("2026-01-31T12:34"), len("2026-01-31T12:34:56")
"""Letters of a time as it is shown, which is UTC."""


def wide_triage(rows: pl.DataFrame) -> pl.DataFrame:
    """A line a case and person: the ratings in one text, tags that were taken off with a minus, the time in minutes.

    Beside a ruling or ratings of another text of the case it says so.
    """
    lines = [
        {
            "case": row["case"],
            "who": row["who"],
            "ruling": row["ruling"],
            "ratings": _ratings(row),
            "outdated": "another text" if row["outdated"] else None,
            "tags": " ".join([*row["tags"], *(f"-{tag}" for tag in row["without_tags"])]) or None,
            "category": row["category"],
            "last": _minutes(row["last"]),
            "note": row["note"],
        }
        for row in rows.iter_rows(named=True)
    ]
    told = ("outdated",) if rows["outdated"].any() else ()
    names = ("case", "who", "ruling", "ratings", *told, "tags", "category", "last", "note")
    lines = [{name: line[name] for name in names} for line in lines]
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


def history_indent(lines: Iterable[tuple[str, str]], width: int) -> int:
    """The cell at which what was done begins, on lines of `width` cells: behind the labels, where these leave room."""
    return min(max((cell_len(clean(label)) for label, _ in lines), default=0) + 2, width // 2)


def summary(facts: Mapping[str, Any]) -> Iterator[str]:
    """Rulings by person, how far their queues are, tags in use, and what was said of other texts."""
    for who, rulings in facts["rulings"].items():
        told = ", ".join(f"{count:,} {ruling}" for ruling, count in rulings.items())
        yield f"{who} ruled on {counted(sum(rulings.values()), 'case')}: {told}"
    for who, told in facts["queues"].items():
        yield f"queue of {who}: {told}"
    tags = facts["tags"]
    if tags:
        more = f" and {len(tags) - LISTED:,} more" if len(tags) > LISTED else ""
        yield "tags: " + ", ".join(f"{tag} {count:,}" for tag, count in list(tags.items())[:LISTED]) + more
    if outdated := facts["outdated"]:
        whose = "was ruled on or rated when its" if outdated == 1 else "were ruled on or rated when their"
        yield (
            f"{counted(outdated, 'case')} {whose} problem or steps were others (outdated): that counts for no label "
            "and no row for other programs until it is said anew"
        )


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
