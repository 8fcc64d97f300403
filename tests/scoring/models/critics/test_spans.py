"""Where in a text a reader read what it says: the words there are those that were read."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.formats.reading.boxed_answers import read_grben, read_processbench
from scoring.formats.reading.critic_answers import Reading, Span
from scoring.formats.reading.rated_answers import read_prmbench, read_socratic
from scoring.models.critics.answer_parsers import READERS, read_answer

RATED = json.dumps({"validity": [1, -1], "redundancy": [0, 0]})


def words(read, text, **how):
    """The text at the span, and the part that it is of; None where there is no span."""
    span = read_answer(read, text, 2, **how).span
    if span is None:
        return None
    whole = text if span.part == "answer" else how["reasoning"]
    return whole[span.start : span.end], span.part


@pytest.mark.parametrize(
    ("read", "text", "found"),
    [
        (read_processbench, r"\boxed{0}, no: \boxed{ 1 }.", r"\boxed{ 1 }"),
        (read_processbench, r"<think>\boxed{0}</think>So.", r"\boxed{0}"),
        (read_processbench, r"\boxed{none}", r"\boxed{none}"),
        (read_processbench, "none", None),
        (read_grben, r"<think>\boxed{2}</think>\boxed{1} or \boxed{no}", r"\boxed{1}"),
        (read_grben, r"第一步 \boxed {2}", r"\boxed {2}"),
        (read_grben, r"\boxed{no}", None),
        (read_prmbench, f"{{no}} Here:\n{RATED}\nDone", RATED),
        (read_prmbench, f"<think>{RATED}</think> {RATED}", RATED),
        # What does not fit is at its place too, and so is what cannot be used.
        (read_prmbench, '{"validity": [1], "redundancy": [1]}', '{"validity": [1], "redundancy": [1]}'),
        (read_prmbench, "{} and so on", "{}"),
        (read_socratic, 'x {" validity ": [1, 1] // all\n}', '{" validity ": [1, 1] // all\n}'),
        (read_socratic, "no", None),
    ],
)
def test_the_words_that_were_read(read, text, found):
    assert words(read, text) == (found and (found, "answer"))


@pytest.mark.parametrize("finish", ["stop", "length"])
def test_reasoning_told_apart_has_places_of_its_own(finish):
    box = r"\boxed{1}"
    inside = {"reasoning": f"Hm {box}?", "finish_reason": finish}
    assert words(read_processbench, "So.", **inside) == (box, "reasoning")
    assert words(read_processbench, f"So {box}.", **inside) == (box, "answer")
    assert words(read_processbench, "", **inside) == (box, "reasoning")
    assert words(read_grben, f"So {box}.", **inside) == (box, "answer")


def test_a_box_that_begins_in_the_reasoning_and_ends_in_the_answer_is_at_no_place():
    found = read_answer(read_processbench, "1}", 2, reasoning=r"\boxed{")
    assert found.ballot is not None
    assert found.span is None


def test_a_begin_tag_of_the_prompt_moves_nothing():
    assert words(read_processbench, r"Hm \boxed{1}", thinking=True) == (r"\boxed{1}", "answer")
    assert words(read_processbench, r"Hm</think> \boxed{1}", thinking=True) == (r"\boxed{1}", "answer")


def test_readings_that_say_the_same_are_equal_wherever_it_stood():
    assert Reading(ballot="1", verdict=1, span=Span(0, 3)) == Reading(ballot="1", verdict=1)


@given(
    st.lists(st.sampled_from([r"\boxed{1}", r"\boxed {2}", "<think>", "</think>", RATED, "{", "}", "x", "步"])).map(
        "".join
    ),
    st.none() | st.sampled_from(["", r"Hm \boxed{0}", RATED, "</think>"]),
    st.sampled_from(["stop", "length"]),
    st.booleans(),
)
def test_reading_only_what_stands_there_says_the_same(text, reasoning, finish, thinking):
    for read in READERS.values():
        found = read_answer(read, text, 2, reasoning=reasoning, finish_reason=finish, thinking=thinking)
        if found.span is None:
            continue
        whole = text if found.span.part == "answer" else reasoning or ""
        assert 0 <= found.span.start < found.span.end <= len(whole)
        again = read(whole[found.span.start : found.span.end], 2)
        assert (again.ballot, again.verdict, again.rewards) == (found.ballot, found.verdict, found.rewards)
