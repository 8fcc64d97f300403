import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import response_making
import response_reference
from scoring.metrics.best_of_n import boxed_answer, contradicted, majority_right


@pytest.mark.parametrize(
    ("steps", "answer"),
    [
        (["a", r"so \boxed{4}."], "4"),
        ([r"\boxed{\frac{1}{2}}"], r"\frac{1}{2}"),
        ([r"\boxed{1}", r"then \boxed{2} and \boxed{3}"], "3"),
        ([r"\boxed{1}", "that is all"], "1"),
        ([r"\boxed {1, \; 2}"], r"1,\;2"),
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


@given(
    answers=st.lists(st.lists(st.sampled_from(("1", "2", None)), min_size=2, max_size=6), min_size=1, max_size=4),
    data=st.data(),
)
def test_the_majority_is_what_counting_gives(answers, data):
    right = [data.draw(st.lists(st.booleans(), min_size=len(one), max_size=len(one))) for one in answers]
    problems = [("one", [((0.5,), correct) for correct in side]) for side in right]
    _, responses = response_making.evaluation(problems)
    votes = majority_right(responses, [answer for one in answers for answer in one])
    expected = [response_reference.majority(*both) for both in zip(answers, right, strict=True)]
    assert [None if np.isnan(vote) else bool(vote) for vote in votes] == expected


def test_an_answer_that_is_labelled_both_ways_is_counted():
    problems = [("one", [((0.5,), True), ((0.5,), False)])] * 3
    _, responses = response_making.evaluation(problems)
    assert contradicted(responses, ["1", "1", "1", "2", None, None]) == 1
