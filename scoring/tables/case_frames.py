"""Data frames with the columns of `scoring.schema.CASES`: what a workspace gives, and what a notebook makes likewise.

Indices of steps are 0-based in them and -1 is "no error", as everywhere here: nothing is guessed.
"""

import math
from collections.abc import Iterator
from dataclasses import replace

import polars as pl

from scoring.benchmarks.base import CaseFormat, Check, first_step, first_step_checks, none_wrong
from scoring.benchmarks.imported import Imported
from scoring.errors import UsageError
from scoring.reading.fields import Fields
from scoring.reading.rows import Rows
from scoring.reading.typed import Field, Layout, identifier, read_by, solution, text, texts, truth, whole, wholes
from scoring.schema import CASES
from scoring.tables.column_mapping import is_benchmark_name

_NEEDED = ("problem", "steps", "earliest_error")
_IDENTITY = ("case", "key", "benchmark", "id")
_IS_SHARE = pl.col("agreement").is_between(0, 1)
_MADE = frozenset({"case", "key", "benchmark", "n_steps", "source", "line", "twin_of"})
"""Columns that follow from others, or from where the frame is put."""


def is_case_frame(frame: pl.DataFrame) -> bool:
    """Whether a frame holds cases as `scoring.schema` describes them, by the names and dtypes of its columns."""
    found = frame.schema
    if not all(name in found for name in _NEEDED):
        return False
    earliest = found["earliest_error"]
    plain = found["problem"] == pl.String() and found["steps"] == pl.List(pl.String())
    return plain and (earliest.is_integer() or earliest == pl.Null())


def names_its_benchmarks(frame: pl.DataFrame) -> bool:
    """Whether each row of such a frame says of which benchmark it is: it came out of a workspace."""
    return all(name in frame.columns for name in _IDENTITY)


def read_case_frame(frame: pl.DataFrame, source: str, benchmark: str) -> Iterator[Imported]:
    """Read the cases of such a frame, those of each benchmark that it names by themselves.

    Args:
        frame: one for which `is_case_frame` holds.
        source: what it is called.
        benchmark: whose cases they are, where the frame does not say.

    Raises:
        UsageError: the name of a benchmark cannot be a folder's.
    """
    if not names_its_benchmarks(frame):
        yield _format(benchmark).load(Rows(source, "data frame", table=frame))
        return
    for (name,), part in frame.with_row_index("_row", offset=1).group_by("benchmark", maintain_order=True):
        lines = part["_row"].cast(pl.Int64)
        found = _format(str(name)).load(Rows(source, "data frame", table=part.drop("_row")))
        cases = found.cases.with_columns(line=lines.gather(found.cases["line"] - 1))
        findings = (replace(one, line=lines[one.line - 1]) if one.line else one for one in found.findings)
        yield replace(found, cases=cases, findings=tuple(findings))


def _format(benchmark: str) -> CaseFormat:
    if not is_benchmark_name(benchmark):
        raise UsageError(f"{benchmark!r} cannot be a benchmark's name.", "Use letters, digits, dots and hyphens.")
    given = {name: _field(name, dtype) for name, dtype in CASES.items() if name not in _MADE}
    earliest = first_step("earliest_error")
    named = ("id", "problem", "steps", "earliest_error", "error_steps", "agreement")
    return CaseFormat(
        name=benchmark,
        layout=Layout(given, content=("problem", "steps"), claimed=_MADE),
        columns={
            **{name: pl.col(name) for name in given if name not in named},
            "agreement": pl.when(_IS_SHARE).then("agreement"),
            "earliest_error": earliest,
            "error_steps": pl.coalesce(pl.col("error_steps").list.unique().list.sort(), none_wrong(earliest)),
        },
        checks=(
            *first_step_checks("earliest_error"),
            Check(~_IS_SHARE, "warning", "wrong-type", "agreement is no number from 0 to 1"),
        ),
        conclude=lambda read: ("0-based, -1 = no error, as everywhere here", read.findings),
    )


def _field(name: str, dtype: pl.DataType) -> Field:
    known: dict[str, Field] = {
        "id": identifier(),
        "problem": text(required=True),
        "steps": solution(),
        "earliest_error": whole(needed=False),
        "agreement": read_by(pl.Float64(), _number, float),
    }
    if name in known:
        return known[name]
    if dtype == pl.String():
        return text()
    if dtype == pl.Boolean():
        return truth()
    return texts() if dtype == pl.List(pl.String()) else wholes()


def _number(fields: Fields, name: str) -> float | None:
    value = fields.value.get(name)
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    if value is not None:
        fields.note("warning", "wrong-type", f"{name} is no number from 0 to 1")
    return None
