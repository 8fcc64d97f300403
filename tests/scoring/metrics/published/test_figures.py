"""The shipped figures: sound as data, and true to the papers' own arithmetic."""

import polars as pl
import pytest

from scoring.formats.benchmarks import agentprocessbench, grben, prmbench, processbench, socratic
from scoring.metrics.published.papers import KEY, NO_SCORERS, PAPERS, figures, other_values, published_statistics

METRICS = {
    *("error_acc", "correct_acc", "f1", "fp_rate", "fn_rate"),
    *("prmscore", "f1_positive", "f1_negative", "acc", "positive_acc", "negative_acc", "first", "similarity"),
    *("best_of_n_acc", "step_acc", "first_error_acc"),
}
SETTINGS = {None, "greedy", "voting@8", "fast", "slow", "0-shot", "1-shot", "2-shot", "best of 8", "best threshold"}
NAMED_BY_THE_ISSUE = {
    "processbench": {*range(2, 10)},
    "prmbench": {*range(2, 7), *range(9, 24)},
    "socratic": {2, 3, 4},
    "grben": {*range(2, 13)},
    "agentprocessbench": {1},
}
CATEGORIES = {}
for name, one in prmbench.CLASSES.items():
    CATEGORIES.setdefault(one.category, []).append(name)


def printed(paper, *tables):
    """{(table, block, scorer, setting): {(subset, metric): percent}} of a paper's tables."""
    found = {}
    rows = figures().filter((pl.col("paper") == paper) & pl.col("table").is_in(tables))
    for row in rows.iter_rows(named=True):
        line = found.setdefault((row["table"], row["block"], row["scorer"], row["setting"]), {})
        line[row["subset"], row["metric"]] = float(row["printed"])
    return found


def rounds(low, high, value):
    """Whether something between low and high, in percent, is printed as the value."""
    return low - 0.05 - 1e-9 <= value <= high + 0.05 + 1e-9


def harmonic(left, right):
    return 2 * left * right / (left + right) if left + right > 0 else 0.0


# -- sound as data


def test_no_figure_stands_twice_and_none_is_missing():
    frame = figures()
    assert frame.height == 5534
    own = ["paper", "table", "domain", "block", "scorer", "setting", "subset", "metric"]
    assert not frame.select(own).is_duplicated().any()
    scorers = frame.filter(~pl.col("scorer").is_in(list(NO_SCORERS)))
    assert not scorers.select("table", *KEY).is_duplicated().any()
    assert (
        frame.select("paper", "table", "scorer", "subset", "metric", "value", "printed").null_count().row(0) == (0,) * 7
    )


def test_figures_are_fractions_and_names_are_those_of_this_program():
    frame = figures()
    ordinary = frame.filter(~pl.col("scorer").str.starts_with("Somers"))
    assert ordinary["value"].is_between(0, 1).all()
    assert frame.filter(pl.col("scorer").str.starts_with("Somers"))["value"].is_between(-1, 1).all()
    assert set(frame["metric"]) == METRICS
    assert set(frame["setting"]) == SETTINGS
    assert set(frame["domain"]) == {None, *prmbench.STEM_ROWS}
    known = {
        "processbench": {*processbench.OFFICIAL, "average"},
        "prmbench": {*prmbench.CLASSES, *CATEGORIES, "all", "gsm8k", "math", "olympiadbench", "mmlu", "average"},
        "socratic": {*socratic.CLASSES, "all"},
        "grben": {*grben.OFFICIAL, *grben.ERROR_TYPES, "all", "average", "processbench"},
        "agentprocessbench": {*agentprocessbench.SUBSETS, "all"},
    }
    for (paper,), part in frame.group_by("paper"):
        assert set(part["subset"]) <= known[paper], paper


def test_every_table_that_is_asked_for_is_known_and_has_figures():
    printed = {name: paper for name, paper in PAPERS.items() if not paper.computed_only}
    assert {name: {table.number for table in paper.tables} for name, paper in printed.items()} == NAMED_BY_THE_ISSUE
    assert set(PAPERS) - set(printed) == {"mrmath", "mrmath_redundant"}
    statistics = published_statistics()
    for name, paper in printed.items():
        for table in paper.tables:
            frame = statistics if table.kind == "statistics" else figures()
            rows = frame.filter((pl.col("paper") == name) & (pl.col("table") == table.number))
            assert rows.height, (name, table.number)
            if table.kind != "statistics":
                assert set(rows["domain"]) == {table.domain or None}
    assert {name for name, paper in PAPERS.items() if paper.pictures} == {"processbench", "prmbench", "socratic"}


def test_the_precision_is_half_a_unit_of_the_last_digit():
    frame = figures().with_columns(points=pl.col("tolerance") * 100)
    assert frame.filter(pl.col("metric") == "f1")["points"].unique().to_list() == [pytest.approx(0.05)]
    somers = frame.filter(pl.col("scorer") == "Somers' D")
    assert somers["tolerance"].unique().to_list() == [pytest.approx(0.005)]


