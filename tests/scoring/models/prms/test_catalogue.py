import json

import numpy as np
import pytest

import checkpoints
from scoring.data.errors import ForeignCheckpoint, UsageError
from scoring.models.checkpoint import Checkpoint
from scoring.models.prms.prm_catalogue import adapter_of, detect
from scoring.models.prms.qwen import QwenPrm


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
    with pytest.raises(ForeignCheckpoint, match=f"it needs the adapter .*'{name}'"):
        adapter_of(opened(tmp_path, **FOREIGN[name]), "qwen")


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


@pytest.mark.parametrize("name", ["Mistral-7B-Instruct-v0.2", "mistral-conversational"])
def test_a_language_model_is_a_prm_only_by_its_name_or_where_it_is_asked_for(tmp_path, name):
    folder = opened(tmp_path / name, arrays=with_head(), architectures=["MistralForCausalLM"])
    with pytest.raises(ForeignCheckpoint, match="it needs the adapter 'math_shepherd'"):
        adapter_of(folder)
    assert detect(folder)[0] == ("math_shepherd",)


def test_versa_is_no_part_of_conversational(tmp_path):
    for name, names in (("qwen-conversational", ()), ("my-versa-8b", ("versa",)), ("VersaPRM", ("versa",))):
        folder = opened(tmp_path / name, arrays=with_head(), architectures=["Qwen2ForCausalLM"])
        assert detect(folder)[0] == names


ONE_NUMBER = {"arrays": with_head(**{"score.weight": (1, 64)})}


@pytest.mark.parametrize("architecture", ["Qwen2ForRewardModel", "Qwen2ForSomethingElse", None])
def test_what_may_be_a_universal_prm_is_told_how_it_is_asked_for(tmp_path, architecture):
    checkpoint = opened(tmp_path / "renamed", **ONE_NUMBER, architectures=architecture and [architecture])
    with pytest.raises(ForeignCheckpoint) as told:
        adapter_of(checkpoint)
    assert told.value.next_step == "If it is one like infly/Universal-PRM-7B, give --adapter universal."
    assert adapter_of(checkpoint, "universal").settings["adapter"] == "universal"


def test_a_language_model_is_told_the_families_that_its_tensors_fit(tmp_path):
    with pytest.raises(ForeignCheckpoint, match="--adapter versa") as told:
        adapter_of(opened(tmp_path, arrays=with_head(), architectures=["Qwen2ForCausalLM"]))
    assert "universal" not in told.value.next_step


def test_where_nothing_fits_all_adapters_are_named(tmp_path):
    arrays = with_head(**{"odd.weight": (5, 64)})
    with pytest.raises(ForeignCheckpoint, match=r"Adapters here: qwen, .*; --adapter also takes a FILE\.py"):
        adapter_of(opened(tmp_path, arrays=arrays, architectures=["BertModel"]))


def test_an_adapter_that_does_not_fit_is_told_with_the_one_that_does(tmp_path):
    with pytest.raises(
        ForeignCheckpoint, match=r"'skywork', not 'qwen'\. If it is one like Skywork/.*--adapter skywork"
    ):
        adapter_of(opened(tmp_path, **FOREIGN["skywork"]), "qwen")
