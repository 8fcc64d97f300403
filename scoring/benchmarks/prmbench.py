"""PRMBench: every wrong step in solutions into which one class of error was put.

Song et al., "PRMBench: A Fine-grained and Challenging Benchmark for Process-Level Reward Models", arXiv 2501.03124.
Apache-2.0. The layout of its rows is that of `modified_rows`, with `ground_truth` in the class multi_solutions.
PRMBench-STEM is read by the same official loader; where rows name a domain (`domain`, `subject` or `category`), that
is their subset, otherwise the class is: official figures are by class, and by domain in PRMBench-STEM.

The scorers' steadiness is measured against unharmed solutions: of every case of class `redundency` there is a twin
`correct_{idx}` with the original question and process and no wrong step, in `Imported.twins`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import polars as pl

from scoring.benchmarks import socratic
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

NAME = "prmbench"
TITLE = "PRMBench"
PAPER = "arXiv 2501.03124"
LICENCE = "Apache-2.0"
HUB_NAME = "hitsmy/PRMBench_Preview"


@dataclass(frozen=True)
class ErrorClass:
    """A class by its full name and the papers' abbreviation, its category, and how many published rows it has."""

    name: str
    abbreviation: str
    category: str
    rows: int


CLASSES: dict[str, ErrorClass] = {
    "redundency": ErrorClass("Non-Redundancy", "NR", "Simplicity", 758),
    "circular": ErrorClass("Non-Circular Logic", "NCL", "Simplicity", 758),
    "counterfactual": ErrorClass("Empirical Soundness", "ES", "Soundness", 757),
    "step_contradiction": ErrorClass("Step Consistency", "SC", "Soundness", 758),
    "domain_inconsistency": ErrorClass("Domain Consistency", "DC", "Soundness", 757),
    "confidence": ErrorClass("Confidence Invariance", "CI", "Soundness", 757),
    "missing_condition": ErrorClass("Prerequisite Sensitivity", "PS", "Sensitivity", 756),
    "deception": ErrorClass("Deception Resistance", "DR", "Sensitivity", 750),
    "multi_solutions": ErrorClass("Multi-Solution Consistency", "MS", "Sensitivity", 165),
}
"""The nine classes by the word that stands in `classification`, spelt as there (paper, Table 2 and Figure 2)."""

CLEAN_CLASS = "multi_solutions"
"""The one class whose cases hold no error: right solutions by another way."""

TWIN_CLASS = "redundency"
"""The class of whose originals twins are made."""

STEP_LABELLED = StepLabelled(
    group="error_category",
    without_errors=frozenset({CLEAN_CLASS}),
    by_redundancy=frozenset({"redundency", "circular"}),
    twins=True,
)
"""PRMScore and its kin (paper, section 4.2, and `mr_eval/tasks/prmtest_classified/task.py` of ssmisya/PRMBench)."""

OFFICIAL = Totals(rows=6_216, steps=83_456, listed=13_300, in_range=13_149)
STEM_ROWS = {"Physics": 1_619, "Chemistry": 1_543, "Biology": 2_342}
"""Published rows a domain of PRMBench-STEM (paper, Table 9)."""

KNOWN = {"label-beyond-end": 100, "no-error-in-range": 16, "unchanged-process": 8, "one-step": 1}
"""How often each oddity occurs in the published files."""
REPEATED = frozenset(f"multi_solutions_prm_test_p2_{number}" for number in (863, 889, 997, 1053, 1058))
"""The ids that two published rows of different content have."""

_DOMAINS = ("subset", "domain", "subject", "category")

CLAIMED = MODIFIED | {"ground_truth"}
"""Keys of a row that are read: what they hold is in columns of ours."""
FIRST_OF = (_DOMAINS,)
"""Keys of which only the first that is there is read."""


def recognises(row: Any) -> bool:
    """Whether a row has the layout and a class that is not Socratic-PRMBench's."""
    return looks_modified(row) and classification(row) not in socratic.CLASSES


def load(rows: Rows) -> Imported:
    """The cases of a PRMBench source, and the twins of those of class `redundency`.

    A row without usable text is left out with a finding of severity error. The first row with an id wins. A case whose
    listed error steps all lie beyond the end has a null earliest error.
    """
    findings: list[Finding] = []
    base = ListedBase()
    frame = cases_frame(NAME, rows.source, each_case(rows, findings, partial(_case, base=base), identify))
    twins = cases_frame(NAME, rows.source, _twins(frame, findings))
    published = {name: one.rows for name, one in CLASSES.items()}
    findings = [
        *rows.findings,
        *map(_known_repetition, known_as_notes(findings, KNOWN)),
        *base.suspicion(rows.source),
        *against_published(count_classes(rows), published, rows.source),
    ]
    return Imported(NAME, rows.source, rows.format, str(base), rows.read, frame, tuple(findings), twins)


def _case(fields: Fields, base: ListedBase) -> dict[str, Any] | None:
    named = classification(fields.value)
    known = CLASSES.get(named or "")
    case = read_case(fields, base, erroneous=None if known is None else named != CLEAN_CLASS)
    if case is None:
        return None
    if known is None:
        note_unknown_class(fields, TITLE)
    domain = next((text for name in _DOMAINS if (text := fields.text(name))), None)
    return {
        **case,
        "subset": domain or named,
        "error_category": None if known is None else known.category,
        "reference_answer": fields.text("ground_truth"),
    }


def _twins(cases: pl.DataFrame, findings: list[Finding]) -> Iterator[dict[str, Any]]:
    """A twin of every case that should have one; a finding where the row holds no original."""
    wanted = cases.filter(pl.col("error_type") == TWIN_CLASS)
    columns = ("case", "id", "source", "line", "original_problem", "original_steps")
    for case in wanted.select(columns).iter_rows(named=True):
        if case["original_problem"] is None or not case["original_steps"]:
            message = "the row holds no original, so that the case has no unharmed twin"
            findings.append(Finding("warning", "no-twin", message, case["source"], case["line"], case["id"]))
            continue
        yield {
            "id": f"correct_{case['id'].removeprefix(f'{TWIN_CLASS}_')}",
            "problem": case["original_problem"],
            "steps": case["original_steps"],
            "earliest_error": -1,
            "error_steps": [],
            "twin_of": case["case"],
            "line": case["line"],
        }


def _known_repetition(finding: Finding) -> Finding:
    known = finding.code == "repeated-id" and finding.case in REPEATED
    return replace(finding, severity="note") if known else finding
