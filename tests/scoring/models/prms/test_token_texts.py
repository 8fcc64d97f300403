import pytest

import checkpoints
from scoring.runs.token_texts import TokenTexts

pytest.importorskip("tokenizers")

import sentencepiece_pieces
from scoring.runs.tokenizer_file import TokenizerFile


@pytest.fixture
def tokenizer(tmp_path):
    return TokenizerFile(checkpoints.write(tmp_path) / "tokenizer.json")


@pytest.mark.parametrize("text", ["the step = 3\n\n", " a\tb", "~!", "\0\x7f"])
def test_plain_text_comes_back(tokenizer, text):
    assert "".join(map(TokenTexts(tokenizer), tokenizer.encode(text))) == text


def test_parts_of_letters_are_bytes_and_special_tokens_their_text(tokenizer):
    texts = TokenTexts(tokenizer)
    assert [texts(index) for index in tokenizer.encode("é")] == ["<0xC3>", "<0xA9>"]
    assert texts(tokenizer.special("<extra_0>")) == "<extra_0>"
    assert texts(99_999) == "<99999>"


def test_pieces_of_sentencepiece(tmp_path):
    import json

    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(sentencepiece_pieces.tiny(sentencepiece_pieces.MISTRAL)))
    texts = TokenTexts(TokenizerFile(path))
    assert (texts(13), texts(12902), texts(3 + 0xC3)) == ("\n", " ки", "<0xC3>")
