import json

import pytest

from scoring.engines.server.address import Key
from scoring.engines.server.faults import Refusal


def refusal(told):
    Key("hunter2", ["V"])
    return Refusal.read(told if isinstance(told, bytes) else json.dumps(told).encode())


@pytest.mark.parametrize(
    "told",
    [
        {"error": {"message": "no hunter2", "param": "n", "code": "c", "type": "t"}},
        {"error": "no hunter2"},
        {"object": "error", "message": "no hunter2", "code": 400},
        {"detail": "no hunter2"},
        b"no hunter2",
        b'{"error": {"message": "no hunter2\\u001b[31m',
    ],
)
def test_the_words_are_found_wherever_they_stand_and_the_key_is_hidden(told):
    message = refusal(told).message
    assert "no ***" in message
    assert "hunter2" not in message
    assert message.isprintable()


@pytest.mark.parametrize(
    "told",
    [
        b"",
        b"null",
        b"[[]]",
        b'{"error": null}',
        b'{"detail": [1]}',
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"error": {"message": %s}}' % (b"9" * 4299),
        b'{"error": {"message": "\\ud800", "code": 1e999}}',
        *(b"[" * depth + b"]" * depth for depth in range(800, 1001, 1)),
    ],
    ids=lambda told: f"{told[:20]} {len(told)}",
)
def test_any_body_can_be_read(told):
    assert isinstance(refusal(told).message, str)


@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 256 tokens. However, your prompt contains 300 input tokens",
        "'max_tokens' or 'max_completion_tokens' is too large: 32768. This model's maximum context length is 4096",
        "the request exceeds the available context size, try increasing it",
        "prompt is too long: 208310 tokens > 200000 maximum",
        "The input (9000 tokens) is longer than the model's length",
        "The input token count (2000000) exceeds the maximum number of tokens allowed (1048575)",
        "`inputs` tokens + `max_new_tokens` must be <= 4097",
    ],
)
def test_that_a_prompt_is_too_long_is_understood(message):
    assert refusal({"error": {"message": message}}).too_long


def test_that_a_prompt_is_too_long_is_understood_by_its_code():
    assert refusal({"error": {"message": "no", "code": "context_length_exceeded"}}).too_long
    assert not refusal({"error": {"message": "no", "code": "invalid_value"}}).too_long


def test_the_refused_parameter_is_the_one_that_is_named():
    told = refusal({"detail": [{"loc": ["body", "n"], "msg": "must be 1", "type": "value_error"}]})
    assert told.names("n")
    assert not told.names("seed")
    assert refusal({"error": {"message": "'n' must be at most 1"}}).names("n")
    assert not refusal({"error": {"message": "no such thing"}}).names("n")
    assert not refusal({"error": {"message": "max_tokens is bad", "param": "stop"}}).names("max_tokens")


def test_a_long_text_is_cut():
    assert len(refusal({"error": "x" * 10_000}).message) == 240
