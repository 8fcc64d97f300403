"""Results of one file that meet at the same solution: repetitions, and what cases of equal text cannot share.

Benchmarks hold cases of equal problem and steps, with gold labels of their own. A file that names the case of each
result tells their results apart. One that names none may hold a result for each of them all the same, and nothing says
which is whose.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from scoring.reading.findings import Finding

_NAMED = 6
"""Ids of cases that a finding lists at most."""
_RESULT = (
    *("rewards", "redundancy", "labels", "redundancy_labels", "solution"),
    *("answer", "ballot", "verdict", "reason"),
)
_PLACE = ("key", "vote", "run")


def equal_texts(source: str, rows: pl.DataFrame, counting: pl.DataFrame, cases: pl.DataFrame) -> Iterator[Finding]:
    """Find results that do not count because there is one before them, and those that cannot be told apart.

    Args:
        source: the file.
        rows: columns of RESULT_COLUMNS, `_row` (a number a row of the file), `key`, and `case` (null = the row names
            none); a row that names several cases is there once for each.
        counting: those of the rows that count: the first one of each content, case, vote and run.
        cases: columns `case` and `key`, of every case that may be meant.

    A row that names a case repeats what was said of the case before. Of rows that name none the file may hold as many
    as there are cases of that text which it does not name; where these rows differ, the finding lists the cases.
    """
    if counting.height == rows.height and not 0 < rows["case"].null_count() < rows.height:
        return
    named, unnamed = rows.filter(pl.col("case").is_not_null()), rows.filter(pl.col("case").is_null())
    repeated = named["_row"].n_unique() - counting.filter(pl.col("case").is_not_null())["_row"].n_unique()
    meeting = unnamed.filter(unnamed.select(_PLACE).is_duplicated() | unnamed["key"].is_in(named["key"].implode()))
    meeting = meeting.join(_open_cases(meeting, named, cases), on="key", how="left", maintain_order="left")
    open_cases = pl.col("_open").list.len().fill_null(0).cast(pl.Int64)
    places = meeting.group_by(_PLACE).agg(surplus=pl.len().cast(pl.Int64) - open_cases.first())
    repeated += int(places["surplus"].clip(0).sum())
    told = set()
    # Few cases have the text of another: only their rows are looked at one by one.
    for (key, *_), group in meeting.filter(open_cases > 1).group_by(*_PLACE, maintain_order=True):
        if key not in told and _differ(group):
            told.add(key)
            yield _undecided(source, group.row(0, named=True))
    if repeated:
        are = "result is" if repeated == 1 else "results are"
        message = f"{repeated:,} {are} of a case that already has one; the first one counts"
        yield Finding("note", "repeated-result", message, source)


def _open_cases(meeting: pl.DataFrame, named: pl.DataFrame, cases: pl.DataFrame) -> pl.DataFrame:
    """The cases of the contents of some rows that no row names: columns `key` and `_open` (a list)."""
    left = cases.select("key", "case").join(meeting.select("key"), on="key", how="semi", maintain_order="left")
    left = left.join(named.select("case"), on="case", how="anti", maintain_order="left")
    return left.group_by("key", maintain_order=True).agg(pl.col("case").alias("_open"))


def _differ(group: pl.DataFrame) -> bool:
    """Whether results are not all the same."""
    rows = group.select(_RESULT).rows()
    return any(repr(row) != repr(rows[0]) for row in rows[1:])


def _undecided(source: str, first: Mapping[str, Any]) -> Finding:
    names = first["_open"]
    listed = ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else "")
    message = (
        f"{listed} have the same text, and the file gives it several results without naming the case: the first one "
        "counts for all of them; ids in the file would tell them apart"
    )
    return Finding("warning", "equal-texts", message, source, first["line"], first["id"])
