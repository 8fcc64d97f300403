"""Each published model is taken for what it is, from its architecture, the shapes of its tensors and its name."""

import json
import re
from pathlib import Path

import pytest

from scoring.data.errors import ForeignCheckpoint
from scoring.models.checkpoint import Checkpoint, Tensor
from scoring.models.prms.prm_catalogue import adapter_of, detect, family

SIZES = {"hidden_size": 8, "max_position_embeddings": 4096}
LLAMA = {"model.embed_tokens.weight": (128_256, 8), "lm_head.weight": (128_256, 8)}
QWEN = {"model.embed_tokens.weight": (152_064, 8), "lm_head.weight": (152_064, 8)}
MISTRAL = {"model.embed_tokens.weight": (32_000, 8), "lm_head.weight": (32_000, 8)}
LLEMMA = {"model.embed_tokens.weight": (32_016, 8), "lm_head.weight": (32_016, 8)}
REWARD_HEAD = {"reward_head.weight": (1, 8), "reward_head.bias": (1,)}
VALUE_HEAD = {"v_head.summary.weight": (1, 8), "v_head.summary.bias": (1,)}


def labels(number):
    return {"model.embed_tokens.weight": (152_064, 8), "score.weight": (number, 8), "score.bias": (number,)}


CLASSIFIER = "Qwen2ForTokenClassification"
MODELS = [
    ("RLHFlow/Llama3.1-8B-PRM-Mistral-Data", "LlamaForCausalLM", LLAMA, "rlhflow"),
    ("RLHFlow/Llama3.1-8B-PRM-Deepseek-Data", "LlamaForCausalLM", LLAMA, "rlhflow"),
    ("Llama3.1-8B-PRM-Deepseek-Data", "LlamaForCausalLM", LLAMA, "rlhflow"),
    ("UW-Madison-Lee-Lab/VersaPRM", "LlamaForCausalLM", LLAMA, "versa"),
    ("UW-Madison-Lee-Lab/VersaPRM-Base-8B", "LlamaForCausalLM", LLAMA, "versa"),
    ("UW-Madison-Lee-Lab/Llama-PRM800K", "LlamaForCausalLM", LLAMA, "versa"),
    ("UW-Madison-Lee-Lab/Qwen-PRM800K", "Qwen2ForCausalLM", QWEN, "versa"),
    ("Skywork/Skywork-o1-Open-PRM-Qwen-2.5-1.5B", "Qwen2ForPrmModel", QWEN | VALUE_HEAD, "skywork"),
    ("Skywork/Skywork-o1-Open-PRM-Qwen-2.5-7B", "Qwen2ForPrmModel", QWEN | VALUE_HEAD, "skywork"),
    ("jinachris/PURE-PRM-7B", CLASSIFIER, labels(2), "pure"),
    ("jinachris/Qwen2.5-Math-7B-PRM800K", CLASSIFIER, labels(2), "pure"),
    ("Qwen2.5-Math-7B-SCAN-PRO", CLASSIFIER, labels(1), "scan"),
    ("plaguss/Qwen2.5-0.5B-Math-Shepherd-PRM-0.2", CLASSIFIER, labels(2), "token_classifier"),
    ("plaguss/Qwen2.5-Math-1.5B-Instruct-PRM-0.1", CLASSIFIER, labels(2), "token_classifier"),
    ("HuggingFaceH4/Qwen2.5-Math-7B-Instruct-PRM-0.2", CLASSIFIER, labels(2), "token_classifier"),
    ("trl-lib/Qwen2-0.5B-Reward-Math-Sheperd", CLASSIFIER, labels(2), "token_classifier"),
    ("axolotl-ai-co/Qwen2.5-Math-PRM-7B", CLASSIFIER, labels(2), "token_classifier"),
    ("peiyi9979/math-shepherd-mistral-7b-prm", "MistralForCausalLM", MISTRAL, "math_shepherd"),
    ("peiyi9979/math-shepherd-mistral-7b-prm", "LlamaForCausalLM", MISTRAL, "math_shepherd"),
    ("ScalableMath/llemma-7b-prm-prm800k-level-1to3-hf", "LlamaForCausalLM", LLEMMA, "llemma"),
    ("ScalableMath/llemma-7b-prm-metamath-level-1to3-hf", "LlamaForCausalLM", LLEMMA, "llemma"),
    ("ScalableMath/llemma-7b-oprm-prm800k-level-1to3-hf", "LlamaForCausalLM", LLEMMA, "llemma"),
    ("infly/Universal-PRM-7B", "Qwen2ForRewardModel", {"score.weight": (1, 8)}, "universal"),
    ("declare-lab/PathFinder-PRM-7B", "Qwen2ForCausalLM", QWEN, "pathfinder"),
    ("Gen-Verse/ReasonFlux-PRM-1.5B", "Qwen2ForCausalLM", QWEN | REWARD_HEAD, "reasonflux"),
    ("Gen-Verse/ReasonFlux-PRM-7B", "Qwen2ForProcessRewardModel", labels(2), "qwen"),
    ("PRIME-RL/EurusPRM-Stage1", "Qwen2ForCausalLM", QWEN, "implicit"),
    ("PRIME-RL/EurusPRM-Stage2", "Qwen2ForCausalLM", QWEN, "implicit"),
    ("universalprm/Universal-PRM", "Qwen2Model", {"v_head.weight": (1, 8)}, "universal"),
]


