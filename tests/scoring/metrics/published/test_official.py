import polars as pl
import pytest

from scoring.formats.benchmarks import grben, prmbench, processbench, socratic
from scoring.metrics.whole_subsets import subsets_of, whole_subsets


def frame(benchmark, *parts):
    """Cases of (subset, earliest error, how many)."""
    rows = [(benchmark, subset, gold) for subset, gold, count in parts for _ in range(count)]
    schema = {"benchmark": pl.String, "subset": pl.String, "earliest_error": pl.Int32}
    return pl.DataFrame(rows, schema=schema, orient="row")


def test_processbench_counts_both_sides():
    cases = frame("processbench", ("gsm8k", 0, 207), ("gsm8k", -1, 193), ("math", 1, 595), ("math", -1, 405))
    found = whole_subsets(cases, "processbench")
    assert found["gsm8k"] == ""
    assert found["math"] == "595 erroneous and 405 clean cases here, 594 and 406 in the paper"
    assert found["omnimath"].startswith("0 erroneous")


@pytest.mark.parametrize(("count", "whole"), [(409, False), (410, True), (411, True), (412, False)])
def test_where_two_counts_are_published_either_is_whole(count, whole):
    assert (whole_subsets(frame("grben", ("FOLIO", -1, count)), "grben")["FOLIO"] == "") == whole


def test_prmbench_counts_cases_where_rows_repeat_an_id():
    found = whole_subsets(
        frame("prmbench", ("multi_solutions", -1, 160), ("circular", 2, 758), ("Physics", 1, 9)), "prmbench"
    )
    assert (found["multi_solutions"], found["circular"]) == ("", "")
    assert found["Physics"] == "9 cases here, 1,619 in the paper"


def test_a_socratic_class_is_whole_where_its_pattern_is():
    found = whole_subsets(frame("socratic", ("detection_error", 1, 115), ("correction_error", 1, 100)), "socratic")
    assert (found["detection_error"], found["correction_error"]) == ("", "")
    assert found["repeat_inconsistency"] == "0 cases here, 313 in the paper"


def test_other_benchmarks_do_not_count_and_one_without_a_paper_has_nothing():
    assert whole_subsets(frame("mine", ("gsm8k", 0, 207), ("gsm8k", -1, 193)), "processbench")["gsm8k"]
    assert whole_subsets(frame("mine", ("gsm8k", 0, 1)), "mine") == {}
    assert subsets_of("mine") == ()


def test_the_subsets_of_a_benchmark_and_of_one_domain():
    assert subsets_of("processbench") == tuple(processbench.OFFICIAL)
    assert subsets_of("prmbench") == tuple(prmbench.CLASSES)
    assert subsets_of("prmbench", "Physics") == ("Physics",)
    assert len(subsets_of("socratic")) == len(socratic.CLASSES) == 20
    assert subsets_of("grben") == tuple(grben.OFFICIAL)
