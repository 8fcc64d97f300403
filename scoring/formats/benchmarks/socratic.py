"""Socratic-PRMBench: every wrong step in solutions whose steps follow six patterns of reasoning.

Li et al., "Socratic-PRMBench: Benchmarking Process Reward Models with Systematic Reasoning Patterns", arXiv
2505.23474. The publication states no licence. The layout of its rows is that of `modified_rows`.

The subset is the class, by which official figures are given; a pattern's figure is the plain mean of its classes'.
"""

from collections.abc import Mapping
from typing import Any

import polars as pl
from msgspec import Struct

from scoring.formats.benchmarks.case_format import StepLabelled
from scoring.formats.benchmarks.modified_rows import (
    CLASS,
    PLAIN_ID,
    Totals,
    classification,
    looks_modified,
    modified_format,
)
from scoring.formats.reading.fields import Fields, as_made

NAME = "socratic"
TITLE = "Socratic-PRMBench"


class ErrorType(Struct, frozen=True):
    """An error type by its full name and the paper's abbreviation, its pattern, and the kind shared across patterns."""

    name: str
    abbreviation: str
    pattern: str
    kind: str


CLASSES: dict[str, ErrorType] = {
    "repeat_inconsistency": ErrorType("Transformation Inconsistency", "TT", "Transformation", "inconsistency"),
    "repeat_counterfactual": ErrorType(
        "Transformation Counter-Factuality", "TF", "Transformation", "counter-factuality"
    ),
    "decomposition_incompleteness": ErrorType("Decomposition Incompleteness", "DC", "Decomposition", "incompleteness"),
    "decomposition_redundancy": ErrorType("Decomposition Redundancy", "DR", "Decomposition", "redundancy"),
    "decomposition_unsoundness": ErrorType("Decomposition Unsoundness", "DS", "Decomposition", "unsoundness"),
    "regather_imprecision": ErrorType("Regather Imprecision", "GP", "Regather", "imprecision"),
    "regather_incompleteness": ErrorType("Regather Incompleteness", "GC", "Regather", "incompleteness"),
    "regather_redundancy": ErrorType("Regather Redundancy", "GR", "Regather", "redundancy"),
    "premise_incompleteness": ErrorType("Premise Incompleteness", "PC", "Deduction", "incompleteness"),
    "premise_redundancy": ErrorType("Premise Redundancy", "PR", "Deduction", "redundancy"),
    "premise_unsoundness": ErrorType("Premise Unsoundness", "PS", "Deduction", "unsoundness"),
    "conclusion_counterfactual": ErrorType("Conclusion Counter-Factuality", "CF", "Deduction", "counter-factuality"),
    "conclusion_inconsistency": ErrorType("Conclusion Inconsistency", "CT", "Deduction", "inconsistency"),
    "conclusion_invalidity": ErrorType("Conclusion Invalidity", "CV", "Deduction", "invalidity"),
    "detection_error": ErrorType("Detection Error", "DE", "Verification", "detection"),
    "correction_error": ErrorType("Correction Error", "CE", "Verification", "correction"),
    "integration_incompleteness": ErrorType("Integration Incompleteness", "IC", "Integration", "incompleteness"),
    "integration_inconsistency": ErrorType("Integration Inconsistency", "IT", "Integration", "inconsistency"),
    "integration_redundancy": ErrorType("Integration Redundancy", "IR", "Integration", "redundancy"),
    "integration_unsoundness": ErrorType("Integration Unsoundness", "IS", "Integration", "unsoundness"),
}
"""The twenty error types by the word that stands in `classification`; each lies in exactly one pattern."""

PATTERNS: dict[str, int] = {
    "Transformation": 313,
    "Decomposition": 463,
    "Regather": 463,
    "Deduction": 926,
    "Verification": 215,
    "Integration": 615,
}
"""Published rows a pattern (paper, Table 2)."""

STEP_LABELLED = StepLabelled(group="pattern")
"""PRM-Score as in PRMBench; the toolkit's redundancy labels are for PRMBench's classes (paper, section 4.2)."""

OFFICIAL = Totals(rows=2_995, steps=26_055, listed=9_030, in_range=8_928)
KNOWN = {"label-beyond-end": 80, "no-error-in-range": 6, "unchanged-process": 45, "one-step": 4}
"""How often each oddity occurs in the published files."""

_HAN = "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
# As the paper prints a tagged step; the published files have none.
_TAG = rf"(?i)^\s*(?:Step\s+\d+\s*[:.]?\s*)?<\s*({'|'.join(PATTERNS)})\s*>"


def recognises(row: Any) -> bool:
    """Return whether a row has the layout and one of the twenty classes."""
    return looks_modified(row) and classification(row) in CLASSES


def _unnamed(fields: Fields, _: str) -> bool:
    """Whether the row was called after its file, for want of an id."""
    return any(finding.code == "no-id" for finding in fields.findings)


def _of_class(values: Mapping[str, str]) -> pl.Expr:
    return CLASS.replace_strict(values, default=None, return_dtype=pl.String)


_PROBLEM, _STEPS = pl.col("modified_question"), pl.col("modified_process")
_UNNAMED = "(unnamed)"
_PATTERN = _of_class({name: known.pattern for name, known in CLASSES.items()})
_TAG_OF_STEP = pl.element().str.extract(_TAG, 1).str.to_lowercase()
_TAGS = _STEPS.list.eval(_TAG_OF_STEP.replace_strict({name.lower(): name for name in PATTERNS}, default=None))
_CHINESE = _PROBLEM.str.contains(_HAN) | _STEPS.list.eval(pl.element().str.contains(_HAN)).list.any()
FORMAT = modified_format(
    NAME,
    TITLE,
    CLASSES,
    STEP_LABELLED,
    {
        "pattern": _PATTERN,
        "error_kind": _of_class({name: known.kind for name, known in CLASSES.items()}),
        # The collection: what stands before the # in idx.
        "origin": pl.when(~pl.col(_UNNAMED).fill_null(value=False)).then(PLAIN_ID.str.extract("(?s)^([^#]*)#", 1)),
        # The benchmark has these two.
        "language": pl.when(_CHINESE).then(pl.lit("zh")).otherwise(pl.lit("en")),
        # Of each step, null for one without a tag; null where no step has one.
        "step_patterns": pl.when(_TAGS.list.eval(pl.element().is_not_null()).list.any()).then(_TAGS),
    },
    published=(_PATTERN, PATTERNS),
    known=KNOWN,
    # What no row has by this name: it is said of rows that are read value by value.
    fields={_UNNAMED: as_made(pl.Boolean(), _unnamed)},
)
load = FORMAT.load
