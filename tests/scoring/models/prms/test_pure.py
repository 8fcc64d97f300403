import pytest

import byte_vocabulary
from scoring.data.errors import ForeignCheckpoint
from scoring.models.checkpoint import Checkpoint
from scoring.models.prms.token_classifier import PurePrm

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

import tiny_families as tiny  # noqa: E402  # needs torch

CONFIG = {**tiny.QWEN, "architectures": ["Qwen2ForTokenClassification"], "num_labels": 2}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny.write(tmp_path_factory.mktemp("pure"), CONFIG, byte_vocabulary.QWEN_SPECIALS)


def plain(folder, separator):
    """The model card's recipe: P(label 1) - P(label 0) at the separator behind each step."""
    model, parse = tiny.stock(folder, "AutoModelForTokenClassification"), tiny.parsed(folder)
    expected = []
    for problem, steps in tiny.work(5):
        ids, at = parse(problem), []
        for step in steps:
            ids = ids + parse(step) + parse(separator)
            at.append(len(ids) - 1)
        with torch.no_grad():
            shares = model(input_ids=torch.tensor([ids])).logits[0, at].softmax(-1)
        expected.append((shares[:, 1] - shares[:, 0]).tolist())
    return expected


@pytest.mark.parametrize(("chosen", "separator"), [(None, "\n"), ("newline", "\n"), ("blank-line", "\n\n")])
def test_rewards_equal_a_plain_computation(folder, chosen, separator):
    options = {"separator": chosen} if chosen else {}
    tiny.check_rewards(folder, tiny.adapter_for(folder, "pure", **options), plain(folder, separator))


def test_no_step_is_taken_for_anything_but_a_step(folder):
    tiny.check_nasty_steps(folder, tiny.adapter_for(folder, "pure"))
    tiny.check_limit(folder, lambda limit: PurePrm(tiny.HIDDEN, limit))


def test_a_reward_of_0_is_wrong():
    assert (PurePrm.scale.low, PurePrm.scale.high, PurePrm.scale.threshold) == (-1.0, 1.0, 0.0)
    assert PurePrm.scale.comparison == "<="


def test_a_head_with_one_label_is_refused(tmp_path):
    folder = tiny.write(tmp_path, {**CONFIG, "num_labels": 1}, byte_vocabulary.QWEN_SPECIALS)
    with pytest.raises(ForeignCheckpoint, match=r"score\.weight is 1x32 and should be 2x32"):
        PurePrm.of(Checkpoint.open(folder))
