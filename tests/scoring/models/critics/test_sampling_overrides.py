import pytest

from scoring.data.errors import UsageError
from scoring.models.asking import Sampling
from scoring.models.critics.sampling import ChosenSampling, overridden

GREEDY = ChosenSampling(Sampling(temperature=0.0, max_tokens=8192), "the protocol", 42)


def test_nothing_given_changes_nothing():
    assert overridden(GREEDY, {}) is GREEDY


def test_what_is_given_counts_and_is_told():
    changed = overridden(GREEDY, {"temperature": 0.5, "top_k": 20, "seed": 7, "max_tokens": None})
    assert changed.sampling == Sampling(temperature=0.5, top_k=20)
    assert changed.seed == 7
    assert changed.source == "the protocol; as given: temperature 0.5, top_k 20, seed 7, max_tokens not sent"


def test_thinking():
    changed = overridden(GREEDY, {"effort": "high", "thinking": True, "thinking_budget": 4096, "logprobs": 5})
    assert changed.sampling == Sampling(0.0, None, None, 8192, "high", True, 4096, 5)
    assert changed.seed == 42
    assert overridden(GREEDY, {"seed": None}).seed is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("temperature", -0.1),
        ("temperature", 2.1),
        ("temperature", float("nan")),
        ("temperature", True),
        ("temperature", "1"),
        ("top_p", 0),
        ("top_p", 1.1),
        ("top_p", float("inf")),
        ("top_k", 0),
        ("top_k", 1.5),
        ("max_tokens", 0),
        ("max_tokens", True),
        ("effort", ""),
        ("effort", "very high"),
        ("effort", 3),
        ("thinking", 1),
        ("thinking_budget", 0),
        ("logprobs", -1),
        ("seed", -1),
        ("seed", 2**31),
        ("nucleus", 1),
    ],
)
def test_what_cannot_be_sent(name, value):
    with pytest.raises(UsageError):
        overridden(GREEDY, {name: value})


def test_several_greedy_answers_are_one():
    with pytest.raises(UsageError, match="8 answers a case"):
        overridden(GREEDY, {}, answers=8)
    with pytest.raises(UsageError, match="greedy"):
        overridden(GREEDY, {"temperature": 1.0, "top_k": 1}, answers=3)
    assert overridden(GREEDY, {"temperature": 1.0}, answers=8).sampling.temperature == 1.0


def test_a_budget_leaves_room_for_the_answer():
    with pytest.raises(UsageError, match="leaves none of 8,192"):
        overridden(GREEDY, {"thinking_budget": 8192})
    with pytest.raises(UsageError, match="switched off"):
        overridden(GREEDY, {"thinking_budget": 1024, "thinking": False})
    assert overridden(GREEDY, {"thinking_budget": 8191}).sampling.thinking_budget == 8191