TEMPLATES = {
    "Llama": "{{ '<|begin_of_text|>' }}{% for one in [{'role': 'system', 'content': 'Be brief.'}] + messages %}"
    "{{ '<|start_header_id|>' + one.role + '<|end_header_id|>\n\n' + one.content + '<|eot_id|>' }}{% endfor %}",
    "Qwen2": "{% for one in [{'role': 'system', 'content': 'Be brief.'}] + messages %}"
    "{{ '<|im_start|>' + one.role + '\n' + one.content + '<|im_end|>\n' }}{% endfor %}",
}


def made(tmp_path, name, architecture, shapes):
    template = next((one for start, one in TEMPLATES.items() if architecture.startswith(start)), "")
    beside = {"bos_token": "<|endoftext|>", "chat_template": template}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(beside))
    tensors = {one: Tensor(Path("none"), "BF16", shape) for one, shape in shapes.items()}
    added = ["<+>", "<->", "<extra>"] if "PathFinder" in name else []
    tokens = [{"content": token, "id": 151_665 + at} for at, token in enumerate(added)]
    (tmp_path / "tokenizer.json").write_text(json.dumps({"added_tokens": tokens}))
    body = re.match("[A-Z][a-z]+2?", architecture)[0].lower()
    return Checkpoint(tmp_path, name, {**SIZES, "model_type": body, "architectures": [architecture]}, tensors)


@pytest.mark.parametrize(("name", "architecture", "shapes", "adapter"), MODELS, ids=[model[0] for model in MODELS])
def test_a_published_model_is_of_its_family(tmp_path, name, architecture, shapes, adapter):
    checkpoint = made(tmp_path, name, architecture, shapes)
    assert detect(checkpoint)[0] == (adapter,)
    assert isinstance(adapter_of(checkpoint), family(adapter))
    assert adapter_of(checkpoint).settings["adapter"] == adapter


@pytest.mark.parametrize(
    ("architecture", "shapes", "names"),
    [("LlamaForCausalLM", LLAMA, "rlhflow or versa"), (CLASSIFIER, labels(2), "pure or token_classifier")],
)
def test_a_name_that_says_nothing_is_asked_about(tmp_path, architecture, shapes, names):
    checkpoint = made(tmp_path, "model", architecture, shapes)
    with pytest.raises(ForeignCheckpoint) as told:
        adapter_of(checkpoint)
    for name in names.split(" or "):
        assert f"f it is one like {family(name).CHECKPOINTS[0]}, give --adapter {name}" in told.value.next_step
        assert isinstance(adapter_of(checkpoint, name), family(name))


@pytest.mark.parametrize(("name", "architecture", "shapes", "adapter"), MODELS, ids=[model[0] for model in MODELS])
def test_the_first_value_of_an_option_is_the_default_and_others_are_told(tmp_path, name, architecture, shapes, adapter):
    checkpoint = made(tmp_path, name, architecture, shapes)
    options = family(adapter).OPTIONS
    assert adapter_of(checkpoint, adapter, {option: values[0] for option, values in options.items()}) == adapter_of(
        checkpoint
    )
    for option, values in options.items():
        assert len({str(adapter_of(checkpoint, adapter, {option: value}).settings) for value in values}) > 1
