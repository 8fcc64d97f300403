from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import judged
import making
from reference import Case
from scoring.data.schema import VOTES
from scoring.evaluation.verdicts import NO_VERDICT
from scoring.evaluation.votes import tally
from scoring.formats.reading.boxed_answers import processbench_verdict, vote
from scoring.metrics.vote_curve import MOST_CHOSEN, vote_curve
from thoroughness import up_to

SOME_BALLOTS = ("0", "1", "01", "-1", "-7", "two", "", None)
ANSWERS = st.lists(st.lists(st.sampled_from(SOME_BALLOTS), max_size=6), min_size=1, max_size=5)


def decided(ballots):
    """What some answers decide, by the reference that counts one case at a time."""
    winner = processbench_verdict(vote(ballots))
    return NO_VERDICT if winner is None else winner


def curve_of(ballots):
    cases = making.frame([Case(3)] * len(ballots))
    return vote_curve(cases, judged.votes(cases["key"], ballots)), cases


@up_to(80, 10)
@given(ANSWERS, st.randoms())
def test_every_k_is_the_vote_of_the_first_k_answers(ballots, random):
    cases = making.frame([Case(3)] * len(ballots))
    rows = judged.votes(cases["key"], ballots)
    order = list(range(rows.height))
    random.shuffle(order)
    curve = vote_curve(cases, rows[order])
    most = max(map(len, ballots))
    assert curve.verdicts.shape == (len(ballots), most)
    assert curve.answers.tolist() == [len(answers) for answers in ballots]
    for row, answers in enumerate(ballots):
        assert curve.verdicts[row].tolist() == [decided(answers[:k]) for k in range(1, most + 1)]
    if most:
        assert curve.verdicts[:, -1].tolist() == tally(cases, rows).verdicts.tolist()


@up_to(80, 10)
@given(ANSWERS, st.data())
def test_the_expectation_is_that_over_all_choices_of_k_answers(ballots, data):
    curve, _ = curve_of(ballots)
    targets = data.draw(st.lists(st.sampled_from((-2, -1, 0, 1)), min_size=len(ballots), max_size=len(ballots)))
    found = curve.expected(np.array(targets))
    for row, answers in enumerate(ballots):
        for k in range(1, found.shape[1] + 1):
            chosen = [list(one) for one in combinations(answers, min(k, len(answers)))]
            if not answers:
                assert np.isnan(found[row, k - 1])
                continue
            wanted = sum(decided(one) == targets[row] for one in chosen) / len(chosen)
            assert found[row, k - 1] == pytest.approx(wanted, abs=1e-12)


def test_the_expectation_at_one_is_the_share_of_answers_that_hit_and_at_the_end_the_official_verdict():
    curve, _ = curve_of([["1", "0", "0", "1", "two", None], ["1", "0", "0", "1", "two", None]])
    found = curve.expected(np.array([1, 0]))
    assert found[:, 0].tolist() == pytest.approx([2 / 6, 2 / 6])
    # A tie goes to the one that is seen first, so only that one's target is hit.
    assert found[:, -1].tolist() == [1.0, 0.0]


def test_answers_that_name_no_number_are_no_hit_whatever_is_asked_for():
    curve, _ = curve_of([["two", None]])
    assert curve.verdicts.tolist() == [[NO_VERDICT, NO_VERDICT]]
    assert curve.expected(np.array([NO_VERDICT])).tolist() == [[0.0, 0.0]]


def test_votes_are_counted_in_their_order_though_numbers_are_missing():
    cases = making.frame([Case(3)])
    rows = judged.votes(cases["key"], [["2", "1", "1", "0"]])
    assert vote_curve(cases, rows[1:]).verdicts.tolist() == [[1, 1, 1]]
    assert vote_curve(cases, rows.filter(pl.col("vote") != 1)).verdicts.tolist() == [[2, 2, 2]]


def test_a_verdict_without_a_text_votes_as_its_number():
    cases = making.frame([Case(3)])
    rows = judged.votes(cases["key"], [["1", "2", "2"]]).with_columns(ballot=pl.lit(None, dtype=pl.String))
    assert vote_curve(cases, rows).verdicts.tolist() == [[1, 1, 2]]


def test_cases_of_equal_content_share_their_votes_and_others_have_none():
    cases = making.frame([Case(3)] * 3)
    twins = cases.with_columns(key=pl.Series([cases["key"][0], cases["key"][0], cases["key"][2]]))
    curve = vote_curve(twins, judged.votes([cases["key"][0], cases["key"][1]], [["1", "1"], ["0"]]))
    assert curve.verdicts.tolist() == [[1, 1], [1, 1], [NO_VERDICT, NO_VERDICT]]
    assert curve.answers.tolist() == [2, 2, 0]


@pytest.mark.parametrize("n", [0, 2])
def test_without_votes_there_is_no_curve(n):
    curve = vote_curve(making.frame([Case(3)] * n), pl.DataFrame(schema=VOTES))
    assert curve.verdicts.shape == (n, 0)
    assert curve.expected(np.zeros(n)).shape == (n, 0)


def test_too_many_answers_have_a_curve_and_no_expectation():
    curve, _ = curve_of([["1", "0"] * MOST_CHOSEN])
    assert curve.verdicts.shape == (1, 2 * MOST_CHOSEN)
    assert curve.expected(np.array([1])) is None
