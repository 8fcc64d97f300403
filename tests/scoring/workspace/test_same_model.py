"""Scorers of one model in one workspace know of each other."""

import pytest

import adapters
import checkpoints
import making
from scoring.runs.preparation import prepare
from scoring.workspace.reservation import reserve_scorer, same_model
from scoring.workspace.workspace import Workspace

HEAD = "The workspace has"


@pytest.fixture
def workspace(tmp_path):
    return Workspace.create(tmp_path / "ws")


def saved(workspace, scorer):
    scorer.save(reserve_scorer(workspace, scorer).folder)
    return scorer


def told(one):
    return [note for note in one.notes if note.startswith(HEAD)]


def test_another_dtype_and_another_config_are_told_and_the_same_scorer_and_another_model_are_not(workspace, tmp_path):
    model = checkpoints.write(tmp_path / "tiny")
    first = prepare(workspace, str(model))
    assert told(first) == []
    saved(workspace, first.scorer)
    assert told(prepare(workspace, str(model))) == []
    assert told(prepare(workspace, str(checkpoints.write(tmp_path / "other", seed=1)))) == []
    (note,) = told(prepare(workspace, str(model), dtype="bfloat16", name="half"))
    assert note == (
        "The workspace has 'tiny', which is the same model with other settings "
        "(dtype: 'float32' there, 'bfloat16' now)."
    )
    (note,) = told(prepare(workspace, str(checkpoints.write(tmp_path / "short", max_position_embeddings=100))))
    assert "config.json: '" in note
    assert "max_length: 512 there, 100 now" in note


def scorer(name, mark, **settings):
    return making.scorer(name, fingerprint=mark * 64, settings=settings)


def test_another_commit_of_one_hub_model_and_another_adapter_are_told_in_short(workspace):
    saved(workspace, scorer("a", "a", adapter="x", system="long", weights={"hub": "org/m", "commit": "1" * 40}))
    mine = scorer("b", "b", adapter="y", step="z", weights={"hub": "org/m", "commit": "2" * 40})
    (note,) = same_model(workspace, mine)
    assert note == (
        "The workspace has 'a', which is the same model with other settings "
        "(adapter: 'x' there, 'y' now, commit: '11111111' there, '22222222' now)."
    )


def test_the_first_three_are_told_with_three_settings_each(workspace):
    weights = {"hub": "org/m", "commit": "1"}
    for at, name in enumerate("abcde"):
        saved(workspace, scorer(name, name, weights=weights, p=at, q=at, r=at, s=at))
    found = same_model(workspace, scorer("f", "f", weights=weights))
    assert len(found) == 4
    assert found[0].endswith("(p: 0 there, None now, q: 0 there, None now, r: 0 there, None now and 1 more).")
    assert found[3] == "It has 2 more of them."


@pytest.mark.parametrize("weights", [None, {}, {"files": {}}, {"files": None}, 3, {"server": "x"}])
def test_scorers_without_known_weights_are_nobodys_kin(workspace, weights):
    saved(workspace, scorer("a", "a", weights=weights))
    assert same_model(workspace, scorer("b", "b", weights=weights)) == []


def test_one_lora_adapter_over_one_base_is_one_model_however_it_was_merged(workspace, tmp_path):
    pytest.importorskip("torch")
    half = {name: array.astype("float16") for name, array in checkpoints.tensors().items()}
    base = str(checkpoints.write(tmp_path / "base", arrays=half))
    adapter = str(adapters.write(tmp_path / "lora"))
    saved(workspace, prepare(workspace, adapter, base=base).scorer)
    (note,) = told(prepare(workspace, adapter, base=base, dtype="float16", name="half"))
    assert note.endswith("(dtype: 'float32' there, 'float16' now).")
