"""LoRA adapters: merged once, by the arithmetic of their definition, or refused."""

import json

import numpy as np
import pytest

import adapters
import byte_vocabulary
import checkpoints
import tiny_families
from scoring.data.errors import CheckpointError, ForeignCheckpoint, UsageError
from scoring.data.readout import Encoded
from scoring.runs.engine_options import EngineOptions
from scoring.runs.preparation import prepare
from scoring.workspace.workspace import Workspace

torch = pytest.importorskip("torch")
load_file = pytest.importorskip("safetensors.torch").load_file
pytest.importorskip("transformers")

CASE = Encoded(tuple(range(120)), (30, 60, 119))
LAYER = "model.layers.0.self_attn.q_proj"


@pytest.fixture
def workspace(tmp_path):
    return Workspace.create(tmp_path / "ws")


@pytest.fixture(scope="session")
def base(tmp_path_factory):
    return checkpoints.write(tmp_path_factory.mktemp("bases") / "base")


def prepared(workspace, adapter, base=None, **settings):
    return prepare(
        workspace,
        str(adapter),
        base=None if base is None else str(base),
        running=EngineOptions(device="cpu"),
        **settings,
    )


def rewards(one):
    return next(answer.rewards for batch in one.engine().read([CASE]) for answer in batch.answers)


def converted(workspace):
    return list((workspace.root / "converted").glob("*"))


def by_definition(arrays, factors, scale, *, transposed=False):
    """The merged tensors, computed in numpy from what the paper of LoRA says."""
    merged = dict(arrays)
    for key, a in factors.items():
        if key.endswith("lora_A.weight"):
            name = key.removeprefix("base_model.model.").removesuffix("lora_A.weight") + "weight"
            delta = scale * factors[key.replace("lora_A", "lora_B")].astype(np.float64) @ a.astype(np.float64)
            merged[name] = arrays[name] + (delta.T if transposed else delta)
    return merged


@pytest.mark.parametrize(
    ("changes", "scale"),
    [
        ({}, 2.0),
        ({"use_rslora": True}, adapters.ALPHA / adapters.RANK**0.5),
        ({"lora_alpha": 3}, 0.75),
        ({"target_modules": r".*\.(self_attn|mlp)\.[a-z]+_proj"}, 2.0),
    ],
)
def test_the_merged_model_is_the_base_plus_scaled_products_and_gives_other_rewards(
    workspace, base, tmp_path, changes, scale
):
    one = prepared(workspace, adapters.write(tmp_path / "lora", **changes), base)
    (folder,) = converted(workspace)
    expected = by_definition(checkpoints.tensors(), adapters.factors(), scale)
    found = load_file(folder / "model.safetensors")
    assert found.keys() == expected.keys()
    for name, array in expected.items():
        np.testing.assert_allclose(found[name].numpy(), array, atol=1e-6)
    whole = {name: array.astype(np.float32) for name, array in expected.items()}
    reference = prepared(workspace, checkpoints.write(tmp_path / "merged", arrays=whole))
    assert rewards(one) == pytest.approx(rewards(reference), abs=1e-5)
    assert np.abs(np.subtract(rewards(one), rewards(prepared(workspace, base)))).max() > 1e-3


def test_rewards_equal_those_of_the_unmerged_layers(workspace, base, tmp_path):
    """Beside the merge: x W' + scale * (x A') B', as the layers compute it in training."""
    plain, merged = prepared(workspace, base).engine(), prepared(workspace, adapters.write(tmp_path / "lora"), base)
    factors = {key: torch.tensor(array) for key, array in adapters.factors().items()}
    hooked = 0
    for name, module in plain.body.named_modules():
        # The engine runs its last feed-forward layer from within another.
        key = f"base_model.model.model.{name.replace('.mlp.layer.', '.mlp.')}"
        if f"{key}.lora_A.weight" in factors:
            hooked += 1
            a, b = (factors[f"{key}.lora_{half}.weight"] for half in "AB")
            module.register_forward_hook(lambda _, args, out, a=a, b=b: out + 2.0 * (args[0] @ a.T) @ b.T)
    assert hooked == len(factors) / 2
    (batch,) = plain.read([CASE])
    assert rewards(merged) == pytest.approx(batch.answers[0].rewards, abs=1e-5)


