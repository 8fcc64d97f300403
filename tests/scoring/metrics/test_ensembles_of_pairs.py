import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import selecting
import side_by_side
from scoring.metrics.closed_forms import wilson_interval
from scoring.metrics.scorer_pairs import agreement_rows, covered_rows, oracle_rows
from scoring.metrics.shared_draws import OF_CASES, shared_scores
from thoroughness import up_to

MARKS = st.integers(1, 14).flatmap(
    lambda n: st.tuples(
        st.text("EC", min_size=n, max_size=n), *[st.text("01x-", min_size=n, max_size=n) for _ in range(3)]
    )
)
SIDES = {"all": "EC", "erroneous": "E", "clean": "C"}


def cells(rows):
    return {(row["scorer"], row["other"], row["side"], row["metric"]): row for row in rows}


def shares(row):
    return row["count"], row["n"]


def checked(rows, evaluations):
    """The rows by their names, once every condition has selected as many cases as it says."""
    frame = selecting.beside(*evaluations)
    for row in rows:
        assert len(selecting.selected(frame, row["where"])) == row["count"]
        if row["value"] is None:
            assert row["reason"]
            assert row["low"] is row["high"] is None
        else:
            assert row["reason"] is None
    return cells(rows)


@up_to(60, 5)
@given(words=MARKS, policy=st.sampled_from(("wrong", "drop")))
def test_agreement_and_coverage_are_what_plain_counting_gives(words, policy):
    gold, *marks = words
    evaluations = side_by_side.evaluations(gold, *marks)
    aligned = side_by_side.of(evaluations, policy)
    agreed, covered = (checked(list(rows), evaluations) for rows in (agreement_rows(aligned), covered_rows(aligned)))
    outside = "-" if policy == "wrong" else "-x"
    for left, right in permutations(range(3), 2):
        names = "abc"[left], "abc"[right]
        for side, letters in SIDES.items():
            pairs = [
                (one, other)
                for case, one, other in zip(gold, marks[left], marks[right], strict=True)
                if case in letters and one not in outside and other not in outside
            ]
            lacking = [other for one, other in pairs if one != "1"]
            assert shares(covered[*names, side, "covered"]) == (lacking.count("1"), len(lacking))
            if left > right:
                continue
            same = sum((one == "1") == (other == "1") for one, other in pairs)
            assert shares(agreed[*names, side, "both_right_or_wrong"]) == (same, len(pairs))
            # In these words a wrong answer is always the same one: missed, or a false alarm.
            assert shares(agreed[*names, side, "same_outcome"]) == (sum(a == b for a, b in pairs), len(pairs))
            said = [(one, other) for one, other in pairs if "x" not in one + other]
            assert shares(agreed[*names, side, "same_verdict"]) == (sum(a == b for a, b in said), len(said))


def test_shares_and_intervals_by_hand():
    found = cells(agreement_rows(side_by_side.aligned("EEEE CC", "1100 1x", "1101 01")))
    row = found["a", "b", "erroneous", "both_right_or_wrong"]
    low, high = wilson_interval(np.array([3]), np.array([4]))
    assert (row["value"], row["low"], row["high"]) == (3 / 4, low[0], high[0])
    assert found["a", "b", "clean", "same_verdict"]["value"] == 0
    covered = cells(covered_rows(side_by_side.aligned("EEEE CC", "1100 1x", "1101 01")))
    assert covered["a", "b", "erroneous", "covered"]["value"] == 1 / 2
    assert covered["b", "a", "erroneous", "covered"]["value"] == 0
    assert covered["a", "b", "clean", "covered"]["value"] == 1


def test_what_is_missing_is_said():
    apart = cells(agreement_rows(side_by_side.aligned("EC", "1-", "-1")))
    assert apart["a", "b", "clean", "same_outcome"]["reason"] == "no clean case in common"
    assert apart["a", "b", "all", "same_verdict"]["reason"] == "no case with a verdict of both"
    covered = cells(covered_rows(side_by_side.aligned("EC", "11", "1-")))
    assert covered["a", "b", "erroneous", "covered"]["reason"] == "a has no erroneous case in common wrong"
    assert covered["a", "b", "clean", "covered"]["reason"] == "no clean case in common"


def accuracy(marks):
    return marks.count("1") / len(marks)


@up_to(25, 5)
@given(words=MARKS)
def test_the_oracle_is_right_where_one_of_the_two_is(words):
    gold, *marks = words
    gold, marks = gold + "EC", [one + "1-"[number == 2] + "0" for number, one in enumerate(marks)]
    evaluations = side_by_side.evaluations(gold, *marks)
    found = checked(list(oracle_rows(side_by_side.of(evaluations), 3)), evaluations)
    for left, right in ((0, 1), (0, 2), (1, 2)):
        union = {"E": "", "C": ""}
        for side, one, other in zip(gold, marks[left], marks[right], strict=True):
            if "-" not in one + other:
                union[side] += "1" if "1" in one + other else "0"
        names = "abc"[left], "abc"[right]
        for metric, side, letter in (("error_acc", "erroneous", "E"), ("correct_acc", "clean", "C")):
            row = found[*names, side, f"oracle_{metric}"]
            assert row["n"] == len(union[letter])
            if union[letter]:
                assert math.isclose(row["value"], accuracy(union[letter]))
                assert row["low"] <= row["value"] <= row["high"]
            else:
                assert row["value"] is None
        f1 = found[*names, "all", "oracle_f1"]["value"]
        ends = [accuracy(union[letter]) if union[letter] else 0 for letter in "EC"]
        assert (f1 is None) == (not all(union.values()) or sum(ends) == 0)
        assert f1 is None or math.isclose(f1, 2 * ends[0] * ends[1] / sum(ends))


def test_the_gain_is_over_the_better_of_the_two_on_the_same_draws():
    words = ("EEEECCCC" * 6, "11001110" * 6, "10011001" * 6)
    aligned = side_by_side.aligned(*words)
    found = cells(oracle_rows(aligned, 5))
    assert {row["better"] for (*_, metric), row in found.items() if metric.endswith("gain")} == {"a"}
    alone = shared_scores(aligned, (0, 1), 5)
    for side, metric in zip(("all", "erroneous", "clean"), OF_CASES, strict=True):
        gain, whole = (
            found["a", "b", side, f"oracle_{metric.name}_gain"],
            found["a", "b", side, f"oracle_{metric.name}"],
        )
        assert gain["value"] == pytest.approx(whole["value"] - alone.estimate(metric, 0).value)
        assert 0 <= gain["low"] <= gain["value"] <= gain["high"]


def test_without_an_f1_there_is_no_better_one():
    found = cells(oracle_rows(side_by_side.aligned("EE", "10", "01")))
    assert found["a", "b", "erroneous", "oracle_error_acc"]["value"] == 1
    row = found["a", "b", "all", "oracle_f1_gain"]
    assert (row["value"], row["better"], row["reason"]) == (None, None, "no clean case in common")
