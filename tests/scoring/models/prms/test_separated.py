import pytest

import byte_vocabulary
from scoring.data.errors import CheckpointError
from scoring.data.readout import Encoded, Refused
from scoring.models.prms.base import Separated, single_id


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory):
    pytest.importorskip("tokenizers")
    from scoring.runs.tokenizer_file import TokenizerFile

    return TokenizerFile(byte_vocabulary.tiny(tmp_path_factory.mktemp("tiny") / "tokenizer.json", ("<end>",)))


class Letters:
    def encode(self, text):
        return list(text.encode())


def test_each_piece_is_encoded_by_itself_and_the_separator_s_last_token_is_read():
    encode = Separated(Letters(), [1, 2], 100, start=[0])
    assert encode("pq", ["ab", "", "c"]) == Encoded((0, 112, 113, 97, 98, 1, 2, 1, 2, 99, 1, 2), (6, 8, 11))


def test_a_separator_within_a_step_is_text(tokenizer):
    newline = single_id(tokenizer, "\n")
    found = Separated(tokenizer, [newline], 100)("p", ["a.\nb\n", "c."])
    # A full stop and a newline are one token within a step, and two where the step ends.
    assert newline != tokenizer.encode(".\n")[0]
    assert found.ids.count(newline) == 3
    assert [found.ids[at] for at in found.positions] == [newline] * 2
    assert found.positions == (5, 8)


def test_a_text_that_should_be_one_token_and_is_not_is_told(tokenizer):
    with pytest.raises(CheckpointError, match="the PRM knows it as one"):
        single_id(tokenizer, "\n\n\n")


def test_the_limit_counts_all_tokens():
    assert isinstance(Separated(Letters(), [1], 4)("p", ["ab"]), Encoded)
    assert Separated(Letters(), [1], 3)("p", ["ab"]) == Refused("4 tokens are more than the 3 the model takes")
    assert Separated(Letters(), [1], 3)("p", []) == Refused("the case has no steps")
