import pytest

from scoring.engines.server.chat_requests import Dialect, chat_request
from scoring.models.asking import Message, Sampling

PROMPT = (Message("system", "s"), Message("user", "u"))
BARE = {"model": "m", "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]}


def body(sampling=None, dialect=None, *, count=1, seed=None, vllm=False):
    told = sampling or Sampling()
    made = chat_request("m", PROMPT, told, dialect or Dialect.first(told), count=count, seed=seed, vllm=vllm)
    return {name: value for name, value in made.items() if name not in BARE or value != BARE[name]}


def test_what_is_left_open_is_not_sent():
    assert body() == {}


def test_everything_is_sent_literally():
    told = Sampling(temperature=0.0, top_p=0.8, top_k=20, max_tokens=9, stop=("a", "b"), logprobs=5)
    assert body(told, count=8, seed=42) == {
        "n": 8,
        "seed": 42,
        "temperature": 0.0,
        "top_p": 0.8,
        "top_k": 20,
        "max_tokens": 9,
        "stop": ["a", "b"],
        "logprobs": True,
        "top_logprobs": 5,
    }


def test_an_effort_goes_with_the_newer_field():
    assert body(Sampling(effort="high", max_tokens=9)) == {"reasoning_effort": "high", "max_completion_tokens": 9}


@pytest.mark.parametrize(
    ("sampling", "vllm", "wanted"),
    [
        (Sampling(thinking=False), False, {"chat_template_kwargs": {"enable_thinking": False}}),
        (Sampling(thinking=True), True, {"chat_template_kwargs": {"enable_thinking": True}}),
        (Sampling(thinking_budget=8), False, {"thinking": {"type": "enabled", "budget_tokens": 8}}),
        (Sampling(thinking=False, thinking_budget=8), False, {"thinking": {"type": "disabled"}}),
        (Sampling(thinking_budget=8), True, {"thinking_token_budget": 8}),
        (Sampling(thinking=False, thinking_budget=8), True, {"chat_template_kwargs": {"enable_thinking": False}}),
    ],
)
def test_thinking_is_switched_as_the_server_takes_it(sampling, vllm, wanted):
    assert body(sampling, vllm=vllm) == wanted


def test_what_a_server_does_not_take_is_left_out():
    poor = Dialect("max_completion_tokens", several=False, logprobs=False, seeds=False)
    assert body(Sampling(max_tokens=9, logprobs=5), poor, count=8, seed=1) == {"max_completion_tokens": 9}


def test_a_message_that_is_begun_is_written_on():
    prompt = (*PROMPT, Message("assistant", "So far"))
    made = chat_request("m", prompt, Sampling(), Dialect(), count=1, seed=None, vllm=True)
    assert (made["add_generation_prompt"], made["continue_final_message"]) == (False, True)
    assert made["messages"][-1] == {"role": "assistant", "content": "So far"}
