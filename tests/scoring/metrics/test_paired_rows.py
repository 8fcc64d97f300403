import pytest
from hypothesis import given
from hypothesis import strategies as st

import side_by_side
from scoring.metrics.first_error import SIDES
from scoring.metrics.paired import CLUSTERED
from thoroughness import up_to


def rows_of(*words, **options):
    return side_by_side.compared(side_by_side.aligned(*words, **options))


def cell(rows, metric, scorer="a", other=None):
    found = [row for row in rows if (row["metric"], row["scorer"]) == (metric, scorer)]
    return next(row for row in found if other is None or row["other"] == other)


def test_a_pair_by_hand():
    rows = rows_of("EEEEE CCC", "11100 111", "10010 01-")
    assert {row["metric"]: (row["value"], row["n"]) for row in rows if row["other"] and row["scorer"] == "a"} == {
        "f1_difference": (pytest.approx(2 * 0.6 / 1.6 - 2 * 0.4 * 0.5 / 0.9), 7),
        "error_acc_difference": (pytest.approx(0.2), 5),
        "correct_acc_difference": (pytest.approx(0.5), 2),
        "erroneous_both_right": (1, 5),
        "erroneous_only_scorer_right": (2, 5),
        "erroneous_only_other_right": (1, 5),
        "erroneous_neither_right": (1, 5),
        "erroneous_mcnemar": (pytest.approx(2 / 3), 3),
        "clean_both_right": (1, 2),
        "clean_only_scorer_right": (1, 2),
        "clean_only_other_right": (0, 2),
        "clean_neither_right": (0, 2),
        "clean_mcnemar": (1, 1),
        "outcome_agreement": (pytest.approx(3 / 7), 7),
        "verdict_agreement": (pytest.approx(3 / 7), 7),
        "f1_behind_best": (0, 7),
        "tied_with_best": (1, 7),
    }
    assert {row["left_out"] for row in rows} == {1}
    assert cell(rows, "erroneous_mcnemar")["p"] == 1
    assert [row["subset"] for row in rows if row["metric"].endswith("_difference")] == ["average"] * 3 + ["all"] * 3


def of_pair(rows, metric):
    return {row["subset"]: row for row in rows if row["metric"] == f"{metric}_difference"}


def test_a_difference_is_told_as_a_mean_over_subsets_and_of_all_cases_together():
    """Erroneous: 1 of 1 and 1 of 3 against 0 and 2; clean: 1 of 1 and 2 of 2 against 1 and 1."""
    subsets = ["p", "p", "q", "q", "q", "q", "q"]
    rows = rows_of("EC EEECC", "11 10011", "01 11010", subsets=subsets)
    error_acc, correct_acc, f1 = (of_pair(rows, metric) for metric in ("error_acc", "correct_acc", "f1"))
    assert error_acc["average"]["value"] == pytest.approx((1 + 1 / 3) / 2 - (0 + 2 / 3) / 2)
    assert error_acc["all"]["value"] == pytest.approx(2 / 4 - 2 / 4)
    assert error_acc["all"]["n"] == error_acc["average"]["n"] == 4
    assert correct_acc["all"]["value"] == pytest.approx(3 / 3 - 2 / 3)
    assert f1["all"]["value"] == pytest.approx(2 * 0.5 / 1.5 - 2 * (1 / 2) * (2 / 3) / (1 / 2 + 2 / 3))
    only = {row["metric"]: row["value"] for row in rows if row["metric"].startswith("erroneous_only")}
    told = (only["erroneous_only_scorer_right"] - only["erroneous_only_other_right"]) / 4
    assert error_acc["all"]["value"] == pytest.approx(told)


def test_a_pooled_interval_holds_its_difference_and_is_drawn_within_subset_and_side():
    """Of each cell all cases are alike, so that no resample differs: the interval is the value itself."""
    rows = rows_of("EEEECCECC", "111111000", "000011111", subsets=["p"] * 6 + ["q"] * 3)
    row = of_pair(rows, "error_acc")["all"]
    assert (row["low"], row["value"], row["high"]) == pytest.approx((0.6, 0.6, 0.6))


def test_where_a_subset_lacks_a_side_there_is_the_difference_of_all_cases_together():
    f1 = of_pair(rows_of("ECC", "111", "110", subsets=["p", "p", "q"]), "f1")
    assert f1["average"]["reason"] == "no erroneous case in common in 1 of 2 subsets"
    assert f1["all"]["value"] == pytest.approx(1 - 2 * 0.5 / 1.5)


def test_the_only_scorer_with_an_f1_is_not_the_best_of_itself():
    for other, why in (("-" * 4, "b tried no case"), ("0000", "both accuracies of b are 0")):
        rows = rows_of("EECC", "1011", other)
        for metric in ("f1_behind_best", "tied_with_best"):
            assert (cell(rows, metric)["value"], cell(rows, metric)["other"]) == (None, None)
            assert cell(rows, metric)["reason"] == "nothing to compare with: no other scorer has an F1 here"
            assert cell(rows, metric, "b")["value"] is None
            assert cell(rows, metric, "b")["reason"].startswith(why)
        assert cell(rows, "f1")["value"] == pytest.approx(2 * 0.5 / 1.5)


