"""The bundled demo benchmark: authored cases with every kind of gold label, and scorers' cached rewards.

Its file holds the columns of `scoring.data.schema` by name, 0-based, one case a line; `assets/` holds how it was made.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl

from scoring.data.errors import DamagedWorkspace
from scoring.formats.benchmarks.case_format import CaseFormat, Imported, first_step, first_step_checks
from scoring.formats.reading.fields import Layout, identifier, solution, text, texts, truth, whole, wholes
from scoring.formats.reading.rows import read_rows

NAME = "demo"

_KEYS = {"id", "problem", "steps", "earliest_error", "error_steps", "pattern", "original_steps", "modified_steps"}
_TEXTS = (
    *("subset", "generator", "error_type", "error_category", "error_kind", "pattern", "reason"),
    "original_problem",
)


def folder() -> Path:
    """Return the demo's folder: beside the code in an installed wheel, under assets/ in a checkout.

    Raises:
        DamagedWorkspace: it is in neither place.
    """
    package = Path(__file__).resolve().parents[2]
    for candidate in (package / "assets" / "demo", package.parent / "assets" / "demo"):
        if candidate.is_dir():
            return candidate
    raise DamagedWorkspace("the demo's files are missing from this installation.", "Install the package again.")


def recognises(row: Any) -> bool:
    """Return whether a row has the demo's columns."""
    return isinstance(row, Mapping) and row.keys() >= _KEYS


@cache
def read() -> Imported:
    """Read the bundled cases, once: they do not change while the program runs."""
    rows = read_rows(folder() / "cases.jsonl")
    # The same words wherever it is installed, so that exports are the same bytes.
    rows.source = "assets/demo/cases.jsonl"
    return load(rows)


FORMAT = CaseFormat(
    name=NAME,
    layout=Layout(
        {
            "id": identifier(),
            "problem": text(required=True),
            "steps": solution(),
            "earliest_error": whole(),
            "error_steps": wholes(),
            "final_answer_correct": truth(),
            "original_steps": texts(),
            "modified_steps": wholes(),
            **{name: text() for name in _TEXTS},
        },
        content=("problem", "steps"),
    ),
    columns={
        "earliest_error": first_step("earliest_error"),
        "error_steps": pl.col("error_steps").list.unique().list.sort(),
        **{name: pl.col(name) for name in ("final_answer_correct", "original_steps", "modified_steps", *_TEXTS)},
    },
    checks=first_step_checks("earliest_error"),
    conclude=lambda read: ("0-based, -1 = no error", read.findings),
)
load = FORMAT.load
