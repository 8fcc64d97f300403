"""PRMBench's toolkit: lines of its checkpoints, lines of its final results, and R-PRM's rows, which are bare records.

A record is `{idx, scores: {step_level_validity_scores, step_level_validity_labels, step_level_redundancy_scores,
step_level_redundancy_labels, solution_level_...}, validity}`, any of it but `idx` absent. A checkpoint line is
`{task_name, model_name, results: record}`, a final line `{task_name, model_name, detailed_logs: [{idx, error_steps,
prediction: record}], total_hallucination_results, hallucination_type_results, validitiy_rate}`. Labels are true where
a step is judged right (or redundant), and mostly come from a threshold on the scores that is written nowhere;
`idx` is `{classification}_{idx}` of the benchmark, and `correct_{idx}` of an unharmed original.
"""

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from scoring.boundary import DEFAULTS
from scoring.reading.fields import Fields
from scoring.reading.findings import Finding
from scoring.reading.rows import Rows
from scoring.results.foreign import Foreign, foreign_frame
from scoring.results.gathered import Gathered, Group, Record, Result, called, case_id, gather
from scoring.results.label_threshold import label_threshold
from scoring.results.numbers import number, numbers, reward_range, truths
from scoring.results.records import inside
from scoring.scorer import Comparison, On

TITLE = "PRMBench toolkit (mr_eval)"
UNPARSED = "unparsed by the toolkit"

_PRMBENCH = re.compile(
    r"(correct|redundency|circular|counterfactual|step_contradiction|domain_inconsistency|confidence|missing_condition"
    r"|deception|multi_solutions)_."
)
_FIGURES = ("total_hallucination_results", "hallucination_type_results", "validitiy_rate")


def recognises(row: Any) -> bool:
    """Whether a row is a checkpoint line, a final line or a bare record."""
    if not isinstance(row, Mapping):
        return False
    if isinstance(row.get("detailed_logs"), list) and "model_name" in row:
        return True
    record = row["results"] if isinstance(row.get("results"), Mapping) else row
    return "idx" in record and (isinstance(record.get("scores"), Mapping) or record.get("validity") is False)


def load(rows: Rows) -> list[Foreign]:
    """One Foreign a model and task. The first record with an id counts.

    Where a threshold explains the labels beside the scores, or else one on each score less that of the step before (as
    the toolkit labels Skywork's), it is the scorer's and the labels add nothing. Where none does, the labels decide. A
    final line's figures, in which -1 stands for undefined, are `settings["reported"]`.
    """
    reported: dict[Group, dict[str, Any]] = {}

    def records(whole: Fields) -> Iterator[tuple[Group, Record]]:
        name = called(whole, "model_name")
        group = (name, whole.text("task_name") or "")
        logs = whole.value.get("detailed_logs")
        if isinstance(logs, list):
            figures = {key: _figures(whole.value.get(key)) for key in _FIGURES if key in whole.value}
            reported.setdefault(group, figures)
            yield from ((group, _logged(log)) for log in logs)
        else:
            results = whole.value.get("results")
            yield group, results if isinstance(results, Mapping) else whole.value

    return [_foreign(rows.source, found, reported.get(found.group, {})) for found in gather(rows, records, _read)]


def _logged(log: Any) -> Record:
    """The record of an entry of a final line's log; an entry without a prediction was invalid."""
    entry = log if isinstance(log, Mapping) else {}
    prediction = entry.get("prediction")
    record = prediction if isinstance(prediction, Mapping) else {"validity": False}
    return {**record, "idx": entry.get("idx", record.get("idx")), "error_steps": entry.get("error_steps")}


def _read(fields: Fields) -> Result | None:
    if case_id(fields, "idx") is None:
        return None
    if not fields.value.get("validity", True):
        fields.note("warning", "unparsed", "the toolkit marked the record as invalid")
        answer = fields.text("original_response")
        return {"reason": UNPARSED, "answer": answer, "gold": _gold(fields, None), "_said_valid": False}
    inner = inside(fields, "scores")
    result: Result = {
        "rewards": numbers(inner, "step_level_validity_scores"),
        "labels": truths(inner, "step_level_validity_labels"),
        "redundancy": numbers(inner, "step_level_redundancy_scores"),
        "redundancy_labels": truths(inner, "step_level_redundancy_labels"),
    }
    length = _length(fields, result)
    if length is None:
        result["solution"] = number(inner.value.get("solution_level_validity_scores"))
        if result["solution"] is None:
            fields.note("warning", "no-scores", "the record holds neither scores nor labels that can be read")
            result["reason"] = "neither scores nor labels"
    return {**result, "gold": _gold(fields, length), "_said_valid": fields.value.get("validity") is True}


