r"""Final answers: where they are looked for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.formats.reading.final_answers import boxed_answer, reference_text, stated_answer


@pytest.mark.parametrize(
    ("steps", "answer"),
    [
        (["a", r"so \boxed{4}."], "4"),
        ([r"\boxed{\frac{1}{2}}"], r"\frac{1}{2}"),
        ([r"\boxed{1}", r"then \boxed{2} and \boxed{3}"], "3"),
        ([r"\boxed{1}", "that is all"], "1"),
        ([r"\boxed {1, \;  2}"], r"1, \; 2"),
        ([r"\boxed{\{1\}}"], r"\{1\}"),
        ([r"\boxed{\boxed{7}}"], "7"),
        ([r"\boxed{1}", r"\boxed{2"], None),
        ([r"\boxed{ }"], None),
        (["4"], None),
        ([], None),
    ],
)
def test_the_answer_is_what_is_in_the_last_box(steps, answer):
    assert boxed_answer(steps) == answer


@pytest.mark.parametrize(
    ("response", "answer"),
    [
        # In the order in which search-and-learn looks.
        (r"\boxed{1} and the final answer is $2$. I hope it is correct.", "2"),
        (r"the final answer is $\boxed{2}$. I hope", "2"),
        (r"He said \boxed{3}, so the answer is 4", "3"),
        ("The answer is 4. No, the answer is 5.", "5"),
        ("the final answer is: 6", "6"),
        ("It costs 1,200 and 7.50", "7.50"),
        ("-3 of them", "-3"),
        ("nobody knows", None),
        (r"\boxed{8", None),
        ("", None),
    ],
)
def test_an_answer_is_looked_for_where_search_and_learn_looks(response, answer):
    assert stated_answer(response) == answer


def test_a_reference_may_be_a_whole_solution():
    assert reference_text(r"We add: \boxed{12}.") == "12"
    assert reference_text("Two and two.\n#### 4") == "4"
    assert reference_text(" x  = 3 ") == "x = 3"
    assert reference_text(" ") is None


@given(text=st.text(alphabet="\\bdoxefrac{}$ 12.:/,lti!", max_size=30))
def test_any_text_may_state_an_answer(text):
    for answer in (stated_answer(text), reference_text(text), boxed_answer([text])):
        assert answer is None or answer == " ".join(answer.split()) != ""
