import pytest

from scoring.data.errors import UsageError
from scoring.models.asking import Sampling
from scoring.models.critics.sampling import MODES, sampling_for


@pytest.mark.parametrize(
    ("model", "votes", "sampling"),
    [
        ("Qwen/Qwen2.5-7B-Instruct", 1, Sampling(temperature=0.0, max_tokens=8192)),
        ("Qwen/Qwen2.5-7B-Instruct", 8, Sampling(temperature=1.0, top_p=0.9, max_tokens=8192)),
        ("Qwen/Qwen2.5-Math-7B-Instruct", 1, Sampling(temperature=0.0, max_tokens=8192)),
        ("/models/Qwen2.5-Math-72B-Instruct", 8, Sampling(temperature=0.7, top_p=0.8, top_k=20, max_tokens=8192)),
        ("Qwen/QwQ-32B-Preview", 1, Sampling(temperature=0.0, max_tokens=32768)),
        ("Qwen/QwQ-32B-Preview", 8, Sampling(temperature=1.0, top_p=0.9, max_tokens=32768)),
        ("deepseek-ai/DeepSeek-R1-Distill-Qwen-7B", 8, Sampling(0.7, top_p=0.8, top_k=20, max_tokens=32768)),
        ("Qwen/Qwen3-8B", 8, Sampling(temperature=0.7, top_p=0.8, top_k=20, max_tokens=32768)),
        # The fork changes voting alone.
        ("Qwen/Qwen3-8B", 1, Sampling(temperature=0.0, max_tokens=8192)),
        ("gpt-4o-2024-11-20", 1, Sampling(temperature=0.0, max_tokens=8192)),
        ("o1-mini", 1, Sampling(max_tokens=8192)),
        ("openai/gpt-5.2", 8, Sampling(max_tokens=8192)),
    ],
)
def test_processbench(model, votes, sampling):
    chosen = sampling_for("processbench", model, votes)
    assert chosen.sampling == sampling
    assert chosen.seed == 42


def test_what_is_of_a_fork_says_so():
    assert "fork" in sampling_for("processbench", "Qwen/Qwen3-8B", 8).source
    assert "fork" not in sampling_for("processbench", "Qwen/Qwen3-8B").source
    assert "fork" not in sampling_for("processbench", "Qwen/Qwen2.5-7B-Instruct", 8).source


@pytest.mark.parametrize(
    ("model", "mode", "sampling"),
    [
        ("m", None, Sampling(temperature=0.6, max_tokens=32768)),
        ("m", "fast:reasoning_effort", Sampling(max_tokens=32768, effort="none")),
        ("m", "slow:reasoning_effort", Sampling(max_tokens=32768, effort="high")),
        ("m", "fast:enable_thinking", Sampling(temperature=0.6, max_tokens=32768)),
        ("m", "slow:enable_thinking", Sampling(temperature=0.6, max_tokens=32768, thinking=True)),
        ("m", "fast:budget_tokens", Sampling(temperature=0.6, max_tokens=32768, thinking=False)),
        ("m", "slow:budget_tokens", Sampling(0.6, max_tokens=32768, thinking=True, thinking_budget=8192)),
        ("m", "fast:none", Sampling(temperature=0.6, max_tokens=32768)),
        ("m", "slow:none", Sampling(temperature=0.6, max_tokens=32768)),
        # The way is the model's own where its name shows one.
        ("gpt-5.2-2025-12-11", None, Sampling(max_tokens=32768, effort="none")),
        ("openai/gpt-5.2", "slow", Sampling(max_tokens=32768, effort="high")),
        ("deepseek-v3.2", "slow", Sampling(temperature=0.6, max_tokens=32768, thinking=True)),
        ("claude-sonnet-4", "slow", Sampling(0.6, max_tokens=32768, thinking=True, thinking_budget=8192)),
    ],
)
def test_grben(model, mode, sampling):
    chosen = sampling_for("grben", model, 3, mode)
    assert chosen.sampling == sampling
    assert chosen.seed is None


def test_slow_is_never_the_same_as_fast_in_silence():
    with pytest.raises(UsageError, match=r"how m is told to think is not known.*slow:reasoning_effort"):
        sampling_for("grben", "m", 1, "slow")
    assert sampling_for("grben", "m", 1, "fast").sampling == Sampling(temperature=0.6, max_tokens=32768)


@pytest.mark.parametrize(
    ("model", "mode", "sampling"),
    [
        ("gpt-4o", None, Sampling(temperature=0.0)),
        ("o1-mini", None, Sampling(temperature=1.0)),
        ("o1-preview-2024-09-12", None, Sampling(temperature=1.0)),
        ("o3-mini", None, Sampling()),
        ("gemini-2.0-flash", None, Sampling(temperature=0.0, top_p=1.0, top_k=1, max_tokens=8192)),
        ("Qwen/QwQ-32B-Preview", None, Sampling(temperature=0.0, top_p=1.0, max_tokens=2048)),
        ("Qwen/QwQ-32B-Preview", "transformers", Sampling(max_tokens=1024)),
        ("deepseek-chat", "openai", Sampling(temperature=0.0)),
    ],
)
def test_prmbench(model, mode, sampling):
    assert sampling_for("prmbench", model, 1, mode).sampling == sampling


def test_socratic_says_that_nothing_is_published():
    chosen = sampling_for("socratic", "Qwen/QwQ-32B")
    assert chosen.sampling == Sampling(temperature=0.0, max_tokens=32768)
    assert "not published" in chosen.source
    assert sampling_for("socratic", "o3-mini").sampling == Sampling(max_tokens=8192)


def test_every_mode_has_settings_with_a_source():
    for protocol, modes in MODES.items():
        for mode in modes or (None,):
            assert sampling_for(protocol, "deepseek-v3.2", 1, mode).source


@pytest.mark.parametrize(
    ("protocol", "mode", "words"),
    [
        ("grben", "medium", "grben has no mode 'medium'"),
        ("processbench", "slow", "processbench has no mode 'slow'"),
        ("mrmath", None, "no protocol 'mrmath'"),
    ],
)
def test_what_there_is_not(protocol, mode, words):
    with pytest.raises(UsageError, match=words):
        sampling_for(protocol, "m", 1, mode)