def _length(fields: Fields, result: Result) -> int | None:
    """How many steps were judged; a warning where scores and labels disagree about it."""
    lengths = [len(values) for values in result.values() if values is not None]
    if len(set(lengths)) > 1:
        said = ", ".join(f"{len(values)} {name.replace('_', ' ')}" for name, values in result.items() if values)
        fields.note("warning", "length-mismatch", f"the record's lists differ in length ({said})")
    return lengths[0] if lengths else None


def _gold(fields: Fields, length: int | None) -> int | None:
    """The lowest of the log's 1-based error steps that was judged, 0-based; -1 where the list is empty."""
    errors = fields.integers("error_steps")
    if errors is None:
        return None
    judged = [step - 1 for step in errors if 1 <= step <= (length or step)]
    return min(judged, default=None) if errors else -1


def _foreign(source: str, found: Gathered, reported: Mapping[str, Any]) -> Foreign:
    judge = _is_judge(found)
    told = _threshold(source, found, judge=judge)
    frame = foreign_frame(found.results)
    low, high = reward_range(frame["rewards"].to_list())
    task = found.group[-1] if len(found.group) > 1 else ""
    ids = frame["id"].to_list()
    return Foreign(
        format=TITLE,
        source=source,
        name=found.name,
        rows=frame,
        read=found.read,
        label_base="error steps 1-based" if frame["gold"].count() else "no indices",
        benchmark="prmbench" if ids and "stem" not in task.lower() and all(map(_PRMBENCH.match, ids)) else None,
        kind="critic" if judge else "prm",
        threshold=told.threshold,
        threshold_source=told.source,
        comparison=told.comparison,
        on=told.on,
        labels_explained=told.explains,
        low=low,
        high=high,
        settings={**({"task_name": task} if task else {}), **({"reported": dict(reported)} if reported else {})},
        findings=tuple(found.findings),
    )


def _is_judge(found: Gathered) -> bool:
    """Whether a prompted judge gave the scores: only these keep answers, or say `validity` and go below 0."""
    said = [result.pop("_said_valid") for result in found.results]
    answered = any(result.get("answer") is not None for result in found.results)
    scores = (score for result in found.results for score in result.get("rewards") or ())
    return answered or (any(said) and any(score is not None and score < 0 for score in scores))


class _Threshold(NamedTuple):
    """A scorer's threshold, where it comes from, how and with what it is compared, and whether it explains labels."""

    threshold: float
    source: str
    comparison: Comparison = "<="
    on: On = "rewards"
    explains: bool = False


def _threshold(source: str, found: Gathered, *, judge: bool) -> _Threshold:
    both = [result for result in found.results if result.get("rewards") and result.get("labels")]
    pairs = [pair for result in both for pair in zip(result["rewards"], result["labels"], strict=False)]
    if (told := _explaining(pairs, both)) is not None:
        return told
    if pairs:
        message = "no threshold on the scores or their differences explains the labels: they decide as they are given"
        found.findings.append(Finding("warning", "labels-as-given", message, source))
    elif any(result.get("labels") for result in found.results):
        message = "there are labels without scores: they decide as given"
        found.findings.append(Finding("note", "labels-as-given", message, source))
    if judge and not pairs:
        return _Threshold(0.0, "the toolkit's for prompted judges")
    if not pairs and any(result.get("rewards") for result in found.results):
        message = "there are scores without labels, so that the threshold is not known: 0.5 was assumed"
        found.findings.append(Finding("warning", "threshold-assumed", message, source))
    return _Threshold(0.5, "assumed" if not pairs else "default")


def _explaining(pairs: list[tuple[float, bool]], both: list[Result]) -> _Threshold | None:
    """The threshold on scores, or else on their differences, that explains every label; None if neither does."""
    if (told := label_threshold(pairs)) is not None:
        source = "the file's labels fit it" if told.usual else "implied by the file's labels"
        return _Threshold(told.threshold, source, told.comparison, explains=True)
    differences = [
        (score - before, right)
        for result in both
        for before, score, right in zip([0.0, *result["rewards"]], result["rewards"], result["labels"], strict=False)
    ]
    if (told := label_threshold(differences)) is None:
        return None
    usual = DEFAULTS["differences"][0]
    if all((difference > usual) == right for difference, right in differences if math.isfinite(difference)):
        return _Threshold(usual, "the file's labels fit it", "<=", "differences", explains=True)
    source = "implied by the file's labels"
    return _Threshold(told.threshold, source, told.comparison, "differences", explains=True)


def _figures(value: Any) -> Any:
    """The numbers among a final line's figures, by their names."""
    if not isinstance(value, Mapping):
        return number(value)
    entries = ((str(key).encode(errors="replace").decode(), part) for key, part in value.items())
    return {key: _figures(part) for key, part in entries if not isinstance(part, Mapping) or not _holds_mappings(part)}


def _holds_mappings(value: Mapping[str, Any]) -> bool:
    return any(isinstance(part, Mapping) for part in value.values())
