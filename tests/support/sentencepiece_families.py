"""Tiny random checkpoints of Mistral and Llama PRMs over a sentencepiece vocabulary. Needs torch."""

import json
from functools import cache

import safetensors.torch
import transformers

import sentencepiece_pieces
import tiny_families

LLAMA = {**tiny_families.LLAMA, "vocab_size": sentencepiece_pieces.ROWS, "rope_theta": 10000.0, "rope_scaling": None}
MISTRAL = {**LLAMA, "model_type": "mistral", "sliding_window": 4096}


def write(folder, config, known, **settings):
    """A checkpoint folder; `known`: the pieces of the vocabulary by id. See `tiny_families.write` for the settings."""
    stock = [{"mistral": "MistralForCausalLM", "llama": "LlamaForCausalLM"}[config["model_type"]]]
    if hasattr(transformers, config["architectures"][0]):
        stock = config["architectures"]
    tiny_families.write(folder, {**config, "architectures": stock}, (), **settings)
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "tokenizer.json").write_text(_tokenizer(tuple(known.items())))
    return folder


@cache
def _tokenizer(known):
    return json.dumps(sentencepiece_pieces.tiny(dict(known)))


def change(folder, **tensors):
    """Put other tensors in; None takes one out."""
    path = folder / "model.safetensors"
    found = {**safetensors.torch.load_file(path), **tensors}
    safetensors.torch.save_file({name: tensor for name, tensor in found.items() if tensor is not None}, path)


def tile(folder):
    """Let two rows fill the output matrix, as the conversion of Llemma's PRMs does."""
    path = folder / "model.safetensors"
    matrix = safetensors.torch.load_file(path)["lm_head.weight"]
    change(folder, **{"lm_head.weight": matrix[:2].repeat(matrix.shape[0] // 2 + 1, 1)[: matrix.shape[0]].clone()})


def parsed(folder):
    """The library's own way from text to ids: the first token is put before it, special tokens in it read as such."""
    return transformers.PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json")).encode


def vocabulary(folder, document):
    """The file of a vocabulary."""
    path = folder / "tokenizer.json"
    path.write_text(json.dumps(document))
    return path
