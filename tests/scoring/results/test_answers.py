import pytest

from scoring.reading.fields import Fields
from scoring.results.answers import boxed, message_text, message_texts, model_output, voted, written


def test_an_answer_and_what_it_votes_with():
    assert boxed("so \\boxed{0} or \\boxed{ 2 }") == {
        "answer": "so \\boxed{0} or \\boxed{ 2 }",
        "ballot": "2",
        "verdict": 2,
        "reason": None,
    }


@pytest.mark.parametrize(
    ("ballot", "base", "verdict"),
    [
        *(("0", 0, 0), ("-1", 0, -1), ("-2", 0, -2), ("-9", 0, -2), ("+3", 0, 3)),
        *(("1", 1, 0), ("-1", 1, -1), ("0", 1, -2), ("-2", 1, -2)),
    ],
)
def test_verdicts_are_0_based(ballot, base, verdict):
    assert voted(ballot, base) == {"ballot": ballot, "verdict": verdict, "reason": None}


@pytest.mark.parametrize(
    ("ballot", "reason"),
    [
        (None, "the answer has no \\boxed{...}"),
        ("", "the box is empty"),
        ("two", "the box holds no whole number: two"),
        ("2.0", "the box holds no whole number: 2.0"),
        ("x" * 41, f"the box holds no whole number: {'x' * 40}…"),
    ],
)
def test_what_is_no_verdict_has_a_reason(ballot, reason):
    assert voted(ballot, 1) == {"ballot": ballot, "verdict": None, "reason": reason}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        *((5, "5"), (-1, "-1"), (2.0, "2"), ("words", "words"), ("", "")),
        *((2.5, None), (float("nan"), None), (1e300, None), (10**18, None), (True, None), (None, None), ([1], None)),
    ],
)
def test_what_is_written(value, text):
    assert written(value) == text


def output(**value):
    findings = []
    return model_output(Fields(value, "a.jsonl", 1, 1, findings)), [finding.code for finding in findings]


def said(content, **changes):
    return [{"message": {"role": "assistant", "content": content}, "stop_reason": "stop", **changes}]


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"content": "words"}, "words"),
        ({"content": ""}, ""),
        ({"content": [{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}]}, "a\nb"),
        ({"content": [{"type": "text", "text": 5}, 5, {"type": "reasoning", "reasoning": "r"}]}, None),
        ({"content": 5}, None),
        ({}, None),
        ("words", None),
    ],
)
def test_the_text_of_a_message(message, text):
    assert message_text(message) == text
    assert message_texts([message]) == ([] if text is None else [text])


def test_messages_that_are_no_list():
    assert message_texts(None) == message_texts("words") == []


def test_an_attachment_stands_for_its_text():
    message = {"content": "attachment://abc"}
    assert message_text(message, {"abc": "long words"}) == "long words"
    assert message_text(message, {"abc": 5}) == message_text(message) == "attachment://abc"


def test_an_output():
    found, codes = output(choices=said("words"), usage={"input_tokens": 3, "output_tokens": 2})
    assert found == {
        "answer": "words",
        "reasoning": None,
        "finish_reason": "stop",
        "tokens_in": 3,
        "tokens_out": 2,
        "reason": None,
    }
    assert not codes


@pytest.mark.parametrize("tokens", [-1, 2**63, 1.5, True, "3", None])
def test_tokens_that_are_no_number(tokens):
    assert output(choices=said("words"), usage={"input_tokens": tokens})[0]["tokens_in"] is None


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ({}, "the model gave no text"),
        ({"choices": [], "error": "filtered"}, "filtered"),
        ({"choices": said(None)}, "the model gave no text"),
        ({"choices": [5]}, "the model gave no text"),
        ({"choices": "words"}, "the model gave no text"),
    ],
)
def test_no_answer_is_a_reason(value, reason):
    found, _ = output(**value)
    assert (found["answer"], found["reason"]) == (None, reason)


def test_an_empty_answer_is_an_answer():
    found, _ = output(choices=said(""))
    assert (found["answer"], found["reason"]) == ("", None)


def test_reasoning_without_a_text_is_an_empty_answer_that_came():
    thoughts = [{"type": "reasoning", "reasoning": "hm"}]
    found, codes = output(choices=said(thoughts, stop_reason="max_tokens"), completion=None)
    assert (found["answer"], found["reasoning"], found["reason"]) == ("", "hm", None)
    assert not codes
    # What failed did not come.
    found, _ = output(choices=said(thoughts), error="filtered")
    assert (found["answer"], found["reason"]) == (None, "filtered")


def test_half_a_character_is_replaced_and_said():
    content = [{"type": "text", "text": "a\ud800"}, {"type": "reasoning", "reasoning": "b\ud800"}]
    found, codes = output(choices=said(content), error="c\ud800")
    assert (found["answer"], found["reasoning"]) == ("a\ufffd", "b\ufffd")
    assert codes == ["lone-surrogate"] * 3
    found, _ = output(choices=[], completion="d\ud800")
    assert found["answer"] == "d\ufffd"


@pytest.mark.parametrize("value", [{"usage": 5}, {"error": 5}, {"choices": said("words", stop_reason=5)}])
def test_what_has_another_type_is_said(value):
    assert output(**value)[1] == ["wrong-type"]
