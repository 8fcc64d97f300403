"""Rows that code of the user's own reads field by field, and what it says about all of them in the end."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import polars as pl
from msgspec import Struct

from scoring.benchmarks.base import Imported
from scoring.reading.fields import Fields, fields_of
from scoring.reading.findings import Finding
from scoring.reading.rows import Rows
from scoring.schema import CASES, content_key


class ByField(Struct, frozen=True, eq=False):
    """Reads one source; a format makes a new one for each, so that it may count what it sees.

    `case_of` makes a row's fields a case or None; `concluded` is asked last, with all cases' metadata and the source,
    how the labels were read and what only all cases together show; `identify` gives a row's id.
    """

    case_of: Callable[[Fields], dict[str, Any] | None]
    concluded: Callable[[pl.DataFrame, str], tuple[str, list[Finding]]]
    identify: Callable[[Fields], str] = Fields.identifier

    def load(self, name: str, rows: Rows) -> Imported:
        """Read all rows of a source as the cases of the benchmark of this name."""
        findings = list(rows.findings)
        frame = cases_frame(name, rows.source, each_case(rows, findings, self.case_of, self.identify))
        label_base, noticed = self.concluded(frame, rows.source)
        return Imported(name, rows.source, rows.format, label_base, rows.read, frame, tuple(findings + noticed))


def each_case(
    rows: Rows,
    findings: list[Finding],
    read: Callable[[Fields], dict[str, Any] | None],
    identify: Callable[[Fields], str] = Fields.identifier,
) -> Iterator[dict[str, Any]]:
    """Give what `read` makes of every row that is an object, with `id` and `line`; None and fatal rows are left out.

    `rows.cases` names the rows that are given. Ids, which `identify` gives where they are more than the field `id`, are
    unique: the first row with an id counts, any other becomes a finding.
    """
    seen: dict[str, Fields] = {}
    rows.cases.clear()
    for row in rows.rows:
        fields = fields_of(row, rows.source, findings, identify)
        case = None if fields is None else read(fields)
        if fields is None or case is None or fields.fatal:
            continue
        case = {**case, "id": fields.case, "line": fields.line}
        first = seen.setdefault(case["id"], fields)
        if first is fields:
            rows.cases.append(row.number)
            yield case
        else:
            place = f"row {first.number} on line {first.line}"
            fields.note("error", "repeated-id", f"the id is that of {place}; the first one counts")


def cases_frame(benchmark: str, source: str, cases: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    """Make the cases frame of rows that hold at least id, problem, steps, earliest_error and line.

    Fills in `case`, `key`, `benchmark`, `n_steps` and `source`; absent columns are null.
    """
    rows = [
        {
            **case,
            "case": f"{benchmark}/{case['id']}",
            "key": content_key(case["problem"], case["steps"]),
            "benchmark": benchmark,
            "n_steps": len(case["steps"]),
            "source": source,
        }
        for case in cases
    ]
    return pl.DataFrame(rows, schema=CASES, orient="row") if rows else pl.DataFrame(schema=CASES)
