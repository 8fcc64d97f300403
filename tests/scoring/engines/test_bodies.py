"""Which configs make a body that can be run, and which of their entries change nothing."""

import pytest

import checkpoints
from scoring.data.errors import ForeignCheckpoint
from scoring.data.readout import Encoded
from scoring.models.checkpoint import Checkpoint
from scoring.models.prms.prm_catalogue import adapter_of

pytest.importorskip("torch")
pytest.importorskip("transformers")

from scoring.engines import weights  # needs torch
from scoring.engines.transformers_engine import TransformersEngine  # needs torch


def loaded(folder):
    checkpoint = Checkpoint.open(folder)
    return TransformersEngine.load(checkpoint, adapter_of(checkpoint).readout, dtype="float32", device="cpu")


@pytest.mark.parametrize(
    "changes",
    [
        {"model_type": "unheard_of"},
        {"model_type": None},
        {"num_attention_heads": "x"},
        {"model_type": "gpt2"},
        {"is_causal": False},
        {"rope_scaling": {"rope_type": "longrope", "factor": 2.0, "short_factor": [1.0] * 16,
                          "long_factor": [2.0] * 16, "original_max_position_embeddings": 64}},
    ],
)  # fmt: skip
def test_a_config_that_makes_no_body_is_refused(tmp_path, changes):
    with pytest.raises(ForeignCheckpoint):
        loaded(checkpoints.write(tmp_path / "prm", **changes))


def test_how_a_config_wants_its_answers_changes_none(tmp_path):
    case = Encoded(tuple(range(100)), (50, 99))
    forms = {"return_dict": False, "use_return_dict": False, "torchscript": True, "output_attentions": True}
    found = loaded(checkpoints.write(tmp_path / "prm", **forms, output_hidden_states=True, use_cache=True))
    (one,), (other,) = found.read([case]), loaded(checkpoints.write(tmp_path / "two")).read([case])
    assert one == other


@pytest.mark.parametrize("changes", [{}, {"use_sliding_window": True, "sliding_window": 16, "max_window_layers": 0}])
def test_what_a_card_does_otherwise_gives_the_same_rewards(tmp_path, changes, monkeypatch):
    ran = set()
    for name in ("_norm", "_attention_with_own_heads"):
        there = getattr(weights, name)
        monkeypatch.setattr(
            weights, name, lambda *given, there=there, name=name, **more: ran.add(name) or there(*given, **more)
        )
    cases = [Encoded(tuple(range(length)), (length // 2, length - 1)) for length in (90, 80, 40)]
    engine = loaded(checkpoints.write(tmp_path / "prm", **changes))
    (expected,) = engine.read(cases)
    weights.fuse_norms(engine.body)
    weights.heads_of_their_own(engine.body)
    (found,) = engine.read(cases)
    for one, other in zip(expected.answers, found.answers, strict=True):
        assert other.rewards == pytest.approx(one.rewards, abs=1e-5)
    assert ran == {"_norm", "_attention_with_own_heads"}
