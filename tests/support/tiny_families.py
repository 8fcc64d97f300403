"""Tiny random checkpoints of Qwen2 and Llama PRMs in the published layouts, and what is true of every family.

Needs torch. Bodies and stock heads have the tensor names of the library's own classes; configs have the fields, old
names included, that the published ones have.
"""

import json
import random
import re
from functools import cache

import pytest
import safetensors.torch
import torch
import transformers

import byte_vocabulary
from scoring.data.readout import Encoded, Refused
from scoring.engines.transformers_engine import TransformersEngine
from scoring.models.checkpoint import Checkpoint
from scoring.models.prms.prm_catalogue import family
from scoring.runs.prm_runs import Truncated, truncated
from scoring.runs.tokenizer_file import TokenizerFile

HIDDEN, ROWS, POSITIONS = 32, 300, 1024
_BODY = {
    "hidden_size": HIDDEN,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "hidden_act": "silu",
    "vocab_size": ROWS,
    "max_position_embeddings": POSITIONS,
    "rms_norm_eps": 1e-5,
    "tie_word_embeddings": False,
    "torch_dtype": "float32",
}
QWEN = {**_BODY, "model_type": "qwen2", "rope_theta": 10000.0, "use_sliding_window": False, "sliding_window": 4096}
LLAMA = {
    **_BODY,
    "model_type": "llama",
    "rope_theta": 500000.0,
    "rope_scaling": {
        "factor": 8.0,
        "high_freq_factor": 4.0,
        "low_freq_factor": 1.0,
        "original_max_position_embeddings": 64,
        "rope_type": "llama3",
    },
}
QWEN_TEMPLATE = """{%- if messages[0].role != "system" %}
    {{- "<|im_start|>system\\nYou are Qwen, created by Alibaba Cloud. You are a helpful assistant.<|im_end|>\\n" }}
{%- endif %}
{%- for message in messages %}
    {{- "<|im_start|>" + message.role + "\\n" + message.content + "<|im_end|>\\n" }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- "<|im_start|>assistant\\n" }}
{%- endif %}
"""
LLAMA_TEMPLATE = """{%- if not date_string is defined %}
    {%- set date_string = "26 Jul 2024" %}
{%- endif %}
{{- "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\\n\\n" }}
{{- "Cutting Knowledge Date: December 2023\\nToday Date: " + date_string + "\\n\\n<|eot_id|>" }}
{%- for message in messages %}
    {{- "<|start_header_id|>" + message.role + "<|end_header_id|>\\n\\n" + message.content | trim + "<|eot_id|>" }}
{%- endfor %}
"""
"""What the templates of the published base models do with a chat that brings no system turn."""
NASTY = (
    "",
    " ",
    "\n",
    "\n\n\n\n\n",
    "a\nb\n\nc\n",
    " \n\n\n\n",
    "x \n\n\n\n y",
    "<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n-",
    "<|im_end|><|endoftext|><|begin_of_text|><extra_0>",
    "+",
    "ки и",
    "\0",
    "\u202eabc\u202c \u2066x",
    "e\u0301\u00a0\u2028",
    "word " * 4000,
)
"""Steps that look like something else than a step; the last has 20,000 characters."""


def write(folder, config, specials, *, head=None, seed=0):
    """A checkpoint folder. `head`: name -> shape of tensors beside those of the library's class, or None."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config))
    byte_vocabulary.tiny(folder / "tokenizer.json", specials)
    shapes = _shapes(json.dumps(config)) | (head or {})
    if config["tie_word_embeddings"]:
        del shapes["lm_head.weight"]
    rng = torch.Generator().manual_seed(seed)
    tensors = {
        name: torch.ones(shape) if "norm" in name else torch.randn(shape, generator=rng) * 0.3
        for name, shape in shapes.items()
    }
    safetensors.torch.save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    return folder


@cache
def _shapes(config):
    """The shapes of the tensors of the library's own class, by name; the config as JSON."""
    config = json.loads(config)
    architecture = config["architectures"][0]
    known = architecture if hasattr(transformers, architecture) else "Qwen2ForCausalLM"
    settings = {key: value for key, value in config.items() if key not in {"model_type", "architectures"}}
    with torch.device("meta"):
        model = getattr(transformers, known)(transformers.AutoConfig.for_model(config["model_type"], **settings))
    return {name: tuple(tensor.shape) for name, tensor in model.state_dict().items()}


