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
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import polars as pl

from scoring.data.readout import EMPTY_LABELS
from scoring.data.rules import DEFAULTS
from scoring.data.scorer import Comparison
from scoring.formats.reading.fields import Fields
from scoring.formats.reading.file_bytes import printable
from scoring.formats.reading.findings import Finding
from scoring.formats.reading.rows import Rows
from scoring.formats.results.result_format import (
    SCORER,
    ExternalResults,
    ResultFormat,
    ResultReader,
    ResultRecord,
    ResultRow,
    Results,
    case_id,
    whole_records,
)
from scoring.formats.results.reward_lists import number, numbers, truths
from scoring.formats.results.scorer_names import scorer_name

TITLE = "PRMBench toolkit (mr_eval)"
UNPARSED = "unparsed by the toolkit"

_PRMBENCH = re.compile(
    r"(correct|redundency|circular|counterfactual|step_contradiction|domain_inconsistency|confidence|missing_condition"
    r"|deception|multi_solutions)_."
)
_TASK, _SAID_VALID = "(task)", "(said valid)"
_DIGITS = 17
_FIGURES = ("total_hallucination_results", "hallucination_type_results", "validitiy_rate")


def recognises(row: Any) -> bool:
    """Return whether a row is a checkpoint line, a final line or a bare record."""
    if not isinstance(row, Mapping):
        return False
    if isinstance(row.get("detailed_logs"), list) and "model_name" in row:
        return True
    record = row["results"] if isinstance(row.get("results"), Mapping) else row
    return "idx" in record and (isinstance(record.get("scores"), Mapping) or record.get("validity") is False)


def load(rows: Rows) -> list[ExternalResults]:
    """Read the results of each model and task. The first record with an id counts.

    Where a threshold explains the labels beside the scores, or else one on each score less that of the step before (as
    the toolkit labels Skywork's), it is the scorer's and the labels add nothing. Where none does, the labels decide. A
    final line's figures, in which -1 stands for undefined, are `settings["reported"]`.
    """
    reported: dict[tuple[str, str], dict[str, Any]] = {}

    def records(whole: Fields) -> Iterator[ResultRecord]:
        """Yield the records of a row, with the names of model and task."""
        model, task = whole.text("model_name"), whole.text("task_name") or ""
        name = model if model and model.strip() else scorer_name(whole.source)
        logs, results = whole.value.get("detailed_logs"), whole.value.get("results")
        if isinstance(logs, list):
            figures = {key: _figures(whole.value.get(key)) for key in _FIGURES if key in whole.value}
            reported.setdefault((name, task), figures)
            each = [_logged(log) for log in logs]
        else:
            each = [results if isinstance(results, Mapping) else whole.value]
        yield from ({**record, SCORER: name, _TASK: task} for record in each)

    return ResultFormat(
        title=TITLE,
        layout=whole_records(_read, **{SCORER: pl.String(), _TASK: pl.String(), _SAID_VALID: pl.Boolean()}),
        scorer=pl.col(SCORER),
        apart={_TASK: pl.col(_TASK)},
        columns={_SAID_VALID: pl.col(_SAID_VALID)},
        conclude=lambda results: _concluded(results, reported.get((results.name, results.apart[_TASK]), {})),
        unfold=records,
    ).load(rows)


def _logged(log: Any) -> ResultRecord:
    entry = log if isinstance(log, Mapping) else {}
    prediction = entry.get("prediction")
    record = prediction if isinstance(prediction, Mapping) else {"validity": False}
    return {**record, "idx": entry.get("idx", record.get("idx")), "error_steps": entry.get("error_steps")}


def _read(fields: Fields) -> ResultRow | None:
    if case_id(fields, "idx") is None:
        return None
    if not fields.value.get("validity", True):
        fields.note("warning", "unparsed", "the toolkit marked the record as invalid")
        answer = fields.text("original_response")
        return {"reason": UNPARSED, "answer": answer, "gold": _gold(fields, None), _SAID_VALID: False}
    inner = fields.inside("scores")
    result: ResultRow = {
        "rewards": numbers(inner, "step_level_validity_scores"),
        "labels": truths(inner, "step_level_validity_labels"),
        "redundancy": numbers(inner, "step_level_redundancy_scores"),
        "redundancy_labels": truths(inner, "step_level_redundancy_labels"),
    }
    lengths = [len(values) for values in result.values() if values is not None]
    length = lengths[0] if lengths else None
    if len(set(lengths)) > 1:
        words = ", ".join(f"{len(values)} {name.replace('_', ' ')}" for name, values in result.items() if values)
        fields.note("warning", "length-mismatch", f"the record's lists differ in length ({words})")
    if length is None:
        result["solution"] = number(inner.value.get("solution_level_validity_scores"))
        if result["solution"] is None:
            fields.note("warning", "no-scores", "the record holds neither scores nor labels that can be read")
            empty = inner.value.get("step_level_validity_labels") == []
            result["reason"] = EMPTY_LABELS if empty else "neither scores nor labels"
    return {**result, "gold": _gold(fields, length), _SAID_VALID: fields.value.get("validity") is True}


