"""AgentProcessBench: every message of an agent that uses tools, labelled right, neutral or wrong.

"AgentProcessBench", arXiv 2603.14465; fields as its rows and its own code have them (RUCBM/AgentProcessBench,
`eval/compare.py` and `eval/llm_annotation.py`).
Rows: `total_index, query_index, sample_index, question, data_source, ground_truth, answer_text, messages[{role,
content, tool_calls?, tool_call_id?, name?}], tool_metrics, tools, step_labels{"index": 1|0|-1}, final_label,
task_description`.

A step is a message of the assistant; all others are its context, and so are `tools`, the definitions of the functions
that the agent could call: `_build_judge_input` of `llm_annotation.py` shows them to the benchmark's judges in one JSON
object with `question`, `task_description`, `tools` and `messages`, in this order (seen at commit 96bcf8a).

Labels name messages by their 0-based place in `messages`, system message and tool results counted: the step of label
"8" may well be step 3. They are 1 for a step that helps, 0 for one without effect (it explores, or a tool failed), -1
for a wrong or harmful one. A wrong step need
not make all after it wrong, so that nothing is derived of the earliest error.
"""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from scoring.formats.benchmarks import trajectories
from scoring.formats.benchmarks.trajectories import PLACED, RIGHT, WRONG, sound_text, steps_and_context, whole_label
from scoring.formats.reading.fields import Fields

NAME = "agentprocessbench"

SUBSETS = ("hotpotqa", "gaia_dev", "bfcl", "tau2")
"""Its four collections of tasks, in the order of `total_index`."""
PER_SUBSET = 250
"""Trajectories of each: 50 questions, five of each."""
SAMPLES = 5


def recognises(row: Any) -> bool:
    """Return whether a row has messages and labels for some of them, and the benchmark's places of it."""
    return (
        isinstance(row, Mapping)
        and not PLACED.isdisjoint(row)
        and isinstance(row.get("messages"), list)
        and isinstance(row.get("step_labels"), Mapping)
        and not isinstance(row.get("steps"), list)
    )


def record_id(fields: Fields) -> str:
    """Name a trajectory `{data_source}:{query_index}:{sample_index}`, as files of judges do; else after its place."""
    value = fields.value
    source, numbers = (
        sound_text(fields, "data_source", value.get("data_source")),
        [value.get(name) for name in ("query_index", "sample_index")],
    )
    if source and all(type(number) is int for number in numbers):
        return ":".join((source, *map(str, numbers)))
    return fields.row_name()


def _flat(fields: Fields) -> Mapping[str, Any] | None:
    parts = steps_and_context(fields, ("question", "task_description"))
    return (
        None
        if parts is None
        else {
            **parts,
            "subset": _subset(fields),
            "reference": sound_text(fields, "ground_truth", _reference(fields.value.get("ground_truth"))),
            "problem_id": fields.case.rpartition(":")[0] if fields.case and ":" in fields.case else None,
            "final": {RIGHT: True, WRONG: False}.get(whole_label(fields.value.get("final_label"))),
        }
    )


def _subset(fields: Fields) -> str | None:
    number = whole_label(fields.value.get("total_index", -1))
    if 0 <= number < PER_SUBSET * len(SUBSETS):
        return SUBSETS[number // PER_SUBSET]
    return fields.text("data_source")


def _reference(truth: Any) -> str | None:
    """The answer that is expected, where it is a text or a few of them."""
    target = truth.get("target", truth) if isinstance(truth, Mapping) else truth
    texts = target if isinstance(target, list) else [target]
    return "; ".join(texts) if texts and all(isinstance(part, str) for part in texts) else None


FORMAT = replace(
    trajectories.FORMAT,
    name=NAME,
    layout=replace(
        trajectories.FORMAT.layout,
        name=record_id,
        claimed=frozenset({"total_index", "query_index", "sample_index", "question", "data_source", "ground_truth"})
        | {"messages", "tools", "step_labels", "final_label", "task_description"},
        flat=_flat,
    ),
)
load = FORMAT.load
