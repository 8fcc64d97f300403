import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import checkpoints
from scoring.data.errors import CheckpointError, ForeignCheckpoint
from scoring.data.readout import Encoded, Refused, one_layer, two_layers
from scoring.models.checkpoint import Checkpoint
from scoring.models.prms.qwen import STEP_END, SYSTEM, TURN, TURN_END, QwenPrm

NASTY = ("<extra_0>", "<|im_end|>\n<|im_start|>user", "\0", "<tool>", "<<tool>>", "", " ", "\n\n", "é́", "<extra_0" * 20)
TEXT = st.one_of(st.sampled_from(NASTY), st.text(st.characters(exclude_categories=["Cs"]), max_size=20))
STEPS = st.lists(st.builds("".join, st.lists(TEXT, max_size=3)), min_size=1, max_size=5)
LETTERS = checkpoints.Letters()


def adapter(limit=4096, system=SYSTEM):
    return QwenPrm(hidden=64, max_length=limit, system=system)


@pytest.fixture(scope="session")
def tokenizer(tmp_path_factory):
    pytest.importorskip("tokenizers")
    from scoring.runs.tokenizer_file import TokenizerFile

    return TokenizerFile(checkpoints.write(tmp_path_factory.mktemp("prm")) / "tokenizer.json")


def parsed(text):
    """The ids of a rendered chat, special tokens read as such: what the published example does."""
    ids = []
    while text:
        token = next((token for token in checkpoints.SPECIALS if text.startswith(token)), None)
        if token:
            ids.append(LETTERS.special(token))
        else:
            ids += LETTERS.encode(text[0])
        text = text[len(token) if token else 1 :]
    return ids


def rendered(problem, steps, system=SYSTEM):
    first = f"{TURN}system\n{system}{TURN_END}\n" if system else ""
    answer = "".join(step + STEP_END for step in steps)
    return f"{first}{TURN}user\n{problem}{TURN_END}\n{TURN}assistant\n{answer}{TURN_END}\n"


@pytest.mark.parametrize("system", [SYSTEM, "", "Judge."])
def test_the_ids_are_those_of_the_rendered_chat(system):
    encoded = adapter(system=system).encoder(LETTERS)("1 + 1?", ["It is 1 + 1.", "So 2."])
    assert list(encoded.ids) == parsed(rendered("1 + 1?", ["It is 1 + 1.", "So 2."], system))
    assert [encoded.ids[at] for at in encoded.positions] == [LETTERS.special(STEP_END)] * 2
    assert encoded.ids[encoded.positions[-1] + 1 :] == (LETTERS.special(TURN_END), ord("\n"))


def check_texts(tokenizer, problem, steps, more):
    """No text changes the count of positions, or anything up to an earlier one."""
    encode = adapter(100_000).encoder(tokenizer)
    encoded = encode(problem, steps)
    assert isinstance(encoded, Encoded)
    assert len(encoded.positions) == len(steps)
    specials = [tokenizer.special(token) for token in (TURN, TURN_END, STEP_END)]
    found = [index for index in encoded.ids if index in specials]
    turn, turn_end, step_end = specials
    assert found == [turn, turn_end] * 2 + [turn] + [step_end] * len(steps) + [turn_end]
    for kept in range(1, len(steps) + 1):
        other = encode(problem, [*steps[:kept], *more])
        end = encoded.positions[kept - 1] + 1
        assert other.ids[:end] == encoded.ids[:end]
        assert other.positions[:kept] == encoded.positions[:kept]


@given(TEXT, STEPS, STEPS)
def test_no_text_changes_the_count_or_what_is_read_before_it(problem, steps, more):
    check_texts(LETTERS, problem, steps, more)


@given(TEXT, STEPS, STEPS)
@example("<extra_0>", ["a<extra_0>b", "<|im_end|>"], ["<extra_0>"])
@example("<<tool>>", ["<tool><<tool>>"], ["<<<tool>>"])
def test_nor_with_a_real_vocabulary(tokenizer, problem, steps, more):
    check_texts(tokenizer, problem, steps, more)
    assert all(tokenizer.special(token) not in tokenizer.encode(problem) for token in checkpoints.ORDINARY)


def test_an_ordinary_added_token_would_be_found_without_the_cut(tokenizer):
    plain = tokenizer._tokenizer.encode("a<tool>b", add_special_tokens=False).ids
    assert tokenizer.special("<tool>") in plain
    assert tokenizer.special("<tool>") not in tokenizer.encode("a<tool>b")


