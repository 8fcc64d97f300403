import json

import numpy as np
import pytest

import checkpoints
from scoring.checkpoint import Checkpoint
from scoring.errors import ForeignCheckpoint, UsageError
from scoring.prms.catalogue import adapter_of
from scoring.prms.qwen import QwenPrm


def opened(folder, **settings):
    return Checkpoint.open(checkpoints.write(folder, **settings))


@pytest.mark.parametrize("settings", [{}, {"kind": "one"}, {"architectures": None}])
@pytest.mark.parametrize("name", [None, "qwen"])
def test_the_family_is_seen(tmp_path, settings, name):
    assert isinstance(adapter_of(opened(tmp_path, **settings), name), QwenPrm)


def with_head(**shapes):
    body = {name: array for name, array in checkpoints.tensors().items() if not name.startswith("score")}
    return body | {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}


FOREIGN = {
    "skywork": {"arrays": with_head(**{"v_head.summary.weight": (1, 64)}), "architectures": ["Qwen2ForPrmModel"]},
    "reasoneval": {"arrays": with_head(**{"score_head.weight": (3, 64)}), "architectures": ["ReasonEval_7B"]},
    "scan": {"arrays": with_head(**{"score.weight": (1, 64)}), "architectures": ["Qwen2ForTokenClassification"]},
    "token_classifier": {"kind": "one", "specials": checkpoints.SPECIALS[:3]},
    "math_shepherd": {"arrays": with_head(), "architectures": ["MistralForCausalLM"]},
}


@pytest.mark.parametrize("name", FOREIGN)
def test_a_foreign_checkpoint_is_refused_by_its_adapters_name(tmp_path, name):
    for asked in (None, "qwen"):
        with pytest.raises(ForeignCheckpoint, match=f"it needs the adapter '{name}'"):
            adapter_of(opened(tmp_path, **FOREIGN[name]), asked)


@pytest.mark.parametrize(
    ("architecture", "words"),
    [("Qwen2ForCausalLM", "critic"), ("Qwen2ForRewardModel", "whole answer"), ("BertModel", "no reward head is known")],
)
def test_what_is_no_prm_is_told(tmp_path, architecture, words):
    with pytest.raises(ForeignCheckpoint, match=words):
        adapter_of(opened(tmp_path, arrays=with_head(), architectures=[architecture]))


def test_an_unknown_adapter_is_no_family(tmp_path):
    with pytest.raises(UsageError, match="Known are qwen"):
        adapter_of(opened(tmp_path), "qwant")


def test_a_tokenizer_that_cannot_be_read_is_no_obstacle_to_detection(tmp_path):
    folder = checkpoints.write(tmp_path, kind="one")
    (folder / "tokenizer.json").write_text(json.dumps([]))
    with pytest.raises(ForeignCheckpoint, match="token_classifier"):
        adapter_of(Checkpoint.open(folder))