def test_a_scorer_against_itself_differs_by_0_with_p_1():
    rows = rows_of("EEECCC", "110100", "110100")
    for metric in ("f1", "error_acc", "correct_acc"):
        row = cell(rows, f"{metric}_difference")
        assert (row["value"], row["low"], row["high"]) == (0, 0, 0)
    for side in SIDES:
        row = cell(rows, f"{side}_mcnemar")
        assert (row["value"], row["n"], row["p"], row["p_holm"]) == (None, 0, 1, 1)
        assert row["reason"] == "no discordant pair"
    assert cell(rows, "outcome_agreement")["value"] == cell(rows, "verdict_agreement")["value"] == 1


def test_holms_family_is_every_pair_on_both_sides():
    rows = rows_of("E" * 8 + "C" * 8, "1" * 16, "0" * 8 + "1" * 8, "1" * 8 + "0" * 8)
    tested = [row for row in rows if row["p"] is not None]
    assert len(tested) == 6
    assert cell(rows, "erroneous_mcnemar", "a", "b")["p"] == 2 / 2**8
    assert cell(rows, "erroneous_mcnemar", "a", "b")["p_holm"] == 6 * 2 / 2**8
    assert cell(rows, "erroneous_mcnemar", "a", "c")["p_holm"] == 1


def test_a_test_that_cannot_be_made_is_not_of_the_family():
    rows = rows_of("EEE", "111", "000")
    assert sum(row["p"] is not None for row in rows) == 1
    assert cell(rows, "clean_mcnemar")["p"] is cell(rows, "clean_mcnemar")["p_holm"] is None
    assert (
        cell(rows, "clean_mcnemar")["reason"] == cell(rows, "clean_both_right")["reason"] == "no clean case in common"
    )
    assert cell(rows, "erroneous_mcnemar")["p_holm"] == cell(rows, "erroneous_mcnemar")["p"] == 1 / 4
    assert cell(rows, "tied_with_best")["reason"] == "F1 is undefined for every scorer"


def test_where_cases_share_problems_the_tests_say_so():
    rows = rows_of("EECC", "1011", "0110", problem_id=["p", "p", "q", None])
    assert cell(rows, "erroneous_mcnemar")["note"] == CLUSTERED
    assert cell(rows, "clean_mcnemar")["note"] is None


def test_standings_are_on_the_cases_that_all_tried_but_those_who_tried_none():
    rows = rows_of("EECC" * 10, "1111" * 10, "1011" * 9 + "1-11", "0101" * 10, "-" * 40)
    assert cell(rows, "f1", "a")["value"] == 1
    assert cell(rows, "f1", "a")["n"] == cell(rows, "f1", "c")["n"] == 39
    assert cell(rows, "f1", "a")["left_out"] == 1
    assert cell(rows, "f1", "d")["reason"] == "d tried no case"
    assert [cell(rows, "tied_with_best", scorer)["value"] for scorer in "abc"] == [1, 0, 0]
    assert {cell(rows, "f1_behind_best", scorer)["other"] for scorer in "abc"} == {"a"}
    assert cell(rows, "erroneous_lone_right", "a")["value"] == 0
    assert cell(rows, "clean_unanimous_right", None)["value"] == 10
    assert cell(rows, "clean_unanimous_wrong", None)["n"] == 20


def test_without_a_case_in_common_everything_is_null_with_a_reason():
    rows = rows_of("EECC", "1-1-", "-1-1")
    assert {row["value"] for row in rows} == {None}
    assert {row["left_out"] for row in rows} == {4}
    assert all(row["reason"] for row in rows)


def test_no_cases_at_all_and_scorers_that_tried_none():
    for rows in (rows_of("EC", "--", "--"), rows_of("EC", "--", "--", "--")):
        assert {row["value"] for row in rows} == {None}
        assert {row["left_out"] for row in rows} == {0}
        assert all(row["reason"] for row in rows)


@up_to(40, 5)
@given(
    st.integers(1, 8).flatmap(
        lambda n: st.tuples(
            st.text("EC", min_size=n, max_size=n), *[st.text("01x-", min_size=n, max_size=n) for _ in range(3)]
        )
    ),
    st.sampled_from(("wrong", "drop")),
)
def test_a_null_has_a_reason_and_a_value_has_none(words, unparsed):
    rows = rows_of(*words, unparsed=unparsed)
    identities = [(row["scorer"], row["other"], row["subset"], row["metric"]) for row in rows]
    assert len(set(identities)) == len(identities)
    for row in rows:
        assert (row["value"] is None) == bool(row["reason"])
        assert (row["low"] is None) == (row["high"] is None)
        assert row["low"] is None or -1 <= row["low"] <= row["high"] <= 1
        assert (row["p"] is None) == (row["p_holm"] is None)
        assert row["p"] is None or 0 <= row["p"] <= row["p_holm"] <= 1
        if row["metric"] == "tied_with_best":
            assert row["value"] in {None, 0, 1}


def test_every_scorer_has_its_metrics_with_intervals_beside_the_pairs():
    rows = rows_of("EEEEECCCC", "111001110", "100100110", "110101010")
    for scorer, f1, error_acc, correct_acc in (
        ("a", 2 * 0.6 * 0.75 / 1.35, 0.6, 0.75),
        ("b", 2 * 0.4 * 0.5 / 0.9, 0.4, 0.5),
        ("c", 2 * 0.6 * 0.5 / 1.1, 0.6, 0.5),
    ):
        for metric, value in (("f1", f1), ("error_acc", error_acc), ("correct_acc", correct_acc)):
            found = cell(rows, metric, scorer)
            assert found["value"] == pytest.approx(value)
            assert found["low"] < found["value"] < found["high"]