# Peft asks transformers for something under its former name.
@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing`")
@pytest.mark.parametrize(
    "changes", [{}, {"use_rslora": True}, {"target_modules": r".*\.mlp\.(gate|down)_proj"}], ids=str
)
def test_rewards_equal_those_of_the_library_that_trains_adapters(workspace, tmp_path, changes):
    """A head that was trained whole comes along; nothing is merged there: its layers add what they learned."""
    peft = pytest.importorskip("peft")
    automatic = pytest.importorskip("transformers").AutoModelForTokenClassification
    base = checkpoints.write(tmp_path / "base", kind="one")
    wanted = {"r": 4, "lora_alpha": 8, "target_modules": list(adapters.LINEAR), "task_type": "TOKEN_CLS", **changes}
    model = peft.get_peft_model(automatic.from_pretrained(base), peft.LoraConfig(**wanted)).eval()
    torch.manual_seed(1)
    trained = [value for name, value in model.named_parameters() if "lora_B" in name or "modules_to_save" in name]
    assert len(trained) > 2
    for value in trained:
        torch.nn.init.normal_(value, std=0.1)
    model.save_pretrained(tmp_path / "lora")
    with torch.no_grad():
        logits = model(torch.tensor([CASE.ids])).logits[0, list(CASE.positions)]
    expected = logits.softmax(-1)[:, 1].tolist()
    assert rewards(prepared(workspace, tmp_path / "lora", base)) == pytest.approx(expected, abs=1e-5)


def test_fan_in_fan_out_is_a_transposed_weight(workspace, tmp_path):
    square = {key: array for key, array in adapters.factors().items() if "q_proj" in key}
    adapter = adapters.write(tmp_path / "lora", square, fan_in_fan_out=True, target_modules=["q_proj"])
    prepared(workspace, adapter, checkpoints.write(tmp_path / "base"))
    (folder,) = converted(workspace)
    expected = by_definition(checkpoints.tensors(), square, 2.0, transposed=True)
    found = load_file(folder / "model.safetensors")[f"{LAYER}.weight"]
    np.testing.assert_allclose(found.numpy(), expected[f"{LAYER}.weight"], atol=1e-6)


def test_it_is_merged_once_and_told(workspace, base, tmp_path):
    said = []
    adapter = adapters.write(tmp_path / "lora")
    first = prepared(workspace, adapter, base, tell=said.append)
    again = prepared(workspace, adapter, base, tell=said.append)
    assert said == ["Merging the LoRA adapter lora into base, once."]
    assert first.scorer == again.scorer
    (folder,) = converted(workspace)
    assert first.notes[0].startswith(f"The LoRA adapter lora was merged into base, in {folder}. Its adapter_config")
    assert first.scorer.name == "lora"
    assert set(first.scorer.settings["sources"]["lora"]["files"]) == {
        "adapter_config.json",
        "adapter_model.safetensors",
    }
    assert set(first.scorer.settings["weights"]["files"]) == {"config.json", "tokenizer.json", "model.safetensors"}


def test_a_chat_template_of_the_base_that_changed_is_not_that_of_before(workspace, tmp_path):
    base, adapter = checkpoints.write(tmp_path / "base"), adapters.write(tmp_path / "lora")

    def system(words):
        usual = "You are Qwen, created by Alibaba Cloud. You are a helpful assistant."
        (base / "chat_template.jinja").write_text(tiny_families.QWEN_TEMPLATE.replace(usual, words))
        return prepared(workspace, adapter, base, options={"system": "template"}).scorer.settings["system_prompt"]

    assert [system(words) for words in ("One.", "Two.", "One.", "Two.")] == ["One.", "Two.", "One.", "Two."]
    assert len(converted(workspace)) == 2
    (base / "chat_template.jinja").unlink()
    assert prepared(workspace, adapter, base)
    with pytest.raises(CheckpointError, match="no chat template"):
        prepared(workspace, adapter, base, options={"system": "template"})


def test_the_base_that_the_adapter_names_is_taken_where_it_is_on_this_machine(workspace, base, tmp_path):
    named = prepared(workspace, adapters.write(tmp_path / "lora", base_model_name_or_path=str(base)))
    told = prepared(workspace, adapters.write(tmp_path / "other"), base)
    assert rewards(named) == rewards(told)
    for name in ("some-org/some-base", "/nowhere", ""):
        with pytest.raises(CheckpointError, match="--base"):
            prepared(workspace, adapters.write(tmp_path / "lost", base_model_name_or_path=name))


def test_a_base_in_half_precision_is_rounded_to_as_little_as_is_computed_in(workspace, tmp_path, monkeypatch):
    half = {name: array.astype(np.float16) for name, array in checkpoints.tensors().items()}
    base = checkpoints.write(tmp_path / "half", arrays=half)
    adapter = adapters.write(tmp_path / "lora")
    dtypes = {}
    for dtype in ("float32", "float16"):
        prepared(workspace, adapter, base, dtype=dtype, name=dtype)
    for folder in converted(workspace):
        kept = json.loads((folder / "sources.json").read_text())["merged_in"]
        found = load_file(folder / "model.safetensors")
        dtypes[kept] = (found[f"{LAYER}.weight"].dtype, found["model.embed_tokens.weight"].dtype)
    assert dtypes == {"float32": (torch.float32, torch.float16), "base": (torch.float16, torch.float16)}
    tiny = adapters.write(tmp_path / "tiny", adapters.factors(size=1e-5))
    with pytest.raises(ForeignCheckpoint, match=r"lost in rounding.*--dtype float32"):
        prepared(workspace, tiny, base, dtype="float16")
    assert len(converted(workspace)) == 2


def test_modules_that_are_saved_whole_replace_the_bases(workspace, base, tmp_path):
    other = checkpoints.tensors(seed=9)
    saved = {name: array for name, array in other.items() if name.startswith("score.2.")}
    factors = adapters.factors() | {f"base_model.model.{name}": array for name, array in saved.items()}
    prepared(workspace, adapters.write(tmp_path / "two", factors, modules_to_save=["score.2"]), base)
    (folder,) = converted(workspace)
    found = load_file(folder / "model.safetensors")
    for name, array in saved.items():
        np.testing.assert_array_equal(found[name].numpy(), array)
    np.testing.assert_array_equal(found["score.0.weight"].numpy(), checkpoints.tensors()["score.0.weight"])


def test_a_module_that_is_saved_whole_must_be_whole(workspace, base, tmp_path):
    saved = {"base_model.model.score.2.weight": checkpoints.tensors(seed=9)["score.2.weight"]}
    adapter = adapters.write(tmp_path / "lora", adapters.factors() | saved, modules_to_save=["score.2"])
    with pytest.raises(ForeignCheckpoint, match=r"score\.2\.bias should be in it and is not"):
        prepared(workspace, adapter, base)


def test_an_adapter_that_changes_only_what_no_reward_is_read_from_is_refused(workspace, base, tmp_path):
    rng = np.random.default_rng(0)
    shapes = {"A": (4, checkpoints.HIDDEN), "B": (288, 4)}
    found = {
        f"base_model.model.lm_head.lora_{half}.weight": rng.normal(0, 1, shape).astype(np.float32)
        for half, shape in shapes.items()
    }
    with pytest.raises(ForeignCheckpoint, match=r"only what no reward is read from: lm_head\.weight"):
        prepared(workspace, adapters.write(tmp_path / "lora", found, target_modules=["lm_head"]), base)


def test_embeddings_that_are_the_output_matrix_too_are_not_changed_behind_it(workspace, tmp_path):
    tiny = pytest.importorskip("tiny_families", exc_type=ImportError)
    config = {**tiny.LLAMA, "architectures": ["LlamaForCausalLM"], "tie_word_embeddings": True}
    base = tiny.write(tmp_path / "base", config, byte_vocabulary.LLAMA_SPECIALS)
    arrays = {name: tensor.numpy() for name, tensor in load_file(base / "model.safetensors").items()}
    saved = {"base_model.model.model.embed_tokens.weight": arrays["model.embed_tokens.weight"] + 1}
    factors = adapters.factors(base=arrays) | saved
    folder = adapters.write(tmp_path / "lora", factors, modules_to_save=["embed_tokens"])
    with pytest.raises(ForeignCheckpoint, match="which the base has for its output matrix too"):
        prepare(workspace, str(folder), base=str(base), adapter="versa")


@pytest.mark.parametrize(
    ("value", "words"), [(np.nan, "of the base is not finite"), (65000, "in torch.float16 is not")]
)
def test_a_merge_that_is_not_finite_is_refused(workspace, tmp_path, value, words):
    half = {name: array.astype(np.float16) for name, array in checkpoints.tensors().items()}
    half[f"{LAYER}.weight"][:] = value
    base = checkpoints.write(tmp_path / "half", arrays=half)
    with pytest.raises(CheckpointError, match=words):
        prepared(workspace, adapters.write(tmp_path / "lora", adapters.factors(size=10)), base, dtype="float16")
    assert converted(workspace) == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"use_dora": True}, "use_dora = true"),
        ({"bias": "lora_only"}, 'bias = "lora_only"'),
        ({"lora_bias": True}, "lora_bias = true"),
        ({"rank_pattern": {"q_proj": 8}}, "rank_pattern"),
        ({"alpha_pattern": {"q_proj": 8}}, "alpha_pattern"),
        ({"layers_to_transform": 0}, "layers_to_transform = 0"),
        ({"layer_replication": [[0, 1]]}, "layer_replication"),
        ({"trainable_token_indices": [3]}, "trainable_token_indices"),
        ({"target_parameters": ["x"]}, "target_parameters"),
        ({"init_lora_weights": "pissa_niter_16"}, "pissa"),
        ({"something_new": 1}, "something_new = 1"),
        ({"peft_type": "IA3"}, "IA3"),
        ({"target_modules": "all-linear"}, "all-linear"),
    ],
)
def test_what_a_plain_merge_would_get_wrong_is_refused_by_name(workspace, base, tmp_path, changes, words):
    with pytest.raises(ForeignCheckpoint, match=words):
        prepared(workspace, adapters.write(tmp_path / "lora", **changes), base)
    assert not (workspace.root / "converted").exists()


@pytest.mark.parametrize("changes", [{"r": 0}, {"r": "x"}, {"r": 1.5}, {"lora_alpha": None}, {"target_modules": None},
                                     {"target_modules": "("}, {"modules_to_save": [3]}])  # fmt: skip
def test_a_damaged_config_is_one_sentence(workspace, base, tmp_path, changes):
    with pytest.raises(CheckpointError):
        prepared(workspace, adapters.write(tmp_path / "lora", **changes), base)


KEY = f"base_model.model.{LAYER}"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda found: found[f"{KEY}.lora_B.weight"].fill(0), "is zero: it was not trained"),
        (lambda found: found[f"{KEY}.lora_B.weight"].fill(np.nan), "not finite"),
        (lambda found: found.pop(f"{KEY}.lora_B.weight"), "has only lora_A"),
        (lambda found: [found.pop(f"{KEY}.lora_{half}.weight") for half in "AB"], "should be changed and is not"),
        (lambda found: found.update({f"{KEY}x.lora_A.weight": np.ones((4, 4), np.float32)}), "not in the base"),
        (lambda found: found.update({"base_model.model.lm_head.weight": np.ones((4, 4), np.float32)}), "no place"),
        (lambda found: found.update({f"{KEY}.lora_magnitude_vector": np.ones(4, np.float32)}), "no place"),
        (lambda found: found.update({f"{KEY}.lora_A.weight": np.ones((5, 64), np.float32)}), "the factors of"),
        (lambda found: found.clear(), "holds no LoRA factors"),
    ],
)  # fmt: skip
def test_an_adapter_that_does_not_fit_is_refused_and_nothing_stays(workspace, base, tmp_path, change, words):
    found = adapters.factors()
    change(found)
    with pytest.raises(ForeignCheckpoint, match=words):
        prepared(workspace, adapters.write(tmp_path / "lora", found), base)
    assert not (workspace.root / "converted").exists() or converted(workspace) == []


def test_a_module_that_is_changed_and_not_targeted_is_refused(workspace, base, tmp_path):
    with pytest.raises(ForeignCheckpoint, match="is not a target module"):
        prepared(workspace, adapters.write(tmp_path / "lora", target_modules=["q_proj"]), base)


def test_a_base_for_a_whole_model_and_an_adapter_as_base_are_wrong_usage(workspace, base, tmp_path):
    with pytest.raises(UsageError, match="not a LoRA adapter"):
        prepared(workspace, base, base)
    adapter = adapters.write(tmp_path / "lora")
    with pytest.raises(CheckpointError, match="itself a LoRA adapter"):
        prepared(workspace, adapter, adapters.write(tmp_path / "other"))


def test_the_tokenizer_that_the_adapter_saved_is_the_one_it_was_trained_with(workspace, base, tmp_path):
    adapter = adapters.write(tmp_path / "lora")
    text = json.dumps(checkpoints.tokenizer_document(), indent=3)
    (adapter / "tokenizer.json").write_text(text)
    prepared(workspace, adapter, base)
    (folder,) = converted(workspace)
    assert (folder / "tokenizer.json").read_text() == text
