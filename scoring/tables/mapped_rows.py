"""Rows of any table under the names that a mapping gives their columns, before they become cases or results."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from scoring.errors import UsageError
from scoring.reading.file_bytes import printable
from scoring.reading.findings import Finding
from scoring.reading.rows import Row, Rows
from scoring.tables.cells import at, columns_of, has, listed, number, steps, text, truth, whole
from scoring.tables.column_mapping import COLUMNS, TEXTS, ColumnMapping

_NEAR = 3
_SHOWN = 12
_LONG = 60


def mapped_rows(rows: Rows, mapping: ColumnMapping) -> Rows:
    """The rows with the mapping's fields as keys; texts that say numbers, truth values or lists have become these.

    Steps are a list wherever they could be made one. Rows that are no objects stay as they are. `findings` holds those
    of the rows, and how many solutions were split.

    Raises:
        UsageError: a column that is mapped is in no row.
    """
    for name, column in mapping.named:
        if not any(isinstance(row.value, Mapping) and has(row.value, column) for row in rows.rows):
            raise _no_column(name, column, rows)
    found = Rows(rows.source, rows.format, findings=list(rows.findings), read=rows.read)
    split = 0
    for row in rows.rows:
        value = row.value
        if isinstance(value, Mapping):
            value, was_split = _mapped(value, mapping)
            split += was_split
        found.rows.append(Row(row.number, row.line, value))
    if split:
        message = f"{split:,} solutions were one text and were split at {separator_words(mapping)}"
        found.findings.append(Finding("note", "split-steps", message, rows.source))
    return found


def all_columns(rows: Rows) -> dict[str, None]:
    """The names of all columns, those inside objects by their paths, in order of appearance; as the keys of a dict."""
    found: dict[str, None] = {}
    for row in rows.rows:
        if isinstance(row.value, Mapping):
            found.update(columns_of(row.value))
    return found


def separator_words(mapping: ColumnMapping) -> str:
    """What stands between two steps, in words."""
    return "blank lines" if mapping.separator is None else f"every {mapping.separator!r}"


def _mapped(row: Mapping[str, Any], mapping: ColumnMapping) -> tuple[dict[str, Any], bool]:
    """One row by the mapping's fields, and whether its solution had to be split."""
    cells = {name: at(row, column) for name in COLUMNS if (column := getattr(mapping, name)) is not None}
    found = {name: _READ[name](cell) if name in _READ else cell for name, cell in cells.items()}
    found["steps"], split = steps(cells.get("steps"), mapping.separator)
    for kind in ("rewards", "verdicts"):
        found[kind] = {scorer: at(row, column) for scorer, column in getattr(mapping, kind).items()}
    return found, split


def _no_column(name: str, column: str, rows: Rows) -> UsageError:
    known = list(all_columns(rows))
    near = get_close_matches(column, known, _NEAR) or known[:_SHOWN]
    named = ", ".join(printable(one[:_LONG]) for one in near) or "none"
    wrong = f"{rows.source} has no column {column[:_LONG]!r}, which is mapped as {name}."
    return UsageError(wrong, f"Columns {'of nearly that name' if near != known[:_SHOWN] else 'there'}: {named}.")


def _wholes(cell: Any) -> Any:
    found = listed(cell)
    return [whole(part) for part in found] if isinstance(found, list) else found


_READ = {
    **dict.fromkeys(("id", *TEXTS), text),
    "error_steps": _wholes,
    "step_labels": listed,
    "final_answer_correct": truth,
    "agreement": number,
    "run": whole,
}
