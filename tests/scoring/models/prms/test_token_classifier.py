import json
import shutil

import pytest

import byte_vocabulary
from scoring.data.readout import Refused
from scoring.models.checkpoint import Checkpoint
from scoring.models.prms.token_classifier import TokenClassifierPrm

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

import tiny_families as tiny  # noqa: E402  # needs torch

CONFIG = {**tiny.QWEN, "architectures": ["Qwen2ForTokenClassification"], "num_labels": 2}
SEPARATORS = {"newline": "\n", "blank-line": "\n\n"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny.write(tmp_path_factory.mktemp("trl"), CONFIG, byte_vocabulary.QWEN_SPECIALS)


def training(parse, problem, steps, separator):
    """The trainer's layout, one sequence and the places of the labels."""
    ids, at = parse(problem), []
    for step in steps:
        ids = ids + parse(step) + parse(separator)
        at.append(len(ids) - 1)
    return [(ids, at)]


def joint(parse, problem, steps, separator):
    """The script's layout: one text a prefix, of which the last token counts."""
    texts = [separator.join([problem, *steps[:number]]) + separator for number in range(1, len(steps) + 1)]
    return [(ids, [len(ids) - 1]) for ids in map(parse, texts)]


@pytest.mark.parametrize("separator", SEPARATORS)
@pytest.mark.parametrize("layout", [training, joint])
def test_rewards_equal_a_plain_computation(folder, layout, separator):
    model, parse = tiny.stock(folder, "AutoModelForTokenClassification"), tiny.parsed(folder)
    expected = []
    for problem, steps in tiny.work(5):
        expected.append([])
        for ids, at in layout(parse, problem, steps, SEPARATORS[separator]):
            with torch.no_grad():
                shares = model(input_ids=torch.tensor([ids])).logits[0, at].softmax(-1)
            expected[-1] += shares[:, 1].tolist()
    adapter = tiny.adapter_for(folder, "token_classifier", separator=separator, layout=layout.__name__)
    tiny.check_rewards(folder, adapter, expected)


def test_the_start_token_of_the_tokenizer_is_told_and_chosen(folder, tmp_path):
    """TRL's trainer puts it first where the tokenizer names one; scorers of before go on without it."""
    shutil.copytree(folder, tmp_path / "prm")
    without = tiny.adapter_for(tmp_path / "prm", "token_classifier", separator="newline")
    (tmp_path / "prm" / "tokenizer_config.json").write_text(json.dumps({"bos_token": {"content": "<|endoftext|>"}}))
    own = tiny.adapter_for(tmp_path / "prm", "token_classifier", separator="newline")
    assert own.settings == without.settings
    assert without.cautions == ()
    assert own.cautions[0].endswith("--option start=tokenizer puts it there.")
    begun = tiny.adapter_for(tmp_path / "prm", "token_classifier", separator="newline", start="tokenizer")
    assert (begun.cautions, begun.settings["start"]) == ((), "<|endoftext|>")
    plain, first = (tiny.encoder_for(tmp_path / "prm", one)("p?", ["a", "b."]) for one in (own, begun))
    assert first.ids == (*tiny.parsed(folder)("<|endoftext|>"), *plain.ids)
    assert first.positions == tuple(at + 1 for at in plain.positions)


@pytest.mark.parametrize("layout", ["training", "joint"])
def test_no_step_is_taken_for_anything_but_a_step(folder, layout):
    tiny.check_nasty_steps(folder, tiny.adapter_for(folder, "token_classifier", layout=layout))
    tiny.check_limit(folder, lambda limit: TokenClassifierPrm(tiny.HIDDEN, limit, layout=layout))


def test_prefixes_are_one_sequence_where_their_tokens_are_the_whole_s(folder):
    encode = tiny.encoder_for(folder, tiny.adapter_for(folder, "token_classifier", layout="joint"))
    assert encode("p.", ["a.", "b", "c."]).further == ()
    apart = encode("p.", ["a", "", "c"])
    assert [len(one.positions) for one in apart.sequences] == [1, 1, 1]
    assert encode("p", []) == Refused("the case has no steps")


@pytest.mark.parametrize(
    ("name", "separator"),
    [
        ("plaguss/Qwen2.5-Math-1.5B-Instruct-PRM-0.1", "blank-line"),
        ("HuggingFaceH4/Qwen2.5-Math-7B-Instruct-PRM-0.2", "blank-line"),
        ("plaguss/Qwen2.5-0.5B-Math-Shepherd-PRM-0.2", "newline"),
        ("trl-lib/Qwen2-0.5B-Reward-Math-Sheperd", "newline"),
        ("mine", "newline"),
    ],
)
def test_a_published_model_has_its_own_separator(folder, name, separator):
    checkpoint = Checkpoint.open(folder, name)
    assert TokenClassifierPrm.of(checkpoint).settings["separator"] == separator
    assert TokenClassifierPrm.of(checkpoint, separator="newline").separator == "newline"


@pytest.mark.parametrize(
    ("name", "assumed"),
    [
        ("my-prm", True),
        ("trl-finetuned", True),
        ("trl-lib/Qwen2-0.5B-Reward-Math-Sheperd", False),
        ("axolotl-ai-co/Qwen2.5-Math-PRM-7B", False),
        ("qwen2.5-0.5b-math-shepherd-prm-0.2", False),
        ("HuggingFaceH4/Qwen2.5-Math-1.5B-Instruct-PRM-0.2", False),
    ],
)
def test_a_separator_that_is_only_assumed_is_warned_of(folder, name, assumed):
    checkpoint = Checkpoint.open(folder, name)
    found = TokenClassifierPrm.of(checkpoint)
    assert ["--option separator=" in one and one.startswith("WARNING") for one in found.cautions] == [True] * assumed
    for separator in SEPARATORS:
        chosen = TokenClassifierPrm.of(checkpoint, separator=separator)
        assert chosen.cautions == ()
        if separator == found.separator:
            # What is known of it does not make it another scorer.
            assert chosen.settings == found.settings
