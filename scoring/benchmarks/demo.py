"""The bundled demo benchmark: authored cases with every kind of gold label, and scorers' cached rewards.

Its file holds the columns of `scoring.schema` by name, 0-based, one case a line; `assets/` holds how it was made.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scoring.benchmarks.fields import each_row
from scoring.benchmarks.imported import Imported, cases_frame
from scoring.benchmarks.rows import Rows, read_rows
from scoring.errors import DamagedWorkspace

NAME = "demo"
TITLE = "Demo"
PAPER = "authored for this program"
LICENCE = "Apache-2.0"
HUB_NAME = None

_KEYS = {"id", "problem", "steps", "earliest_error", "error_steps", "pattern", "original_steps", "modified_steps"}


def folder() -> Path:
    """The demo's folder: beside the code in an installed wheel, under assets/ in a checkout.

    Raises:
        DamagedWorkspace: it is in neither place.
    """
    package = Path(__file__).resolve().parent.parent
    for candidate in (package / "assets" / "demo", package.parent / "assets" / "demo"):
        if candidate.is_dir():
            return candidate
    raise DamagedWorkspace("the demo's files are missing from this installation.", "Install the package again.")


def recognises(row: Any) -> bool:
    """Whether a row has the demo's columns."""
    return isinstance(row, Mapping) and row.keys() >= _KEYS


def read() -> Imported:
    """The bundled cases."""
    return load(read_rows(folder() / "cases.jsonl"))


def load(rows: Rows) -> Imported:
    """The cases of a file with the demo's columns."""
    findings = list(rows.findings)
    cases = []
    for fields in each_row(rows, findings):
        case = {
            "id": fields.text("id", required=True),
            "problem": fields.text("problem", required=True),
            "steps": fields.texts("steps", required=True),
            "earliest_error": fields.integer("earliest_error"),
            "error_steps": fields.integers("error_steps"),
            "final_answer_correct": fields.boolean("final_answer_correct"),
            "original_steps": fields.texts("original_steps"),
            "modified_steps": fields.integers("modified_steps"),
            "line": fields.line,
        }
        for name in ("subset", "generator", "error_type", "error_category", "error_kind", "pattern", "reason"):
            case[name] = fields.text(name)
        case["original_problem"] = fields.text("original_problem")
        if not fields.fatal:
            cases.append(case)
    frame = cases_frame(NAME, rows.source, cases)
    return Imported(NAME, rows.source, rows.format, "0-based, -1 = no error", rows.read, frame, tuple(findings))
