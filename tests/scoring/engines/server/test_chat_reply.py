import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.asking import TokenLogprobs
from scoring.engines.server.chat import read_chat
from scoring.engines.server.faults import Fault

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["choices", "message", "content", "text", "logprobs", "token", "usage", "index", "thinking"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


def one(message, **more):
    told = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"} | more]}
    return read_chat(json.dumps(told).encode()).choices[0]


@pytest.mark.parametrize(
    ("message", "text", "reasoning"),
    [
        ({"content": " 2\n"}, " 2\n", None),
        ({"content": None}, "", None),
        ({}, "", None),
        ({"content": ""}, "", None),
        ({"content": " \n"}, " \n", None),
        ({"content": "2", "reasoning_content": "hm"}, "2", "hm"),
        ({"content": None, "reasoning": "hm"}, "", "hm"),
        ({"content": [{"type": "thinking", "thinking": "hm"}]}, "", "hm"),
        ({"content": "2", "reasoning_content": "", "reasoning": "hm"}, "2", "hm"),
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "ab", None),
        ({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, "2"]}, "2", "hm"),
        ({"content": [{"type": "image"}]}, "", None),
        ({"content": 3}, "", None),
        ({"content": None, "refusal": "I will not."}, "I will not.", None),
    ],
)
def test_what_was_said_and_what_was_thought(message, text, reasoning):
    choice = one(message)
    assert (choice.text, choice.reasoning) == (text, reasoning)


def test_the_finish_reason_is_kept():
    assert one({"content": "2"}, finish_reason="length").finish_reason == "length"
    assert one({"content": "2"}, finish_reason=None).finish_reason is None


def test_choices_come_in_their_own_order():
    told = {"choices": [{"index": i, "message": {"content": str(i)}} for i in (2, 0, 1)]}
    assert [choice.text for choice in read_chat(json.dumps(told).encode()).choices] == ["0", "1", "2"]


def test_log_probabilities_of_every_token_and_its_rivals():
    content = [{"token": "2", "logprob": -0.5, "top_logprobs": [{"token": "3", "logprob": -9999}]}]
    assert one({"content": "2"}, logprobs={"content": content}).logprobs == (
        TokenLogprobs("2", -0.5, (("3", -9999.0),)),
    )


@pytest.mark.parametrize(
    "told",
    [
        None,
        {},
        {"content": None},
        {"content": [{"token": 1, "logprob": 0}]},
        {"content": [7]},
        {"content": [{"token": "2", "logprob": 10**400}]},
    ],
)
def test_log_probabilities_that_cannot_be_read_are_none(told):
    assert one({"content": "2"}, logprobs=told).logprobs is None


@pytest.mark.parametrize(
    ("usage", "wanted"),
    [
        ({"prompt_tokens": 3, "completion_tokens": 4}, (3, 4)),
        ({"prompt_tokens": -1, "completion_tokens": "4"}, (None, None)),
        ({"prompt_tokens": True}, (None, None)),
        (None, (None, None)),
    ],
)
def test_tokens_are_counts_or_not_told(usage, wanted):
    reply = read_chat(json.dumps({"choices": [{"message": {"content": "2"}}], "usage": usage}).encode())
    assert (reply.tokens_in, reply.tokens_out) == wanted


@pytest.mark.parametrize(
    ("body", "phrase"),
    [
        (b'{"choices": [{"mess', "not whole JSON"),
        (b"", "not whole JSON"),
        (b"\xff", "not whole JSON"),
        (b"[" * 100_000, "not whole JSON"),
        (b"[]", "not a chat completion"),
        (b'{"choices": []}', "without choices"),
        (b'{"error": {"message": "overloaded\\u001b[2J"}}', r"in place of an answer: overloaded \[2J$"),
    ],
)
def test_what_is_no_completion_is_a_fault_worth_another_try(body, phrase):
    with pytest.raises(Fault, match=phrase) as caught:
        read_chat(body)
    assert caught.value.again


@given(JSON)
def test_no_json_is_a_crash(told):
    with contextlib.suppress(Fault):
        read_chat(json.dumps({"choices": [told, {"message": told, "logprobs": told}], "usage": told}).encode())
