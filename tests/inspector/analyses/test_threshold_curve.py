import json
import shlex
from functools import cache

import numpy as np
import polars as pl
import pytest

import judged
import making
import step_making
from inspector.analyses import Params
from inspector.analyses.board.board_rows import board_frame
from inspector.analyses.thresholds.thresholds import thresholds
from inspector.cli import main
from inspector.render.chart_blocks import Curve
from inspector.state.comparability import incomparable
from inspector.state.thresholds.curve_rows import CURVE
from reference import Case
from scoring.data.errors import UsageError
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.filtering.filters import passing
from scoring.workspace.workspace import Imported
from step_reference import Step
from thoroughness import THOROUGH, also, one_of
from views import card_view, curve_view, flips_view, metrics_view, table_of, thresholds_view


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("it's a study")
    cases, scorers = making.study(n=120)
    making.workspace(root, cases, scorers, **making.labels(cases))
    return str(root)


@cache
def curve(root, points=11, **asked):
    return curve_view(load(Query(workspace=root, **asked)), points).rows


def test_values_are_those_of_metrics_at_the_same_threshold(root):
    for unparsed, points in (("wrong", 4), ("drop", 3)):
        rows = curve(root, 11 if THOROUGH else points, scorers=("x=y",), unparsed=unparsed)
        for threshold in rows["threshold"].unique().to_list():
            asked = Query(workspace=root, scorers=("x=y",), unparsed=unparsed, thresholds=((None, repr(threshold)),))
            told = metrics_view(load(asked)).rows.filter(pl.col("subset") == "average")
            own = rows.filter(pl.col("threshold") == threshold).unique("metric")
            joined = own.join(told, on="metric")
            assert joined.height == 3
            for row in joined.iter_rows(named=True):
                assert row["value"] == pytest.approx(row["value_right"], nan_ok=True)
                assert row["n"] == row["n_right"]
                assert (row["value"] is None) == bool(row["reason"])


def test_conditions_select_the_cases_in_the_denominators(root):
    for unparsed in one_of(("wrong", "drop"), 1):
        query = Query(workspace=root, unparsed=unparsed, where=("n_steps > 1",), benchmarks=("bench", "demo"))
        results = load(query)
        rows = curve_view(results, 3).rows
        frame = results.evaluated.table(results.evaluated.columns).filter(pl.Series(results.mask))
        told = rows.select("scorer", "benchmark", "metric", "n", "where").unique()
        assert set(told["benchmark"]) == {"bench", "demo"}
        for row in told.iter_rows(named=True):
            assert passing(frame, [row["where"]]).sum() == row["n"]


def test_ticks_are_the_ways_to_choose_a_threshold_and_tuned_ones_are_called_optimistic(root):
    asked = {"scorers": ("gpt4",), "thresholds": (("gpt4", "0.45"),)}
    rows = curve(root, **asked).filter(pl.col("metric") == "f1")
    marks = {row["tick"]: row for row in rows.filter(pl.col("tick").is_not_null()).iter_rows(named=True)}
    assert marks["present"]["threshold"] == 0.45
    ways = thresholds_view(load(Query(workspace=root, **asked))).rows
    ways = ways.filter(pl.col("metric") == "f1", pl.col("subset") == "average")
    for row in ways.filter(pl.col("kind").is_in(["default", "best"])).iter_rows(named=True):
        mark = marks[row["kind"]]
        assert (mark["threshold"], mark["optimistic"]) == (row["threshold"], row["optimistic"])
        assert mark["value"] == pytest.approx(row["value"])
    assert marks["best"]["value"] >= rows["value"].max()
    assert {name for name in marks if ":" in name} >= {"from:it's", "from:two words", "best:it's", "best:two words"}
    assert rows.filter(pl.col("tick").is_null())["threshold"].to_list() == pytest.approx(np.arange(11) / 10)


