import pytest

import byte_vocabulary
from scoring.data.errors import ForeignCheckpoint
from scoring.models.checkpoint import Checkpoint
from scoring.models.prms.token_classifier import ScanPrm

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

import tiny_families as tiny  # noqa: E402  # needs torch

CONFIG = {**tiny.QWEN, "architectures": ["Qwen2ForTokenClassification"], "num_labels": 1}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny.write(tmp_path_factory.mktemp("scan"), CONFIG, byte_vocabulary.QWEN_SPECIALS)


def test_rewards_equal_a_plain_computation(folder):
    model, parse = tiny.stock(folder, "AutoModelForTokenClassification"), tiny.parsed(folder)
    expected = []
    for problem, steps in tiny.work(5):
        ids, at = parse(problem + "\n\n"), []
        for step in steps:
            ids = ids + parse(step) + parse("\n\n")[-1:]
            at.append(len(ids) - 1)
        with torch.no_grad():
            expected.append(model(input_ids=torch.tensor([ids])).logits[0, at, 0].sigmoid().tolist())
    tiny.check_rewards(folder, tiny.adapter_for(folder, "scan"), expected)


def test_no_step_is_taken_for_anything_but_a_step(folder):
    tiny.check_nasty_steps(folder, tiny.adapter_for(folder, "scan"))
    tiny.check_limit(folder, lambda limit: ScanPrm(tiny.HIDDEN, limit))


def test_a_head_with_two_labels_is_refused(tmp_path):
    folder = tiny.write(tmp_path, {**CONFIG, "num_labels": 2}, byte_vocabulary.QWEN_SPECIALS)
    with pytest.raises(ForeignCheckpoint, match=r"score\.weight is 2x32 and should be 1x32"):
        ScanPrm.of(Checkpoint.open(folder))
