import polars as pl
import pytest
from hypothesis import given

import making
from reference import Case
from scoring.metrics.statistics import PROBLEM_CHARACTERS, statistics_rows
from thoroughness import up_to


def values_of(cases, group="", **columns):
    rows = statistics_rows(making.frame(cases, **columns))
    return {(row["subset"], row["statistic"]): (row["value"], row["n"]) for row in rows if row["group"] == group}


CASES = [
    Case(4, 1, subset="a"),
    Case(6, -1, subset="a", error_steps=()),
    Case(10, 3, subset="b", error_steps=(3, 5, 6)),
    Case(2, None, subset="b"),
    Case(16, 0, subset=None, error_steps=(0,)),
]
LABELS = {
    "final_answer_correct": [True, True, False, True, None],
    "generator": ["x", "y", "x", None, None],
}


def test_statistics_worked_out_by_hand():
    found = values_of(CASES, **LABELS)
    everything = {statistic: value for (subset, statistic), value in found.items() if subset == "all"}
    assert everything == {
        "cases": (5, 5),
        "erroneous": (3, 5),
        "clean": (1, 5),
        "no_gold": (1, 5),
        "steps": (38, 5),
        "mean_steps": (38 / 5, 5),
        "max_steps": (16, 5),
        "share_steps_ge_5": (3 / 5, 5),
        "share_steps_ge_10": (2 / 5, 5),
        "share_steps_ge_15": (1 / 5, 5),
        "mean_earliest_error": (pytest.approx(4 / 3), 3),
        "mean_error_steps": (2.0, 2),
        "generators": (2, 5),
        "distinct_solutions": (5, 5),
        "process_error_rate": (1 / 2, 2),
    }
    assert found["a", "process_error_rate"] == (1 / 2, 2)
    assert found["b", "process_error_rate"] == (None, 0)  # its one right answer has no gold label
    assert found["", "cases"] == (1, 1)


def test_what_there_is_nothing_to_compute_of_is_null_with_a_reason():
    rows = [row for row in statistics_rows(making.frame([Case(2, -1)])) if row["value"] is None]
    assert {row["statistic"] for row in rows if not row["group"]} == {
        *("mean_earliest_error", "mean_error_steps", "process_error_rate")
    }
    lengths = {"mean_steps", "share_steps_ge_5", "share_steps_ge_10", "share_steps_ge_15"}
    assert {row["statistic"] for row in rows if row["group"] == "erroneous"} == lengths
    assert not {row["statistic"] for row in rows if row["group"] == "clean"}
    assert {row["reason"] for row in rows} == {"no case says"}


def test_erroneous_and_clean_cases_are_told_apart():
    erroneous, clean = values_of(CASES, "erroneous", **LABELS), values_of(CASES, "clean", **LABELS)
    assert (erroneous["all", "mean_steps"], clean["all", "mean_steps"]) == ((10.0, 3), (6.0, 1))
    assert erroneous["all", "share_steps_ge_10"] == (pytest.approx(2 / 3), 3)
    assert clean["b", "mean_steps"] == (None, 0)


def test_every_generator_of_the_benchmark_is_counted_in_every_subset():
    erroneous, clean = values_of(CASES, "erroneous", **LABELS), values_of(CASES, "clean", **LABELS)
    assert (erroneous["all", "cases:x"], clean["all", "cases:x"]) == ((2, 3), (0, 1))
    assert (erroneous["b", "cases:y"], clean["a", "cases:y"]) == ((0, 1), (1, 1))


def test_shares_of_error_types_are_of_the_erroneous_cases_that_have_one():
    cases = [Case(2, 0, subset="a"), Case(2, 1, subset="a"), Case(2, 1, subset="a"), Case(2, -1, subset="b")]
    found = values_of(cases, error_type=["slip", "gap", None, None])
    assert (found["a", "share_error_type:slip"], found["all", "share_error_type:gap"]) == ((0.5, 2), (0.5, 2))
    assert found["b", "share_error_type:gap"] == (None, 0)


def test_types_that_are_the_subsets_themselves_have_no_shares():
    cases = [Case(2, 0, subset="slip"), Case(2, 1, subset="gap")]
    assert not [name for _, name in values_of(cases, error_type=["slip", "gap"]) if name.startswith("share_error_type")]


def test_patterns_stand_beside_the_subsets_where_every_subset_lies_in_one():
    cases = [Case(2, 0, subset="a"), Case(4, 1, subset="b"), Case(6, 1, subset="c")]
    found = values_of(cases, pattern=["one", "one", "two"])
    assert (found["one", "mean_steps"], found["two", "cases"]) == ((3.0, 2), (1, 1))
    for patterns in (["one", "two", "three"], ["one", "one", None]):
        assert {subset for subset, _ in values_of(cases, pattern=patterns)} == {"a", "b", "c", "all"}
    crossing = [Case(2, 0, subset="a"), Case(2, 0, subset="a"), Case(2, 0, subset="b")]
    assert {subset for subset, _ in values_of(crossing, pattern=["one", "two", "one"])} == {"a", "b", "all"}


def test_lengths_of_problems_are_told_where_they_are_known():
    cases = making.frame([Case(2), Case(2)])
    known = cases.with_columns(pl.Series(PROBLEM_CHARACTERS, [4, 7]))
    found = {row["statistic"]: row["value"] for row in statistics_rows(known) if row["subset"] == "all"}
    assert found["mean_question_characters"] == 5.5
    assert "mean_question_characters" not in {row["statistic"] for row in statistics_rows(cases)}


def test_equal_problems_with_other_steps_are_other_solutions():
    cases = making.frame([Case(2), Case(2), Case(2)])
    twins = cases.with_columns(key=pl.Series([cases["key"][0]] * 2 + [cases["key"][2]]))
    found = {row["statistic"]: row["value"] for row in statistics_rows(twins) if row["subset"] == "all"}
    assert found["distinct_solutions"] == 2


def test_benchmarks_are_told_apart_and_none_gives_none():
    both = pl.concat([making.frame([Case(2)], "first"), making.frame([Case(3), Case(4)], "second")])
    sizes = [
        (row["benchmark"], row["subset"], row["value"]) for row in statistics_rows(both) if row["statistic"] == "cases"
    ]
    assert sizes == [("first", "one", 1), ("first", "all", 1), ("second", "one", 2), ("second", "all", 2)]
    assert list(statistics_rows(making.frame([]))) == []


@up_to(30, 5)
@given(cases=making.benches())
def test_counts_add_up(cases):
    found = values_of(cases)
    for subset in {case.subset or "" for case in cases} | {"all"}:
        parts = [found[subset, name][0] for name in ("erroneous", "clean", "no_gold")]
        assert sum(parts) == found[subset, "cases"][0]
    assert found["all", "cases"][0] == len(cases)
    assert found["all", "steps"][0] == sum(case.n_steps for case in cases)
