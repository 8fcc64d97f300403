"""The votes of responses for their final answers, each once or with its score."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import response_making
import response_reference
from scoring.metrics.answer_votes import CHOICES, answer_groups
from thoroughness import up_to

ANSWERS = st.lists(
    st.lists(
        st.tuples(st.sampled_from(("1", "2", "3", None)), st.sampled_from((0.25, 0.5, 1.0, -0.5))),
        min_size=2,
        max_size=6,
    ),
    min_size=1,
    max_size=4,
)


def grouped(answers, right, seed=0):
    problems = [("one", [((0.5,), correct) for correct in side]) for side in right]
    _, responses = response_making.evaluation(problems)
    return answer_groups(responses.bounds, responses.right, [answer for one in answers for answer in one], seed)


def labels(data, answers):
    """One label an answer and problem, so that no answer is right and wrong."""
    made = []
    for one in answers:
        truth = {answer: data.draw(st.booleans()) for answer in one}
        made.append([truth[answer] for answer in one])
    return made


@up_to(100, 12)
@given(answers=ANSWERS, data=st.data())
def test_a_vote_is_what_counting_and_adding_give(answers, data):
    words = [[answer for answer, _ in one] for one in answers]
    right = [data.draw(st.lists(st.booleans(), min_size=len(one), max_size=len(one))) for one in words]
    groups = grouped(words, right)
    expected = [response_reference.majority(*both) for both in zip(words, right, strict=True)]
    assert [None if np.isnan(vote) else bool(vote) for vote in groups.wins()] == expected
    scores = [score for one in answers for _, score in one]
    weighted = [
        response_reference.weighted([answer for answer, _ in one], [score for _, score in one], side)
        for one, side in zip(answers, right, strict=True)
    ]
    assert [None if np.isnan(vote) else bool(vote) for vote in groups.wins(np.array(scores))] == weighted


@up_to(100, 12)
@given(answers=ANSWERS, n=st.integers(1, 3), data=st.data())
def test_fewer_votes_are_those_of_the_drawn_choices(answers, n, data):
    words = [[answer for answer, _ in one] for one in answers]
    groups = grouped(words, labels(data, words), seed=7)
    assert groups.orders.shape == (CHOICES, sum(map(len, words)))
    right = groups.right
    expected, start = [], 0
    for one in words:
        places = range(start, start + len(one))
        start += len(one)
        shares = []
        for order in groups.orders if n > 1 else [[0 if at == only else 9 for at in range(start)] for only in places]:
            chosen = [at for at in places if order[at] < n]
            assert len(chosen) == min(n, len(one))
            vote = response_reference.majority(
                [one[at - places[0]] for at in chosen], [bool(right[groups.groups[at]]) for at in chosen]
            )
            shares.append(bool(vote))
        expected.append(np.mean(shares) if any(answer is not None for answer in one) else np.nan)
    assert groups.wins(n=n).tolist() == pytest.approx(expected, nan_ok=True)


def test_the_draws_are_those_of_the_seed_and_every_response_is_drawn_as_often():
    words = [["1", "2", "1", "2"]] * 200
    right = [[True, False, True, False]] * 200
    same, again, other = (grouped(words, right, seed).orders for seed in (1, 1, 2))
    assert (same == again).all()
    assert (same != other).any()
    first = (same == 0).reshape(CHOICES, 200, 4).mean(axis=(0, 1))
    assert first == pytest.approx([0.25] * 4, abs=0.05)


def test_some_of_the_problems_vote_as_all_did():
    words = [["1", "2", None], [None, None], ["2", "2", "1"]]
    right = [[True, False, False], [False, True], [False, False, True]]
    groups = grouped(words, right)
    kept = groups.keep(np.array([False, True, True]), np.array([False] * 3 + [True] * 5))
    assert np.isnan(kept.wins()[0])
    assert kept.wins().tolist()[1:] == groups.wins().tolist()[2:]
    weights = np.array([0.0, 0.0, 1.0, 1.0, 5.0])
    assert kept.wins(weights).tolist()[1] == 1.0


def test_an_answer_that_is_labelled_both_ways_is_counted():
    words = [["1", "1"], ["1", "2"], [None, None]]
    right = np.array([True, False, True, False, True, False])
    assert grouped(words, [[True, False]] * 3).contradicted(right) == 1
