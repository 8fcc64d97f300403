"""The votes of responses for their final answers, each once or with its score."""

from itertools import combinations, product
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import response_making
import response_reference
from scoring.metrics import answer_votes
from scoring.metrics.answer_votes import DRAWS, MOST_CHOICES, answer_groups
from scoring.metrics.best_of_n import any_right
from thoroughness import up_to

# Sums of these weights are exact as floats, so that the reference finds the same ties.
RESPONSES = st.lists(
    st.tuples(st.sampled_from(("1", "2", "3", None)), st.booleans(), st.sampled_from((0.25, 0.5, 1.0, -0.5, 0.0))),
    min_size=2,
    max_size=7,
)
PROBLEMS = st.lists(RESPONSES, min_size=1, max_size=4)


def grouped(problems, seed=0):
    """Groups of problems of (answer, right, ...), and their responses."""
    made = [("one", [((0.5,), response[1]) for response in one]) for one in problems]
    _, responses = response_making.evaluation(made)
    answers = [response[0] for one in problems for response in one]
    return answer_groups(responses.bounds, responses.right, answers, seed), responses


def weights_of(problems):
    return np.array([weight for one in problems for *_, weight in one])


def expected(problems, n, *, weighted):
    each = [list(zip(*one, strict=True))[: 3 if weighted else 2] for one in problems]
    return pytest.approx([response_reference.votes(min(n, len(one[0])), *one) for one in each])


@up_to(150, 25)
@given(problems=PROBLEMS)
def test_votes_of_every_number_are_the_mean_over_every_choice(problems):
    groups, responses = grouped(problems)
    for n in range(1, 8):
        plain, weighted = groups.expected(n), groups.expected(n, weights_of(problems))
        assert plain.values.tolist() == expected(problems, n, weighted=False)
        assert weighted.values.tolist() == expected(problems, n, weighted=True)
        assert not plain.errors.any()
        assert not weighted.errors.any()
        same = np.full(responses.rows.size, 0.375)
        assert groups.expected(n, same).values.tolist() == pytest.approx(plain.values)
        if n <= responses.sizes.min():
            best = any_right(responses, n) + 1e-12
            assert (plain.values <= best).all()
            assert (weighted.values <= best).all()
    means = (responses.n_right / responses.sizes).tolist()
    assert groups.expected(1).values.tolist() == means
    assert groups.expected(1, weights_of(problems)).values.tolist() == means
    assert groups.expected().values.tolist() == groups.expected(7).values.tolist()


@up_to(60, 15)
@given(one=RESPONSES, n=st.integers(1, 7), data=st.data())
def test_the_order_of_the_responses_changes_nothing(one, n, data):
    other = data.draw(st.permutations(one))
    for weighted in (False, True):
        values = [
            grouped([side])[0].expected(n, weights_of([side]) if weighted else None).values for side in (one, other)
        ]
        assert values[0] == pytest.approx(values[1])


@up_to(60, 15)
@given(problems=PROBLEMS)
def test_the_closed_form_of_a_majority_is_the_mean_over_every_choice(problems):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(answer_votes, "MOST_CHOICES", 0)
        for n in range(1, 8):
            assert grouped(problems)[0].expected(n).values.tolist() == expected(problems, n, weighted=False)


def majority_by_counts(counts, n):
    """How often the first answer is the most frequent one, over all ways to divide n votes among the answers."""
    ways = 0.0
    for votes in product(*(range(count + 1) for count in counts)):
        if sum(votes) == n and votes[0] == max(votes):
            chosen = 1
            for count, some in zip(counts, votes, strict=True):
                chosen *= comb(count, some)
            ways += chosen / votes.count(votes[0])
    return ways / comb(sum(counts), n)


@pytest.mark.parametrize("counts", [(14, 12, 5, 3), (8, 16, 1, 1, 1, 1, 1), (40, 41)])
@pytest.mark.parametrize("n", [9, 16])
def test_a_majority_of_many_responses_is_exact(counts, n):
    assert comb(sum(counts), n) > MOST_CHOICES
    one = [(str(number), number == 0) for number, count in enumerate(counts) for _ in range(count)]
    votes = grouped([one])[0].expected(n)
    assert votes.values[0] == pytest.approx(majority_by_counts(counts, n), abs=1e-13)
    assert not votes.errors.any()


def test_votes_of_hundreds_of_responses_are_drawn_near_the_exact_majority(monkeypatch):
    one = [("1", True)] * 100 + [("2", False)] * 90 + [(None, False)] * 100
    groups, _ = grouped([one])
    drawn, weighted = groups.expected(101), groups.expected(101, np.full(290, 0.5))
    monkeypatch.setattr(answer_votes, "MOST_RESPONSES", 300)
    exact = groups.expected(101)
    assert not exact.errors.any()
    for votes in (drawn, weighted):
        assert 0 < abs(votes.values[0] - exact.values[0]) < 4 * votes.errors[0]


@up_to(40, 10)
@given(problems=PROBLEMS)
def test_sums_of_many_responses_are_those_of_few(problems):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(answer_votes, "_DENSE", 0)
        for n in range(1, 8):
            found = grouped(problems)[0].expected(n, weights_of(problems))
            assert found.values.tolist() == expected(problems, n, weighted=True)


