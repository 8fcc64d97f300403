"""Any table as cases and results: rows of JSON, CSV or Parquet whose columns a mapping names.

A table of cases is declared like a benchmark, by the fields that the mapping names; so is what it holds of scorers.
Cells may be lenient: a number or a list in a text, a rating in the place of a truth value.
"""

import math
import re
import shlex
from collections.abc import Mapping
from difflib import get_close_matches
from functools import partial
from pathlib import Path, PurePath

import polars as pl
from msgspec.structs import replace

from scoring.data.errors import CommandEdit, MissingColumn, UsageError
from scoring.formats.benchmarks.benchmark_registry import MODULES
from scoring.formats.benchmarks.case_format import CaseFormat, Imported, ReadSource, warn_where
from scoring.formats.reading.compressed_streams import plain_name
from scoring.formats.reading.fields import Field, Fields, Layout, as_made, name_of, read_by, solution
from scoring.formats.reading.fields import text as text_field
from scoring.formats.reading.fields import truth as truth_field
from scoring.formats.reading.file_bytes import printable
from scoring.formats.reading.findings import Finding
from scoring.formats.reading.rows import Rows
from scoring.formats.reading.text_checks import unsplit_findings
from scoring.formats.tables.cell_values import columns_of, has, outermost, single_at, text
from scoring.formats.tables.column_mapping import FLAGS, SPLIT, TEXTS, ColumnMapping, flat_row, mapped
from scoring.formats.tables.gold_labels import (
    GoldExpressions,
    GoldReading,
    clean_words,
    gold_fields,
    read_gold,
    wrong_below,
)

_NO_NAME = re.compile(r"[^A-Za-z0-9._-]+")
_NEAR, _SHOWN, _LONG = 3, 12, 60


def load(rows: Rows, mapping: ColumnMapping, folder: Path | None = None) -> Imported:
    """Read the cases of a table.

    A row without a usable problem or solution is left out with a finding of severity error; one without a usable gold
    label is kept with nulls. The first row with an id counts.

    Args:
        rows: the table's.
        mapping: which of its columns is what.
        folder: where the texts of a large file go; None = they stay in memory.

    Raises:
        UsageError: the mapping names no problem or no steps, or a column that is not there.
    """
    if mapping.problem is None or mapping.steps is None:
        missing = "problem" if mapping.problem is None else "steps"
        raise UsageError(f"the mapping names no column for {missing}.", "Cases need a problem and steps.")
    check_columns(rows, mapping)
    gold = read_gold(rows, mapping)
    mapping = gold.mapping
    labels = GoldExpressions(mapping, gold.base.base)
    declared = CaseFormat(
        name=mapping.benchmark or table_name(rows.source),
        layout=Layout(
            _case_fields(mapping),
            content=("problem", "steps"),
            name=partial(_identify, mapping),
            lenient=partial(flat_row, mapping),
        ),
        columns={
            **{name: pl.col(name) for name in ("final_answer_correct", *TEXTS) if getattr(mapping, name) is not None},
            **({} if mapping.agreement is None else {"agreement": pl.when(IS_SHARE).then("agreement")}),
            "earliest_error": labels.earliest,
            "error_steps": labels.error_steps,
        },
        conclude=partial(_concluded, gold),
        checks=(
            *labels.checks(),
            *([] if mapping.agreement is None else [warn_where("wrong-type", ~IS_SHARE, NO_SHARE)]),
        ),
        tallies={SPLIT: pl.col(SPLIT).sum()},
    )
    columns = [name for _, column in mapping.named for name in (column, outermost(column))]
    imported = replace(declared.load(rows, folder, columns), mapping=describe(mapping))
    if imported.spilled is None:
        imported = replace(imported, findings=(*imported.findings, *unsplit_findings(rows.source, imported.cases)))
    return imported


def table_name(source: str) -> str:
    """Name a table after its file: letters, digits, dots and hyphens, so that it can be a folder.

    A file that happens to be called after a benchmark that is known here is not that benchmark.
    """
    name = _NO_NAME.sub("-", PurePath(plain_name(source)).stem).strip("-._")[:64] or "table"
    return f"{name}-table" if name in MODULES else name


