"""Socratic-PRMBench: every wrong step in solutions whose steps follow six patterns of reasoning.

Li et al., "Socratic-PRMBench: Benchmarking Process Reward Models with Systematic Reasoning Patterns", arXiv
2505.23474. The publication states no licence. The layout of its rows is that of `modified_rows`.

The subset is the class, by which official figures are given; a pattern's figure is the plain mean of its classes'.
"""

import re
from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import Any

from scoring.benchmarks.imported import Imported, cases_frame
from scoring.benchmarks.listed_base import ListedBase
from scoring.benchmarks.modified_rows import (
    MODIFIED,
    Totals,
    against_published,
    classification,
    count_classes,
    identify,
    looks_modified,
    note_unknown_class,
    read_case,
)
from scoring.benchmarks.step_labelled import StepLabelled
from scoring.reading.fields import Fields, each_case
from scoring.reading.findings import Finding, known_as_notes
from scoring.reading.rows import Rows

NAME = "socratic"
TITLE = "Socratic-PRMBench"
PAPER = "arXiv 2505.23474"
LICENCE = "not stated"
HUB_NAME = None


@dataclass(frozen=True)
class ErrorType:
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

_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
# As the paper prints a tagged step; the published files have none.
_TAG = re.compile(rf"\s*(?:Step\s+\d+\s*[:.]?\s*)?<\s*({'|'.join(PATTERNS)})\s*>", re.IGNORECASE)

CLAIMED = MODIFIED
"""Keys of a row that are read: what they hold is in columns of ours."""


def recognises(row: Any) -> bool:
    """Whether a row has the layout and one of the twenty classes."""
    return looks_modified(row) and classification(row) in CLASSES


def load(rows: Rows) -> Imported:
    """The cases of a Socratic-PRMBench source; rows are treated as `prmbench.load` treats them, and have no twins."""
    findings: list[Finding] = []
    base = ListedBase()
    frame = cases_frame(NAME, rows.source, each_case(rows, findings, partial(_case, base=base), identify))
    findings = [
        *rows.findings,
        *known_as_notes(findings, KNOWN),
        *base.suspicion(rows.source),
        *against_published(_count_patterns(rows), PATTERNS, rows.source),
    ]
    return Imported(NAME, rows.source, rows.format, str(base), rows.read, frame, tuple(findings))


def _case(fields: Fields, base: ListedBase) -> dict[str, Any] | None:
    named = classification(fields.value)
    known = CLASSES.get(named or "")
    case = read_case(fields, base, erroneous=None if known is None else True)
    if case is None:
        return None
    if known is None:
        note_unknown_class(fields, TITLE)
    return {
        **case,
        "subset": named,
        "pattern": None if known is None else known.pattern,
        "error_kind": None if known is None else known.kind,
        "origin": _origin(fields, named),
        "language": _language([case["problem"], *case["steps"]]),
        "step_patterns": _step_patterns(case["steps"]),
    }


def _origin(fields: Fields, named: str | None) -> str | None:
    """The collection: what stands before the # in idx."""
    plain = (fields.case or "").removeprefix(f"{named}_")
    collection, mark, _ = plain.partition("#")
    return collection if mark and isinstance(fields.value.get("idx"), str) else None


def _language(texts: list[str]) -> str:
    """Chinese (zh) where any text holds a Han character, else English (en): the benchmark has these two."""
    return "zh" if any(not text.isascii() and _HAN.search(text) for text in texts) else "en"


def _step_patterns(steps: list[str]) -> list[str | None] | None:
    """The pattern each step is tagged with, None for one without a tag; None where no step has one."""
    tags = [_TAG.match(step) for step in steps]
    return [tag[1].capitalize() if tag else None for tag in tags] if any(tags) else None


def _count_patterns(rows: Rows) -> Counter[str]:
    found: Counter[str] = Counter()
    for name, count in count_classes(rows).items():
        found[CLASSES[name].pattern if name in CLASSES else name] += count
    return found
