"""Rewards that are not finite: whether the weights are to blame, and if so which."""

import numpy as np
import pytest

import checkpoints
from scoring.data.errors import CheckpointError
from scoring.data.readout import Encoded, Readout, Refused, Vocabulary
from scoring.models.checkpoint import Checkpoint
from scoring.models.prms.prm_catalogue import adapter_of
from scoring.runs.plan import MissingAnswers
from scoring.runs.prm_runs import EncodedCase
from scoring.runs.run_cases import RunCase

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from scoring.engines import stored  # noqa: E402  # needs torch
from scoring.engines.trace import trace  # noqa: E402
from scoring.engines.transformers_engine import TransformersEngine  # noqa: E402

CASES = [Encoded(tuple(range(length)), (length // 2, length - 1)) for length in (40, 90)]
UP = "model.layers.1.mlp.up_proj.weight"


def loaded(folder, arrays, dtype="float32"):
    checkpoint = Checkpoint.open(checkpoints.write(folder, arrays=arrays))
    return TransformersEngine.load(checkpoint, adapter_of(checkpoint).readout, dtype=dtype, device="cpu")


def answers(engine, cases=CASES):
    return [answer for batch in engine.read(cases) for answer in batch.answers]


def changed(name, value, at=0):
    arrays = checkpoints.tensors()
    arrays[name].flat[at] = value
    return arrays


@pytest.mark.parametrize("name", [UP, "score.2.bias", "model.norm.weight"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_tensor_that_is_not_finite_is_named_and_ends_the_run(tmp_path, name, value):
    with pytest.raises(CheckpointError) as caught:
        answers(loaded(tmp_path, changed(name, value)))
    assert caught.value.sentence == f"{name} in {tmp_path / 'model.safetensors'} holds numbers that are not finite."


def test_weights_are_not_read_again_while_rewards_are_finite(tmp_path, monkeypatch):
    monkeypatch.setattr(stored, "stored", lambda *_: pytest.fail("read"))
    assert all(answer.why == "" for answer in answers(loaded(tmp_path, None)))


def test_what_no_reward_is_read_from_may_hold_anything(tmp_path):
    engine = loaded(tmp_path, changed("lm_head.weight", np.nan))
    assert all(np.isfinite(answer.rewards).all() for answer in answers(engine))
    assert engine.why().startswith("all weights are finite")


def test_only_the_rows_of_an_output_matrix_that_are_read_count(tmp_path):
    checkpoint = Checkpoint.open(checkpoints.write(tmp_path, arrays=changed("lm_head.weight", np.nan)))
    width = checkpoints.HIDDEN
    ignored = tuple(name for name in checkpoint.shapes if name.startswith("score."))
    others = Readout(Vocabulary((3, 7), width), reward=(0.0, 1.0), ignored=ignored)
    assert stored.why_not_finite(checkpoint, others, "float32")
    for head in (Vocabulary((0, 7), width), Vocabulary((3, 7), width, whole=True), Vocabulary((), width)):
        with pytest.raises(CheckpointError, match=r"lm_head\.weight"):
            stored.why_not_finite(checkpoint, Readout(head, ignored=ignored), "float32")


def test_weights_that_the_dtype_does_not_hold_are_named(tmp_path):
    engine = loaded(tmp_path, changed(UP, 1e5), "float16")
    with pytest.raises(
        CheckpointError, match=rf"{UP} holds numbers up to 1e\+05, more than float16 can hold.*bfloat16"
    ):
        answers(engine)
    assert all(np.isfinite(answer.rewards).all() for answer in answers(loaded(tmp_path, changed(UP, 1e5), "bfloat16")))


def overflowing():
    """Finite weights whose products are beyond float16."""
    arrays = checkpoints.tensors()
    arrays["score.0.weight"] *= 2e4
    arrays["score.2.weight"] *= 2e4
    return arrays


def test_an_overflow_of_finite_weights_is_told_of_case_by_case_and_read_once(tmp_path, monkeypatch):
    engine, seen = loaded(tmp_path, overflowing(), "float16"), []
    read = stored.stored
    monkeypatch.setattr(stored, "stored", lambda checkpoint, name: seen.append(name) or read(checkpoint, name))
    found = answers(engine)
    assert len(seen) == len(set(seen)) > 20
    why = "all weights are finite, so float16 does not hold what is computed; use --dtype float32 or bfloat16"
    assert {answer.why for answer in found} == {why}
    case = RunCase("c", "k", "p", ["a", "b"], ())
    refused = EncodedCase(MissingAnswers(0), case, CASES[found[0].index]).checked(found[0])
    assert isinstance(refused, Refused)
    assert refused.reason == f"the reward of step 0 is nan, no finite number ({why})"
    assert all(np.isfinite(answer.rewards).all() for answer in answers(loaded(tmp_path, overflowing())))


def test_a_trace_is_refused_for_the_weights_alone(tmp_path):
    with pytest.raises(CheckpointError, match=UP):
        trace(loaded(tmp_path, changed(UP, np.nan)), CASES[0])
    assert len(trace(loaded(tmp_path, overflowing(), "float16"), CASES[0])) == 2
