"""A benchmark of one's own, in one file: rows with `id`, `question`, `lines` and `first_wrong` (0-based, -1 = none)."""

from scoring.formats.benchmarks.case_format import CaseFormat, first_step, first_step_checks, none_wrong
from scoring.formats.reading.fields import Layout, identifier, solution, text, whole

NAME = "lines"
TITLE = "Sums with a wrong line"


def recognises(row):
    return isinstance(row, dict) and {"id", "question", "lines", "first_wrong"} <= row.keys()


FORMAT = CaseFormat(
    name=NAME,
    layout=Layout(
        {"id": identifier(), "question": text(required=True), "lines": solution(), "first_wrong": whole()},
        content=("question", "lines"),
    ),
    columns={"earliest_error": first_step("first_wrong"), "error_steps": none_wrong(first_step("first_wrong"))},
    checks=first_step_checks("first_wrong", "lines"),
    conclude=lambda read: ("0-based, -1 = no error", read.findings),
)
