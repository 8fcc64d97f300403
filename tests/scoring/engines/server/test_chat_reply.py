import contextlib
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.engines.server.chat_requests import read_chat
from scoring.engines.server.faults import Fault
from scoring.models.asking import TokenLogprobs

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
        {"content": [{"token": "2", "logprob": math.nan}]},
        {"content": [{"token": "2", "logprob": -1, "top_logprobs": [{"token": "3", "logprob": math.inf}]}]},
    ],
)
def test_log_probabilities_that_cannot_be_read_are_none(told):
    assert one({"content": "2"}, logprobs=told).logprobs is None


def test_the_log_probability_of_a_token_that_cannot_come_is_a_finite_number():
    assert (
        one({"content": "2"}, logprobs={"content": [{"token": "2", "logprob": -math.inf}]}).logprobs[0].logprob == -9999
    )


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (rb'{"choices": [{"message": {"content": "a \ud83d b"}}]}', "a \ufffd b"),
        (rb'{"choices": [{"message": {"content": "a \\ud83d b"}}]}', r"a \ud83d b"),
        (rb'{"choices": [{"message": {"content": "a \ud83d\ude00 b"}}]}', "a \N{GRINNING FACE} b"),
        (b'{"choices": [{"message": {"content": "a \xff b"}}]}', "a \ufffd b"),
        (b'{"choices": [{"message": {"content": "a\n\tb"}}]}', "a\n\tb"),
        (b'\xef\xbb\xbf{"choices": [{"message": {"content": "a"}}]}', "a"),
        (b'{"choices": [{"message": {"content": "a"}}], "x": [1e999, -1e999, NaN, %s]}' % (b"9" * 5000), "a"),
    ],
)
def test_what_a_strict_parser_refuses_costs_no_answer(body, text):
    reply = read_chat(body)
    assert reply.choices[0].text == text
    assert ("text" in reply.flaws) == ("\ufffd" in text)


@pytest.mark.parametrize("field", ["content", "reasoning_content", "finish_reason"])
def test_half_a_character_is_replaced_wherever_it_is(field):
    told = {"message": {"content": "2"}, "finish_reason": "stop"}
    (told if field == "finish_reason" else told["message"])[field] = "\ud800"
    choice = read_chat(json.dumps({"choices": [told]}).encode()).choices[0]
    assert "\ufffd" in {choice.text, choice.reasoning, choice.finish_reason}


@pytest.mark.parametrize(("finish", "wanted"), [(7, None), (["stop"], None), ("x" * 100_000, "x" * 240)])
def test_a_finish_reason_that_cannot_be_used_costs_no_answer(finish, wanted):
    reply = read_chat(json.dumps({"choices": [{"message": {"content": "2"}, "finish_reason": finish}]}).encode())
    assert (reply.choices[0].text, reply.choices[0].finish_reason) == ("2", wanted)
    assert ("finish_reason" in reply.flaws) == (wanted is None)


@pytest.mark.parametrize(
    ("usage", "wanted"),
    [
        ({"prompt_tokens": 3, "completion_tokens": 4}, (3, 4)),
        ({"prompt_tokens": -1, "completion_tokens": "4"}, (None, None)),
        ({"prompt_tokens": True}, (None, None)),
        ({"prompt_tokens": 2**40, "completion_tokens": 2**40 + 1}, (2**40, None)),
        ({"prompt_tokens": 2**63, "completion_tokens": 0}, (None, 0)),
        ({"prompt_tokens": 10**400, "completion_tokens": 1.5}, (None, None)),
        ({"prompt_tokens": math.nan, "completion_tokens": math.inf}, (None, None)),
        ([3, 4], (None, None)),
        (None, (None, None)),
    ],
)
def test_tokens_are_counts_or_not_told(usage, wanted):
    reply = read_chat(json.dumps({"choices": [{"message": {"content": "2"}}], "usage": usage}).encode())
    assert (reply.tokens_in, reply.tokens_out) == wanted
    assert ("usage" in reply.flaws) == (bool(usage) and wanted != (3, 4))
    assert reply.choices[0].text == "2"


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
    body = json.dumps({"choices": [told, {"message": told, "logprobs": told}], "usage": told}).encode()
    reply = None
    with contextlib.suppress(Fault):
        reply = read_chat(body)
    assert reply is None or all(isinstance(choice.text, str) for choice in reply.choices)
