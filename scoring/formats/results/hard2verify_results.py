"""Verifiers on Hard2Verify: a judgement of every step, or the first wrong step.

Rows as the authors' `utils.py` grades them, read in copies: `unique_id`, and in `parsed_eval_output` what was read of
the line that begins with "Verdict:", a list of 1 = right, 0 = wrong and -2 = neither word there (`step_level`), or a
number, 0-based and -1 = no step is wrong, -2 = none there (`error_id`). A list may be shorter or longer than the steps.
The same rows hold the benchmark's own fields.
"""

from collections.abc import Mapping
from typing import Any

from scoring.formats.benchmarks.hard2verify import NAME
from scoring.formats.reading.fields import Fields, kind_of, without_empty_fraction
from scoring.formats.results.result_format import ResultFormat, ResultReader, ResultRow, Results, case_id, whole_records

TITLE = "Hard2Verify verifier"

_READ = "parsed_eval_output"
_UNREAD = -2


def recognises(row: Any) -> bool:
    """Return whether a row has an id of the benchmark and what was read of an answer."""
    return isinstance(row, Mapping) and {"unique_id", _READ} <= row.keys()


def _result(fields: Fields) -> ResultRow | None:
    if case_id(fields, "unique_id") is None:
        return None
    value, content = fields.value.get(_READ), _content(fields)
    if isinstance(value, list):
        # What is beyond the last step is cut where the steps are there to count; labels alone may be longer.
        values = [without_empty_fraction(part) for part in value][: len(content.get("steps") or value)]
        return content | _judgements(fields, values)
    verdict = without_empty_fraction(value)
    if type(verdict) is int and -1 <= verdict < 2**31:
        return {**content, "ballot": str(verdict), "verdict": verdict}
    if verdict != _UNREAD:
        fields.note("warning", "wrong-type", f"{_READ} is {kind_of(value)} that is no step's number")
    return {**content, "reason": "no verdict could be read"}


def _content(fields: Fields) -> ResultRow:
    """Problem and steps, where the row holds them in plain text."""
    steps = fields.value.get("model_response_by_step")
    if not isinstance(steps, list):
        return {}
    return {"problem": fields.text("question"), "steps": fields.texts("model_response_by_step")}


def _judgements(fields: Fields, values: list[Any]) -> ResultRow:
    """A label a step; where some could not be read, numbers with gaps, which stand beside the reason."""
    known = [type(value) is int and value in {0, 1} for value in values]
    if not any(known):
        return {"reason": "no verdict could be read"}
    if all(known):
        return {"labels": [value == 1 for value in values]}
    odd = [value for value, is_known in zip(values, known, strict=True) if not is_known and value != _UNREAD]
    if odd:
        fields.note("warning", "bad-label", f"{_READ} holds {odd[0]!r:.40}, neither 1 nor 0 nor -2")
    rated = [float(2 * value - 1) if is_known else None for value, is_known in zip(values, known, strict=True)]
    return {"rewards": rated, "reason": f"{known.count(False)} of {len(known)} verdicts are neither yes nor no"}


def _concluded(_: Results) -> dict[str, Any]:
    return {
        "label_base": "verdicts 0-based, -1 = no error, -2 = not readable",
        "benchmark": NAME,
        "kind": "critic",
        "threshold": 0.0,
        "threshold_source": "1 = right, 0 = wrong",
        "low": -1.0,
        "high": 1.0,
        "settings": {"protocol": NAME},
    }


FORMAT = ResultFormat(title=TITLE, layout=whole_records(_result), conclude=_concluded)
ADDED = (_READ, "parsed_preds")
"""What stands beside the benchmark's own keys."""
READERS = {"hard2verify_verifier": ResultReader(TITLE, recognises, FORMAT.load, ADDED)}
