import polars as pl
import pytest

from scoring.formats.benchmarks import grben, processbench, socratic
from scoring.metrics.published.papers import beside, published_statistics


def value(paper, table, subset, statistic, group=""):
    rows = published_statistics().filter(
        (pl.col("paper") == paper) & (pl.col("table") == table) & (pl.col("subset") == subset),
        (pl.col("statistic") == statistic) & (pl.col("group") == group),
    )
    return rows["value"].item()


def rows(*cells):
    return pl.DataFrame(cells, schema=["benchmark", "subset", "group", "statistic"], orient="row")


def test_no_statistic_stands_twice_in_a_table():
    frame = published_statistics()
    assert frame.height == 689
    assert not frame.select("paper", "table", "subset", "group", "statistic").is_duplicated().any()
    assert frame.null_count().sum_horizontal().item() == 0


def test_units_are_those_of_this_program():
    assert value("processbench", 2, "gsm8k", "process_error_rate") == pytest.approx(0.035)
    assert value("processbench", 2, "math", "share_steps_ge_5", "erroneous") == pytest.approx(0.736)
    assert value("prmbench", 2, "circular", "mean_earliest_error") == pytest.approx(3.9)  # printed 4.9, from 1
    assert value("prmbench", 9, "Physics", "mean_steps") == pytest.approx(7.32)
    assert value("grben", 2, "MIRAGE", "share_error_type:logical") == pytest.approx(0.807)
    shares = published_statistics().filter(pl.col("statistic").str.contains("^(share|agreement|process)"))
    assert shares["value"].is_between(0, 1).all()


def test_the_papers_count_what_the_benchmarks_are_known_to_hold():
    for subset, (erroneous, clean) in processbench.OFFICIAL.items():
        assert (value("processbench", 2, subset, "erroneous"), value("processbench", 2, subset, "clean")) == (
            erroneous,
            clean,
        )
    for domain, counts in grben.OFFICIAL.items():
        assert value("grben", 2, domain, "cases") in counts
    for pattern, count in socratic.PATTERNS.items():
        assert value("socratic", 2, pattern, "cases") == count


@pytest.mark.parametrize(("paper", "tables", "sides"), [("processbench", (4,), (2,)), ("grben", (6, 7), (8, 9))])
def test_counts_by_generator_add_up_to_the_cases(paper, tables, sides):
    frame = published_statistics().filter(pl.col("paper") == paper)
    counted = frame.filter(pl.col("table").is_in(tables)).group_by("subset", "group").agg(pl.col("value").sum())
    for subset, group, total in counted.iter_rows():
        side = frame.filter(
            pl.col("table").is_in(sides) & (pl.col("subset") == subset) & (pl.col("statistic") == group)
        )
        assert side["value"].to_list() == [total], (subset, group)


def test_what_is_printed_stands_beside_and_null_where_nothing_is():
    found = beside(rows(("processbench", "gsm8k", "", "clean"), ("processbench", "gsm8k", "", "max_steps")))
    assert found["published"].to_list() == [193, None]
    assert found["source"].to_list() == ["ProcessBench (arXiv 2412.06559), Table 2", None]
    assert beside(rows(("bench", "gsm8k", "", "clean")))["published"].to_list() == [None]


def test_all_is_that_of_the_paper_only_without_other_subsets():
    own = rows(("prmbench", "circular", "", "cases"), ("prmbench", "all", "", "cases"))
    assert beside(own)["published"].to_list() == [758, 6216]
    other = rows(("prmbench", "mine", "", "cases"), ("prmbench", "all", "", "cases"))
    assert beside(other)["published"].to_list() == [None, None]


def test_order_and_number_of_the_rows_stay():
    cells = rows(*(("grben", domain, "", "cases") for domain in reversed(grben.OFFICIAL)))
    assert beside(cells).select(cells.columns).equals(cells)
