"""PRMBench: every wrong step in solutions into which one class of error was put.

Song et al., "PRMBench: A Fine-grained and Challenging Benchmark for Process-Level Reward Models", arXiv 2501.03124.
Apache-2.0. The layout of its rows is that of `modified_rows`, with `ground_truth` in the class multi_solutions.
PRMBench-STEM is read by the same official loader; where rows name a domain (`domain`, `subject` or `category`), that
is their subset, otherwise the class is: official figures are by class, and by domain in PRMBench-STEM.

The scorers' steadiness is measured against unharmed solutions: of every case of class `redundency` there is a twin
`correct_{idx}` with the original question and process and no wrong step, in `Imported.twins`.
"""

from typing import Any

import polars as pl
from msgspec import Struct

from scoring.formats.benchmarks import socratic
from scoring.formats.benchmarks.case_format import MADE, StepLabelled, not_empty, warn_where
from scoring.formats.benchmarks.modified_rows import (
    CLASS,
    PLAIN_ID,
    Totals,
    classification,
    looks_modified,
    modified_format,
)
from scoring.formats.reading.fields import Fields, read_by, text

NAME = "prmbench"
TITLE = "PRMBench"


class ErrorClass(Struct, frozen=True):
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


def recognises(row: Any) -> bool:
    """Return whether a row has the layout and a class that is not Socratic-PRMBench's."""
    return looks_modified(row) and classification(row) not in socratic.CLASSES


def _domain(fields: Fields, name: str) -> str | None:
    values = (fields.value.get(earlier) for earlier in _DOMAINS[: _DOMAINS.index(name)])
    return None if any(isinstance(value, str) and value for value in values) else fields.text(name)


_WANTS_TWIN = CLASS == TWIN_CLASS
_HAS_ORIGINAL = pl.col("original_question").is_not_null() & (pl.col("original_process").list.len().fill_null(0) > 0)
FORMAT = modified_format(
    NAME,
    TITLE,
    CLASSES,
    STEP_LABELLED,
    {
        "subset": pl.coalesce(*map(not_empty, _DOMAINS), CLASS),
        "error_category": CLASS.replace_strict(
            {name: known.category for name, known in CLASSES.items()}, default=None, return_dtype=pl.String
        ),
        "reference_answer": pl.col("ground_truth"),
    },
    published=(CLASS, {name: known.rows for name, known in CLASSES.items()}),
    known=KNOWN,
    repeated=REPEATED,
    fields={**{name: read_by(pl.String(), _domain, str) for name in _DOMAINS}, "ground_truth": text()},
    first_of=(_DOMAINS,),
    checks=(
        warn_where(
            "no-twin", _WANTS_TWIN & ~_HAS_ORIGINAL, "the row holds no original, so that the case has no unharmed twin"
        ),
    ),
    twins={
        "id": pl.concat_str(pl.lit("correct_"), PLAIN_ID),
        "problem": pl.col("original_question"),
        "steps": pl.col("original_process"),
        "twin_of": pl.when(_WANTS_TWIN & _HAS_ORIGINAL).then(pl.col(f"{MADE}case")),
    },
)
load = FORMAT.load