@pytest.mark.parametrize("threshold", ["default", "dev"])
def test_what_is_tuned_on_another_benchmark_is_no_tick(tmp_path, threshold):
    """A second benchmark changes nothing but the names of dev sets."""
    cases, scorers = making.study(n=200)
    for name in ("alone", "both"):
        made = making.workspace(tmp_path / name, cases, scorers[:1])
    few = making.full_frame(cases[:150], "other")
    made.add([Imported("other", "few.jsonl", "made", "0-based", few.height, few, ())])
    asked = {"thresholds": (("gpt4", threshold),)}
    alone, both = (load(Query(workspace=str(tmp_path / name), **asked)) for name in ("alone", "both"))
    rows, among = (curve_view(results, 3).rows for results in (alone, both))
    assert set(among["benchmark"]) == {"bench", "other"}
    assert sum("dev:" in (name or "") for name in rows["tick"].unique()) == 2
    among = among.filter(benchmark="bench").with_columns(tick=pl.col("tick").str.replace("^dev:bench/", "dev:"))
    assert rows.drop("where").equals(among.drop("where"))
    card, among = (card_view(results, "gpt4").rows.filter(benchmark="bench") for results in (alone, both))
    assert card.equals(among)
    ticks = (_ticks(results, "bench", page) for results in (alone, both) for page in ("", "curve"))
    words = [[(tick.at, tick.words) for tick in of_one] for of_one in ticks]
    assert words == [words[0]] * 4
    tuned = [words for _, words in words[0] if words.startswith(("dev-tuned", "present, "))]
    assert [name for name in ("it's", "two words") if any(name in words for words in tuned)] == ["it's", "two words"]


@pytest.mark.parametrize("threshold", ["dev", "dev:kept"])
def test_a_benchmark_of_which_nothing_was_tuned_is_at_the_default_beside_others_too(tmp_path, threshold):
    cases, scorers = making.study(n=200)
    made = making.workspace(tmp_path, cases, scorers[:2])
    few = making.full_frame(cases[:30], "few")
    made.add([Imported("few", "few.jsonl", "made", "0-based", few.height, few, ())])
    asked = {"workspace": str(tmp_path), "thresholds": (("gpt4", threshold),)}
    alone, both = (load(Query(benchmarks=names, **asked)) for names in (("few",), ("bench", "few")))
    assert both.evaluation("gpt4").rule.threshold is None
    for told in (
        lambda results: board_frame(results, subsets=True),
        lambda results: card_view(results, "gpt4").rows,
        lambda results: curve_view(results, 3).rows.drop("where"),
        lambda results: thresholds_view(results).rows,
        lambda results: [one.why for one in incomparable(results, ["gpt4", "rand-0"], "few")],
    ):
        one, other = map(told, (alone, both))
        if isinstance(one, pl.DataFrame):
            one, other = one.filter(benchmark="few").rows(), other.filter(benchmark="few").rows()
        assert one == other
    row = board_frame(both).row(by_predicate=(pl.col("benchmark") == "few") & (pl.col("scorer") == "gpt4"), named=True)
    assert (row["threshold"], "optimistic" in row["threshold_source"]) == (0.5, False)


def _ticks(results, benchmark, page):
    (section,) = (one for one in thresholds.view(results, Params(page)).sections if one.title == benchmark)
    return next(block for block in section.blocks if isinstance(block, Curve)).ticks


def test_people_see_some_of_the_grid_and_all_ticks(root, capsys):
    assert main(["thresholds", "-w", root, "--curve"]) == 0
    assert "present" in capsys.readouterr().out
    view = curve_view(load(Query(workspace=root, scorers=("gpt4",))))
    assert view.rows.columns == list(CURVE)
    lines = table_of(view, "At some thresholds")
    thresholds = [float(line["threshold"]) for line in lines]
    assert thresholds == sorted(thresholds)
    ticks = view.rows.filter(pl.col("tick").is_not_null(), pl.col("metric") == "f1")
    assert [line["called"] for line in lines if line["called"]] == ticks.sort("threshold", maintain_order=True)[
        "tick"
    ].to_list()
    assert len(lines) < 40
    best = next(line for line in lines if line["called"] == "best")
    assert "*" in best["F1"]


