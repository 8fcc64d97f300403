"""PathFinder-PRM against the authors' code for each of its readings, one chat at a time."""

import re

import pytest

import byte_vocabulary
from scoring.data.errors import CheckpointError, ForeignCheckpoint
from scoring.models.checkpoint import Checkpoint
from scoring.models.prms.pathfinder import SENTENCES, PathfinderPrm
from scoring.models.prms.prm_catalogue import adapter_of
from scoring.runs.tokenizer_file import TokenizerFile

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

import tiny_families as tiny  # noqa: E402  # needs torch

CONFIG = {**tiny.QWEN, "architectures": ["Qwen2ForCausalLM"]}
FIRST = " Math reasoning: <extra>, Consistency: <extra>"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    # With these weights about half of the steps have one sign of the first pass against them.
    path = tiny.write(tmp_path_factory.mktemp("pathfinder"), CONFIG, byte_vocabulary.PATHFINDER_SPECIALS, seed=7)
    (path / "chat_template.jinja").write_text(tiny.QWEN_TEMPLATE)
    return path


class Official:
    """The library's model and tokenizer, and what stands before each `<extra>` of a rendered chat."""

    def __init__(self, folder, reading):
        self.model = tiny.stock(folder, "AutoModelForCausalLM")
        self.tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))
        self.good, self.bad = map(self.tokenizer.convert_tokens_to_ids, ("<+>", "<->"))
        self.sentence = SENTENCES[reading]

    def logits(self, problem, said):
        turns = [
            {"role": "user", "content": f"{self.sentence}\n\n Question: {problem}"},
            {"role": "assistant", "content": said},
        ]
        text = self.tokenizer.apply_chat_template(turns, chat_template=tiny.QWEN_TEMPLATE, tokenize=False)
        ids = torch.tensor([self.tokenizer.encode(text, add_special_tokens=False)])
        mask = ids == self.tokenizer.convert_tokens_to_ids("<extra>")
        with torch.no_grad():
            return self.model(ids).logits[0][mask[0].roll(-1)]


def card(official, problem, steps):
    found = []
    for number, step in enumerate(steps):
        earlier = "\n\n".join(steps[:number]) + "\n\n" if number else ""
        said = f"{earlier}Current Step: {step}{FIRST}"
        signs = official.logits(problem, said)[:, [official.good, official.bad]].argmax(-1).tolist()
        if 1 in signs:
            found.append(-1.0)
            continue
        filled = said.replace("<extra>", "<+>") + ", Correctness: <extra>"
        found.append(official.logits(problem, filled)[0, [official.good, official.bad]].softmax(-1)[0].item())
    return found


def processbench(official, problem, steps):
    found = []
    for number, step in enumerate(steps):
        earlier = "\n\n".join(steps[:number]) + "\n\n" if number else ""
        logits = official.logits(problem, f"{earlier}Current Step: {step}{FIRST}")
        found.append(logits[:, [official.good, official.bad]].softmax(-1)[:, 0].min().item())
    return found


def prmbench(official, problem, steps):
    found, bare = [], [re.sub(r"^(Step\s*)?\d+\.\s*", "", step.strip(), flags=re.IGNORECASE) for step in steps]
    for number, step in enumerate(bare):
        earlier = "\n\n".join(bare[:number])
        said = f"{earlier}\n\n" if earlier else ""
        found.append(official.logits(problem, f"{said}Current step: {step}{FIRST}").softmax(-1)[:, official.good].min())
    return [one.item() for one in found]


def test_the_sentences_are_the_authors_own():
    """From the model card, run_eval_pathfinder_prm.py and disc_PRM.py; the card has the slip of the pen."""
    told = "You are a Math Teacher. Given a question and a student's solution, evaluate the"
    future = "logic consistency of the current step and whether it will lead to the correct final solution"
    sentences = {
        "card": f"{told} mathemetical correctness, {future}",
        "processbench": f"{told} mathematical correctness, {future}",
        "prmbench": f"{told} mathematical correctness and logic consistency of the current step.",
    }
    assert sentences == SENTENCES


