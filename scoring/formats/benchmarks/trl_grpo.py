"""TRL's GRPO completions, `completions/completions_{step:05d}.parquet`: what `log_completions` keeps of a training run.

Columns: `step` (the training step), `prompt`, `completion`, one for each reward function under that function's name,
and `advantage`. Prompt and completion are texts, or conversations of `{role, content}`: then the problem is what the
user said, and the solution all that the policy did. Rewards are one number a completion and none a step: they are
metadata columns under their own names.

TRL, `trainer/grpo_trainer.py` (@f2cd577); Apache-2.0. Tables in that shape were tried,
and no run of anybody's.

Whether the answer is right is what TRL's own `accuracy_reward` or `reasoning_accuracy_reward` says; other functions may
mean anything by 1. How the rest is read: `scoring.formats.benchmarks.rollouts`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from scoring.formats.benchmarks.rollouts import TRAINING_STEP, answered_right, rollout, rollout_format, words_of_message
from scoring.formats.reading.fields import Fields

NAME = "trl_grpo"
_NEEDED = frozenset({TRAINING_STEP, "prompt", "completion", "advantage"})
_ACCURACY = ("accuracy_reward", "reasoning_accuracy_reward")


def recognises(row: Any) -> bool:
    """Return whether a row has a training step, a prompt, a completion and its advantage."""
    return isinstance(row, Mapping) and row.keys() >= _NEEDED


def _by(role: str, conversation: Any) -> Any:
    """What the messages of a role say, joined by a blank line; whatever is no conversation as it is."""
    if not isinstance(conversation, list):
        return conversation
    messages = [message for message in conversation if isinstance(message, Mapping) and message.get("role") == role]
    return "\n\n".join(filter(None, map(words_of_message, messages))) or None


def _rollouts(fields: Fields) -> Iterator[dict[str, Any]]:
    row = fields.value
    outcomes = (answered_right(row.get(name)) for name in _ACCURACY)
    outcome = next((outcome for outcome in outcomes if outcome is not None), None)
    record = rollout(fields, _by("user", row.get("prompt")), _by("assistant", row.get("completion")), outcome)
    for key in ("prompt", "completion"):
        record.pop(key, None)
    yield record


FORMAT = rollout_format(NAME, _rollouts, "accuracy_reward")
load = FORMAT.load