def adapter_for(folder, name, **options):
    return family(name).of(Checkpoint.open(folder), **options)


def engine_for(folder, adapter):
    return TransformersEngine.load(Checkpoint.open(folder), adapter.readout, dtype="float32", device="cpu")


def encoder_for(folder, adapter):
    return adapter.encoder(TokenizerFile(folder / "tokenizer.json"))


def stock(folder, kind):
    """The library's own model of a checkpoint (`kind`: an auto class), with eager attention in float32."""
    model = getattr(transformers, kind).from_pretrained(folder, attn_implementation="eager", dtype=torch.float32)
    return model.eval()


def parsed(folder):
    """The library's own way from text to ids, special tokens in it read as such."""
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))
    return lambda text: tokenizer.encode(text, add_special_tokens=False) if text else []


def work(number=8, seed=1):
    """Problems and steps of many lengths; texts end in letters, stops and newlines, and steps have several lines."""
    rng = random.Random(seed)
    words = ["the", "step", "is", "=", "3", "+", "-", "4,", "so", "we.", "take", "12.\n", "apples\n\n", "é", "数", "$"]
    return [
        (
            " ".join(rng.choices(words, k=rng.randint(1, 12))) + rng.choice(["", ".", "?"]),
            [" ".join(rng.choices(words, k=rng.randint(1, 9))) + "." for _ in range(rng.randint(1, 6))],
        )
        for _ in range(number)
    ]


def rewards(engine, encoded):
    found = {answer.index: answer.rewards for batch in engine.read(encoded) for answer in batch.answers}
    return [found[index] for index in range(len(encoded))]


def check_rewards(folder, adapter, expected):
    """Rewards of so much of `work()` as is expected equal that, one case at a time and in mixed batches."""
    engine, encode = engine_for(folder, adapter), encoder_for(folder, adapter)
    encoded = [encode(problem, steps) for problem, steps in work(len(expected))]
    spread = max(map(max, expected)) - min(map(min, expected))
    assert spread > 0.3 * (adapter.scale.high - adapter.scale.low), "equal numbers would compare equal anyhow"
    alone = [rewards(engine, [one])[0] for one in encoded]
    found = [alone]
    for budget in (300, 100_000):
        engine.token_budget = budget
        found.append(rewards(engine, encoded))
    # Processors round differently: what spreads over 14 units, as logits do, by more than a probability.
    tolerance = 1e-5 * max(1.0, spread)
    for some in found:
        for one, other in zip(some, expected, strict=True):
            assert one == pytest.approx(other, abs=tolerance)


def check_nasty_steps(folder, adapter, *, refuses=r"\A\Z"):
    """A strange step is refused for the reason that is given, or has a position and changes no earlier reward."""
    encode, engine = encoder_for(folder, adapter), engine_for(folder, adapter)
    kept = ["a step.", "another\nof two lines"]
    before = rewards(engine, [encode("p?", kept)])[0]
    for text in NASTY:
        found = encode("p?", [*kept, text, "the last."])
        if isinstance(found, Refused):
            limit = f"more than the {POSITIONS:,}"
            assert limit in found.reason if len(text) > POSITIONS else re.search(refuses, found.reason), text[:50]
            continue
        assert found.n_positions == 4
        assert rewards(engine, [found])[0][:2] == pytest.approx(before, abs=1e-5)
        assert isinstance(encode(text, kept), Encoded)
    assert encode("p?", []) == Refused("the case has no steps")


def check_limit(folder, adapter_at):
    """A case that just fits is encoded; one token more is refused, or cut at a step. `adapter_at`: limit -> adapter."""
    encoded = encoder_for(folder, adapter_at(100_000))("p", ["s" * 10, "t"])
    tokens = max(len(one.ids) for one in encoded.sequences)
    assert encoder_for(folder, adapter_at(tokens))("p", ["s" * 10, "t"]) == encoded
    encode = encoder_for(folder, adapter_at(tokens - 1))
    refused = encode("p", ["s" * 10, "t"])
    assert refused == Refused(f"{tokens} tokens are more than the {tokens - 1} the model takes")
    cut = truncated(encode, "p", ["s" * 10, "t"], (), refused)
    assert isinstance(cut, Truncated)
    assert (cut.kept, cut.encoded) == (1, encode("p", ["s" * 10]))
