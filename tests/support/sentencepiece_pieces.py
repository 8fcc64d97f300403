"""Tokenizers of Llama's and Mistral's kind as a `tokenizer.json`: a tiny one, and the one in a sentencepiece model.

Both have the layout of the published files: a blank is put before the text, blanks become "▁", pairs are merged by
rank over the whole text, and what the vocabulary lacks is spelled in bytes.
"""

import struct
from importlib.util import find_spec
from pathlib import Path

import pytest

BLANK = "▁"
ROWS = 29_940
"""Ids of a tiny vocabulary: the highest that a family knows by number is below. Even, as a tiled matrix needs it."""
MISTRAL = {259: "▁▁", 387: "▁-", 648: "▁+", 839: "▁и", 1107: "ки", 12902: "▁ки", 28705: BLANK, 28772: "и"}
LLAMA = {259: "▁▁", 448: "▁-", 718: "▁+", 24380: "▁Solution", 29871: BLANK, 29937: "#"}
SOLUTION = tuple("Solution"[:length] for length in range(2, 9))
WORDS = (*SOLUTION, "▁t", "he", "▁the", "st", "ep", "step", "▁step", "▁S", "▁St", "▁Step", "▁1", "er", "▁=")


def tiny(known):
    """A vocabulary of few words in which the `known` pieces have their ids; other ids are pieces never reached."""
    taken = {0: "<unk>", 1: "<s>", 2: "</s>", **{3 + byte: f"<0x{byte:02X}>" for byte in range(256)}, **known}
    fresh = [piece for piece in (*map(chr, range(33, 127)), "к", "и", "é", "数", *WORDS) if piece not in taken.values()]
    free = (index for index in range(300, ROWS) if index not in taken)
    taken |= dict(zip(free, fresh, strict=False))
    vocabulary = {taken.get(index, f"<free{index}>"): index for index in range(ROWS)}
    merges = [
        (piece[:at], piece[at:])
        for piece in ("ки", *WORDS, *known.values())
        for at in range(1, len(piece))
        if {piece, piece[:at], piece[at:]} <= vocabulary.keys()
    ]
    # A run of blanks is made last, as its rank in the published vocabularies has it.
    return document(vocabulary, sorted(dict.fromkeys(merges), key=lambda pair: set("".join(pair)) == {BLANK}))


def document(vocabulary, merges):
    added = [
        {
            "id": index,
            "content": token,
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
            "special": True,
        }
        for index, token in enumerate(("<unk>", "<s>", "</s>"))
    ]
    first = {"SpecialToken": {"id": "<s>", "type_id": 0}}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added,
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {"type": "Prepend", "prepend": BLANK},
                {"type": "Replace", "pattern": {"String": " "}, "content": BLANK},
            ],
        },
        "pre_tokenizer": None,
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [first, {"Sequence": {"id": "A", "type_id": 0}}],
            "pair": [first, {"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}},
        },
        "decoder": None,
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": "<unk>",
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": True,
            "byte_fallback": True,
            "ignore_merges": False,
            "vocab": vocabulary,
            "merges": [list(pair) for pair in merges],
        },
    }


def mistral():
    """Mistral-7B v0.1's own vocabulary, from the package that ships it; skips the test where that is not installed."""
    found = find_spec("mistral_common")
    if found is None or found.origin is None:
        pytest.skip("mistral_common is not installed")
    return converted(Path(found.origin).parent / "data" / "tokenizer.model.v1")


def converted(model):
    """A sentencepiece model's pieces as ids and merges: a pair is merged by the rank (score) of what it becomes."""
    pieces = [dict(_fields(value)) for field, value in _fields(model.read_bytes()) if field == 1]
    names = [piece[1].decode() for piece in pieces]
    vocabulary = {name: index for index, name in enumerate(names)}
    ranked = sorted((-piece.get(2, 0.0), name) for piece, name in zip(pieces, names, strict=True) if 3 not in piece)
    merges = [
        (name[:at], name[at:])
        for _, name in ranked
        for at in range(len(name) - 1, 0, -1)
        if name[:at] in vocabulary and name[at:] in vocabulary
    ]
    return document(vocabulary, merges)


def _fields(raw):
    """Number and value of each field of a protocol buffer message."""
    at = 0
    while at < len(raw):
        key, at = _number(raw, at)
        if key & 7 == 0:
            value, at = _number(raw, at)
        elif key & 7 == 2:
            length, at = _number(raw, at)
            value, at = raw[at : at + length], at + length
        else:
            value, at = struct.unpack("<f", raw[at : at + 4])[0], at + 4
        yield key >> 3, value


def _number(raw, at):
    value = shift = 0
    while True:
        value |= (raw[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if raw[at - 1] < 128:
            return value, at
