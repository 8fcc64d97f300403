import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.formats.reading.boxed_answers import grben_answer, processbench_ballot, processbench_verdict, vote


@pytest.mark.parametrize(
    ("answer", "ballot", "verdict"),
    [
        (r"So the first wrong one is \boxed{3}.", "3", 3),
        (r"\boxed{ 3 }", "3", 3),
        (r"\boxed{+2}", "+2", 2),
        (r"\boxed{03}", "03", 3),
        (r"\boxed{-1}", "-1", -1),
        ("\\boxed{\n4\n}", "4", 4),
        (r"first \boxed{1}, no: \boxed{5}", "5", 5),
        # Only the last box counts, even where an earlier one could be read.
        (r"\boxed{1} and then \boxed{none}", "none", None),
        (r"\boxed{}", "", None),
        (r"\boxed{2.0}", "2.0", None),
        (r"\boxed{paragraph_2}", "paragraph_2", None),
        (r"\boxed{\text{2}}", r"\text{2", None),
        (r"\boxed {2}", None, None),
        (r"\boxed{2", None, None),
        ("no box", None, None),
        ("", None, None),
        (r"\boxed{99}", "99", 99),
        (r"\boxed{-2}", "-2", -2),
        (r"\boxed{-7}", "-7", -2),
        (rf"\boxed{{{10**12}}}", str(10**12), 2**31 - 1),
        (rf"\boxed{{{'9' * 5000}}}", "9" * 5000, None),
        (rf"\boxed{{-{10**12}}}", f"-{10**12}", -2),
    ],
)
def test_processbench(answer, ballot, verdict):
    assert processbench_ballot(answer) == ballot
    assert processbench_verdict(ballot) == verdict


def test_no_ballot_is_no_verdict():
    assert processbench_verdict(None) is None


@pytest.mark.parametrize(
    ("answer", "number"),
    [
        (r"\boxed{3}", 3),
        (r"\boxed {3}", 3),
        ("\\boxed\t{ -1\n}", -1),
        (r"\boxed{03}", 3),
        (r"\boxed{0}", 0),
        (r"\boxed{-5}", -5),
        (r"\boxed{1} then \boxed{2}", 2),
        # A box that holds no number is passed over.
        (r"\boxed{1} then \boxed{none}", 1),
        (r"\boxed{+2}", None),
        (r"\boxed{2.0}", None),
        (r"\boxed{\text{2}}", None),
        (r"\boxed{- 1}", None),
        (r"\boxed{}", None),
        ("2", None),
        ("", None),
        (rf"\boxed{{{10**12}}}", 2**31 - 1),
        (rf"\boxed{{{'9' * 5000}}}", None),
    ],
)
def test_grben(answer, number):
    assert grben_answer(answer) == number


@pytest.mark.parametrize(
    ("ballots", "winner"),
    [
        (["1", "2", "2"], "2"),
        (["2", "1", "1", "2"], "2"),
        (["1", "2", "2", "1"], "1"),
        (["01", "1", "1", "01", "01"], "01"),
        (["1", "+1", "none", "none"], "none"),
        ([None, None, "4", None], "4"),
        (["", "", "3"], ""),
        ([None, None], None),
        ([], None),
    ],
)
def test_vote(ballots, winner):
    assert vote(ballots) == winner


def test_a_winner_that_is_no_number_gives_no_verdict_though_numbers_came_second():
    assert processbench_verdict(vote(["x", "x", "1"])) is None


@given(st.text() | st.from_regex(r"(\\boxed ?\{.{0,6}\}? ?){1,3}"))
def test_nothing_escapes(answer):
    ballot = processbench_ballot(answer)
    verdict = processbench_verdict(ballot)
    assert verdict is None or -2 <= verdict < 2**31
    number = grben_answer(answer)
    assert number is None or abs(number) < 2**31
