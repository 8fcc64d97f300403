"""Imported cases get the metadata columns of their rows, and every column of the file a fate."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from scoring.benchmarks.base import Imported
from scoring.reading.findings import Finding
from scoring.reading.metadata import metadata_of
from scoring.reading.rows import Rows
from scoring.reading.text_rows import CSV_FORMATS
from scoring.schema import CASES

OWN = frozenset({*CASES, "label"})
"""What a benchmark of the user's own, which does not say it, is taken to read."""


def with_metadata(imported: Imported, rows: Rows, claimed: Iterable[str]) -> Imported:
    """Give cases the metadata columns of the rows that they were made of.

    Args:
        imported: what a reader made of `rows`.
        rows: the rows as they stand in the source.
        claimed: the keys that the reader took.
    """
    values = _rows_of(imported, rows)
    if values is None:
        message = "whose rows the cases are is not known, so that no other column of the file was kept"
        return replace(imported, findings=(*imported.findings, Finding("note", "no-metadata", message, rows.source)))
    frame, fates, mended = metadata_of(values, claimed, cells=rows.format in CSV_FORMATS.values())
    found = replace(imported, metadata=frame, fates=fates)
    if not mended:
        return found
    message = f"{mended:,} values of metadata columns hold half a character; it became U+FFFD"
    return replace(found, findings=(*found.findings, Finding("warning", "lone-surrogate", message, rows.source)))


def _rows_of(imported: Imported, rows: Rows) -> list[Mapping[str, Any] | None] | None:
    """The row of each case; None where they cannot be told. Several rows may stand on one line."""
    lines = imported.cases["line"].to_list()
    numbers = rows.cases if len(rows.cases) == len(lines) else []
    by_number = {row.number: row for row in rows.rows}
    if [by_number[number].line for number in numbers if number in by_number] == lines:
        found = [by_number[number].value for number in numbers]
    else:
        times = Counter(row.line for row in rows.rows)
        by_line = {row.line: row.value for row in rows.rows if times[row.line] == 1}
        if any(line not in by_line for line in lines):
            return None
        found = [by_line[line] for line in lines]
    return [value if isinstance(value, Mapping) else None for value in found]
