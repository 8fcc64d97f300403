"""Mentions of steps: which words name one, and which only look so."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.state.step_mentions import mentions


def found(text):
    return [(text[one.start : one.end], one.number) for one in mentions(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("In paragraph 3 the sum", [("paragraph 3", 3)]),
        ("Step 12: wrong", [("Step 12", 12)]),
        ("**Step #4**.", [("Step #4", 4)]),
        ("<paragraph_0> and </paragraph_0>", [("paragraph_0", 0), ("paragraph_0", 0)]),
        ("paragraph (2) is", [("paragraph (2", 2)]),
        ("paragraphs 2, 4 and 5", [("paragraphs 2", 2), ("4", 4), ("5", 5)]),
        ("Steps 1-3 hold", [("Steps 1", 1), ("3", 3)]),
        ("paragraphs 1 through 3", [("paragraphs 1", 1), ("3", 3)]),
        # One step and then numbers of something else.
        ("In step 2, 4 and 5 are added", [("step 2", 2)]),
        ("Steps 1 and 2 + 3", [("Steps 1", 1)]),
        ("第3步是错误的", [("第3步", 3)]),
        ("第 12 个步骤", [("第 12 个步骤", 12)]),
        ("第十二步和第二十步", [("第十二步", 12), ("第二十步", 20)]),
        ("第一百零三段", [("第一百零三段", 103)]),
        ("步骤３、段落 二", [("步骤３", 3), ("段落 二", 2)]),
        ("step 3.5 and step 3.", [("step 3", 3)]),
        ("step 50% of the way", []),
        ("step -1, footstep 3, instep 4", []),
        ("the last step, 3 of them, paragraph", []),
        ("", []),
    ],
)
def test_what_is_a_mention(text, expected):
    assert found(text) == expected


def test_a_number_too_long_to_be_one_is_none():
    assert found("step " + "9" * 5000) == []


@given(st.text(alphabet="step paragrh_#(0123456789第步骤一二十、,and-\n", max_size=200))
def test_mentions_are_in_order_and_apart(text):
    last = 0
    for one in mentions(text):
        assert last <= one.start < one.end <= len(text)
        assert one.number >= 0
        last = one.end
