import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import judged
import making
from reference import Case
from scoring.data.schema import REWARDS, VOTES
from scoring.evaluation.case_counts import runs_among
from scoring.evaluation.evaluation import evaluate
from scoring.evaluation.gold import Gold
from scoring.evaluation.verdicts import NO_VERDICT
from scoring.evaluation.votes import by_run, tally
from scoring.formats.reading.boxed_answers import processbench_verdict, vote
from thoroughness import up_to

SOME_BALLOTS = ("0", "1", "01", "+1", "-1", "-7", "two", "", None)


def tallied(*ballots):
    cases = making.frame([Case(3)] * len(ballots))
    return tally(cases, judged.votes(cases["key"], ballots)), cases


@up_to(80, 10)
@given(st.lists(st.lists(st.sampled_from(SOME_BALLOTS), max_size=8), max_size=5))
def test_winners_are_those_of_counting_one_case_at_a_time(ballots):
    found, cases = tallied(*ballots)
    for row, answers in enumerate(ballots):
        winner = processbench_verdict(vote(answers))
        assert found.verdicts[row] == (NO_VERDICT if winner is None else winner)
        assert found.answered[row] == bool(answers)
        assert bool(found.reasons[row]) == (bool(answers) and winner is None)
        counted = {ballot: count for ballot, count, _ in found.of(cases["case"][row])}
        assert counted == {ballot: answers.count(ballot) for ballot in answers}
    assert found.most == max(map(len, ballots), default=0)


def test_ties_go_to_the_lowest_vote_whatever_the_order_of_the_rows():
    cases = making.frame([Case(3)])
    rows = judged.votes(cases["key"], [["2", "1", "1", "2"]])
    for frame in (rows, rows.reverse(), rows.sample(fraction=1, shuffle=True, seed=1)):
        assert tally(cases, frame).verdicts.tolist() == [2]


def test_texts_vote_and_not_what_they_mean():
    found, cases = tallied(["1", "01", "-1", "-1"])
    assert found.verdicts.tolist() == [-1]
    assert found.of(cases["case"][0]) == [("-1", 2, -1), ("1", 1, 1), ("01", 1, 1)]


def test_why_there_is_no_verdict():
    found, _ = tallied(["two", "two", "1"], [None, None], ["1"], [])
    assert found.reasons == ["no number in the box", "no number in the box", None, None]
    cases = making.frame([Case(3), Case(3)])
    bare = judged.votes(cases["key"], [["two"], [None]]).with_columns(reason=pl.lit(None, dtype=pl.String))
    assert tally(cases, bare).reasons == [
        "the answer that won holds no whole number: two",
        "no answer could be read",
    ]


def test_a_verdict_without_a_text_votes_as_its_number():
    cases = making.frame([Case(3)])
    rows = judged.votes(cases["key"], [["1", "2", "2"]]).with_columns(ballot=pl.lit(None, dtype=pl.String))
    assert tally(cases, rows).verdicts.tolist() == [2]


def test_every_run_is_counted_by_itself_the_lowest_first():
    cases = making.frame([Case(3), Case(3)])
    runs = [judged.votes(cases["key"], [[ballot] * 3, [ballot]], run) for run, ballot in ((2, "2"), (0, "0"), (1, "1"))]
    found = [tally(cases, run) for run in by_run(cases, pl.concat(runs))]
    assert [(one.verdicts.tolist(), one.most) for one in found] == [([0, 0], 3), ([1, 1], 3), ([2, 2], 3)]


def test_runs_are_numbered_within_a_benchmark():
    cases = making.frame([Case(3), Case(3)]).with_columns(benchmark=pl.Series(["a", "b"]))
    runs = [judged.votes(cases["key"][:1], [["0"]], 0), judged.votes(cases["key"], [["1"], ["2"]], 4)]
    found = [tally(cases, run) for run in by_run(cases, pl.concat(runs))]
    assert [one.verdicts.tolist() for one in found] == [[0, 2], [1, NO_VERDICT]]


def test_a_benchmark_has_the_runs_in_which_some_of_it_was_tried():
    cases = making.frame([Case(3), Case(3)]).with_columns(benchmark=pl.Series(["a", "b"]))
    runs = [judged.votes(cases["key"][:1], [["0"]], 0), judged.votes(cases["key"], [["1"], ["2"]], 4)]
    critic = making.scorer("critic", kind="critic")
    found = evaluate(Gold(cases), critic, pl.DataFrame(schema=REWARDS), votes=pl.concat(runs))
    assert [runs_among(found, cases["benchmark"].to_numpy() == name) for name in ("a", "b")] == [2, 1]


def test_votes_of_other_cases_make_no_run():
    cases = making.frame([Case(3), Case(3)])
    assert by_run(cases[:1], judged.votes(cases["key"][1:], [["0"]])) == []


@pytest.mark.parametrize("cases", [[], [Case(2)]])
def test_without_votes_nothing_is_tried(cases):
    found = tally(making.frame(cases), pl.DataFrame(schema=VOTES))
    assert not found.answered.any()
    assert found.verdicts.tolist() == [NO_VERDICT] * len(cases)
    assert (found.most, found.verdicts.dtype) == (0, np.int64)


def test_cases_of_equal_content_share_their_votes():
    cases = making.frame([Case(3), Case(3)])
    twins = cases.with_columns(key=pl.lit(cases["key"][0]))
    assert tally(twins, judged.votes([cases["key"][0]], [["1"]])).verdicts.tolist() == [1, 1]
