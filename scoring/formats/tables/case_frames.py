"""Data frames with the columns of `scoring.data.schema.CASES`: what a workspace gives, and what a notebook makes
likewise.

Indices of steps are 0-based in them and -1 is "no error", as everywhere here: nothing is guessed.
"""

import math
from collections.abc import Iterator, Sequence
from functools import partial

import polars as pl
from msgspec.structs import replace

from scoring.data.errors import UsageError
from scoring.data.schema import CASES
from scoring.formats.benchmarks.case_format import (
    CaseFormat,
    Imported,
    ReadSource,
    first_step,
    first_step_checks,
    none_wrong,
    warn_where,
)
from scoring.formats.reading.fields import (
    Fields,
    Layout,
    identifier,
    read_by,
    solution,
    text,
    texts,
    truth,
    whole,
    wholes,
)
from scoring.formats.reading.findings import Finding
from scoring.formats.reading.rows import Rows
from scoring.formats.results.result_format import ExternalResults
from scoring.formats.tables.column_guess import rewards_beside
from scoring.formats.tables.column_mapping import is_benchmark_name
from scoring.formats.tables.results import results
from scoring.formats.tables.table import IS_SHARE, NO_SHARE

_NEEDED = ("problem", "steps", "earliest_error")
_IDENTITY = ("case", "key", "benchmark", "id")
_MADE = frozenset({"case", "key", "benchmark", "n_steps", "source", "line", "twin_of"})
"""Columns that follow from others, or from where the frame is put."""


def is_case_frame(frame: pl.DataFrame) -> bool:
    """Return whether a frame holds cases as `scoring.data.schema` describes them, by the names and dtypes of its
    columns.
    """
    schema = frame.schema
    if not all(name in schema for name in _NEEDED):
        return False
    earliest = schema["earliest_error"]
    plain = schema["problem"] == pl.String() and schema["steps"] == pl.List(pl.String())
    return plain and (earliest.is_integer() or earliest == pl.Null())


def names_its_benchmarks(frame: pl.DataFrame) -> bool:
    """Return whether each row of such a frame says of which benchmark it is: it came out of a workspace."""
    return all(name in frame.columns for name in _IDENTITY)


def read_case_frame(frame: pl.DataFrame, source: str, benchmark: str) -> tuple[list[Imported], list[ExternalResults]]:
    """Read the cases of such a frame, those of each benchmark that it names by themselves, and rewards beside them.

    Args:
        frame: one for which `is_case_frame` holds.
        source: what it is called.
        benchmark: whose cases they are, where the frame does not say.

    Raises:
        UsageError: the name of a benchmark cannot be a folder's.
    """
    rows = Rows(source, "data frame", table=frame)
    mapping = rewards_beside(rows)
    if mapping is None:
        return list(_cases(frame, source, benchmark, ())), []
    beside = [column for kind, column in mapping.named if kind.startswith("rewards")]
    named = next((name for name in ("case", "id") if name in frame.columns), None)
    scorers = results(rows, replace(mapping, id=named))
    return list(_cases(frame, source, benchmark, beside)), scorers


def _cases(frame: pl.DataFrame, source: str, benchmark: str, beside: Sequence[str]) -> Iterator[Imported]:
    identified = "id" in frame.columns
    if not names_its_benchmarks(frame):
        rows = Rows(source, "data frame", table=frame)
        yield _format(benchmark, identified=identified).load(rows, None, beside)
        return
    for (name,), part in frame.with_row_index("_row", offset=1).group_by("benchmark", maintain_order=True):
        lines = part["_row"].cast(pl.Int64)
        rows = Rows(source, "data frame", table=part.drop("_row"))
        imported = _format(str(name), identified=identified).load(rows, None, beside)
        cases = imported.cases.with_columns(line=lines.gather(imported.cases["line"] - 1))
        findings = [
            replace(finding, line=lines[finding.line - 1]) if finding.line else finding for finding in imported.findings
        ]
        yield replace(imported, cases=cases, findings=tuple(findings))


def _format(benchmark: str, *, identified: bool) -> CaseFormat:
    if not is_benchmark_name(benchmark):
        raise UsageError(f"{benchmark!r} cannot be a benchmark's name.", "Use letters, digits, dots and hyphens.")
    by_dtype = {pl.String(): text, pl.Boolean(): truth, pl.List(pl.String()): texts}
    fields = {name: by_dtype.get(dtype, wholes)() for name, dtype in CASES.items() if name not in _MADE}
    columns = {name: pl.col(name) for name in fields}
    fields |= {
        "id": identifier(),
        "problem": text(required=True),
        "steps": solution(),
        "earliest_error": whole(needed=False),
        "agreement": read_by(pl.Float64(), _share, float),
    }
    if not identified:
        # Called after the row's number.
        fields.pop("id")
    for name in ("id", "problem", "steps"):
        columns.pop(name)
    earliest = first_step("earliest_error")
    return CaseFormat(
        name=benchmark,
        layout=Layout(
            fields,
            content=("problem", "steps"),
            name=Fields.identifier if identified else Fields.row_name,
            claimed=_MADE,
        ),
        columns={
            **columns,
            "agreement": pl.when(IS_SHARE).then("agreement"),
            "earliest_error": earliest,
            "error_steps": pl.coalesce(pl.col("error_steps").list.unique().list.sort(), none_wrong(earliest)),
        },
        checks=(*first_step_checks("earliest_error"), warn_where("wrong-type", ~IS_SHARE, NO_SHARE)),
        conclude=partial(_concluded, identified=identified),
    )


def _concluded(read: ReadSource, *, identified: bool) -> tuple[str, list[Finding]]:
    findings = list(read.findings)
    if not identified:
        message = "no column holds ids; cases are called after the frame and the row's number"
        findings.append(Finding("note", "no-id", message, read.source))
    return "0-based, -1 = no error, as everywhere here", findings


def _share(fields: Fields, name: str) -> float | None:
    value = fields.value.get(name)
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    if value is not None:
        fields.note("warning", "wrong-type", NO_SHARE)
    return None
