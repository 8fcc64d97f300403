"""Which configs make a body that can be run, and which of their entries change nothing."""

import pytest

import checkpoints
from scoring.checkpoint import Checkpoint
from scoring.errors import ForeignCheckpoint
from scoring.prms.catalogue import adapter_of
from scoring.readout import Encoded

pytest.importorskip("torch")
pytest.importorskip("transformers")

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
