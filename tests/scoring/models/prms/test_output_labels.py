"""What config.json calls the outputs of a head, against what an adapter reads them as."""

import json
from itertools import permutations

import numpy as np
import pytest

import checkpoints
from scoring.data.errors import CheckpointError, UsageError
from scoring.data.readout import Linear, Readout, Vocabulary, one_layer
from scoring.models.checkpoint import Checkpoint
from scoring.models.prms.output_labels import labels_of, meaning_of, meanings_of, orders, reordered
from scoring.models.prms.prm_catalogue import adapter_of, family

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

import every_family  # noqa: E402  # needs torch
import tiny_families as tiny  # noqa: E402  # needs torch
from scoring.engines.transformers_engine import TransformersEngine  # noqa: E402  # needs torch

OWN = {
    **dict.fromkeys(("qwen", "pure", "token_classifier"), ("incorrect", "correct")),
    **dict.fromkeys(("scan", "skywork", "minos", "universal", "reasonflux"), ("correct",)),
    "reasoneval": ("negative", "neutral", "positive"),
}
"""Names that agree with each adapter whose head has outputs of its own."""
OPPOSITE = {"correct": "incorrect", "incorrect": "correct", "positive": "negative", "negative": "positive"}
MEANING = {"correct": "right", "positive": "right", "incorrect": "wrong", "negative": "wrong", "neutral": "neutral"}


def opposite(names):
    return tuple(OPPOSITE.get(name, name) for name in names)


def value(names):
    return ",".join(MEANING[name] for name in names)


def named(names, **changes):
    """The two entries of a config.json, as transformers writes them."""
    labels = {str(index): name for index, name in enumerate(names)}
    return {"id2label": labels, "label2id": {name: int(index) for index, name in labels.items()}, **changes}


def opened(folder, name, **config):
    """The checkpoint of a family whose config.json has these entries too."""
    folder = every_family.write(folder, name)
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | config))
    return Checkpoint.open(folder)


@pytest.mark.parametrize(
    ("meaning", "labels"),
    [
        ("right", "correct|  Correct |RIGHT|True|positive|good|+|+1|yes|label_correct|isCorrect|step-is-right"),
        ("right", "no_error|not wrong|NoError|error-free"),
        ("wrong", "incorrect|InCorrect|wrong|FALSE|negative|bad|error|-|-1|\N{MINUS SIGN}|no|has_error|erroneous"),
        ("wrong", "not correct|NotCorrect|step incorrect"),
        ("neutral", "neutral|Neutral|okay"),
        ("", "LABEL_0|LABEL-1|0|1||score|correctness|correct or incorrect|class_1|not neutral|false positive"),
    ],
)
def test_a_label_means_what_its_words_say(meaning, labels):
    assert {label: meaning_of(label) for label in labels.split("|")} == dict.fromkeys(labels.split("|"), meaning)


@pytest.mark.parametrize(
    ("readout", "meanings"),
    [
        (Readout(one_layer(4)), ("wrong", "right")),
        (Readout(one_layer(4), reward=(1.0, 0.0)), ("right", "wrong")),
        (Readout(one_layer(4), reward=(-1.0, 1.0)), ("wrong", "right")),
        (Readout(one_layer(4, 1), "sigmoid", (1.0,)), ("right",)),
        (Readout(one_layer(4, 1), "none", (-1.0,)), ("wrong",)),
        (Readout(one_layer(4, 3), reward=(0.0, 1.0, 1.0), redundancy=(0.0, 1.0, 0.0)), ("wrong", "neutral", "right")),
        (Readout(one_layer(4, 3), reward=(1.0, 0.5, 0.0)), ("right", "neutral", "wrong")),
        (Readout(one_layer(4), reward=(1.0, 1.0)), ()),
        (Readout(Vocabulary((1, 2), 4)), ()),
    ],
)
def test_weights_say_what_an_adapter_reads(readout, meanings):
    assert meanings_of(readout) == meanings


@pytest.mark.parametrize("transform", ["sigmoid", "none"])
def test_one_output_that_means_the_opposite_gives_the_opposite_number(transform):
    readout = Readout((Linear("v", 4, 1),), transform, (1.0,))
    once, twice = reordered(readout, ["wrong"]), reordered(reordered(readout, ["wrong"]), ["right"])
    for number in (0.0, 0.25, 1.0):
        expected = 1 - number if transform == "sigmoid" else -number
        assert once.offset + once.reward[0] * number == expected
        assert twice.offset + twice.reward[0] * number == number
    assert meanings_of(once) == ("wrong",)


