import pytest

import checkpoints
import every_family
from scoring.data.errors import EngineError, ScorerConflict, UsageError
from scoring.runs.engine_options import EngineOptions
from scoring.runs.preparation import prepare
from scoring.workspace.reservation import reserve_scorer
from scoring.workspace.workspace import Workspace


@pytest.fixture
def workspace(tmp_path):
    return Workspace.create(tmp_path / "ws")


@pytest.fixture
def model(tmp_path):
    return str(checkpoints.write(tmp_path / "tiny"))


def saved(workspace, *args, **settings):
    scorer = prepare(workspace, *args, **settings).scorer
    scorer.save(reserve_scorer(workspace, scorer).folder)
    return scorer


def test_the_scorer_says_who_it_is(workspace, model):
    scorer = prepare(workspace, model).scorer
    assert (scorer.name, scorer.kind, scorer.family) == ("tiny", "prm", "Qwen2.5-Math-PRM")
    assert (scorer.low, scorer.high, scorer.threshold) == (0.0, 1.0, 0.5)
    assert scorer.settings["dtype"] == "float32"
    assert scorer.settings["weights"]["files"].keys() == {"config.json", "tokenizer.json", "model.safetensors"}


def test_what_vllm_cannot_give_is_refused_in_the_plan(workspace, tmp_path):
    pytest.importorskip("torch")
    opened = every_family.opened(tmp_path / "prm", "skywork")
    folder = str(opened.checkpoint.folder)
    assert prepare(workspace, folder, running=EngineOptions(device="cpu"))
    with pytest.raises(EngineError, match=r"vLLM cannot run .*: .* Use the transformers engine\."):
        prepare(workspace, folder, running=EngineOptions("vllm"))


def test_what_changes_numbers_changes_the_fingerprint_and_nothing_else_does(workspace, model, tmp_path):
    mark = prepare(workspace, model).scorer.fingerprint
    assert (
        prepare(workspace, model, name="x", running=EngineOptions(device="cuda", token_budget=7)).scorer.fingerprint
        == mark
    )
    assert prepare(workspace, model, adapter="qwen", dtype="float32").scorer.fingerprint == mark
    assert prepare(workspace, model, running=EngineOptions("vllm")).scorer.fingerprint == mark
    others = [
        prepare(workspace, model, dtype="bfloat16"),
        prepare(workspace, str(checkpoints.write(tmp_path / "seed", seed=1))),
        prepare(workspace, str(checkpoints.write(tmp_path / "system", system_prompt=""))),
        prepare(workspace, str(checkpoints.write(tmp_path / "length", max_position_embeddings=100))),
    ]
    assert len({mark, *(other.scorer.fingerprint for other in others)}) == 5


def test_a_copy_elsewhere_keeps_the_name_it_has_unless_told(workspace, model, tmp_path):
    scorer = saved(workspace, model)
    copy = str(checkpoints.write(tmp_path / "renamed"))
    assert prepare(workspace, copy).scorer == scorer
    assert prepare(workspace, copy, name="mine").scorer.name == "mine"


def test_a_name_with_another_dtype_is_taken(workspace, model):
    saved(workspace, model)
    with pytest.raises(ScorerConflict, match="dtype: 'float32' there, 'bfloat16' now"):
        reserve_scorer(workspace, prepare(workspace, model, dtype="bfloat16").scorer)


def test_an_unknown_adapter_is_named(workspace, model):
    with pytest.raises(UsageError, match="'abacus'"):
        prepare(workspace, model, adapter="abacus")


def test_what_was_loaded_must_be_what_was_digested(workspace, model, monkeypatch):
    module = pytest.importorskip("scoring.engines.transformers_engine", exc_type=Exception)
    load = module.TransformersEngine.load

    def late(checkpoint, *args, **settings):
        engine = load(checkpoint, *args, **settings)
        checkpoints.write(checkpoint.folder, seed=9)
        return engine

    monkeypatch.setattr(module.TransformersEngine, "load", late)
    with pytest.raises(Exception, match="changed while it was read"):
        prepare(workspace, model, running=EngineOptions(device="cpu")).engine()


def test_what_is_only_assumed_of_a_checkpoint_is_told(workspace, tmp_path):
    made = every_family.write(tmp_path, "token_classifier").rename(tmp_path / "renamed")
    assert any(
        "--option separator=" in note for note in prepare(workspace, str(made), adapter="token_classifier").notes
    )
    chosen = prepare(workspace, str(made), adapter="token_classifier", options={"separator": "newline"})
    assert not any("--option separator=" in note for note in chosen.notes)
