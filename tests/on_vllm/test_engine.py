"""PRMs through a real vLLM of ours: the numbers of the transformers engine, in the order of the cases."""

import json
import os
import shutil
import signal
import time

import pytest

pytest.importorskip("torch")
pytest.importorskip("httpx")

from safetensors.torch import load_file, save_file  # needs torch

import every_family  # needs torch
import tiny_families  # needs torch
from scoring.data.errors import CheckpointError, EngineError  # stands with the ones around it
from scoring.data.readout import Encoded, Refused  # stands with the ones around it
from scoring.models.checkpoint import Checkpoint  # stands with the ones around it
from scoring.models.prms.prm_catalogue import adapter_of  # stands with the ones around it
from scoring.runs.opened import LoadedPrm  # stands with the ones around it
from thoroughness import also  # stands with the ones around it
from vllm_rewards import TOLERANCE, check, encoded, in_session, loaded  # needs torch

pytestmark = pytest.mark.vllm

LONGEST = 512
# One head of 32: vLLM's attention on a CPU takes no smaller ones.
BODY = {"num_attention_heads": 1}
# One of every head; the others of a list have the same one. The two-layer head is the tiny PRM's.
LINEAR = [("token_classifier", {}), *also(("pure", {}), ("scan", {}), ("minos", {}), ("universal", {}))]
TWO_TOKENS = [("rlhflow", {}), *also(("versa", {"tie_word_embeddings": True}), ("math_shepherd", {}), ("versa", {}))]


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """The file that code of the checkpoint would write."""
    return tmp_path_factory.mktemp("evil") / "ran"


@pytest.fixture(scope="module")
def tiny(prm_folder, tmp_path_factory, ran):
    """The demo's tiny PRM with a config that names code of its own, and a vLLM of ours with it."""
    folder = shutil.copytree(prm_folder, tmp_path_factory.mktemp("tiny") / "prm")
    config = json.loads((folder / "config.json").read_text())
    config |= {"auto_map": {"AutoModel": "evil.Model"}, "architectures": ["EvilForPrm"]}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "evil.py").write_text(f"open({str(ran)!r}, 'w').close()\nclass Model: pass\n")
    checkpoint = Checkpoint.open(folder)
    opened = LoadedPrm(checkpoint, adapter_of(checkpoint), "float32", "cpu")
    engine = loaded(opened, folder.parent / "vllm.log", longest=LONGEST)
    yield engine, opened
    engine.close()


def test_the_two_layer_head_of_the_tiny_prm_and_no_code_of_its_own(tiny, ran, record_property):
    engine, opened = tiny
    record_property("rewards differ from transformers by", check(engine, opened, encoded(opened, 40)))
    assert not ran.exists()


def test_only_our_positions_are_read_where_the_tag_stands_elsewhere_too(tiny):
    engine, opened = tiny
    (case,) = encoded(opened, 1)
    tag = case.ids[case.positions[0]]
    more = Encoded((tag, *case.ids, tag), tuple(at + 1 for at in case.positions))
    assert tiny_families.rewards(engine, [more])[0] == pytest.approx(
        tiny_families.rewards(opened.engine(), [more])[0], abs=TOLERANCE
    )


def test_answers_come_in_the_order_of_the_cases_and_every_token_counts_once(tiny):
    engine, opened = tiny
    cases = sorted(encoded(opened, 30), key=lambda one: -len(one.ids))
    batches = list(engine.read(cases))
    assert [answer.index for batch in batches for answer in batch.answers] == list(range(len(cases)))
    assert sum(batch.tokens for batch in batches) == sum(one.n_tokens for one in cases)
    assert {batch.padding for batch in batches} == {0}


def test_a_case_that_is_too_long_is_refused_and_stops_no_other(tiny):
    engine, opened = tiny
    short, long = opened.encoder("p?", ["a."]), opened.encoder("p?", ["a."] * LONGEST)
    answers = [answer for batch in engine.read([long, short]) for answer in batch.answers]
    assert answers[0].rewards == Refused(f"{len(long.ids):,} tokens are more than the server's {LONGEST}")
    assert answers[0].rewards.over_length
    assert answers[1].rewards == pytest.approx(tiny_families.rewards(opened.engine(), [short])[0], abs=TOLERANCE)


def test_left_early_it_reads_again_as_if_nothing_had_been(tiny):
    engine, opened = tiny
    cases = encoded(opened, 20)
    whole = tiny_families.rewards(engine, cases)
    reading = engine.read(cases)
    next(reading)
    reading.close()
    for one, other in zip(tiny_families.rewards(engine, cases), whole, strict=True):
        assert one == pytest.approx(other, abs=1e-6)


def test_the_name_says_what_ran(tiny):
    assert tiny[0].name.startswith("vllm 0.")
    assert tiny[0].name.endswith(", cpu, float32")


@pytest.mark.parametrize(("family", "changes"), [*LINEAR, *TWO_TOKENS])
def test_every_family_that_vllm_has_a_head_for(family, changes, tmp_path, record_property):
    opened = every_family.opened(tmp_path, family, changes={**BODY, **changes})
    engine = loaded(opened, tmp_path / "vllm.log")
    try:
        record_property("rewards differ from transformers by", check(engine, opened, encoded(opened)))
    finally:
        engine.close()


@pytest.mark.parametrize("family", ["skywork", "llemma", "reasoneval"])
def test_the_others_are_refused_before_anything_is_loaded(family, tmp_path):
    with pytest.raises(EngineError, match="Use the transformers engine"):
        loaded(every_family.opened(tmp_path, family, changes=BODY), tmp_path / "vllm.log")
    assert not (tmp_path / "vllm.log").exists()


def test_weights_that_are_not_finite_are_told_as_with_transformers(prm_folder, tmp_path):
    folder = shutil.copytree(prm_folder, tmp_path / "prm")
    tensors = load_file(folder / "model.safetensors")
    tensors["score.2.weight"][1, 0] = float("nan")
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    checkpoint = Checkpoint.open(folder)
    opened = LoadedPrm(checkpoint, adapter_of(checkpoint), "float32", "cpu")
    engine = loaded(opened, tmp_path / "vllm.log", longest=LONGEST)
    try:
        with pytest.raises(CheckpointError, match=r"score\.2\.weight .* not finite"):
            list(engine.read(encoded(opened, 3)))
    finally:
        engine.close()


def test_killed_alone_it_leaves_no_engine_behind_and_is_told(tiny):
    """The last of this module: nothing runs after it."""
    engine, opened = tiny
    started = in_session(engine.child._process.pid)
    assert any("EngineCore" in words for words in started.values())
    os.kill(engine.child._process.pid, signal.SIGKILL)
    with pytest.raises(EngineError, match=r"vLLM ended while it ran \(signal 9\)"):
        list(engine.read(encoded(opened, 5)))
    end = time.monotonic() + 30
    while in_session(engine.child._process.pid) and time.monotonic() < end:
        time.sleep(0.2)
    assert in_session(engine.child._process.pid) == {}