# -- true to the papers' own arithmetic


@pytest.mark.parametrize(
    ("paper", "tables", "count"), [("processbench", (5, 6, 7, 8, 9), 176), ("grben", (10, 11, 12), 198)]
)
def test_f1_is_the_harmonic_mean_of_both_accuracies(paper, tables, count):
    checked = 0
    for line in printed(paper, *tables).values():
        for subset in {subset for subset, _ in line}:
            error, correct, f1 = (line[subset, metric] for metric in ("error_acc", "correct_acc", "f1"))
            low, high = (harmonic(max(error + half, 0), max(correct + half, 0)) for half in (-0.05, 0.05))
            assert rounds(low, high, f1), (subset, error, correct, f1)
            checked += 1
    assert checked == count


@pytest.mark.parametrize(
    ("paper", "subsets", "count"), [("processbench", processbench.OFFICIAL, 25), ("grben", grben.OFFICIAL, 22)]
)
def test_an_average_is_the_plain_mean_of_the_subsets(paper, subsets, count):
    lines = printed(paper, 3)
    assert len(lines) == count
    for line in lines.values():
        mean = sum(line[subset, "f1"] for subset in subsets) / len(subsets)
        assert rounds(mean - 0.05, mean + 0.05, line["average", "f1"])


def test_a_category_is_the_plain_mean_of_its_classes_but_for_one():
    odd, checked = [], 0
    for (table, _, scorer, _), line in printed("prmbench", 3, 10, 11, 12).items():
        for category, members in CATEGORIES.items():
            values = [line[name, "prmscore"] for name in members if (name, "prmscore") in line]
            mean = sum(values) / len(values)
            checked += 1
            if not rounds(mean - 0.05, mean + 0.05, line[category, "prmscore"]):
                odd.append((table, scorer, category))
    assert odd == [(3, "Human Performance", "Sensitivity")]
    assert checked == 3 * len(printed("prmbench", 3, 10, 11, 12))


def test_prmscore_is_the_mean_of_both_f1s():
    lines = printed("prmbench", *range(15, 24))
    assert len(lines) == 252
    for line in lines.values():
        (subset,) = {subset for subset, _ in line}
        mean = (line[subset, "f1_positive"] + line[subset, "f1_negative"]) / 2
        assert rounds(mean - 0.05, mean + 0.05, line[subset, "prmscore"])


# -- conflicts


def test_what_one_paper_prints_with_two_values_is_told_with_its_tables():
    def elsewhere(paper, table, scorer, subset, metric="prmscore"):
        row = figures().filter(
            (pl.col("paper") == paper) & (pl.col("table") == table) & (pl.col("scorer") == scorer),
            (pl.col("subset") == subset) & (pl.col("metric") == metric),
        )
        return row["printed"].item(), row["elsewhere"].item()

    assert elsewhere("prmbench", 3, "Skywork-PRM-7B", "all") == ("65.1", "36.2 in Table 4")
    assert elsewhere("prmbench", 4, "Skywork-7B", "all") == ("36.2", "65.1 in Table 3, 6, 13, 15")
    assert elsewhere("prmbench", 22, "DeepSeek-R1", "missing_condition") == ("63.1", "63.3 in Table 3")
    assert elsewhere("grben", 11, "Gemini-3-flash", "computer-science", "f1") == ("61.5", "61.6 in Table 3, 5")
    assert elsewhere("prmbench", 3, "ReasonEval-34B", "all") == ("60.5", None)


def test_conflicts_are_mutual_and_few():
    told = figures().filter(pl.col("elsewhere").is_not_null())
    assert not set(told["scorer"]) & NO_SCORERS
    cells = told.group_by(KEY, maintain_order=True).agg(pl.col("printed").n_unique())
    assert (cells["printed"] == 2).all()
    assert cells.height == 17
    assert set(told["paper"]) == {"prmbench", "grben"}


def test_other_values_are_read_back_as_fractions():
    assert other_values(None) == []
    assert other_values("65.1 in Table 3, 6; 36.2 in Table 4") == [pytest.approx(0.651), pytest.approx(0.362)]


def test_figures_of_other_settings_are_no_conflict():
    frame = figures().filter((pl.col("model") == "qwen2572binstruct") & (pl.col("subset") == "gsm8k"))
    assert frame["setting"].n_unique() == 2
    assert frame["elsewhere"].null_count() == frame.height


def test_gr_ben_prints_its_thinkers_the_same_without_thinking_in_both_tables():
    both = figures().filter(
        (pl.col("paper") == "grben") & pl.col("table").is_in([3, 5]) & (pl.col("setting") == "fast")
    )
    cells = both.group_by("model", "subset").agg(pl.col("value").n_unique().alias("values"), pl.len())
    assert cells.height == 77
    assert (cells["values"] == 1).all()
    assert (cells["len"] == 2).all()