def _gold(fields: Fields, length: int | None) -> int | None:
    """The lowest of the log's 1-based error steps that was judged, 0-based; -1 where the list is empty."""
    errors = fields.integers("error_steps")
    if errors is None:
        return None
    judged = [step - 1 for step in errors if 1 <= step <= (length or step)]
    return min(judged, default=None) if errors else -1


def _concluded(results: Results, figures: Mapping[str, Any]) -> dict[str, Any]:
    rows, task = results.rows, results.apart[_TASK]
    # Of scorers, only prompted judges keep answers, or say `validity` and go below 0.
    below = rows.select(pl.col("rewards").list.eval(pl.element() < 0).list.any().any()).item()
    judge = rows["answer"].count() > 0 or bool(rows[_SAID_VALID].any() and below)
    ids = rows["id"].to_list()
    return {
        "label_base": "error steps 1-based" if rows["gold"].count() else "no indices",
        "benchmark": "prmbench" if ids and "stem" not in task.lower() and all(map(_PRMBENCH.match, ids)) else None,
        "kind": "critic" if judge else "prm",
        **_threshold(results, judge=judge),
        "settings": {**({"task_name": task} if task else {}), **({"reported": dict(figures)} if figures else {})},
    }


def _threshold(results: Results, *, judge: bool) -> dict[str, Any]:
    rewards, labels = results.rows["rewards"].to_list(), results.rows["labels"].to_list()
    both = [(scores, right) for scores, right in zip(rewards, labels, strict=True) if scores and right]
    pairs = [pair for scores, right in both for pair in zip(scores, right, strict=False)]
    if (explained := _explained(pairs, both)) is not None:
        return explained
    if pairs:
        message = "no threshold on the scores or their differences explains the labels: they decide as they are given"
        results.findings.append(Finding("warning", "labels-as-given", message, results.source))
    elif any(labels):
        message = "there are labels without scores: they decide as given"
        results.findings.append(Finding("note", "labels-as-given", message, results.source))
    if judge and not pairs:
        return {"threshold": 0.0, "threshold_source": "the toolkit's for prompted judges", "comparison": "<="}
    if not pairs and any(rewards):
        message = "there are scores without labels, so that the threshold is not known: 0.5 was assumed"
        results.findings.append(Finding("warning", "threshold-assumed", message, results.source))
    return {"threshold": 0.5, "threshold_source": "default" if pairs else "assumed", "comparison": "<="}


def _explained(pairs: list[tuple[float, bool]], both: list[tuple[list[float], list[bool]]]) -> dict[str, Any] | None:
    """The threshold on scores, or else on their differences, that explains every label; None if neither does."""
    on, fits = "rewards", label_threshold(pairs)
    usual = fits is not None and fits[0] == 0.5
    if fits is None:
        differences = [
            (score - before, right)
            for scores, labels in both
            for before, score, right in zip([0.0, *scores], scores, labels, strict=False)
        ]
        on, fits = "differences", label_threshold(differences)
        cut = DEFAULTS["differences"][0]
        usual = all((difference > cut) == right for difference, right in differences if math.isfinite(difference))
        fits = (cut, "<=") if usual and fits is not None else fits
    if fits is None:
        return None
    source = "the file's labels fit it" if usual else "implied by the file's labels"
    threshold, comparison = fits
    return {
        "threshold": threshold,
        "threshold_source": source,
        "comparison": comparison,
        "on": on,
        "labels_explained": True,
    }


def label_threshold(pairs: Iterable[tuple[float, bool]]) -> tuple[float, Comparison] | None:
    """Find a threshold that explains every label (true = judged right), and how a wrong step's score compares with it.

    0.5 if it explains them, with either comparison; else the number with the fewest digits that does, where a step is
    right iff its score is above it. Scores that are not finite are passed over. None if there is no such threshold, or
    no pair to tell it from.
    """
    highest_wrong, lowest_right = -math.inf, math.inf
    for score, right in pairs:
        if not math.isfinite(score):
            continue
        if right:
            lowest_right = min(lowest_right, score)
        else:
            highest_wrong = max(highest_wrong, score)
    if highest_wrong >= lowest_right or (highest_wrong == -math.inf and lowest_right == math.inf):
        return None
    if highest_wrong < 0.5 == lowest_right:
        return 0.5, "<"
    return (0.5 if highest_wrong <= 0.5 < lowest_right else _roundest(highest_wrong, lowest_right)), "<="


def _roundest(low: float, high: float) -> float:
    """The number in [low, high) with the fewest decimals; one of the two may be infinite."""
    if low == -math.inf:
        return min(float(math.ceil(high) - 1), math.nextafter(high, -math.inf))
    for digits in range(_DIGITS):
        scale = 10.0**digits
        candidate = math.ceil(low * scale) / scale if abs(low * scale) < 2**53 else low
        if low <= candidate < high:
            # Adding zero turns -0.0 into 0.0.
            return candidate + 0.0
    return low


def _figures(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return number(value)
    flat = {
        key: part
        for key, part in value.items()
        if not isinstance(part, Mapping) or not any(isinstance(inner, Mapping) for inner in part.values())
    }
    return {printable(str(key)): _figures(part) for key, part in flat.items()}


READERS = {"mr_eval": ResultReader(TITLE, recognises, load)}
