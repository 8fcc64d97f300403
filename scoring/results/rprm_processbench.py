"""R-PRM on ProcessBench: step rewards beside the rows of the benchmark.

Rows: those of ProcessBench with `responses` (for each step the mean probability of "Yes, the step is correct"),
`PRM_CoT` (a sampled analysis a step) and, once they have been compared, `match` (1 iff the first step below the
threshold is the label; 0-based, -1 = none). The scripts judge steps up to the gold error only, so that most erroneous
solutions have fewer numbers than steps. She et al., "R-PRM: Reasoning-Driven Process Reward Modeling",
`return-to-origin.py` and `get-GenPRM-Score.py`.
"""

from collections.abc import Mapping
from typing import Any

from scoring.reading.fields import Fields
from scoring.reading.findings import Finding
from scoring.reading.rows import Rows
from scoring.results.foreign import Foreign, foreign_frame
from scoring.results.gathered import Result, case_id, one_scorer
from scoring.results.numbers import numbers, reward_range
from scoring.results.records import gold_label

TITLE = "R-PRM on ProcessBench"
ADDED = ("responses", "PRM_CoT", "match")
"""What stands beside the benchmark's own keys."""
THRESHOLD = 0.5
"""A step is judged wrong iff its number is lower (`get-GenPRM-Score.py`, default of --threshold)."""


def recognises(row: Any) -> bool:
    """Whether a row is one of ProcessBench with a list of responses."""
    return (
        isinstance(row, Mapping)
        and {"problem", "steps", "label"} <= row.keys()
        and isinstance(row.get("responses"), list)
        and "generated_critique" not in row
    )


def load(rows: Rows) -> list[Foreign]:
    """The one scorer's rewards, a row a solution."""
    gathered = one_scorer(rows, _result)
    frame = foreign_frame(gathered.results)
    low, high = reward_range(frame["rewards"].to_list())
    return [
        Foreign(
            format=TITLE,
            source=rows.source,
            name=gathered.name,
            rows=frame,
            read=gathered.read,
            label_base="0-based, -1 = no error",
            benchmark="processbench",
            family="r-prm",
            threshold=THRESHOLD,
            threshold_source="R-PRM's own",
            low=low,
            high=high,
            findings=(*gathered.findings, *_short(frame.select("rewards", "steps").rows(), rows.source)),
        )
    ]


def _result(fields: Fields) -> Result:
    case_id(fields, "id", required=False)
    steps = fields.texts("steps")
    result: Result = {
        "subset": fields.text("subset"),
        "problem": fields.text("problem"),
        "steps": steps,
        "gold": gold_label(fields, "label", steps),
    }
    responses = fields.value.get("responses")
    if isinstance(responses, list) and any(isinstance(response, str) for response in responses):
        why = "the responses are texts, not a number a step"
        fields.note("warning", "wrong-type", why)
        return {**result, "reason": why}
    rewards = numbers(fields, "responses")
    if rewards is None:
        return {**result, "reason": "there is no number for each step"}
    _compare(fields, rewards)
    return {**result, "rewards": rewards}


def _compare(fields: Fields, rewards: list[float]) -> None:
    """A warning where the row's match does not follow from its numbers."""
    match, label = fields.value.get("match"), fields.value.get("label")
    if type(match) not in {int, float, bool} or type(label) not in {int, float}:
        return
    first = next((step for step, reward in enumerate(rewards) if reward < THRESHOLD), -1)
    if (first == label) != bool(match):
        message = (
            f"match does not follow from the numbers and a threshold of {THRESHOLD}: another one may have been used"
        )
        fields.note("warning", "match-differs", message)


def _short(rows: list[tuple[list[float] | None, list[str] | None]], source: str) -> list[Finding]:
    """A warning if some solutions were judged in part."""
    judged = [(rewards, steps) for rewards, steps in rows if rewards is not None and steps is not None]
    short = sum(len(rewards) < len(steps) for rewards, steps in judged)
    message = (
        f"{short} of {len(judged)} solutions have fewer numbers than steps: R-PRM's scripts stop at the gold error"
    )
    return [Finding("warning", "fewer-rewards", message, source)] if short else []
