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

from scoring.formats.benchmarks.case_format import (
    CaseFormat,
    ReadSource,
    first_step,
    first_step_checks,
    none_wrong,
    not_empty,
    warn_where,
)
from scoring.formats.reading.fields import Fields, Layout, identifier, solution, text, truth, whole
from scoring.formats.reading.findings import Finding
from scoring.formats.reading.label_checks import are_outcomes, outcome_finding, read_end_labels

NAME = "processbench"
HUB_NAME = "Qwen/ProcessBench"
OFFICIAL: dict[str, tuple[int, int]] = {
    "gsm8k": (207, 193),
    "math": (594, 406),
    "olympiadbench": (661, 339),
    "omnimath": (759, 241),
}
"""Erroneous and clean cases a subset (paper, Table 2)."""

OF_OTHERS = frozenset({"domain", "error_type", "completions", "generated_critique", "responses"})
"""Keys by which rows are those of another benchmark, or results."""
_SUBSET = r"^(.+)-[0-9]+$"
_WHOLE_TEXT = re.compile(r"\s*[-+]?[0-9]{1,9}(?:\.0*)?\s*")
_TRUTHS = {"true": True, "1": True, "1.0": True, "false": False, "0": False, "0.0": False}
_MANY = 30
"""Erroneous cases from which on it is odd that none has its first error in the first step (nearly a fifth have)."""


def recognises(row: Any) -> bool:
    """Return whether a row looks like ProcessBench: steps with a label, no key of other benchmarks or of results."""
    return (
        isinstance(row, Mapping)
        and {"problem", "steps", "label"} <= row.keys()
        and not row.keys() & OF_OTHERS
        and not {"prediction", "match"} <= row.keys()
        # A label a step is somebody's own.
        and not isinstance(row["label"], list | Mapping)
    )


def _lenient(fields: Fields) -> Mapping[str, Any]:
    """Read numbers and truth values that a form or CSV made texts of."""
    row, made = fields.value, dict[str, Any]()
    label, right = row.get("label"), row.get("final_answer_correct")
    if isinstance(label, str) and _WHOLE_TEXT.fullmatch(label):
        made["label"] = int(float(label))
    if not isinstance(right, bool) and (truth_value := _TRUTHS.get(str(right).strip().lower())) is not None:
        made["final_answer_correct"] = truth_value
    if made:
        fields.note("note", "value-as-text", f"{' and '.join(made)}: the value was read from another type")
    return {**row, **made}


def _withheld(read: ReadSource) -> Finding | None:
    gold, n_steps = read.cases["earliest_error"], read.cases["n_steps"]
    if are_outcomes(gold, n_steps):
        return outcome_finding(read.source, "label")
    if (gold == -1).any():
        return None
    off = (gold - n_steps).drop_nulls()
    zeros, ends, after, beyond = (int(mask.sum()) for mask in (gold == 0, off == 0, off == 1, off > 0))
    end = read_end_labels(off.len(), zeros=zeros, ends=ends, after=after, beyond=beyond, stated=None)
    if not (end.clean and zeros) and end.usable:
        return None
    ways = f"--earliest-error label {end.flags}, or {end.instead}"
    message = f"the labels are not used, because they do not count as ProcessBench's do: {end.seen}; state {ways}"
    return Finding("warning", "label-base", message, read.source)


def _concluded(read: ReadSource) -> tuple[str, list[Finding]]:
    label_base, suspicion = _label_base(read.cases, read.source)
    counts = _against_official(read.cases, read.source)
    if any(finding.severity == "warning" for finding in suspicion):
        # That the counts are those published would only reassure.
        counts = [finding for finding in counts if finding.severity == "warning"]
    return label_base, [*read.findings, *suspicion, *counts]


def _label_base(frame: pl.DataFrame, source: str) -> tuple[str, list[Finding]]:
    """How the labels are read, with the evidence; and a finding where that evidence is for labels one too high.

    Labels that count from 1 leave nothing at 0 or, where clean cases were counted up as well, nothing at -1; and an
    error in the last step is then beyond the end.
    """
    gold, n_steps = frame["earliest_error"], frame["n_steps"]
    zeros, clean, beyond = (int(mask.sum()) for mask in (gold == 0, gold == -1, gold == n_steps))
    words = f"0-based, -1 = no error ({zeros:,} labels are 0, {beyond:,} equal the number of steps)"
    missing = " and ".join(text for text, count in (("0", zeros), ("-1", clean)) if not count)
    if missing and beyond:
        message = f"no label is {missing} and {beyond:,} equal the number of steps: the labels look one too high"
        return words, [Finding("warning", "label-base", message, source)]
    if not zeros and int((gold > 0).sum()) >= _MANY:
        message = f"no label is 0 in {int((gold > 0).sum()):,} erroneous cases: the labels may count from 1"
        return words, [Finding("note", "label-base", message, source)]
    return words, []


def _against_official(frame: pl.DataFrame, source: str) -> list[Finding]:
    """A note a subset that has the published counts, a warning where its size is right and its labels are not."""
    findings: list[Finding] = []
    if frame.height < min(map(sum, OFFICIAL.values())):
        return findings
    wrong = pl.col("earliest_error") >= 0
    groups = frame.group_by("subset", wrong).len().iter_rows()
    counts = Counter({(subset, erroneous): count for subset, erroneous, count in groups})
    for subset, official in OFFICIAL.items():
        counted = counts[subset, True], counts[subset, False]
        if counted == official:
            message = f"{subset}: {counted[0]} erroneous and {counted[1]} clean, as published"
            findings.append(Finding("note", "official-counts", message, source))
        elif sum(counted) == sum(official):
            published = f"published are {official[0]} and {official[1]}"
            message = f"{subset}: {counted[0]} erroneous and {counted[1]} clean; {published}"
            findings.append(Finding("warning", "not-official-counts", message, source))
    return findings


_EARLIEST = first_step("label")
FORMAT = CaseFormat(
    name=NAME,
    layout=Layout(
        {
            "id": identifier(),
            "problem": text(required=True),
            "steps": solution(),
            "label": whole(),
            "subset": text(),
            "generator": text(),
            "final_answer_correct": truth(),
        },
        content=("problem", "steps"),
        lenient=_lenient,
    ),
    columns={
        # The row's own, else what stands before the number in its id.
        "subset": pl.coalesce(not_empty("subset"), pl.col("id").str.extract(_SUBSET, 1)),
        "generator": pl.col("generator"),
        "earliest_error": _EARLIEST,
        "error_steps": none_wrong(_EARLIEST),
        "final_answer_correct": pl.col("final_answer_correct"),
    },
    checks=(
        *first_step_checks("label"),
        warn_where(
            "wrong-answer-clean",
            (pl.col("label") == -1) & ~pl.col("final_answer_correct"),
            "no step is labelled wrong, yet the final answer is",
        ),
    ),
    withhold=_withheld,
    conclude=_concluded,
)
load = FORMAT.load
