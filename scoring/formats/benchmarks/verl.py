"""verl's rollouts, `{rollout_data_dir}/{global_step}.jsonl`: a row a sampled answer, as its trainer dumps them.

Row: `input, output, score, step`, `gts` where there is a reference answer, and each further value that the reward
function returned for the whole batch, under its own name: step rewards among them, as a list a row. `step` is the
training step, which the file is called after, and no step of the solution. `input` is the prompt as it was decoded,
with what the chat template put around it.

verl, `trainer/ppo/ray_trainer.py`, `_dump_generations`; Apache-2.0. Rows in that
shape were tried, and no run of anybody's.

Whether the answer is right: `acc`, where the reward function gave it (verl's DAPO does), else `score`; a shaped score,
neither 0, 1 nor -1, does not say it. How the rest is read: `scoring.formats.benchmarks.rollouts`.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any

from scoring.formats.benchmarks.rollouts import TRAINING_STEP, answered_right, rollout, rollout_format
from scoring.formats.reading.compressed_streams import plain_name
from scoring.formats.reading.fields import Fields

NAME = "verl"
_NEEDED = frozenset({"input", "output", "score"})
_NUMBER = re.compile(r"\d{1,15}")


def recognises(row: Any) -> bool:
    """Return whether a row is a rollout: input, output and score, and the training step."""
    return isinstance(row, Mapping) and row.keys() >= _NEEDED | {TRAINING_STEP}


def _rollouts(fields: Fields) -> Iterator[dict[str, Any]]:
    row = fields.value
    outcome = answered_right(row.get("acc"))
    outcome = answered_right(row.get("score")) if outcome is None else outcome
    record = rollout(fields, row.get("input"), row.get("output"), outcome, reference=row.get("gts"))
    for key in ("input", "output"):
        record.pop(key, None)
    stem = PurePath(plain_name(fields.source)).stem
    if record.get(TRAINING_STEP) is None and _NUMBER.fullmatch(stem):
        fields.note("note", "step-of-file", "the row has no training step; it is that of the file's name")
        record[TRAINING_STEP] = int(stem)
    yield record


FORMAT = rollout_format(NAME, _rollouts, "acc, or else score,")
load = FORMAT.load
