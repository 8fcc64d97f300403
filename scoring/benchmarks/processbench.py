"""ProcessBench: the earliest error in solutions to competition mathematics.

Zheng et al., "ProcessBench: Identifying Process Errors in Mathematical Reasoning", arXiv 2412.06559. Apache-2.0.
Rows: `id, generator, problem, steps[], final_answer_correct, label`; `label` is the 0-based index of the first wrong
step, -1 where there is none; the id's prefix is the subset.
"""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

import polars as pl

from scoring.benchmarks.fields import Fields, each_row
from scoring.benchmarks.findings import Finding
from scoring.benchmarks.imported import Imported, cases_frame
from scoring.benchmarks.rows import Rows

NAME = "processbench"
TITLE = "ProcessBench"
PAPER = "arXiv 2412.06559"
LICENCE = "Apache-2.0"
HUB_NAME = "Qwen/ProcessBench"
OFFICIAL: dict[str, tuple[int, int]] = {
    "gsm8k": (207, 193),
    "math": (594, 406),
    "olympiadbench": (661, 339),
    "omnimath": (759, 241),
}
"""Erroneous and clean cases a subset (paper, Table 2)."""

_SUBSET = re.compile(r"(.+)-\d+\Z")


def recognises(row: Any) -> bool:
    """Whether a row looks like ProcessBench: steps with a label, and none of the keys that other benchmarks add."""
    return (
        isinstance(row, Mapping)
        and {"problem", "steps", "label"} <= row.keys()
        and not {"domain", "error_type", "completions"} & row.keys()
    )


def load(rows: Rows) -> Imported:
    """The cases of a ProcessBench source.

    A row without usable text is left out with a finding of severity error; one without a usable label is kept with a
    null earliest error and a warning. The first row with an id wins.
    """
    findings = list(rows.findings)
    cases: list[dict[str, Any]] = []
    seen: dict[str, int] = {}
    for fields in each_row(rows, findings):
        case = _case(fields)
        if case is None:
            continue
        if (first := seen.setdefault(case["id"], fields.line)) != fields.line:
            fields.note("error", "repeated-id", f"id {case['id']!r} was already on line {first}; the first one counts")
            continue
        cases.append(case)
    frame = cases_frame(NAME, rows.source, cases)
    label_base, suspicion = _label_base(frame)
    if suspicion:
        findings.append(Finding("warning", "label-base", suspicion, rows.source))
    findings += _against_official(frame, rows.source)
    return Imported(NAME, rows.source, rows.format, label_base, rows.read, frame, tuple(findings))


def _case(fields: Fields) -> dict[str, Any] | None:
    fields.case = identifier = _identifier(fields)
    problem = fields.text("problem", required=True)
    steps = fields.texts("steps", required=True)
    if steps is not None and not steps:
        fields.note("error", "no-steps", "the solution has no steps")
    if fields.fatal or problem is None or steps is None:
        return None
    empty = [index for index, step in enumerate(steps) if not step.strip()]
    if empty:
        fields.note("note", "empty-step", f"steps {empty} are empty")
    subset = fields.text("subset")
    if subset is None and (match := _SUBSET.match(identifier)):
        subset = match[1]
    return {
        "id": identifier,
        "subset": subset,
        "generator": fields.text("generator"),
        "problem": problem,
        "steps": steps,
        "earliest_error": (label := _label(fields, len(steps))),
        "error_steps": [] if label == -1 else None,
        "final_answer_correct": _final_answer(fields, label),
        "line": fields.line,
    }


def _identifier(fields: Fields) -> str:
    value = fields.value.get("id")
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    text = fields.text("id")
    if text and text.strip():
        return text
    fields.note("warning", "no-id", f"the row has no id; it is called row-{fields.line}")
    return f"row-{fields.line}"


def _label(fields: Fields, n_steps: int) -> int | None:
    label = fields.integer("label")
    if label is None:
        return None
    if label < -1:
        fields.note("warning", "bad-label", f"label {label} names no step; the case has no gold label")
        return None
    if label >= n_steps:
        fields.note("warning", "label-beyond-end", f"label {label} is beyond the last step ({n_steps - 1}, 0-based)")
    return label


def _final_answer(fields: Fields, label: int | None) -> bool | None:
    correct = fields.boolean("final_answer_correct")
    if correct is False and label == -1:
        fields.note("warning", "wrong-answer-clean", "no step is labelled wrong, yet the final answer is")
    return correct


def _label_base(frame: pl.DataFrame) -> tuple[str, str | None]:
    """How the labels are read, with the evidence; and the suspicion that they are 1-based, if there is one."""
    gold, n_steps = frame["earliest_error"], frame["n_steps"]
    zeros, beyond = int((gold == 0).sum()), int((gold == n_steps).sum())
    said = f"0-based, -1 = no error ({zeros:,} labels are 0, {beyond:,} equal the number of steps)"
    if zeros == 0 and beyond > 0:
        return said, (
            f"no label is 0 and {beyond:,} equal the number of steps: the file looks 1-based, one off from ProcessBench"
        )
    return said, None


def _against_official(frame: pl.DataFrame, source: str) -> list[Finding]:
    """A note a subset that has the published counts, a warning where its size is right and its labels are not."""
    findings = []
    counts = Counter(zip(frame["subset"].to_list(), (frame["earliest_error"] >= 0).to_list(), strict=True))
    for subset, official in OFFICIAL.items():
        found = counts[subset, True], counts[subset, False]
        if found == official:
            message = f"{subset}: {found[0]} erroneous and {found[1]} clean, as published"
            findings.append(Finding("note", "official-counts", message, source))
        elif sum(found) == sum(official):
            message = f"{subset}: {found[0]} erroneous and {found[1]} clean; published are {official[0]} and {official[1]}"
            findings.append(Finding("warning", "not-official-counts", message, source))
    return findings
