"""The bundled demo benchmark: authored cases with every kind of gold label, and scorers' cached rewards.

Its file holds the columns of `scoring.schema` by name, 0-based, one case a line; `assets/` holds how it was made.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scoring.benchmarks.imported import Imported, cases_frame
from scoring.errors import DamagedWorkspace
from scoring.reading.fields import Fields, each_case
from scoring.reading.rows import Rows, read_rows

NAME = "demo"
TITLE = "Demo"
PAPER = "authored for this program"
LICENCE = "Apache-2.0"
HUB_NAME = None

_KEYS = {"id", "problem", "steps", "earliest_error", "error_steps", "pattern", "original_steps", "modified_steps"}
_TEXTS = (
    *("subset", "generator", "error_type", "error_category", "error_kind", "pattern", "reason"),
    "original_problem",
)

CLAIMED = frozenset({*_KEYS, *_TEXTS, "final_answer_correct"})
"""Keys of a row that are read: what they hold is in columns of ours."""


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
    rows = read_rows(folder() / "cases.jsonl")
    # The same words wherever it is installed, so that exports are the same bytes.
    rows.source = "assets/demo/cases.jsonl"
    return load(rows)


def load(rows: Rows) -> Imported:
    """The cases of a file with the demo's columns."""
    findings = list(rows.findings)
    frame = cases_frame(NAME, rows.source, each_case(rows, findings, _case))
    return Imported(NAME, rows.source, rows.format, "0-based, -1 = no error", rows.read, frame, tuple(findings))


def _case(fields: Fields) -> dict[str, Any] | None:
    problem = fields.text("problem", required=True)
    steps = fields.solution()
    if problem is None or steps is None:
        return None
    errors = fields.integers("error_steps")
    case = {
        "problem": problem,
        "steps": steps,
        "earliest_error": fields.earliest_error("earliest_error", len(steps)),
        "error_steps": None if errors is None else sorted(set(errors)),
        "final_answer_correct": fields.boolean("final_answer_correct"),
        "original_steps": fields.texts("original_steps"),
        "modified_steps": fields.integers("modified_steps"),
    }
    return {**case, **{name: fields.text(name) for name in _TEXTS}}
