import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.formats.reading.boxed_answers import read_grben, read_processbench
from scoring.formats.reading.critic_answers import ParseNote, Reading, fault_of
from scoring.formats.reading.rated_answers import read_socratic
from scoring.models.critics.answer_parsers import READERS, read_answer, version, was_cut
from scoring.models.critics.protocols import critic_protocol
from thoroughness import THOROUGH

PIECES = (
    *('{"validity": [', '"redundancy": [', "1", "-1", "0.5", "NaN", "1e999", "null", "true", ",", "]", "}", "{", '"'),
    *(r"\boxed{", r"\boxed {", "2", "+", "٣", "_", "<think>", "</think>", "</thinking>", "//", "#", "\n", " ", "\x1b["),
)
ANSWERS = st.text(st.characters(codec=None)) | st.lists(st.sampled_from(PIECES), max_size=20).map("".join)
HOSTILE = ("{", "}", "{}", "{a}", "{\n", '{"a":', "[", "#", "//", "\\", " ", "9", "\\boxed{", "\\boxed ", "\\boxed{1}")
HOSTILE += ("\\boxed{ ", "<think>", "</think>", '"', "{#", "\\boxed{9", "-", "{{}")


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
@given(text=ANSWERS, n_steps=st.integers(0, 4), reasoning=st.none() | ANSWERS, thinking=st.booleans())
def test_nothing_escapes_and_nothing_is_silent(read, text, n_steps, reasoning, thinking):
    for reason in ("stop", "length", None):
        found = read_answer(read, text, n_steps, reasoning=reasoning, finish_reason=reason, thinking=thinking)
        assert (found.verdict is not None or found.rewards is not None) or found.reason
        assert found.reason is None or (fault_of(found.reason) and found.reason.isprintable())
        assert found.verdict is None or (-2 <= found.verdict < 2**31 and found.ballot is not None)
        assert found.rewards is None or found.reason or len(found.rewards) == n_steps
        for numbers in (found.rewards, found.redundancy):
            assert found.reason or numbers is None or all(-1 <= number <= 1 for number in numbers)


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
@pytest.mark.parametrize("unit", HOSTILE)
def test_much_of_anything_takes_linear_time(read, unit):
    much = unit * ((10**6 if THOROUGH else 60_000) // len(unit))
    for text in (much, "{" + much + "}"):
        began = time.process_time()
        read(text, 5)
        # Quadratic time would be many times as long.
        assert time.process_time() - began < (10 if THOROUGH else 2)


@pytest.mark.parametrize("name", ["processbench", "grben", "prmbench", "socratic"])
def test_every_protocol_has_a_reader_with_a_version(name):
    assert version(critic_protocol(name).read).startswith(f"{name}-")


def test_a_reader_of_another_origin_is_known_by_where_it_is():
    def read(text, n_steps):
        return Reading()

    assert version(read).endswith("read")
    assert version(read) not in READERS


def test_reasoning_told_apart_is_read_as_the_protocol_reads_it():
    reasoning, answer = r"maybe \boxed{1}", "So the first."
    assert read_answer(read_processbench, answer, 3, reasoning=reasoning).notes == (ParseNote.BOX_IN_REASONING,)
    assert read_answer(read_processbench, r"\boxed{2}", 3, reasoning=reasoning).verdict == 2
    assert read_answer(read_grben, answer, 3, reasoning=reasoning).reason == "no box"
    assert read_answer(read_grben, "", 3, reasoning=reasoning).reason == "empty answer (reasoning alone)"
    assert read_answer(read_grben, "", 3, reasoning="").reason == "empty answer"


def test_what_the_token_limit_explains():
    cut = {"finish_reason": "length"}
    assert read_answer(read_grben, "Well", 3, **cut).reason == "cut at the token limit: no box"
    assert read_answer(read_grben, "<think>hm", 3, **cut).reason == "cut at the token limit: reasoning never ended"
    found = read_answer(read_grben, "", 3, reasoning="hm", **cut)
    assert found.reason == "cut at the token limit: reasoning never ended"
    assert read_answer(read_socratic, '{"validity": [1', 3, **cut).reason == "cut at the token limit: JSON never closed"
    # Here the end is not what is wrong.
    assert read_answer(read_socratic, '{"validity": [1]} and', 3, **cut).reason == "list too short (1 of 3)"
    assert read_answer(read_grben, r"\boxed{2} and", 3, **cut) == Reading(ballot="2", verdict=1)
    open_box = read_answer(read_processbench, r"<think>\boxed{2} and", 3, **cut)
    assert (open_box.verdict, open_box.reason, open_box.notes) == (2, None, (ParseNote.BOX_IN_OPEN_REASONING,))


def test_a_prompt_that_opened_the_reasoning():
    text = 'so {"validity": [1, 1, 1]} would be'
    assert read_answer(read_socratic, text, 3, thinking=True).reason == "reasoning never ended"
    assert read_answer(read_socratic, text, 3).rewards == (1.0, 1.0, 1.0)
    assert read_answer(read_socratic, f'{text}</think>{{"validity": [0, 0, 0]}}', 3, thinking=True).rewards == (0, 0, 0)


@pytest.mark.parametrize(
    ("finish_reason", "cut"), [("length", True), ("MAX_TOKENS", True), ("stop", False), ("", False), (None, False)]
)
def test_was_cut(finish_reason, cut):
    assert was_cut(finish_reason) == cut


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
@pytest.mark.parametrize("text", ["", " \n"])
@pytest.mark.parametrize(
    ("told", "reason"),
    [
        ({}, "empty answer"),
        ({"finish_reason": "length"}, "cut at the token limit: empty answer"),
        ({"reasoning": "hm"}, "empty answer (reasoning alone)"),
        ({"reasoning": "hm", "finish_reason": "length"}, "cut at the token limit: reasoning never ended"),
    ],
)
def test_every_reader_says_why_an_answer_without_words_says_nothing(read, text, told, reason):
    assert read_answer(read, text, 3, **told) == Reading(reason=reason)
