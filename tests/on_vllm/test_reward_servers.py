"""PRMs over real vLLM servers: the numbers of the transformers engine, whichever way the server was started.

The other heads are read over the servers that `test_engine` starts.
"""

import pytest

pytest.importorskip("torch")
pytest.importorskip("httpx")

from scoring.data.errors import EngineError  # stands with the ones around it
from scoring.data.readout import Encoded  # stands with the ones around it
from scoring.engines.server.reward_endpoints import Pooling
from scoring.engines.server.rewards import RewardServers  # needs httpx
from scoring.models.checkpoint import Checkpoint  # stands with the ones around it
from scoring.models.prms.prm_catalogue import adapter_of  # stands with the ones around it
from scoring.runs.opened import LoadedPrm  # stands with the ones around it
from servers import vllm_server  # needs httpx
from vllm_rewards import check, encoded  # needs torch

pytestmark = pytest.mark.vllm


def tag_of(opened):
    """The token at which a PRM of one separator is read."""
    (tag,) = {one.ids[at] for one in encoded(opened) for at in one.positions}
    return tag


@pytest.fixture(scope="module")
def two_layers(prm_folder):
    checkpoint = Checkpoint.open(prm_folder)
    return LoadedPrm(checkpoint, adapter_of(checkpoint), "float32", "cpu")


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
