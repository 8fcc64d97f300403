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

from scoring.benchmarks.by_field import ByField
from scoring.benchmarks.imported import Imported
from scoring.benchmarks.plain_rows import PlainRows
from scoring.reading.fields import Fields
from scoring.reading.findings import Finding
from scoring.reading.rows import Rows

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

_SUBSET = re.compile(r"(.+)-[0-9]+\Z")
_MANY = 30
"""Erroneous cases from which on it is odd that none has its first error in the first step (nearly a fifth have)."""

CLAIMED = frozenset({"id", "problem", "steps", "label", "generator", "subset", "final_answer_correct"})
"""Keys of a row that are read: what they hold is in columns of ours."""


def recognises(row: Any) -> bool:
    """Whether a row looks like ProcessBench: steps with a label, and no key that another benchmark or a result adds."""
    return (
        isinstance(row, Mapping)
        and {"problem", "steps", "label"} <= row.keys()
        and not {"domain", "error_type", "completions", "generated_critique", "responses"} & row.keys()
        and not {"prediction", "match"} <= row.keys()
    )


def load(rows: Rows) -> Imported:
    """The cases of a ProcessBench source.

    A row without usable text is left out with a finding of severity error; one without a usable label is kept with a
    null earliest error and a warning. The first row with an id wins.
    """
    return by_field().load(NAME, rows)


def by_field() -> ByField:
    """How one source is read field by field."""
    return ByField(_case, _concluded)


def _concluded(frame: pl.DataFrame, source: str) -> tuple[str, list[Finding]]:
    """How the labels are read, and how they compare with what was published."""
    label_base, suspicion = _label_base(frame, source)
    counts = _against_official(frame, source)
    if any(finding.severity == "warning" for finding in suspicion):
        # That the counts are those published would only reassure.
        counts = [finding for finding in counts if finding.severity == "warning"]
    return label_base, [*suspicion, *counts]


def _case(fields: Fields) -> dict[str, Any] | None:
    """One row as a case; None, and a finding, where it has no text."""
    problem = fields.text("problem", required=True)
    steps = fields.solution()
    if problem is None or steps is None:
        return None
    label = fields.earliest_error("label", len(steps))
    return {
        "subset": _subset(fields),
        "generator": fields.text("generator"),
        "problem": problem,
        "steps": steps,
        "earliest_error": label,
        "error_steps": [] if label == -1 else None,
        "final_answer_correct": _final_answer(fields, label),
    }


def _subset(fields: Fields) -> str | None:
    """The row's own, else what stands before the number in its id."""
    match = _SUBSET.match(fields.case or "")
    return fields.text("subset") or (match[1] if match else None)


def _final_answer(fields: Fields, label: int | None) -> bool | None:
    correct = fields.boolean("final_answer_correct")
    if correct is False and label == -1:
        fields.note("warning", "wrong-answer-clean", "no step is labelled wrong, yet the final answer is")
    return correct


def _label_base(frame: pl.DataFrame, source: str) -> tuple[str, list[Finding]]:
    """How the labels are read, with the evidence; and a finding where that evidence is for labels one too high.

    Labels that count from 1 leave nothing at 0 or, where clean cases were counted up as well, nothing at -1; and an
    error in the last step is then beyond the end.
    """
    gold, n_steps = frame["earliest_error"], frame["n_steps"]
    zeros, clean, beyond = (int(mask.sum()) for mask in (gold == 0, gold == -1, gold == n_steps))
    said = f"0-based, -1 = no error ({zeros:,} labels are 0, {beyond:,} equal the number of steps)"
    missing = " and ".join(text for text, count in (("0", zeros), ("-1", clean)) if not count)
    if missing and beyond:
        message = f"no label is {missing} and {beyond:,} equal the number of steps: the labels look one too high"
        return said, [Finding("warning", "label-base", message, source)]
    if not zeros and int((gold > 0).sum()) >= _MANY:
        message = f"no label is 0 in {int((gold > 0).sum()):,} erroneous cases: the labels may count from 1"
        return said, [Finding("note", "label-base", message, source)]
    return said, []


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
            published = f"published are {official[0]} and {official[1]}"
            message = f"{subset}: {found[0]} erroneous and {found[1]} clean; {published}"
            findings.append(Finding("warning", "not-official-counts", message, source))
    return findings


def _plain_cases(rows: pl.DataFrame, _source: str) -> pl.DataFrame:
    label = pl.col("label").cast(pl.Int32)
    named = pl.col("id").str.extract(_SUBSET.pattern.replace(r"\Z", "$"), 1)
    return rows.select(
        "id",
        "key",
        "line",
        pl.coalesce(pl.when(pl.col("subset") != "").then("subset"), named).alias("subset"),
        "generator",
        "problem",
        "steps",
        label.alias("earliest_error"),
        pl.when(label == -1).then(pl.lit([], dtype=pl.List(pl.Int32))).alias("error_steps"),
        "final_answer_correct",
    )


_LABEL = pl.col("label")
PLAIN = PlainRows(
    required={"id": pl.String(), "problem": pl.String(), "steps": pl.List(pl.String()), "label": pl.Int64()},
    optional={"generator": pl.String(), "subset": pl.String(), "final_answer_correct": pl.Boolean()},
    problem="problem",
    steps="steps",
    cases=_plain_cases,
    plain=pl.all_horizontal(
        pl.col("id").str.strip_chars() != "",
        # A line break in an id is one for the pattern of subsets too.
        ~pl.col("id").str.contains("\n", literal=True),
        _LABEL.is_between(-1, pl.col("steps").list.len().cast(pl.Int64) - 1),
        ~((_LABEL == -1) & ~pl.col("final_answer_correct").fill_null(value=True)),
    ),
)
"""How rows are read where there are very many."""
