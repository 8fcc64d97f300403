import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import side_by_side
from scoring.metrics.consensus import consensus
from scoring.metrics.ensembles import together_rows
from scoring.metrics.first_error import SIDES
from scoring.metrics.shared_draws import OF_CASES, shared_scores
from thoroughness import up_to


def rows_of(*words, **options):
    """The rows about the cases that all scorers tried, as a comparison holds them."""
    found = side_by_side.compared(side_by_side.aligned(*words, **options))
    return [row for row in found if row["metric"].startswith(("consensus_", "oracle_")) or "_cascade_" in row["metric"]]


def cell(rows, metric, scorer=None):
    (found,) = [row for row in rows if (row["metric"], row["scorer"]) == (metric, scorer)]
    return found


def weight(right, wrong):
    return max(0.0, math.log((right + 1) / (wrong + 1)))


def test_the_cascade_by_hand():
    rows = rows_of("EEEE CCC", "1100 100", "0110 110", "1110 001")
    so_far = {name: [cell(rows, f"{side}_cascade_right", name)["value"] for side in SIDES] for name in "abc"}
    assert so_far == {"a": [2, 1], "b": [3, 2], "c": [3, 3]}
    added = {name: [cell(rows, f"{side}_cascade_added", name)["value"] for side in SIDES] for name in "abc"}
    assert added == {"a": [2, 1], "b": [1, 1], "c": [0, 1]}
    assert [cell(rows, "erroneous_cascade_added", name)["other"] for name in "abc"] == [None, "a", "b"]
    assert cell(rows, "clean_cascade_right", "a")["n"] == 3
    assert cell(rows, "oracle_error_acc")["value"] == 3 / 4
    assert cell(rows, "oracle_correct_acc")["value"] == 1


def test_the_consensus_by_hand():
    """`a` and `b` are right more often than wrong elsewhere, `c` never is: the two decide where they agree."""
    rows = rows_of("EECC", "1110", "1111", "0000")
    assert (cell(rows, "consensus_decided")["value"], cell(rows, "consensus_decided")["n"]) == (3, 4)
    assert cell(rows, "consensus_error_acc")["value"] == 1
    # The last clean case is a tie: undecided is wrong.
    assert cell(rows, "consensus_correct_acc")["value"] == 1 / 2
    assert cell(rows, "consensus_f1")["value"] == pytest.approx(2 / 3)
    difference = cell(rows, "consensus_f1_difference")
    assert (difference["other"], difference["value"]) == ("b", pytest.approx(2 / 3 - 1))
    assert cell(rows, "consensus_correct_acc_difference")["value"] == -1 / 2
    assert cell(rows, "consensus_weight", "b")["value"] == pytest.approx(weight(3, 0))
    assert cell(rows, "consensus_weight", "a")["value"] == pytest.approx((3 * weight(2, 1) + weight(3, 0)) / 4)
    assert cell(rows, "consensus_weight", "c")["value"] == 0


def test_two_scorers_have_no_consensus():
    assert rows_of("EECC", "1110", "1111") == []
    assert rows_of("EECC", "1110", "1111", "----") == []


def test_only_cases_that_all_tried_count_anywhere():
    """What lies outside of the common cases changes neither a weight nor a count."""
    here = rows_of("EECC", "1110", "1101", "0111")
    more = rows_of("EECC EC", "1110 1-", "1101 --", "0111 10")
    assert {row["left_out"] for row in more} == {2}
    assert [{**row, "left_out": 0} for row in more] == here


def test_a_scorer_that_names_no_step_anywhere_has_no_weight():
    rows = rows_of("EEEECC", "111011", "110111", "xxxxxx")
    assert (cell(rows, "consensus_weight", "c")["value"], cell(rows, "consensus_weight", "c")["n"]) == (None, 0)
    assert "names a step or none on no case" in cell(rows, "consensus_weight", "c")["reason"]


def test_without_a_best_scorer_there_is_no_difference():
    rows = rows_of("EEE", "110", "101", "011")
    for metric in OF_CASES:
        found = cell(rows, f"consensus_{metric.name}_difference")
        assert (found["value"], found["other"], found["reason"]) == (None, None, "F1 is undefined for every scorer")
    assert cell(rows, "oracle_error_acc")["value"] == 1
    assert cell(rows, "consensus_correct_acc")["reason"] == "no clean case in common"
    assert cell(rows, "clean_cascade_right", "a")["reason"] == "no clean case in common"


WORDS = st.integers(1, 9).flatmap(
    lambda n: st.tuples(
        st.text("EC", min_size=n, max_size=n), *[st.text("0111x-", min_size=n, max_size=n) for _ in range(3)]
    )
)


@up_to(40, 5)
@given(WORDS)
def test_counts_are_those_of_plain_counting(words):
    gold, *marks = words
    common = [row for row in range(len(gold)) if all(letters[row] != "-" for letters in marks)]
    made = side_by_side.aligned(*words)
    rows = list(together_rows(made, 0))
    if len(made.trying) < 3:
        assert rows == []
        return
    for side, letter in zip(SIDES, "EC", strict=True):
        members = [row for row in common if gold[row] == letter]
        for place, name in enumerate("abc"):
            found = cell(rows, f"{side}_cascade_right", name)
            expected = sum(any(letters[row] == "1" for letters in marks[: place + 1]) for row in members)
            assert (found["value"], found["n"]) == (expected if members else None, len(members))
    everyone = [cell(rows, f"{side}_cascade_added", name)["value"] for side in SIDES for name in "abc"]
    assert sum(filter(None, everyone)) == sum(any(letters[row] == "1" for letters in marks) for row in common)
    for metric, side in (("error_acc", "E"), ("correct_acc", "C")):
        members = [row for row in common if gold[row] == side]
        best = cell(rows, f"oracle_{metric}")["value"]
        hits = sum(any(letters[row] == "1" for letters in marks) for row in members)
        assert best == (pytest.approx(hits / len(members)) if members else None)
        assert (cell(rows, f"consensus_{metric}")["value"] or 0) <= (best or 0)


@up_to(25, 5)
@given(WORDS)
def test_a_null_has_a_reason_and_an_interval_its_value(words):
    made = side_by_side.aligned(*words)
    for row in together_rows(made, 0):
        assert (row["value"] is None) == bool(row["reason"])
        assert row["low"] is None or -1 <= row["low"] <= row["high"] <= 1
        assert row["subset"] == ("average" if row["metric"].endswith(("f1", "_acc", "_difference")) else "all")


def test_the_difference_is_drawn_with_the_resamples_of_all_other_rows():
    """A consensus that is one scorer's verdict throughout has that scorer's figures and intervals."""
    gold, best = "EC" * 20, "10" * 5 + "11" * 15
    made = side_by_side.aligned(gold, best, "00" * 20, "0000" * 10)
    assert (consensus(made).verdicts == made.earliest).tolist() == [letter == "1" for letter in best]
    rows = list(together_rows(made, 3))
    scores = shared_scores(made, (0, 1, 2), 3)
    for metric in OF_CASES:
        own = scores.estimate(metric, 0)
        found = cell(rows, f"consensus_{metric.name}")
        assert (found["value"], found["low"], found["high"]) == (own.value, own.low, own.high)
        difference = cell(rows, f"consensus_{metric.name}_difference")
        assert (difference["value"], difference["low"], difference["high"]) == (0, 0, 0)
