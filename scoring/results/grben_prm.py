"""GR-Ben's details of a PRM, `{domain}/prm_result/{model}_details.jsonl`, and the rows its evaluation takes.

Rows: `id, domain, generator, gt_label, pred_label, threshold, probs[], is_correct_prediction`; the labels are 1-based,
-1 = no error, and a step is judged wrong iff its number in `probs` is below the threshold; where `probs` is empty none
is, so that no error is predicted, whatever the threshold. Rows that only hold `id,
domain, gt_label, probs` are what `run_prm_eval.py eval` takes. GR-Ben, `run_prm_eval.py`, `metrics.py`.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from scoring.critics.boxed import zero_based
from scoring.reading.fields import Fields
from scoring.reading.findings import Finding
from scoring.reading.rows import Rows
from scoring.results.foreign import Foreign, foreign_frame
from scoring.results.gathered import Result, case_id, one_scorer
from scoring.results.numbers import number, numbers, reward_range

TITLE = "GR-Ben PRM details"
_DEFAULT = 0.5


def recognises(row: Any) -> bool:
    """Whether a row holds a solution's numbers with its gold label."""
    return isinstance(row, Mapping) and {"id", "gt_label", "probs"} <= row.keys() and "problem" not in row


def load(rows: Rows) -> list[Foreign]:
    """The one PRM's rewards, and the verdict -1 where `probs` is empty.

    The threshold is the file's where all its rows have the same, else 0.5. A `pred_label` that its own numbers and
    threshold do not give is a finding; what counts are the numbers.
    """
    found = one_scorer(rows, _read)
    thresholds = {result.pop("_threshold") for result in found.results} - {None}
    threshold, threshold_source = _DEFAULT, "default"
    if len(thresholds) == 1:
        threshold, threshold_source = thresholds.pop(), "the file's"
    elif thresholds:
        few = ", ".join(f"{value:g}" for value in sorted(thresholds)[:3])
        message = f"the rows have {len(thresholds)} thresholds, {few} among them; 0.5 is used"
        found.findings.append(Finding("warning", "several-thresholds", message, rows.source))
    frame = foreign_frame(found.results)
    low, high = reward_range(frame["rewards"].to_list())
    return [
        Foreign(
            format=TITLE,
            source=rows.source,
            name=found.name,
            rows=frame,
            read=found.read,
            label_base="1-based, -1 = no error",
            benchmark="grben",
            threshold=threshold,
            threshold_source=threshold_source,
            low=low,
            high=high,
            findings=tuple(found.findings),
        )
    ]


def _read(fields: Fields) -> Result | None:
    if case_id(fields, "id") is None:
        return None
    empty = fields.value.get("probs") == []
    rewards = None if empty else numbers(fields, "probs", required=True)
    threshold = _threshold(fields)
    if rewards is not None or empty:
        _compare(fields, rewards or (), _DEFAULT if threshold is None else threshold)
    if empty:
        message = "probs is empty: GR-Ben's code predicts no error, which is taken as the verdict at every threshold"
        fields.note("warning", "empty-probs", message)
    return {
        "subset": fields.text("domain"),
        "gold": _gold(fields),
        "rewards": rewards,
        **({"ballot": "-1", "verdict": -1} if empty else {}),
        "reason": None if rewards or empty else "probs is no list of numbers",
        "_threshold": threshold,
    }


def _threshold(fields: Fields) -> float | None:
    value = fields.value.get("threshold")
    threshold = number(value)
    if value is not None and (threshold is None or not math.isfinite(threshold)):
        fields.note("warning", "wrong-type", "threshold is not a finite number")
        return None
    return threshold


def _gold(fields: Fields) -> int | None:
    """The gold label, 0-based; null, with a warning, where it is none."""
    label = fields.integer("gt_label")
    if label is None:
        return None
    if label == 0 or label < -1:
        fields.note("warning", "bad-label", f"gt_label {label} names no step, 1-based")
        return None
    return zero_based(label)


def _compare(fields: Fields, rewards: Sequence[float], threshold: float) -> None:
    """A warning where the row's prediction is another than that of its numbers."""
    if fields.value.get("pred_label") is None:
        return
    given = fields.integer("pred_label")
    told = next((step for step, reward in enumerate(rewards, 1) if reward < threshold), -1)
    if given is not None and given != told:
        message = f"pred_label is {given}, probs below {threshold:g} give {told} (1-based): the numbers count"
        fields.note("warning", "prediction-differs", message)