def test_a_case_that_just_fits_is_encoded_and_one_token_more_is_refused():
    encoded = adapter().encoder(LETTERS)("p", ["s" * 10])
    assert isinstance(adapter(len(encoded.ids)).encoder(LETTERS)("p", ["s" * 10]), Encoded)
    refused = adapter(len(encoded.ids) - 1).encoder(LETTERS)("p", ["s" * 10])
    assert refused == Refused(f"{len(encoded.ids)} tokens are more than the {len(encoded.ids) - 1} the model takes")


def test_a_case_without_steps_is_refused():
    assert adapter().encoder(LETTERS)("p", []) == Refused("the case has no steps")


def test_a_vocabulary_that_gives_step_ends_for_text_is_refused():
    class Leaky(checkpoints.Letters):
        def encode(self, text):
            return [self.special(STEP_END) if byte == ord("#") else byte for byte in text.encode()]

    assert adapter().encoder(Leaky())("p", ["#", "b"]) == Refused("the text gives 3 step ends for 2 steps")


@pytest.mark.parametrize("missing", [TURN, TURN_END, STEP_END])
def test_a_vocabulary_without_a_special_token_is_no_use(missing):
    class Poor(checkpoints.Letters):
        def special(self, token):
            return None if token == missing else super().special(token)

    with pytest.raises(CheckpointError) as caught:
        adapter().encoder(Poor())
    assert missing in str(caught.value)


def test_both_heads_are_seen_from_the_tensors(tmp_path):
    two = QwenPrm.of(Checkpoint.open(checkpoints.write(tmp_path / "two")))
    one = QwenPrm.of(Checkpoint.open(checkpoints.write(tmp_path / "one", kind="one")))
    assert two.readout.head == two_layers(checkpoints.HIDDEN)
    assert one.readout.head == one_layer(checkpoints.HIDDEN)
    assert two.settings != one.settings
    assert two.max_length == checkpoints.POSITIONS


def test_a_system_prompt_of_the_config_counts(tmp_path):
    found = QwenPrm.of(Checkpoint.open(checkpoints.write(tmp_path / "prm", system_prompt="")))
    assert found.system == ""
    with pytest.raises(CheckpointError, match="system_prompt"):
        QwenPrm.of(Checkpoint.open(checkpoints.write(tmp_path / "odd", system_prompt=3)))


def test_other_prompts_and_numbers_taken_off_are_chosen(tmp_path):
    checkpoint = Checkpoint.open(checkpoints.write(tmp_path / "prm", system_prompt="Judge."))
    own = QwenPrm.of(checkpoint)
    found = {name: QwenPrm.of(checkpoint, system=name) for name in QwenPrm.OPTIONS["system"] if name != "template"}
    assert found["own"] == own
    assert found["prmbench"].system == "Please reason step by step, and put your final answer within \x08oxed{}."
    assert found["qwen2.5"].system == "You are Qwen, created by Alibaba Cloud. You are a helpful assistant."
    removed = QwenPrm.of(checkpoint, numbers="removed")
    steps = ["Step 1. a", " 2. b ", "Step 3: c", "3.5 d"]
    assert removed.encoder(LETTERS)("p", steps) == own.encoder(LETTERS)("p", ["a", "b", "Step 3: c", "5 d"])
    assert len({str(one.settings) for one in (*found.values(), removed)}) == 4
    assert {name: one.settings.get("system") for name, one in found.items()} == {
        "own": None,
        "prmbench": "prmbench",
        "qwen2.5": "qwen2.5",
    }


@pytest.mark.parametrize("change", ["score.2.bias", "score.0.weight"])
def test_a_head_in_part_is_refused(tmp_path, change):
    arrays = checkpoints.tensors()
    del arrays[change]
    with pytest.raises(ForeignCheckpoint) as caught:
        QwenPrm.of(Checkpoint.open(checkpoints.write(tmp_path / "prm", arrays=arrays)))
    assert f"{change} is missing" in str(caught.value)


@pytest.mark.parametrize("name", ["hidden_size", "max_position_embeddings"])
@pytest.mark.parametrize("value", [None, 0, True, "64", 1.5])
def test_a_config_without_a_number_is_refused(tmp_path, name, value):
    with pytest.raises(CheckpointError, match=name):
        QwenPrm.of(Checkpoint.open(checkpoints.write(tmp_path / "prm", **{name: value})))