def describe(mapping: ColumnMapping) -> str:
    """Return which column is read as what, and every option that changes what is read, in one line."""
    parts = [f"{name} = {column}" for name, column in mapping.named]
    if mapping.steps is not None:
        parts.append(f"one text of steps is split at {_separator_words(mapping)}")
    if mapping.earliest_error is not None:
        parts.append(clean_words(mapping, mapping.label_base))
    if mapping.step_labels is not None:
        limit = f"below {wrong_below(mapping):g}" if mapping.wrong is None else f"where its label is {mapping.wrong}"
        parts.append(f"a step is wrong {limit}")
    bases = (("label_base", mapping.label_base), ("verdict_base", mapping.verdict_base))
    parts += [f"{option} {base}" for option, base in bases if base is not None]
    if mapping.rewards and mapping.higher_is == "worse":
        parts.append("each reward is 1 - value")
    return ", ".join(parts)


# -- rows under the mapping's names


def check_columns(rows: Rows, mapping: ColumnMapping) -> None:
    """Refuse a mapping that names a column which no row has.

    Raises:
        UsageError: it does; near names are told.
    """
    first = [value for value in rows.sample() if isinstance(value, Mapping)]
    missing = [(name, column) for name, column in mapping.named if not any(has(value, column) for value in first)]
    if missing and rows.streamed:
        # A column may begin anywhere.
        every = [row.value for row in rows.rows if isinstance(row.value, Mapping)]
        missing = [(name, column) for name, column in missing if not any(has(value, column) for value in every)]
    for name, column in missing:
        known = list(dict.fromkeys(other for value in first for other in columns_of(value)))
        near = get_close_matches(column, known, _NEAR) or known[:_SHOWN]
        named = ", ".join(printable(other[:_LONG]) for other in near) or "none"
        wrong = f"{rows.source} has no column {column[:_LONG]!r}, which is mapped as {name}."
        are_near = near != known[:_SHOWN]
        flag = FLAGS.get(name.partition(" of ")[0], "")
        others = [
            (CommandEdit(f"{flag} {shlex.quote(other)}".strip(), ((column, other),)), f"the column {other!r}")
            for other in (near if are_near else ())
            if flag
        ]
        next_step = f"Columns {'of nearly that name' if are_near else 'there'}: {named}."
        raise MissingColumn(wrong, next_step, instead=others)


def _separator_words(mapping: ColumnMapping) -> str:
    return "blank lines" if mapping.separator is None else f"every {mapping.separator!r}"


def _identify(mapping: ColumnMapping, fields: Fields) -> str:
    if mapping.id is None:
        return fields.row_name()
    return fields.of({"id": text(single_at(fields.value, mapping.id))}).identifier()


def _case_fields(mapping: ColumnMapping) -> dict[str, Field]:
    known = {
        "id": Field(pl.String(), str | int, name_of, needed=True, filled=True),
        "problem": replace(text_field(required=True), filled=True),
        "steps": replace(solution(), read=_steps),
        **gold_fields(mapping),
        "final_answer_correct": truth_field(),
        "agreement": read_by(pl.Float64(), _agreement, float),
        **{name: replace(text_field(), filled=True) for name in TEXTS},
    }
    # Without a column of ids, cases are called after the row's number, which an expression knows.
    fields = {name: mapped(field, column) for name, field in known.items() if (column := getattr(mapping, name))}
    # Only rows that are read value by value have these.
    fields[SPLIT] = as_made(pl.Boolean())
    return fields


def _steps(fields: Fields, name: str) -> list[str] | None:
    if isinstance(fields.value.get(name), str):
        fields.note("error", "printed-list", "steps look like a list and are not JSON; write them with json.dumps")
        return None
    return fields.solution(name)


def _agreement(fields: Fields, name: str) -> float | None:
    value = fields.value.get(name)
    if value is None or isinstance(value, float):
        return None if value is None or math.isnan(value) else value
    fields.note("warning", "wrong-type", NO_SHARE)
    return None


IS_SHARE = pl.col("agreement").is_between(0, 1)
NO_SHARE = "agreement is not a number from 0 to 1"


def _concluded(gold: GoldReading, read: ReadSource) -> tuple[str, list[Finding]]:
    source, findings, mapping = read.source, list(read.findings), gold.mapping
    if split := read.tallies[SPLIT]:
        message = f"{split:,} solutions were one text and were split at {_separator_words(mapping)}"
        findings.append(Finding("note", "split-steps", message, source))
    findings += gold.findings
    if mapping.id is None:
        message = "no column holds ids; cases are called after the file and the row's number"
        findings.append(Finding("note", "no-id", message, source))
    return gold.words, findings
