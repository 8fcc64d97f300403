"""The two servers that other tests ask are there, and say what the engines in this process say."""

import pytest

pytest.importorskip("torch")
httpx = pytest.importorskip("httpx")

import tiny_families  # noqa: E402  # needs torch
from scoring.models.checkpoint import Checkpoint  # noqa: E402  # stands with the one above
from scoring.models.prms.prm_catalogue import adapter_of  # noqa: E402  # stands with the one above
from scoring.runs.opened import LoadedPrm  # noqa: E402  # stands with the one above
from vllm_rewards import TOLERANCE  # noqa: E402  # needs torch

pytestmark = pytest.mark.vllm


def posted(url, content):
    return httpx.post(url, json=content, timeout=120).raise_for_status().json()


def model_of(url):
    return httpx.get(f"{url}/v1/models", timeout=60).json()["data"][0]["id"]


def test_the_generate_server_gives_three_answers(generate_server):
    question = {"model": model_of(generate_server), "messages": [{"role": "user", "content": "1 + 1?"}]}
    reply = posted(f"{generate_server}/v1/chat/completions", {**question, "n": 3, "seed": 1, "max_tokens": 12})
    assert len({choice["message"]["content"] for choice in reply["choices"]}) == 3


def test_the_pooling_server_gives_the_rewards_of_the_transformers_engine(pooling_server, prm_folder):
    checkpoint = Checkpoint.open(prm_folder)
    opened = LoadedPrm(checkpoint, adapter_of(checkpoint), "float32", "cpu")
    cases = [opened.encoder(problem, steps) for problem, steps in tiny_families.work(6)]
    asked = {"model": model_of(pooling_server), "input": [list(one.ids) for one in cases], "use_activation": True}
    rows = [row["data"] for row in posted(f"{pooling_server}/pooling", asked)["data"]]
    found = [tuple(given[at][1] for at in one.positions) for given, one in zip(rows, cases, strict=True)]
    for one, other in zip(found, tiny_families.rewards(opened.engine(), cases), strict=True):
        assert one == pytest.approx(other, abs=TOLERANCE)