@pytest.mark.parametrize("reading", [card, processbench])
def test_rewards_equal_the_authors_code(folder, reading):
    official = Official(folder, reading.__name__)
    expected = [reading(official, *one) for one in tiny.work(4)]
    flat = [reward for rewards in expected for reward in rewards]
    # Both ways through the first pass are taken.
    assert (-1.0 in flat, max(flat) > 0.5) == (reading is card, True)
    tiny.check_rewards(folder, tiny.adapter_for(folder, "pathfinder", reading=reading.__name__), expected)


def test_rewards_among_all_tokens_equal_the_authors_code(folder):
    official = Official(folder, "prmbench")
    work = [*tiny.work(4), ("p", ["", "Step 1. a", "2. b"])]
    adapter = tiny.adapter_for(folder, "pathfinder", reading="prmbench")
    engine, encode = tiny.engine_for(folder, adapter), tiny.encoder_for(folder, adapter)
    found = tiny.rewards(engine, [encode(*one) for one in work])
    for one, other in zip(found, (prmbench(official, *one) for one in work), strict=True):
        assert one == pytest.approx(other, rel=1e-3, abs=1e-7)


def test_every_chat_is_what_the_template_renders_and_is_read_before_each_extra(folder):
    official = Official(folder, "card")
    encode = tiny.encoder_for(folder, tiny.adapter_for(folder, "pathfinder"))
    for problem, steps in tiny.work(3):
        found, texts = encode(problem, steps), []
        for number, step in enumerate(steps):
            said = ("\n\n".join(steps[:number]) + "\n\n" if number else "") + f"Current Step: {step}{FIRST}"
            texts += [said, said.replace("<extra>", "<+>") + ", Correctness: <extra>"]
        assert found.n_positions == len(steps)
        for one, said in zip(found.sequences, texts, strict=True):
            turns = [
                {"role": "user", "content": f"{official.sentence}\n\n Question: {problem}"},
                {"role": "assistant", "content": said},
            ]
            rendered = official.tokenizer.apply_chat_template(turns, chat_template=tiny.QWEN_TEMPLATE, tokenize=False)
            assert list(one.ids) == official.tokenizer.encode(rendered, add_special_tokens=False)
            extra = official.tokenizer.convert_tokens_to_ids("<extra>")
            assert one.positions == tuple(at - 1 for at, index in enumerate(one.ids) if index == extra)


@pytest.mark.parametrize("reading", SENTENCES)
def test_no_step_is_taken_for_anything_but_a_step(folder, reading):
    adapter = tiny.adapter_for(folder, "pathfinder", reading=reading)
    tiny.check_nasty_steps(folder, adapter)
    encode = tiny.encoder_for(folder, adapter)
    signs = {*adapter.signs, TokenizerFile(folder / "tokenizer.json").special("<extra>")}
    said = encode("<extra>?", ["<+>, Consistency: <->", "a Math reasoning: <extra>", "<extra>"])
    plain = encode("q?", ["x", "y", "z"])
    for one, other in zip(said.sequences, plain.sequences, strict=True):
        assert [i for i in one.ids if i in signs] == [i for i in other.ids if i in signs]


def test_a_case_that_is_too_long_is_refused(folder):
    signs = tiny.adapter_for(folder, "pathfinder").signs
    tiny.check_limit(folder, lambda limit: PathfinderPrm(tiny.HIDDEN, limit, signs))


def test_the_family_is_seen_by_its_tokens(folder, tmp_path):
    adapter = adapter_of(Checkpoint.open(folder))
    assert isinstance(adapter, PathfinderPrm)
    assert adapter.scale.low == -1.0
    other = tiny.write(tmp_path / "other", CONFIG, byte_vocabulary.QWEN_SPECIALS)
    with pytest.raises(ForeignCheckpoint, match="has no token <\\+>"):
        PathfinderPrm.of(Checkpoint.open(other))
    swapped = byte_vocabulary.write(
        tmp_path / "tokenizer.json", byte_vocabulary.tiny_ranks(), byte_vocabulary.PATHFINDER_SPECIALS[::-1]
    )
    with pytest.raises(CheckpointError, match="the adapter was made for"):
        adapter.encoder(TokenizerFile(swapped))
