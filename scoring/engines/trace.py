"""All numbers between a model's states and its rewards, for one case: what is otherwise only the reward."""

import torch
from msgspec import Struct
from msgspec.structs import replace

from scoring.data.errors import EngineError
from scoring.data.readout import Encoded
from scoring.engines.base import TRANSFORMS, combined
from scoring.engines.transformers_engine import TransformersEngine


class Traced(Struct, frozen=True):
    """One position that is read: what the head gave, the same transformed in float32, and what comes of that.

    Of a head over a whole vocabulary `logits` are the log-probabilities of its tokens among all, and at last that of
    all the others together. Where several positions are put together the reward is that of the step.
    """

    logits: tuple[float, ...]
    values: tuple[float, ...]
    reward: float
    redundancy: float | None


def trace(engine: TransformersEngine, case: Encoded) -> list[Traced]:
    """Trace every position of a case in the order of its steps, its sequences run one at a time.

    Raises:
        CheckpointError: a reward is not finite because the weights are not.
        EngineError: the device has not the memory for a sequence, or has failed.
    """
    traced = []
    with torch.inference_mode():
        for sequence in case.sequences:
            logits = engine.attempt(engine.logits, [sequence])
            if logits is None:
                raise EngineError(
                    f"{engine.no_memory(len(sequence.ids))}.", "Use another device, or wait for this one."
                )
            outputs = TRANSFORMS[engine.readout.transform](logits)
            products = engine.weighed(outputs)
            if not products.isfinite().all():
                engine.why()
            numbers = products.tolist()
            traced += [
                Traced(tuple(row_logits), tuple(made), row[0], row[1] if len(row) > 1 else None)
                for row_logits, made, row in zip(logits.tolist(), outputs.tolist(), numbers, strict=True)
            ]
    if (how := engine.readout.combine) is None:
        return traced
    rewards = [position.reward for position in traced]
    steps = [combined(rewards[at : at + case.places], how) for at in range(0, len(traced), case.places)]
    return [replace(position, reward=steps[at // case.places]) for at, position in enumerate(traced)]
