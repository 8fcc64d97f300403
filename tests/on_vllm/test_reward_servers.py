"""PRMs over real vLLM servers: the numbers of the transformers engine, whichever way the server was started."""

import pytest

pytest.importorskip("torch")
pytest.importorskip("httpx")

import every_family  # needs torch
import tiny_families  # needs torch
from scoring.checkpoint import Checkpoint  # stands with the ones around it
from scoring.engines.server.rewards import (
    GenerativeScoring,  # needs httpx
    Pooling,  # needs httpx
    RewardServers,  # needs httpx
)
from scoring.errors import EngineError  # stands with the ones around it
from scoring.prms.catalogue import adapter_of  # stands with the ones around it
from scoring.readout import Encoded  # stands with the ones around it
from scoring.runs.opened import LoadedPrm  # stands with the ones around it
from servers import vllm_server  # needs httpx
from vllm_rewards import check, encoded  # needs torch

pytestmark = pytest.mark.vllm

# One head of 32: vLLM's attention on a CPU takes no smaller ones.
BODY = {"num_attention_heads": 1}


def tag_of(opened):
    """The token at which a PRM of one separator is read."""
    (tag,) = {one.ids[at] for one in encoded(opened) for at in one.positions}
    return tag


@pytest.fixture(scope="module")
def two_layers(prm_folder):
    checkpoint = Checkpoint.open(prm_folder)
    return LoadedPrm(checkpoint, adapter_of(checkpoint), "float32", "cpu")


@pytest.fixture(scope="module")
def token_classifier(tmp_path_factory):
    return every_family.opened(tmp_path_factory.mktemp("prms"), "token_classifier", changes=BODY)


@pytest.fixture
def serving(tmp_path):
    """Starts a server for an opened PRM; its address lasts as long as the block."""

    def begin(opened, *flags):
        return vllm_server.starting(opened.checkpoint.folder, *flags, log=tmp_path / "server.log").running()

    return begin


def test_the_two_layer_head_with_all_tokens_pooled(two_layers, pooling_server, record_property):
    engine = RewardServers.connect([pooling_server], Pooling(two_layers.adapter.readout))
    record_property("rewards differ from transformers by", check(engine, two_layers, encoded(two_layers, 40)))
    assert engine.name.startswith("vllm 0.")
    assert f"{pooling_server}/pooling, model " in engine.name


def test_the_two_layer_head_with_the_step_tag_pooled(two_layers, serving, record_property):
    with serving(two_layers, *vllm_server.pooling("STEP", tag_of(two_layers))) as url:
        engine = RewardServers.connect([url], Pooling(two_layers.adapter.readout))
        record_property("rewards differ from transformers by", check(engine, two_layers, encoded(two_layers, 40)))
        (case,) = encoded(two_layers, 1)
        elsewhere = Encoded(case.ids, tuple(at - 1 for at in case.positions))
        # What a server does is tried out with what is read first.
        engine = RewardServers.connect([url], Pooling(two_layers.adapter.readout))
        with pytest.raises(EngineError, match="does not give the numbers at token"):
            list(engine.read([elsewhere]))


def test_the_token_classifier_with_the_step_tag_pooled(token_classifier, serving, record_property):
    with serving(token_classifier, *vllm_server.pooling("STEP", tag_of(token_classifier))) as url:
        engine = RewardServers.connect([url], Pooling(token_classifier.adapter.readout))
        found = check(engine, token_classifier, encoded(token_classifier, 40))
    record_property("rewards differ from transformers by", found)


def test_two_tokens_by_generative_scoring(tmp_path, serving, record_property):
    opened = every_family.opened(tmp_path, "rlhflow", changes=BODY)
    with serving(opened, *vllm_server.GENERATE) as url:
        engine = RewardServers.connect([url], GenerativeScoring(opened.adapter.readout))
        record_property("rewards differ from transformers by", check(engine, opened, encoded(opened, 40)))
        cases = encoded(opened, 5)
        assert [len(found) for found in tiny_families.rewards(engine, cases)] == [one.n_positions for one in cases]
