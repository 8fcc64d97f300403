import json

import polars as pl
import pytest

import judged
import making
from inspector.cli import main
from inspector.render.chart_blocks import Histogram
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.filtering.filters import passing
from views import breakdown_view, words_of

SILENT = ("labels", "critic", "number")
"""Scorers of `judged` that give no step rewards."""
VIEWS = ("aligned", "rewards", "reliability")


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("it's a study")
    cases, scorers = making.study(n=90)
    making.workspace(root, cases, scorers[:2], **making.labels(cases))
    return str(root)


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    root = tmp_path_factory.mktemp("judged")
    judged.workspace(root)
    return str(root)


@pytest.mark.parametrize("of", VIEWS)
def test_every_condition_selects_the_cases_of_its_row(root, of):
    query = Query(workspace=root, benchmarks=("bench", "demo"), where=("n_steps > 1",))
    results = load(query)
    rows = breakdown_view(results, page=of).rows.filter(pl.col("where").is_not_null())
    frame = results.evaluated.table(results.evaluated.columns).filter(pl.Series(results.mask))
    assert set(rows["benchmark"]) == {"bench", "demo"}
    for row in rows.iter_rows(named=True):
        counted = row["value"] or 0 if row["metric"] == "count" else row["n"]
        assert passing(frame, [row["where"]]).sum() == counted


@pytest.mark.parametrize("of", VIEWS)
def test_scorers_without_rewards_have_reasons(other, of):
    rows = breakdown_view(load(Query(workspace=other, scorers=SILENT)), page=of).rows
    assert (rows["value"].is_null() == rows["reason"].is_not_null()).all()
    assert set(rows["scorer"]) == set(SILENT)
    assert rows["value"].count() == 0


def test_people_see_counts_by_class_and_why_there_are_none_for_a_scorer_without_rewards(root, other, capsys):
    view = breakdown_view(load(Query(workspace=root)), page="rewards")
    of_cases, of_steps = [block for block in view.blocks() if isinstance(block, Histogram)][:2]
    scorer = view.rows["scorer"][0]
    counts = view.rows.filter(pl.col("scorer") == scorer, pl.col("metric") == "count")
    for chart, unit, classes in (
        (of_cases, "case", (["erroneous"], ["clean"])),
        (of_steps, "step", (["at"], ["clean", "before"])),
    ):
        for side, names in enumerate(classes):
            own = counts.filter(pl.col("unit") == unit, pl.col("side").is_in(names))
            assert sum(one.counts[side] for one in chart.bins) == own["value"].sum()
    silent = breakdown_view(load(Query(workspace=other, scorers=SILENT)), page="rewards")
    assert not any(isinstance(block, Histogram) for block in silent.blocks())
    assert words_of(silent).count("There are no rewards to lay out") == len(SILENT)
    assert main(["breakdown", "-w", root, "--of", "rewards", "--where", "n_steps > 99"]) == 0
    assert "No case is shown" in capsys.readouterr().err


def test_ratings_are_no_probabilities(tmp_path, capsys):
    cases, scorers = making.study(n=12)
    making.workspace(tmp_path, cases, [(making.scorer("rated", low=-1.0), scorers[0][1])])
    assert main(["breakdown", "-w", str(tmp_path), "--of", "reliability", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert {row["reason"] for row in rows} == {"rated gives rewards in [-1, 1], which are not probabilities"}
