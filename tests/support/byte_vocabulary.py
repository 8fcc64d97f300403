"""Byte-level vocabularies as a `tokenizer.json`: tiny ones, and the real ones of Qwen2.5 and Llama-3.

The real ranks ship inside packages that nothing here imports; a test that needs one that is not installed is skipped.
"""

import base64
import json
from importlib.util import find_spec
from pathlib import Path

import pytest

import checkpoints

_WORDS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|"
_REST = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
QWEN_SPLIT, LLAMA_SPLIT = rf"{_WORDS}\p{{N}}{_REST}", rf"{_WORDS}\p{{N}}{{1,3}}{_REST}"

QWEN_SPECIALS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
QWEN_BOXES = ("object_ref_start", "object_ref_end", "box_start", "box_end", "quad_start")
QWEN_PRM_SPECIALS = (*QWEN_SPECIALS, *(f"<|{name}|>" for name in QWEN_BOXES), "<extra_0>")
PATHFINDER_SPECIALS = (*QWEN_SPECIALS, "<extra>", "<->", "<+>")
LLAMA_SPECIALS = (
    "<|begin_of_text|>",
    "<|end_of_text|>",
    "<|reserved_special_token_0|>",
    "<|reserved_special_token_1|>",
    "<|finetune_right_pad_id|>",
    "<|reserved_special_token_2|>",
    "<|start_header_id|>",
    "<|end_header_id|>",
    "<|eom_id|>",
    "<|eot_id|>",
)
MERGED = (b"\n\n", b".\n", b".\n\n", b" \n\n", b"\n\n\n\n", b" \n\n\n\n", b"st", b"ep", b"step", b" t", b"he", b" the")
"""The tokens of the tiny vocabulary beside the 256 bytes, the earlier ones merged first."""


def tiny_ranks():
    """Token -> id: `+` is 10 and `-` is 12, as in the real ones."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    order = [*printable, *(byte for byte in range(256) if byte not in printable)]
    return {token: rank for rank, token in enumerate([*(bytes([byte]) for byte in order), *MERGED])}


def _packaged(package, *path):
    found = find_spec(package)
    if found is None or not found.submodule_search_locations:
        pytest.skip(f"the package {package}, which has this vocabulary, is not installed")
    lines = Path(found.submodule_search_locations[0], *path).read_bytes().splitlines()
    return {base64.b64decode(token): int(rank) for token, rank in (line.split() for line in lines if line)}


def document(ranks, specials, split, *, composed):
    """The `tokenizer.json` of ranks (token -> id); `specials` have the ids behind them, in order."""
    letters = checkpoints.alphabet()
    named = {token: "".join(letters[byte] for byte in token) for token in ranks}
    merges = []
    for token in sorted((token for token in ranks if len(token) > 1), key=ranks.__getitem__):
        cuts = [(token[:at], token[at:]) for at in range(1, len(token))]
        known = [(ranks[left], ranks[right], left, right) for left, right in cuts if left in ranks and right in ranks]
        merges += [[named[left], named[right]] for _, _, left, right in sorted(known)]
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    pieces = [
        {"type": "Split", "pattern": {"Regex": split}, "behavior": "Isolated", "invert": False},
        {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False},
    ]
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{"id": len(ranks) + at, "content": token, **flags} for at, token in enumerate(specials)],
        "normalizer": {"type": "NFC"} if composed else None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": pieces},
        "post_processor": None,
        "decoder": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False},
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": "",
            "end_of_word_suffix": "",
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": not composed,
            "vocab": {named[token]: rank for token, rank in ranks.items()},
            "merges": merges,
        },
    }


def write(path, ranks, specials, split=QWEN_SPLIT, *, composed=True):
    path.write_text(json.dumps(document(ranks, specials, split, composed=composed)))
    return path


def tiny(path, specials):
    """A tiny vocabulary."""
    return write(path, tiny_ranks(), specials)


def qwen(path, specials=QWEN_PRM_SPECIALS):
    """Qwen2.5's, with the added tokens of Qwen's PRMs."""
    return write(path, _packaged("dashscope", "resources", "qwen.tiktoken"), specials)


def llama(path):
    """Llama-3's."""
    ranks = _packaged("llama_models", "llama3", "tokenizer.model")
    return write(path, ranks, LLAMA_SPECIALS, LLAMA_SPLIT, composed=False)
