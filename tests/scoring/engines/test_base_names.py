"""Which base a LoRA adapter names and which it gets: told, warned of, or refused."""

from pathlib import Path

import pytest

import adapters
import byte_vocabulary
import checkpoints
from scoring.data.errors import ForeignCheckpoint
from scoring.engines.base_names import base_sentence, check_body
from scoring.engines.lora_config import LoraConfig
from scoring.engines.model_places import ModelPlace
from scoring.engines.usable_weights import Weights
from scoring.runs.engine_options import EngineOptions
from scoring.runs.preparation import prepare
from scoring.workspace.workspace import Workspace

HUB = ModelPlace(Path("/cache/x"), "org/Llama-PRM800K", "0" * 40)
LOCAL = ModelPlace(Path("/models/llama-prm800k"), "llama-prm800k")


UNPROVEN = "; whether that is this one cannot be told from a path."
OTHERWISE = ", and this one is called otherwise: another base gives other rewards."


@pytest.mark.parametrize(
    ("named", "base", "start", "end"),
    [
        ("UW/Llama-PRM800K", HUB, "Its", "."),
        ("/data/them/llama-prm800k/", LOCAL, "Its", "."),
        ("UW/LLAMA-prm800k", LOCAL, "Its", "."),
        ("UW/Other", HUB, "Warning: its", OTHERWISE),
        ("UW/Other", LOCAL, "Its", UNPROVEN),
        ("/data/Other", HUB, "Its", UNPROVEN),
        ("outputs/checkpoint-500", HUB, "Its", UNPROVEN),
    ],
)
def test_it_is_told_which_base_is_named_and_whether_it_is_this(named, base, start, end):
    assert base_sentence(named, base) == f"{start} adapter_config.json names {named} as the base{end}"


def test_a_base_that_is_not_named_is_told():
    assert base_sentence("", HUB) == "Its adapter_config.json names no base, so nothing tells whether this is the one."


@pytest.mark.parametrize(
    ("named", "model_type"),
    [
        ("UW/Llama-3.1-8B", "llama"),
        ("org/Qwen2.5-Math-7B", "qwen2"),
        ("org/Qwen-7B-llamafied", "llama"),
        ("org/Mathstral-7B", "qwen2"),
        ("/home/me/llama-3", "qwen2"),
        ("other/Llama-PRM800K", "mistral"),
        ("", "qwen2"),
    ],
)
def test_bodies_that_names_do_not_tell_apart_pass(named, model_type):
    check_body(named, HUB, model_type)


@pytest.mark.parametrize(("named", "model_type"), [("UW/Llama-3.1-8B", "mistral"), ("org/Qwen2.5-7B", "llama")])
def test_a_base_of_another_body_is_refused(named, model_type):
    with pytest.raises(ForeignCheckpoint, match=f"belongs to {named}, and org/Llama-PRM800K is a {model_type} model"):
        check_body(named, HUB, model_type)


@pytest.fixture
def workspace(tmp_path):
    return Workspace.create(tmp_path / "ws")


def test_the_start_notes_say_so(workspace, tmp_path):
    pytest.importorskip("torch")
    base = checkpoints.write(tmp_path / "base")
    adapter = adapters.write(tmp_path / "lora", base_model_name_or_path="org/Qwen-PRM")
    note = prepare(workspace, str(adapter), base=str(base)).notes[0]
    assert "merged into base, in " in note
    assert note.endswith("names org/Qwen-PRM as the base; whether that is this one cannot be told from a path.")


def test_one_of_another_body_is_refused_before_anything_is_written(workspace, tmp_path):
    base = checkpoints.write(tmp_path / "base")
    adapter = adapters.write(tmp_path / "lora", base_model_name_or_path="org/Llama-3.1-8B")
    with pytest.raises(ForeignCheckpoint, match=r"belongs to org/Llama-3\.1-8B, and base is a qwen2 model"):
        prepare(workspace, str(adapter), base=str(base))
    assert not (workspace.root / "converted").exists()


@pytest.mark.parametrize(
    ("architecture", "adapter", "words"),
    [
        ("Qwen2ForCausalLM", None, "LoRA adapters belong to Llama models, and the base of VersaPRM is a qwen2 model"),
        ("Qwen2ForCausalLM", "versa", "LoRA adapters belong to Llama models"),
        ("MistralForCausalLM", None, "needs the adapter 'math_shepherd'"),
        ("MistralForCausalLM", "versa", "not 'versa'"),
    ],
)
def test_a_published_adapter_over_another_body_is_refused_for_what_it_would_be_read_as(
    workspace, tmp_path, architecture, adapter, words
):
    """Where shapes fit and the adapter names no base, the family's own facts decide."""
    tiny = pytest.importorskip("tiny_families", exc_type=ImportError)
    config = {**tiny.QWEN, "architectures": [architecture]}
    if architecture == "MistralForCausalLM":
        config["model_type"] = "mistral"
    base = tiny.write(tmp_path / "base", config, byte_vocabulary.QWEN_SPECIALS)
    with pytest.raises(ForeignCheckpoint, match=words):
        prepare(workspace, str(_over(tmp_path / "VersaPRM", base)), base=str(base), adapter=adapter)
    assert not (workspace.root / "converted").exists()


def test_over_its_own_body_it_is_read(workspace, tmp_path):
    tiny = pytest.importorskip("tiny_families", exc_type=ImportError)
    config = {**tiny.LLAMA, "architectures": ["LlamaForCausalLM"]}
    base = tiny.write(tmp_path / "base", config, byte_vocabulary.LLAMA_SPECIALS)
    one = prepare(
        workspace,
        str(_over(tmp_path / "VersaPRM", base)),
        base=str(base),
        adapter="versa",
        running=EngineOptions(device="cpu"),
    )
    assert one.scorer.settings["adapter"] == "versa"
    assert one.engine().name


def _over(folder, base):
    load_file = pytest.importorskip("safetensors.numpy").load_file
    return adapters.write(folder, adapters.factors(base=load_file(base / "model.safetensors")))


def test_the_revision_that_an_adapter_names_is_that_of_the_base_it_names(workspace, tmp_path, monkeypatch):
    asked = []
    base = checkpoints.write(tmp_path / "base")

    def found(model, revision=None, **_):
        asked.append((model, revision))
        return ModelPlace(base, model, "0" * 40)

    adapter = adapters.write(tmp_path / "lora", base_model_name_or_path="org/Base", revision="v2")
    monkeypatch.setattr("scoring.engines.usable_weights.find_place", found)
    for name, revision in (("org/base", "v2"), ("hf:org/Base", "v2"), ("org/Other", None)):
        Weights(None, None, print)._base(ModelPlace(adapter, "lora"), LoraConfig.open(adapter), name)
        assert asked[-1] == (name, revision)