def drawn_problems(problems=40, responses=18):
    rng = np.random.default_rng(3)
    found = []
    for _ in range(problems):
        answers = rng.integers(0, 4, responses)
        weights = rng.random(responses)
        found.append(
            [(str(answer), answer == 0, float(weight)) for answer, weight in zip(answers, weights, strict=True)]
        )
    return found


def test_votes_that_are_drawn_say_how_far_they_may_be_off(monkeypatch):
    problems = drawn_problems()
    exact = grouped(problems)[0].expected(4, weights_of(problems))
    monkeypatch.setattr(answer_votes, "MOST_CHOICES", 100)
    groups, _ = grouped(problems, seed=1)
    drawn = groups.expected(4, weights_of(problems))
    assert not exact.errors.any()
    assert ((drawn.errors > 0) & (drawn.errors < 1 / np.sqrt(DRAWS - 1))).all()
    off = (drawn.values - exact.values) / drawn.errors
    # 95% within two standard errors, and the errors of problems are independent.
    assert (np.abs(off) < 2).mean() > 0.8
    assert abs(off.mean()) < 3 / np.sqrt(len(problems))
    assert groups.expected(4, weights_of(problems)).values.tolist() == drawn.values.tolist()
    assert grouped(problems, seed=2)[0].expected(4, weights_of(problems)).values.tolist() != drawn.values.tolist()


def test_drawn_votes_do_not_depend_on_the_order_of_the_rows(monkeypatch):
    monkeypatch.setattr(answer_votes, "MOST_CHOICES", 1)
    problems = drawn_problems(problems=6, responses=8)
    turned = [one[::-1] for one in problems[::-1]]
    here, there = (grouped(side)[0].expected(3, weights_of(side)) for side in (problems, turned))
    assert here.values.tolist() == pytest.approx(there.values[::-1])
    assert here.errors.tolist() == pytest.approx(there.errors[::-1])


def test_a_drawn_vote_is_never_said_to_be_exact(monkeypatch):
    monkeypatch.setattr(answer_votes, "MOST_CHOICES", 1)
    one = [("1", True, 5.0)] * 12 + [("2", False, 0.1)]
    votes = grouped([one])[0].expected(6, weights_of([one]))
    assert votes.values.tolist() == [1.0]
    assert votes.errors[0] > 0


def test_sums_that_rounding_separates_tie():
    one = [("1", True, 0.1), ("1", True, 0.2), ("2", False, 0.3)]
    assert grouped([one])[0].expected(3, weights_of([one])).values.tolist() == [0.5]
    # The largest floats do not leave the range.
    huge = [("1", True, 1.7e308), ("1", True, 1.7e308), ("2", False, 1.7e308), ("3", False, 1.7e308)]
    assert grouped([huge])[0].expected(4, weights_of([huge])).values.tolist() == [1.0]


def test_responses_without_a_readable_answer_are_treated_alike_at_every_number():
    """Nine right responses of which three say their answers: mean@1 is 100, and so is every vote."""
    problems = [[(str(number), True), (None, True), (None, True)] for number in range(3)]
    groups, _ = grouped(problems)
    assert [groups.expected(n).values.tolist() for n in (1, 2, 3)] == [[1.0] * 3] * 3
    # The answers that are there decide; where none is chosen, a response is picked at random.
    groups, _ = grouped([[("1", True), (None, False), (None, False)]])
    assert [groups.expected(n).values[0] for n in (1, 2, 3)] == pytest.approx([1 / 3, 2 / 3, 1])


def test_two_right_responses_of_which_one_has_a_low_score():
    """Of three pairs, one is of two right responses, and the wrong one has the highest score."""
    one = [("1", True, 0.32), ("1", True, 0.3), ("2", False, 0.63)]
    groups, _ = grouped([one] * 6)
    assert groups.expected(2, weights_of([one] * 6)).values.tolist() == pytest.approx([1 / 3] * 6)


def test_some_of_the_problems_vote_as_all_did():
    problems = [
        [("1", True), ("2", False), (None, False)],
        [(None, False), (None, True)],
        [("2", False), ("2", False), ("1", True)],
    ]
    groups, _ = grouped(problems)
    kept = groups.keep(np.array([False, True, True]), np.array([False] * 3 + [True] * 5))
    assert kept.voted.tolist() == [False, True]
    assert kept.expected().values.tolist() == groups.expected().values.tolist()[1:] == [0.5, 0.0]
    weights = np.array([0.0, 0.0, 1.0, 1.0, 5.0])
    assert kept.expected(weights=weights).values.tolist() == [0.5, 1.0]


def test_an_answer_that_is_labelled_both_ways_is_counted():
    words = [["1", "1"], ["1", "2"], [None, None]]
    groups, _ = grouped([[(answer, right) for answer, right in zip(one, (True, False), strict=True)] for one in words])
    assert groups.contradicted() == 1


def test_all_choices_are_those_of_combinations():
    chosen = answer_votes._all_choices(5, 3)
    assert [tuple(np.flatnonzero(one)) for one in chosen.T] == list(combinations(range(5), 3))
