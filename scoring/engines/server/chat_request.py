"""The body of a chat request."""

from typing import Any

from scoring.asking import Prompt, Sampling
from scoring.engines.server.dialect import Dialect

_AS_THEY_ARE = ("temperature", "top_p", "top_k")


def chat_request(
    model: str, prompt: Prompt, sampling: Sampling, dialect: Dialect, *, count: int, seed: int | None, vllm: bool
) -> dict[str, Any]:
    """A body for `/v1/chat/completions` that asks for `count` answers, or for one where only one is to be had a call.

    What the sampling leaves open is not sent. A last message of the assistant's is written on, by vLLM's
    `continue_final_message`. Thinking is switched by the chat template's `enable_thinking`. A budget
    is `thinking_token_budget` for vLLM and the `thinking` object elsewhere, as GR-Ben (`run_llm_eval.py`) sends it.
    """
    body: dict[str, Any] = {
        "model": model,
        "messages": [{"role": message.role, "content": message.text} for message in prompt],
    }
    if count > 1 and dialect.several:
        body["n"] = count
    if seed is not None and dialect.seeds:
        body["seed"] = seed
    body |= {name: value for name in _AS_THEY_ARE if (value := getattr(sampling, name)) is not None}
    if sampling.max_tokens is not None:
        body[dialect.length] = sampling.max_tokens
    if sampling.stop:
        body["stop"] = list(sampling.stop)
    if sampling.logprobs is not None and dialect.logprobs:
        body |= {"logprobs": True, "top_logprobs": sampling.logprobs}
    if continues(prompt):
        body |= {"add_generation_prompt": False, "continue_final_message": True}
    return body | _thinking(sampling, vllm=vllm)


def continues(prompt: Prompt) -> bool:
    """Whether the answer is to go on where the prompt's last message ends."""
    return bool(prompt) and prompt[-1].role == "assistant"


def _thinking(sampling: Sampling, *, vllm: bool) -> dict[str, Any]:
    body: dict[str, Any] = {}
    if sampling.effort is not None:
        body["reasoning_effort"] = sampling.effort
    if sampling.thinking is not None and (vllm or sampling.thinking_budget is None):
        body["chat_template_kwargs"] = {"enable_thinking": sampling.thinking}
    if sampling.thinking_budget is not None:
        on = sampling.thinking is not False
        if vllm:
            body |= {"thinking_token_budget": sampling.thinking_budget} if on else {}
        else:
            budget = {"type": "enabled", "budget_tokens": sampling.thinking_budget}
            body["thinking"] = budget if on else {"type": "disabled"}
    return body
