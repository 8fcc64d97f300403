"""A tiny random language model that is asked in conversations. Needs torch."""

import json

import safetensors.torch

import byte_vocabulary
import tiny_families

TEMPLATE = (
    "{%- for message in messages -%}"
    "{{- '<|im_start|>' + message.role + '\n' + (message.content | trim) + '<|im_end|>\n' -}}"
    "{%- endfor -%}"
    "{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\n' -}}"
    "{%- if enable_thinking is defined and not enable_thinking -%}{{- '<think>\n\n</think>\n\n' -}}{%- endif -%}"
    "{%- endif -%}"
)
SPECIALS = byte_vocabulary.QWEN_SPECIALS
CONFIG = {
    **tiny_families.QWEN,
    "architectures": ["Qwen2ForCausalLM"],
    # vLLM's attention on a CPU takes heads of 32 and more.
    "num_attention_heads": 1,
    "vocab_size": 256 + len(byte_vocabulary.MERGED) + len(SPECIALS),
    "eos_token_id": 256 + len(byte_vocabulary.MERGED) + SPECIALS.index("<|im_end|>"),
}


def write(folder, *, template=TEMPLATE, generation=None, fond_of=(), **changes):
    """A checkpoint folder.

    `generation` is its generation_config.json; `fond_of` are texts that the model says more often than others, a token
    each; `changes` go into its config.
    """
    config = {**CONFIG, **changes}
    first = config["vocab_size"]
    tiny_families.write(folder, config | {"vocab_size": first + len(fond_of)}, SPECIALS)
    _teach(folder, first, fond_of)
    settings = {"tokenizer_class": "Qwen2Tokenizer", "eos_token": "<|im_end|>", "pad_token": "<|endoftext|>"}
    if template is not None:
        settings["chat_template"] = template
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    if generation is not None:
        (folder / "generation_config.json").write_text(json.dumps(generation))
    return folder


def _teach(folder, first, texts):
    """Tokens for texts, from id `first` on, whose logits are three times as far from zero as those of others."""
    tokenizer, weights = folder / "tokenizer.json", folder / "model.safetensors"
    told = json.loads(tokenizer.read_text())
    told["added_tokens"] += [
        {**told["added_tokens"][0], "id": first + at, "content": text, "special": False}
        for at, text in enumerate(texts)
    ]
    tokenizer.write_text(json.dumps(told))
    tensors = safetensors.torch.load_file(weights)
    tensors["lm_head.weight"][first:] *= 3
    safetensors.torch.save_file(tensors, weights, metadata={"format": "pt"})
