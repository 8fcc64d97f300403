"""What PRMBench prints over scorers (Tables 6, 13 and 14), from the scorers' printed figures."""

from itertools import combinations

import numpy as np
import polars as pl
import pytest

from scoring.metrics.best_of_n import population_sd, somers_d
from scoring.metrics.published.papers import NO_SCORERS, figures

TABLES = {6: 7, 13: 13, 14: 13}
"""Table -> scorers in it."""
HIGHER = {6: "RLHFlowPRM-8B", 13: "RLHFlow-PRM-Deepseek-8B", 14: "WizardMath-7B"}
"""Of the one pair whose PRMScores are printed alike, the higher by every printed Somers' D of its table."""


def cells(table):
    """{(subset, metric): {printed name: percent}}"""
    found = {}
    rows = figures().filter((pl.col("paper") == "prmbench") & (pl.col("table") == table))
    for row in rows.iter_rows(named=True):
        found.setdefault((row["subset"], row["metric"]), {})[row["scorer"]] = float(row["printed"])
    return found


def columns():
    return [(table, *key) for table in TABLES for key in cells(table)]


def over(table, subset, metric, word):
    """What is printed over scorers, and the two columns of figures behind it."""
    column, scores = cells(table)[subset, metric], cells(table)["all", "prmscore"]
    (printed,) = (value for name, value in column.items() if name.startswith(word))
    names = [name for name in column if name not in NO_SCORERS]
    assert len(names) == TABLES[table]
    return printed, [scores[name] for name in names], [column[name] for name in names], names


@pytest.mark.parametrize(("table", "subset", "metric"), columns())
def test_the_printed_spread_is_that_of_the_population(table, subset, metric):
    printed, _, values, _ = over(table, subset, metric, "Standard")
    # Figures are printed to 0.1 and so off by up to 0.05; a standard deviation moves by no more than its values do.
    assert abs(population_sd(np.array(values)) - printed) <= 0.05 + 0.005 + 1e-9
    if table == 14 and metric == "best_of_n_acc" and subset != "average":
        # Of 200 problems each, so that nothing was rounded.
        assert round(population_sd(np.array(values)) + 1e-9, 2) == printed
        assert abs(float(np.std(values, ddof=1)) - printed) > 0.03


@pytest.mark.parametrize(("table", "subset", "metric"), columns())
def test_the_printed_somers_d_is_one_of_figures_that_round_to_the_printed_ones(table, subset, metric):
    printed, x, y, _ = over(table, subset, metric, "Somers")
    told = open_pairs = 0
    for one, other in combinations(range(len(x)), 2):
        sign = np.sign(x[one] - x[other]) * np.sign(y[one] - y[other])
        told += int(sign)
        open_pairs += sign == 0
    pairs = len(x) * (len(x) - 1) // 2
    possible = {round((told + more) / pairs, 2) for more in range(-open_pairs, open_pairs + 1)}
    # One cell is printed with a single digit.
    assert any(abs(value - printed) <= 0.005 + 1e-9 for value in possible)


@pytest.mark.parametrize(
    ("table", "subset"),
    [
        *((6, name) for name in ("math", "olympiadbench", "average")),
        *((13, name) for name in ("math", "olympiadbench")),
        *((14, name) for name in ("gsm8k", "math", "olympiadbench", "mmlu", "average")),
    ],
)
def test_with_the_one_tie_in_prmscore_broken_one_way_it_is_the_printed_one(table, subset):
    printed, x, y, names = over(table, subset, "best_of_n_acc", "Somers")
    tied = [pair for pair in combinations(range(len(x)), 2) if x[pair[0]] == x[pair[1]]]
    assert len(tied) == 1
    higher = names.index(HIGHER[table])
    assert higher in tied[0]
    x[higher] += 0.01
    assert somers_d(np.array(x), np.array(y)) == pytest.approx(printed, abs=0.005 + 1e-9)