@pytest.mark.parametrize("order", permutations(("wrong", "neutral", "right")))
def test_weights_follow_their_output(order):
    readout = Readout((Linear("h", 4, 3),), reward=(0.0, 1.0, 1.0), redundancy=(0.0, 1.0, 0.0))
    found = reordered(readout, order)
    assert found.reward == tuple(float(meaning != "wrong") for meaning in order)
    assert found.redundancy == tuple(float(meaning == "neutral") for meaning in order)
    assert ",".join(order) in orders(meanings_of(readout))


@pytest.mark.parametrize("name", OWN)
def test_names_against_the_adapter_are_refused_and_both_readings_offered(tmp_path, name):
    checkpoint = opened(tmp_path, name, **named(opposite(OWN[name])))
    with pytest.raises(CheckpointError) as refused:
        adapter_of(checkpoint, name)
    flags = [flags for flags, _ in refused.value.instead]
    assert flags == [f"--option outputs={value(names)}" for names in (opposite(OWN[name]), OWN[name])]
    with pytest.raises(UsageError):
        adapter_of(checkpoint, name, {"outputs": "right,right,right,right"})
    # Each decision is a scorer of its own, and neither is that of 0.2, which decided without a word.
    settings = [dict(adapter_of(checkpoint, name, {"outputs": value}).settings) for value in map(flag_value, flags)]
    before = dict(family(name).of(checkpoint).settings)
    assert settings == [before | {"outputs": flag_value(flag)} for flag in flags]


def flag_value(flags):
    return flags.partition("outputs=")[2]


@pytest.mark.parametrize("name", OWN)
def test_names_that_agree_or_say_nothing_change_nothing(tmp_path, name):
    """Results of 0.2 stay valid: neither the settings nor what is read differ."""
    quiet = [f"LABEL_{index}" for index in range(len(OWN[name]))]
    for at, config in enumerate(({}, named(OWN[name]), named(quiet), {"id2label": None, "label2id": {}})):
        checkpoint = opened(tmp_path / str(at), name, **config)
        for options in ({}, {"outputs": value(OWN[name])}):
            adapter = adapter_of(checkpoint, name, options)
            assert adapter == family(name).of(checkpoint)


@pytest.mark.parametrize("name", OWN)
def test_rewards_are_those_of_the_named_output(tmp_path, name):
    """The head's own logits, put together in plain numbers."""
    checkpoint = opened(tmp_path, name, **named(opposite(OWN[name])))
    for names in (OWN[name], opposite(OWN[name])):
        adapter = adapter_of(checkpoint, name, {"outputs": value(names)})
        engine = TransformersEngine.load(checkpoint, adapter.readout, dtype="float32", device="cpu")
        encoded = tiny.encoder_for(checkpoint.folder, adapter)
        reads = ("12",) if adapter.reads else ()
        case = encoded("How many are left?", ["Take 3.", "It is 4."], *reads)
        with torch.inference_mode():
            logits = np.concatenate([engine.logits([part]).double().numpy() for part in case.sequences])
        (batch,) = engine.read([case])
        (answer,) = batch.answers
        np.testing.assert_allclose(answer.rewards, rewards(name, names, logits), atol=1e-6)
        if name == "reasoneval":
            np.testing.assert_allclose(answer.redundancy, shares(logits)[:, 1], atol=1e-6)


def shares(logits):
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def rewards(name, names, logits):
    if name == "minos":
        return logits[:, 0] * (1 if names == ("correct",) else -1)
    if len(names) == 1:
        high = 1 / (1 + np.exp(-logits[:, 0]))
        return high if names == ("correct",) else 1 - high
    parts = dict(zip(map(MEANING.get, names), shares(logits).T, strict=True))
    if name == "pure":
        return parts["right"] - parts["wrong"]
    return parts["right"] + parts.get("neutral", 0)


TWO = Readout(one_layer(4))


