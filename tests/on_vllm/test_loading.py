"""What vLLM loads, one model after another: in one process they share a state that ends with the first one closed."""

import json
import shutil

import pytest

pytest.importorskip("torch")

import every_family  # needs torch
import tiny_chat  # needs torch
import tiny_families  # needs torch
from scoring.asking import Answered, Ask, Message, Noticed, Sampling  # stands with the ones around it
from scoring.checkpoint import Checkpoint  # stands with the ones around it
from scoring.engines.vllm_generate import VllmGenerate  # stands with the ones around it
from scoring.errors import EngineError  # stands with the ones around it
from scoring.opened import OpenedPrm  # stands with the ones around it
from scoring.prms.catalogue import adapter_of  # stands with the ones around it
from scoring.readout import Refused  # stands with the ones around it
from thoroughness import also  # stands with the ones around it
from vllm_rewards import TOLERANCE, check, encoded, loaded  # needs torch

pytestmark = pytest.mark.vllm

# One head of 32: vLLM's attention on a CPU takes no smaller ones.
BODY = {"num_attention_heads": 1}
# One of every head; the others of a list have the same one.
TWO_LAYERS = [("qwen", {})]
LINEAR = [("token_classifier", {}), *also(("pure", {}), ("scan", {}), ("minos", {}), ("universal", {}))]
TWO_TOKENS = [("versa", {"tie_word_embeddings": True}), ("rlhflow", {}), *also(("math_shepherd", {}), ("versa", {}))]


@pytest.mark.parametrize(("family", "changes"), [*TWO_LAYERS, *LINEAR, *TWO_TOKENS])
def test_every_family_that_vllm_has_a_head_for(family, changes, tmp_path):
    opened = every_family.opened(tmp_path, family, changes={**BODY, **changes})
    engine = loaded(opened)
    try:
        check(engine, opened, encoded(opened))
    finally:
        engine.close()


@pytest.mark.parametrize("family", ["skywork", "llemma", "reasoneval"])
def test_the_others_are_refused_before_anything_is_loaded(family, tmp_path):
    with pytest.raises(EngineError, match="Use the transformers engine"):
        loaded(every_family.opened(tmp_path, family, changes=BODY))


def test_a_config_that_names_code_of_its_own_runs_none_and_one_case_that_is_too_long_stops_no_other(
    prm_folder, tmp_path
):
    folder = shutil.copytree(prm_folder, tmp_path / "prm")
    config = json.loads((folder / "config.json").read_text())
    config |= {"auto_map": {"AutoModel": "evil.Model"}, "architectures": ["EvilForPrm"]}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()\nclass Model: pass\n")
    checkpoint = Checkpoint.open(folder)
    opened = OpenedPrm(checkpoint, adapter_of(checkpoint), "float32", "cpu")
    short, long = opened.encoder("p?", ["a."]), opened.encoder("p?", ["a."] * 100)
    longest = len(short.ids)
    engine = loaded(opened, max_length=longest)
    try:
        answers = [answer for batch in engine.read([long, short]) for answer in batch.answers]
    finally:
        engine.close()
    reason = f"{len(long.ids):,} tokens are more than the {longest} that vLLM has memory for"
    assert answers[0].rewards == Refused(reason)
    assert answers[1].rewards == pytest.approx(tiny_families.rewards(opened.engine(), [short])[0], abs=TOLERANCE)
    assert not (tmp_path / "ran").exists()


def test_what_the_model_itself_sets_is_told_once(tmp_path):
    ask = Ask(0, (Message("user", "1 + 1?"),))
    folder = tiny_chat.write(tmp_path / "own", generation={"do_sample": True, "temperature": 0.5, "top_k": 7})
    engine = VllmGenerate.load(
        Checkpoint.open(folder), Sampling(temperature=1.0, max_tokens=4), dtype="float32", seats=2, max_length=128
    )
    try:
        first = [one for one in engine.answers(iter([ask])) if isinstance(one, Noticed)]
        again = [one for one in engine.answers(iter([ask])) if isinstance(one, Noticed)]
    finally:
        engine.close()
    assert [one.sentence for one in first] == [
        "vLLM runs own with 128 tokens of context; the model takes 1,024.",
        "What the settings leave open is the model's own default: top_k 7.",
    ]
    assert again == []


def test_long_prompts_with_seeds_side_by_side(tmp_path):
    """Together they are longer than one pass: cut into pieces, on a CPU, they would end the engine."""
    folder = tiny_chat.write(tmp_path / "long", max_position_embeddings=8192)
    engine = VllmGenerate.load(Checkpoint.open(folder), Sampling(max_tokens=2), dtype="float32", seats=8)
    asks = (Ask(index, (Message("user", f"{index} " * 1500),), 2, seed=index) for index in range(8))
    try:
        found = [answer for one in engine.answers(asks) if isinstance(one, Answered) for answer in one.answers]
    finally:
        engine.close()
    assert len(found) == 16
    assert all(answer.reason is None for answer in found)
