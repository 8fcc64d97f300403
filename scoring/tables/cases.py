"""Any table as a benchmark: rows of JSON, CSV or Parquet whose columns a mapping names."""

import re
from functools import partial
from pathlib import PurePath
from typing import Any

from scoring.benchmarks.imported import Imported, cases_frame
from scoring.errors import UsageError
from scoring.reading.compressed import plain_name
from scoring.reading.fields import Fields, each_case
from scoring.reading.findings import Finding
from scoring.reading.rows import Rows
from scoring.tables.column_mapping import TEXTS, ColumnMapping
from scoring.tables.gold_columns import gold, indices, marked, wrong_below
from scoring.tables.label_base import LabelBase, label_base
from scoring.tables.mapped_rows import mapped_rows, separator_words

NAME = "table"
TITLE = "Table with a mapping"

_NO_NAME = re.compile(r"[^A-Za-z0-9._-]+")


def load(rows: Rows, mapping: ColumnMapping) -> Imported:
    """The cases of a table.

    A row without a usable problem or solution is left out with a finding of severity error; one without a usable gold
    label is kept with nulls. The first row with an id wins.

    Raises:
        UsageError: the mapping names no problem or no steps, or a column that is not there.
    """
    if mapping.problem is None or mapping.steps is None:
        missing = "problem" if mapping.problem is None else "steps"
        raise UsageError(f"the mapping names no column for {missing}.", "Cases need a problem and steps.")
    name = mapping.benchmark or table_name(rows.source)
    mapped = mapped_rows(rows, mapping)
    base = label_base(
        mapping.label_base, indices(mapped, mapping), marked=marked(mapped, mapping), source=mapped.source
    )
    findings = [*mapped.findings, *([base.finding] if base.finding else [])]
    findings += _doubtful_ratings(mapped, mapping)
    if mapping.id is None:
        message = "no column holds ids; cases are called after the file and the row's number"
        findings.append(Finding("note", "no-id", message, rows.source))
    cases = each_case(mapped, findings, partial(_case, mapping, base.base), partial(_identify, mapping))
    frame = cases_frame(name, rows.source, cases)
    said = _labels(mapping, base)
    return Imported(name, rows.source, rows.format, said, rows.read, frame, tuple(findings), mapping=describe(mapping))


def table_name(source: str) -> str:
    """What a table is called after its file: letters, digits, dots and hyphens, so that it can be a folder."""
    return _NO_NAME.sub("-", PurePath(plain_name(source)).stem).strip("-._")[:64] or NAME


def describe(mapping: ColumnMapping) -> str:
    """Which column is read as what, and every option that changes what is read, in one line."""
    parts = [f"{name} = {column}" for name, column in mapping.named]
    if mapping.steps is not None:
        parts.append(f"one text of steps is split at {separator_words(mapping)}")
    if mapping.earliest_error is not None:
        mark = "" if mapping.clean is None else f" or {mapping.clean}"
        parts.append(f"-1{mark} = no error")
    if mapping.step_labels is not None:
        parts.append(f"a step is wrong below {wrong_below(mapping):g}")
    bases = (("label_base", mapping.label_base), ("verdict_base", mapping.verdict_base))
    parts += [f"{option} {base}" for option, base in bases if base is not None]
    return ", ".join(parts)


def _identify(mapping: ColumnMapping, fields: Fields) -> str:
    return fields.row_name() if mapping.id is None else fields.identifier()


def _case(mapping: ColumnMapping, base: int, fields: Fields) -> dict[str, Any] | None:
    problem = fields.text("problem", required=True)
    if isinstance(fields.value["steps"], str):
        fields.note("error", "printed-list", "steps look like a list and are no JSON; write them with json.dumps")
        return None
    steps = fields.solution()
    if problem is None or steps is None:
        return None
    return {
        "problem": problem,
        "steps": steps,
        **gold(fields, mapping, base, len(steps)),
        "final_answer_correct": fields.boolean("final_answer_correct"),
        "agreement": _agreement(fields),
        **{name: fields.text(name) for name in TEXTS},
    }


def _agreement(fields: Fields) -> float | None:
    value = fields.value.get("agreement")
    if value is None or (isinstance(value, float) and 0 <= value <= 1):
        return value
    fields.note("warning", "wrong-type", "agreement is no number from 0 to 1")
    return None


def _labels(mapping: ColumnMapping, base: LabelBase) -> str:
    """How gold labels are read, in words."""
    if mapping.earliest_error is not None or mapping.error_steps is not None:
        mark = "" if mapping.clean is None else f" or {mapping.clean}"
        return f"{base.words}, " + (f"-1{mark} = no error" if mapping.earliest_error else "an empty list = no error")
    if mapping.step_labels is not None:
        stated = "assumed" if mapping.wrong_below is None else "stated"
        return f"a label a step: false, or a rating below {wrong_below(mapping):g} ({stated}), is wrong"
    return "no column holds gold labels"


def _doubtful_ratings(rows: Rows, mapping: ColumnMapping) -> list[Finding]:
    """A warning where ratings below 0 make it likely that 0 means neutral, and nothing says how to take it."""
    if mapping.step_labels is None or mapping.wrong_below is not None:
        return []
    seen = set()
    for row in rows.rows:
        labels = row.value.get("step_labels") if isinstance(row.value, dict) else None
        seen |= {one for one in labels if isinstance(one, int | float)} if isinstance(labels, list) else set()
    if 0 not in seen or not any(one < 0 for one in seen):
        return []
    message = (
        "some ratings are below 0 and others 0: 0 was read as wrong; state wrong_below in the mapping (0: as right)"
    )
    return [Finding("warning", "label-base", message, rows.source)]