@pytest.mark.parametrize(
    ("config", "outputs", "offered"),
    [
        # One source is enough, and a quiet one says nothing against it.
        ({"id2label": {"0": "correct", "1": "incorrect"}}, 2, ["right,wrong", "wrong,right"]),
        ({"label2id": {"correct": 0, "incorrect": 1}}, 2, ["right,wrong", "wrong,right"]),
        ({"id2label": {0: " Good", 1: "BAD "}}, 2, ["right,wrong", "wrong,right"]),
        ({"id2label": ["good", "bad"]}, 2, ["right,wrong", "wrong,right"]),
        ({"label2id": {"+": "0", "-": "1"}}, 2, ["right,wrong", "wrong,right"]),
        ({"id2label": {"0": True, "1": False}}, 2, ["right,wrong", "wrong,right"]),
        (named(("LABEL_0", "LABEL_1"), label2id={"good": 0, "bad": 1}), 2, ["right,wrong", "wrong,right"]),
        ({"id2label": {"1": "has_error"}}, 2, ["right,wrong", "wrong,right"]),
        # The two contradict each other, whichever of them the adapter follows.
        (named(("bad", "good"), label2id={"good": 0, "bad": 1}), 2, ["wrong,right", "right,wrong"]),
        (named(("good", "bad"), label2id={"bad": 0, "good": 1}), 2, ["right,wrong", "wrong,right"]),
        # Both outputs cannot be right, and a head of two has no third.
        ({"id2label": {"0": "good", "1": "correct"}}, 2, ["right,wrong", "wrong,right"]),
        ({"id2label": {"0": "bad", "1": "good", "2": "neutral"}}, 2, ["right,wrong", "wrong,right"]),
        # One output is a name for high numbers; of two names, as for a binary head, the second.
        ({"id2label": {"0": "incorrect"}}, 1, ["wrong", "right"]),
        ({"id2label": {"0": "correct", "1": "incorrect"}}, 1, ["wrong", "right"]),
        ({"id2label": {"0": "incorrect", "1": "correct"}}, 1, []),
        ({"id2label": {"0": "reward"}}, 1, []),
        # Damaged entries say nothing.
        ({"id2label": "correct", "label2id": 3}, 2, []),
        ({"id2label": {"first": "correct", "-1": "incorrect", "": "bad"}}, 2, []),
    ],
)  # fmt: skip
def test_every_spelling_is_read(tmp_path, config, outputs, offered):
    name = {1: "scan", 2: "pure"}[outputs]
    checkpoint = opened(tmp_path, name)
    checkpoint = Checkpoint(checkpoint.folder, checkpoint.name, {**checkpoint.config, **config}, checkpoint.tensors)
    if not offered:
        assert adapter_of(checkpoint, name) == family(name).of(checkpoint)
        return
    with pytest.raises(CheckpointError) as refused:
        adapter_of(checkpoint, name)
    assert [flag_value(flags) for flags, _ in refused.value.instead] == offered


def test_a_neutral_output_in_another_place_is_refused(tmp_path):
    """Validity of ReasonEval would stay, and its redundancy would be the share of another output."""
    checkpoint = opened(tmp_path, "reasoneval", **named(("wrong", "right", "neutral")))
    with pytest.raises(CheckpointError) as refused:
        adapter_of(checkpoint, "reasoneval")
    assert [flag_value(flags) for flags, _ in refused.value.instead] == ["wrong,right,neutral", "wrong,neutral,right"]


def test_heads_of_tokens_have_no_such_option(tmp_path):
    checkpoint = opened(tmp_path, "llemma", **named(("correct", "incorrect")))
    assert adapter_of(checkpoint, "llemma") == family("llemma").of(checkpoint)
    with pytest.raises(UsageError):
        adapter_of(checkpoint, "llemma", {"outputs": "right,wrong"})


def test_names_of_any_length_and_number_are_read():
    labels = {str(at): "x" * 10_000 for at in range(50)} | {"999999": "correct", "1": "bad"}
    found = labels_of({"id2label": labels}, 2)
    assert (found.count, max(map(len, found.names))) == (50, 40)


ADAPTER = """
from scoring.models.prms.base import Scale
from scoring.data.readout import Encoded, Readout, one_layer


class Mine:
    scale = Scale("mine", 0.0, 1.0, 0.5, "mine")
    settings = {}
    OPTIONS = {"side": ("left", "right")}
    readout = Readout(one_layer(WIDTH, bias=True))

    @classmethod
    def of(cls, checkpoint, side="left"):
        return cls()

    def encoder(self, tokenizer):
        return lambda problem, steps: Encoded((1, 2), (1,))
"""


def test_an_adapter_of_the_users_own_is_checked_too(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(ADAPTER.replace("WIDTH", str(checkpoints.HIDDEN)))
    arrays = {name: array for name, array in checkpoints.tensors().items() if not name.startswith("score")}
    arrays |= {
        "score.weight": np.zeros((2, checkpoints.HIDDEN), np.float32),
        "score.bias": np.zeros(2, np.float32),
    }
    folder = checkpoints.write(tmp_path / "model", arrays=arrays)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | named(("correct", "incorrect"))))
    checkpoint = Checkpoint.open(folder)
    with pytest.raises(CheckpointError):
        adapter_of(checkpoint, str(path))
    adapter = adapter_of(checkpoint, str(path), {"outputs": "right,wrong", "side": "right"})
    assert adapter.readout.reward == (1.0, 0.0)
    assert adapter.settings["outputs"] == "right,wrong"
    # Its own option of that name is its own matter.
    path.write_text(path.read_text().replace("side", "outputs"))
    assert adapter_of(checkpoint, str(path), {"outputs": "right"}).readout.reward == (0.0, 1.0)
