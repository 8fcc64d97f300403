import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.formats.reading.critic_answers import ParseFault, fault_of, fault_words


@given(st.sampled_from(ParseFault), st.text(st.characters(codec=None), max_size=60))
def test_a_reason_is_counted_by_the_kind_it_begins_with_and_is_one_safe_line(fault, detail):
    reason = fault_words(fault, detail)
    assert fault_of(reason) is fault
    assert reason.isprintable()
    assert len(reason) <= len(fault) + 44
    reason.encode()


@pytest.mark.parametrize("reason", ["", "no boxes here", "over length", "no answer: HTTP 500", "the box is empty"])
def test_reasons_of_other_origin_have_no_kind(reason):
    assert fault_of(reason) is None


def test_no_kind_is_taken_for_a_failure_that_is_asked_again():
    assert not [fault for fault in ParseFault if fault.startswith(("no answer", "refused"))]


def test_what_is_shown_of_an_answer_is_short():
    assert fault_words(ParseFault.NO_NUMBER_IN_BOX, "x" * 41) == f"box without a number ({'x' * 40}…)"
    assert fault_words(ParseFault.NO_NUMBER_IN_BOX, "a\x1b[31m\nb") == "box without a number (a·[31m·b)"
