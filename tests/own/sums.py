"""A benchmark of one's own, in one file: rows with `question`, `lines` and `first_wrong` (0-based, -1 = none)."""

from scoring.formats.benchmarks.own import ByField
from scoring.formats.reading.fields import Fields

NAME = "sums"
TITLE = "Sums with a wrong line"


def recognises(row):
    return isinstance(row, dict) and {"question", "lines", "first_wrong"} <= row.keys()


def load(rows):
    return ByField(_case, _concluded, Fields.row_name).load(NAME, rows)


def _case(fields):
    problem, steps = fields.text("question", required=True), fields.solution("lines")
    if problem is None or steps is None:
        return None
    return {"problem": problem, "steps": steps, "earliest_error": fields.earliest_error("first_wrong", len(steps))}


def _concluded(_cases, _source):
    return "0-based, -1 = no error", []
