import pytest

import byte_vocabulary
from scoring.data.errors import CheckpointError, ForeignCheckpoint
from scoring.data.readout import Refused
from scoring.models.checkpoint import Checkpoint
from scoring.models.prms.versa import VersaPrm

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

import tiny_families as tiny  # noqa: E402  # needs torch

TAG = " \n\n\n\n"
LLAMA = {**tiny.LLAMA, "architectures": ["LlamaForCausalLM"]}
QWEN = {**tiny.QWEN, "architectures": ["Qwen2ForCausalLM"]}
KINDS = {
    "8B": (LLAMA, byte_vocabulary.LLAMA_SPECIALS),
    "3B": ({**LLAMA, "tie_word_embeddings": True}, byte_vocabulary.LLAMA_SPECIALS),
    "Qwen": (QWEN, byte_vocabulary.QWEN_SPECIALS),
}


@pytest.fixture(scope="module", params=KINDS)
def folder(request, tmp_path_factory):
    return tiny.write(tmp_path_factory.mktemp("versa"), *KINDS[request.param])


def test_rewards_equal_a_plain_computation(folder):
    model, parse = tiny.stock(folder, "AutoModelForCausalLM"), tiny.parsed(folder)
    begin = "<|begin_of_text|>" if len(parse("<|begin_of_text|>")) == 1 else ""
    tag, expected = parse(TAG)[0], []
    for problem, steps in tiny.work(5):
        text = begin + problem.strip() + " \n\n" + "".join(step.strip() + TAG for step in steps)
        ids = torch.tensor([parse(text)])
        with torch.no_grad():
            shares = model(input_ids=ids).logits[:, :, [12, 10]].softmax(-1)[:, :, 1]
        expected.append(shares[ids == tag].tolist())
    tiny.check_rewards(folder, tiny.adapter_for(folder, "versa"), expected)


def test_no_step_is_taken_for_anything_but_a_step(folder):
    reasons = "the end of step [12] is one token with the text beside it|a step end stands within step 2"
    tiny.check_nasty_steps(folder, tiny.adapter_for(folder, "versa"), refuses=reasons)
    tiny.check_limit(folder, lambda limit: VersaPrm(tiny.HIDDEN, limit))


def test_a_tag_in_a_text_goes_and_one_that_comes_of_it_is_refused(folder):
    encode = tiny.encoder_for(folder, tiny.adapter_for(folder, "versa"))
    assert encode("p", [f"a{TAG}b", f"{TAG}c "]) == encode(f" p{TAG}", ["ab", "c"])
    found = encode("p", ["so", f"a \n{TAG}\n\n\nb"])
    assert isinstance(found, Refused)
    assert found.reason.startswith("a step end stands within step 1 (")


def test_a_vocabulary_without_the_tag_or_with_other_signs_is_refused(tmp_path, folder):
    ranks = byte_vocabulary.tiny_ranks()
    for name, token, other in (("tag", TAG.encode(), b"?!"), ("sign", b"+", b"\x01")):
        changed = {other if one == token else token if one == other else one: rank for one, rank in ranks.items()}
        (tmp_path / name).mkdir()
        byte_vocabulary.write(tmp_path / name / "tokenizer.json", changed, ("<|begin_of_text|>",))
        with pytest.raises(CheckpointError, match="the PRM knows it as"):
            tiny.encoder_for(tmp_path / name, tiny.adapter_for(folder, "versa"))


def test_embeddings_are_read_only_where_they_are_tied(tmp_path):
    shared = tiny.write(tmp_path, *KINDS["3B"])
    assert VersaPrm.of(Checkpoint.open(shared)).tied
    checkpoint = Checkpoint.open(shared)
    untied = {**checkpoint.config, "tie_word_embeddings": False}
    with pytest.raises(ForeignCheckpoint, match=r"lm_head\.weight is missing"):
        VersaPrm.of(Checkpoint(shared, "x", untied, checkpoint.tensors))