def test_prmscore_is_the_curve_where_it_is_official(tmp_path):
    items = [
        Step(Case(2, 1, (0.9, 0.2), error_steps=(1,)), "counterfactual", None, None),
        Step(Case(3, 0, (0.3, 0.8, 0.7), error_steps=(0,)), "redundency", None, None),
    ]
    step_making.workspace(tmp_path, items, [(making.scorer("prm", comparison="<="), items)])
    results = load(Query(workspace=str(tmp_path)))
    rows = curve_view(results, 5).rows
    assert set(rows["metric"]) == {"prmscore"}
    assert rows["where"].null_count() == rows.height
    present = rows.filter(pl.col("tick") == "present").row(0, named=True)
    told = metrics_view(results).rows.filter(pl.col("metric") == "prmscore", pl.col("subset") == "all")
    names = ("value", "low", "high", "n")
    assert [present[name] for name in names] == pytest.approx([told[name].item() for name in names])


def test_what_has_no_curve_is_said(root, tmp_path, capsys):
    judged.workspace(tmp_path)
    with pytest.raises(UsageError, match="no scorer here has a threshold"):
        curve_view(load(Query(workspace=str(tmp_path), scorers=("critic",))))
    for points in (1, 1001):
        with pytest.raises(UsageError, match="2 to 1000 points"):
            curve(root, points)
    assert main(["thresholds", "-w", root, "--curve", "1"]) == 2
    assert "2 to 1000" in capsys.readouterr().err


@pytest.mark.parametrize("pair", [("0.6", "0.3"), ("default", "dev"), *also(("0.3", "0.6"), ("default", "best"))])
def test_the_conditions_of_flips_select_exactly_these_cases(root, pair, capsys):
    results = load(Query(workspace=root, where=("n_steps > 1",)))
    document = flips_view(results, *pair)
    frame = results.evaluated.table(results.evaluated.columns).filter(pl.Series(results.mask))
    wheres = document.provenance["where"]
    counted = document.rows.group_by("scorer", "flip").agg(pl.col("case"))
    assert counted.height
    assert {(name, flip) for name, one in wheres.items() for flip in one} == set(
        counted.select("scorer", "flip").rows()
    )
    for scorer, flip, cases in counted.iter_rows():
        found = frame.filter(passing(frame, [wheres[scorer][flip]]))["case"]
        assert sorted(found) == sorted(cases)
    assert main(["thresholds", "-w", root, "--flips", *pair, "--json"]) == 0
    assert "where" in json.loads(capsys.readouterr().out)["provenance"]


def test_while_dev_cases_are_left_out_flips_are_named_one_by_one(root):
    results = load(Query(workspace=root, scorers=("gpt4",), thresholds=(("gpt4", "dev"),)))
    assert results.evaluation("gpt4").coverage.left_out
    document = flips_view(results, "0.3", "0.6")
    frame = results.evaluated.table(results.evaluated.columns)
    for flip, where in document.provenance["where"]["gpt4"].items():
        assert where.startswith("case IN (")
        cases = document.rows.filter(pl.col("flip") == flip)["case"]
        assert sorted(frame.filter(passing(frame, [where]))["case"]) == sorted(cases)


def test_a_terminal_says_how_flipped_cases_are_opened(root, capsys):
    assert main(["thresholds", "-w", root, "--scorer", "gpt4", "--flips", "0.3", "0.6"]) == 0
    told = capsys.readouterr()
    lines = [line for line in told.err.splitlines() if ": prm-inspect cases " in line]
    document = flips_view(load(Query(workspace=root, scorers=("gpt4",))), "0.3", "0.6")
    assert len(lines) == document.rows["flip"].n_unique() > 1
    for line in lines:
        flip, _, command = line.partition(": ")
        assert main([*shlex.split(command)[1:], "--json"]) == 0
        listed = [row["case"] for row in json.loads(capsys.readouterr().out)["rows"]]
        assert sorted(listed) == sorted(document.rows.filter(pl.col("flip") == flip)["case"])
    assert main(["thresholds", "-w", root, "--flips", "0.3", "0.6"]) == 0
    assert "are in --json" in capsys.readouterr().err
