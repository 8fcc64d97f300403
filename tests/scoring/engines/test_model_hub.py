import pytest

import checkpoints
from scoring.data.errors import CheckpointError, HubUnavailable
from scoring.engines.model_places import find_place
from scoring.models.checkpoint import Checkpoint


def find_checkpoint(model):
    return Checkpoint.open(*find_place(model))


def test_a_folder_is_taken_as_it_is(tmp_path, monkeypatch):
    checkpoints.write(tmp_path / "org" / "prm")
    monkeypatch.chdir(tmp_path)
    found = find_checkpoint("org/prm")
    assert (found.name, found.commit) == ("prm", None)


@pytest.mark.parametrize("model", ["./org/prm", "prm", "/no/prm", "a/b/c", "../x"])
def test_what_can_be_no_hub_name_is_a_missing_folder(tmp_path, monkeypatch, model):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CheckpointError, match="there is no folder"):
        find_checkpoint(model)


@pytest.fixture
def hub(monkeypatch, tmp_path):
    """A hub that cannot be reached, with an empty cache."""
    constants = pytest.importorskip("huggingface_hub.constants")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.mark.parametrize("model", ["org/prm", "hf:org/prm"])
def test_offline_is_one_sentence(hub, model):
    with pytest.raises(HubUnavailable) as caught:
        find_checkpoint(model)
    assert "\n" not in str(caught.value)
    assert "org/prm" in str(caught.value)


def test_a_model_in_the_cache_is_had_offline_and_known_by_its_commit(hub):
    commit = "0123456789abcdef0123456789abcdef01234567"
    checkpoints.write(hub / "models--org--prm" / "snapshots" / commit)
    refs = hub / "models--org--prm" / "refs"
    refs.mkdir()
    (refs / "main").write_text(commit)
    found = find_checkpoint("org/prm")
    assert (found.name, found.commit) == ("org/prm", commit)


def test_what_a_model_sets_itself_comes_along(hub, monkeypatch):
    """Whether another program had left it in the cache decided how a critic answered."""
    asked = []
    monkeypatch.setattr("huggingface_hub.snapshot_download", lambda *_, **how: asked.append(how) or str(hub))
    find_place("org/prm")
    assert {"generation_config.json", "chat_template.jinja"} <= {*asked[0]["allow_patterns"]}
