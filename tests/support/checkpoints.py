"""Tiny random PRM checkpoints in the published layouts, written byte by byte: no engine is needed to make one."""

import json
import unicodedata

import numpy as np

HIDDEN, LAYERS, HEADS, INNER, POSITIONS = 64, 2, 2, 96, 512
SPECIALS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<extra_0>")
ORDINARY = ("<tool>", "<<tool>>")
MERGES = (
    ("Ġ", "t"),
    ("h", "e"),
    ("Ġt", "he"),
    ("s", "t"),
    ("e", "p"),
    ("st", "ep"),
    ("Ġ", "="),
    ("Ċ", "Ċ"),
    ("n", "Ċ"),
)
SPLIT = r"\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"


def alphabet():
    """The byte-level alphabet: 256 printable characters, byte by byte."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    return {**{byte: chr(byte) for byte in printable}, **{byte: chr(256 + at) for at, byte in enumerate(others)}}


def tokenizer_document(specials=SPECIALS):
    """A `tokenizer.json`: byte-level BPE with a few merges, special tokens, and added tokens that are not special."""
    letters = [character for _, character in sorted(alphabet().items())]
    vocabulary = {token: index for index, token in enumerate([*letters, *("".join(pair) for pair in MERGES)])}
    added = [
        {
            "id": len(vocabulary) + at,
            "content": token,
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
            "special": token not in ORDINARY,
        }
        for at, token in enumerate([*specials, *ORDINARY])
    ]
    pieces = [
        {"type": "Split", "pattern": {"Regex": SPLIT}, "behavior": "Isolated", "invert": False},
        {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False},
    ]
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added,
        "normalizer": {"type": "NFC"},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": pieces},
        "post_processor": None,
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": vocabulary,
            "merges": [list(pair) for pair in MERGES],
        },
    }


def config(**changes):
    return {
        "architectures": ["Qwen2ForProcessRewardModel"],
        "auto_map": {"AutoModel": "modeling_evil.Model"},
        "model_type": "qwen2",
        "vocab_size": 288,
        "hidden_size": HIDDEN,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "num_key_value_heads": 1,
        "intermediate_size": INNER,
        "hidden_act": "silu",
        "max_position_embeddings": POSITIONS,
        "rms_norm_eps": 1e-5,
        "rope_theta": 500.0,
        "use_sliding_window": False,
        "tie_word_embeddings": False,
        "torch_dtype": "float32",
        **changes,
    }


def head_shapes(kind):
    if kind == "two":
        hidden = {"score.0.weight": (HIDDEN, HIDDEN), "score.0.bias": (HIDDEN,)}
        return {**hidden, "score.2.weight": (2, HIDDEN), "score.2.bias": (2,)}
    return {"score.weight": (2, HIDDEN), "score.bias": (2,)}


def tensors(seed=0, kind="two"):
    """Name -> float32 array: the body with weights wide enough that outputs differ, the head, an unused lm_head."""
    narrow = HIDDEN // HEADS
    shapes = {"model.embed_tokens.weight": (288, HIDDEN), "model.norm.weight": (HIDDEN,)}
    for at in range(LAYERS):
        layer = f"model.layers.{at}"
        for name, width in {"q": HIDDEN, "k": narrow, "v": narrow}.items():
            shapes[f"{layer}.self_attn.{name}_proj.weight"] = (width, HIDDEN)
            shapes[f"{layer}.self_attn.{name}_proj.bias"] = (width,)
        shapes[f"{layer}.self_attn.o_proj.weight"] = (HIDDEN, HIDDEN)
        shapes[f"{layer}.mlp.gate_proj.weight"] = shapes[f"{layer}.mlp.up_proj.weight"] = (INNER, HIDDEN)
        shapes[f"{layer}.mlp.down_proj.weight"] = (HIDDEN, INNER)
        shapes[f"{layer}.input_layernorm.weight"] = shapes[f"{layer}.post_attention_layernorm.weight"] = (HIDDEN,)
    shapes |= {**head_shapes(kind), "lm_head.weight": (288, HIDDEN)}
    rng = np.random.default_rng(seed)
    return {
        name: (np.ones(shape) if "norm" in name else rng.normal(0, 0.3, shape)).astype(np.float32)
        for name, shape in shapes.items()
    }


def write_weights(path, arrays):
    header, data = {}, b""
    for name, array in arrays.items():
        dtype = {"float32": "F32", "float16": "F16", "int8": "I8"}[array.dtype.name]
        header[name] = {
            "dtype": dtype,
            "shape": list(array.shape),
            "data_offsets": [len(data), len(data) + array.nbytes],
        }
        data += array.tobytes()
    text = json.dumps({"__metadata__": {"format": "pt"}, **header}).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def write(folder, *, seed=0, kind="two", arrays=None, specials=SPECIALS, **changes):
    """A checkpoint folder; `changes` go into its config."""
    folder.mkdir(parents=True, exist_ok=True)
    if kind == "one":
        changes = {"architectures": ["Qwen2ForTokenClassification"], "num_labels": 2, **changes}
    (folder / "config.json").write_text(json.dumps(config(**changes)))
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer_document(specials)))
    write_weights(folder / "model.safetensors", tensors(seed, kind) if arrays is None else arrays)
    return folder


def write_shards(folder, seed=0):
    """The same weights in two files and an index."""
    write(folder, seed=seed)
    (folder / "model.safetensors").unlink()
    arrays = tensors(seed)
    names = list(arrays)
    files = {"model-00001-of-00002.safetensors": names[::2], "model-00002-of-00002.safetensors": names[1::2]}
    for file, within in files.items():
        write_weights(folder / file, {name: arrays[name] for name in within})
    index = {"weight_map": {name: file for file, within in files.items() for name in within}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    return folder


class Letters:
    """A tokenizer without the package: an id a byte, specials above them."""

    def encode(self, text):
        return list(unicodedata.normalize("NFC", text).encode("utf-8", "replace"))

    def special(self, token):
        return 256 + SPECIALS.index(token) if token in SPECIALS else None
