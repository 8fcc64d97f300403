import polars as pl
import pytest

from scoring.importing.shifted import gold_findings, verdict_findings

NAMED = [0, 1, 2, 3, 4, 5, 0, 1, 2, 3]


def told(find, **columns):
    """(code, message) of what is found in rows of the given columns."""
    count = len(columns["earliest_error"])
    frame = pl.DataFrame({"key": [str(n) for n in range(count)], "line": range(1, count + 1), **columns})
    frame = frame.with_columns(id=pl.col("key"))
    return [(one.code, one.message) for one in find("runs/x.jsonl", frame)]


def test_equal_gold_labels_say_nothing():
    assert told(gold_findings, earliest_error=[*NAMED, -1], gold=[*NAMED, -1]) == []
    assert told(gold_findings, earliest_error=[1, None], gold=[None, 2]) == []


@pytest.mark.parametrize(("by", "way"), [(1, "higher"), (-1, "lower")])
def test_gold_labels_that_are_all_moved_by_one_are_told(by, way):
    gold = [*(step + by for step in NAMED), -1, -1]
    assert told(gold_findings, earliest_error=[*NAMED, -1, -1], gold=gold) == [
        (
            "gold-shifted",
            (
                f"10 of 10 gold error steps of the file are one {way} than the benchmark's: "
                "one of the two counts from another base"
            ),
        )
    ]


def test_one_label_that_is_not_moved_hides_no_shift():
    gold = [*(step + 1 for step in NAMED[1:]), NAMED[0]]
    found = told(gold_findings, earliest_error=[*NAMED[1:], NAMED[0]], gold=gold)
    assert found[0][1].startswith("9 of 10 gold error steps of the file are one higher")


def test_few_labels_that_differ_are_no_shift():
    assert told(gold_findings, earliest_error=[0, 1, 2, 3], gold=[1, 2, 3, 4]) == [
        ("gold-differs", "4 gold labels of the file are not the benchmark's, here 1 and not 0, 0-based")
    ]


def test_only_clean_labels_that_differ_are_no_shift():
    found = told(gold_findings, earliest_error=[*NAMED, -1], gold=[*NAMED, 2])
    assert found == [("gold-differs", "1 gold labels of the file are not the benchmark's, here 2 and not -1, 0-based")]


def test_labels_that_are_moved_by_two_are_no_other_base():
    found = told(gold_findings, earliest_error=NAMED, gold=[step + 2 for step in NAMED])
    assert [code for code, _ in found] == ["gold-differs"]


def test_several_answers_to_one_case_are_one_label():
    keys = ["a"] * 8
    assert [code for code, _ in told(gold_findings, key=keys, earliest_error=[1] * 8, gold=[2] * 8)] == ["gold-differs"]


@pytest.mark.parametrize(("by", "way"), [(1, "higher"), (-1, "lower")])
def test_verdicts_that_are_mostly_moved_by_one_are_told(by, way):
    gold = [step + 1 for step in NAMED]
    assert told(verdict_findings, earliest_error=gold, verdict=[step + by for step in gold]) == [
        (
            "verdicts-shifted",
            f"10 verdicts are one {way} than the gold error and 0 equal it: they may count from another base",
        )
    ]


def test_verdicts_that_are_often_right_are_not_shifted():
    late = [*NAMED[:3], *(step + 1 for step in NAMED[3:])]
    assert told(verdict_findings, earliest_error=NAMED, verdict=late) == []


def test_a_critic_that_sees_no_errors_is_not_shifted():
    assert told(verdict_findings, earliest_error=[0] * 20, verdict=[-1] * 20) == []
    assert told(verdict_findings, earliest_error=[0] * 20, verdict=[-2] * 20) == []


def test_clean_cases_and_cases_without_a_gold_label_show_no_shift():
    assert told(verdict_findings, earliest_error=[-1] * 9 + [None], verdict=[0] * 10) == []


def test_eight_equal_votes_for_one_case_are_one_verdict():
    assert told(verdict_findings, key=["a"] * 8, earliest_error=[1] * 8, verdict=[2] * 8) == []
