import polars as pl
import pytest

from scoring.metrics.paper_agreement import agreement, statistics_amiss


@pytest.mark.parametrize(
    ("ours", "agrees"),
    [(0.6815, True), (0.68249, True), (0.6825, True), (0.68251, False), (0.68149, False), (0.68, False)],
)
def test_a_figure_agrees_where_it_rounds_to_the_printed_one(ours, agrees):
    assert agreement(ours, [0.682], 0.0005, "") == (agrees, None)


def test_of_several_printed_values_any_will_do():
    assert agreement(0.3621, [0.651, 0.362], 0.0005, "") == (True, None)
    assert agreement(0.5, [0.651, 0.362], 0.0005, "") == (False, None)


def test_what_cannot_be_compared_says_why():
    assert agreement(None, [0.5], 0.0005, "") == (None, "there is no figure here")
    assert agreement(0.5, [0.5], 0.0005, "9 cases here") == (None, "9 cases here")


def test_prmbench_counts_rows_where_this_program_counts_cases():
    cases = pl.DataFrame(
        {"benchmark": ["prmbench"] * 160, "subset": ["multi_solutions"] * 160, "earliest_error": [-1] * 160}
    )
    amiss = statistics_amiss(cases, "prmbench")
    assert amiss["multi_solutions"] == "the paper counts 165 rows, of which 5 repeat an id"
    assert amiss["all"] == "9 of 9 subsets are not whole here"


def test_patterns_are_whole_as_their_classes_are():
    cases = pl.DataFrame(
        {"benchmark": ["socratic"] * 215, "subset": ["detection_error"] * 215, "earliest_error": [0] * 215}
    )
    amiss = statistics_amiss(cases, "socratic")
    assert amiss["Verification"] == ""
    assert amiss["Deduction"] == "0 cases here, 926 in the paper"
