import re

import pytest

import sentencepiece_pieces
from scoring.data.errors import CheckpointError, ForeignCheckpoint
from scoring.data.readout import Refused
from scoring.models.prms.base import without_number
from scoring.models.prms.minos import Minos
from scoring.models.prms.prm_catalogue import adapter_of
from scoring.runs.tokenizer_file import TokenizerFile

torch = pytest.importorskip("torch")

import sentencepiece_families as tiny  # noqa: E402  # needs torch
import tiny_families  # noqa: E402  # needs torch

CONFIG = {
    **tiny.MISTRAL,
    "architectures": ["MistralForTokenClassification"],
    "id2label": {"0": "LABEL_0"},
    "label2id": {"LABEL_0": 0},
}
TAG = 839


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tiny.write(tmp_path_factory.mktemp("minos") / "prm", CONFIG, sentencepiece_pieces.MISTRAL)
    # Wide enough that logits differ by several units.
    tiny.change(path, **{"score.weight": torch.randn((1, 32), generator=torch.Generator().manual_seed(5)) * 0.6})
    return path


def adapter(folder, **options):
    return tiny_families.adapter_for(folder, "minos", **options)


def bench(folder):
    """PRMBench's recipe: numbered and tagged lines, the raw logit of the stock classifier wherever the tag's id is."""
    encode, model = tiny.parsed(folder), tiny_families.stock(folder, "AutoModelForTokenClassification")
    for problem, steps in tiny_families.work(5):
        bare = [re.sub(r"^(step\s*\d+\.|\d+\.)\s*", "", step.strip(), flags=re.IGNORECASE) for step in steps]
        lines = "".join(f"Step {number}: {step} и\n" for number, step in enumerate(bare, 1))
        ids = torch.tensor([encode(f"Human: {problem}\n\nAssistant:{lines}")])
        with torch.no_grad():
            logits = model(ids).logits[0, :, 0]
        found = logits[ids[0] == TAG].tolist()
        assert len(found) == len(steps)
        yield found


def test_rewards_equal_prmbenchs_recipe(folder):
    tiny_families.check_rewards(folder, adapter(folder), list(bench(folder)))


def test_the_family_is_seen(folder):
    assert isinstance(adapter_of(tiny_families.Checkpoint.open(folder)), Minos)


@pytest.mark.parametrize(
    ("step", "bare"),
    [
        (" Step 3. so\n", "so"),
        ("step12.x", "x"),
        ("4. y", "y"),
        ("Step 3: so", "Step 3: so"),
        ("3.5 is", "5 is"),
        ("Steps 3. a", "Steps 3. a"),
        ("1. 2. a", "2. a"),
    ],
)
def test_numbers_of_the_steps_own_go_as_in_prmbench(folder, step, bare):
    removed, kept = (tiny_families.encoder_for(folder, adapter(folder, numbers=one)) for one in ("removed", "kept"))
    assert without_number(step) == bare
    assert removed("p", [step]) == kept("p", [bare])


def test_strange_steps_cost_no_other_step_its_reward(folder):
    tiny_families.check_nasty_steps(folder, adapter(folder), refuses="a step end stands within step 2")


def test_a_case_that_is_too_long_is_refused(folder):
    tiny_families.check_limit(folder, lambda limit: Minos(tiny_families.HIDDEN, limit))


@pytest.mark.parametrize("labels", [2, 3])
def test_a_head_of_more_labels_is_refused(tmp_path, labels):
    folder = tiny.write(tmp_path / "prm", CONFIG, sentencepiece_pieces.MISTRAL)
    tiny.change(folder, **{"score.weight": torch.zeros(labels, 32), "score.bias": torch.zeros(labels)})
    with pytest.raises(ForeignCheckpoint, match=rf"score.weight is {labels}x32 and should be 1x32"):
        adapter(folder)


def test_facts_of_the_published_vocabulary(folder, tmp_path):
    tokenizer = TokenizerFile(tiny.vocabulary(tmp_path, sentencepiece_pieces.mistral()))
    assert [tokenizer.encode(text) for text in ("и", "a. и", "aи")] == [[TAG], [264, 28723, TAG], [264, 28772]]
    encode = adapter(folder).encoder(tokenizer)
    found = encode("How many?", ["first.", "", "last."])
    assert [found.ids[at] for at in found.positions] == [TAG] * 3
    assert encode("два и три", ["s"]) == Refused(
        "a step end stands within the problem ('Human: два и три\\n\\nAssist'), where the model would take it for one;"
        " this family cannot score such a text"
    )


def test_another_vocabulary_is_refused(folder, tmp_path):
    path = tiny.vocabulary(tmp_path, sentencepiece_pieces.tiny(sentencepiece_pieces.LLAMA))
    with pytest.raises(CheckpointError, match="the PRM knows it as"):
        adapter(folder).encoder(TokenizerFile(path))
