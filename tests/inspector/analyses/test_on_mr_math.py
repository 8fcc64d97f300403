"""The numbers of scorers together on MR-MATH, against plain polars on the columns of its cases."""

from itertools import combinations

import polars as pl
import pytest
from msgspec.structs import replace

from published_spaces import mr_math
from scoring.selection.loading import load
from scoring.selection.query import Query, split
from scoring.workspace.filtering.filters import passing
from views import breakdown_view, cascade_view, curve_view, flips_view, pairs_view, sets_view

FIRST, SECOND = "reasoneval_mistral-7b", "gpt4"
RIGHT = ["exact", "clean"]


@pytest.fixture(scope="module")
def query(tmp_path_factory, data_folder):
    return mr_math(tmp_path_factory.mktemp("mr-math") / "w", data_folder)


@pytest.fixture(scope="module")
def cases(query):
    """One row a case with every scorer's columns."""
    results = load(query)
    return results.evaluated.table(results.evaluated.columns)


@pytest.fixture(scope="module")
def names(cases):
    columns = (name for name in cases.columns if name.endswith(".outcome"))
    found = [name.removesuffix(".outcome") for name in columns if (cases[name] != "unscored").any()]
    assert len(found) == 10
    return found


def f1(cases, right):
    """The harmonic mean of the two accuracies; `right` is a Boolean expression."""
    sides = cases.group_by(pl.col("earliest_error") >= 0).agg(right.mean().alias("right"))["right"]
    return 2 * sides.product() / sides.sum()


def is_right(name):
    return pl.col(f"{name}.outcome").is_in(RIGHT)


def test_right_sets(query, cases, names):
    rows = sets_view(load(query)).rows
    marked = cases.select(
        (pl.col("earliest_error") >= 0).alias("erroneous"), *(is_right(name).alias(name) for name in names)
    )
    counted = {tuple(row[:-1]): row[-1] for row in marked.group_by("erroneous", *names).len().iter_rows()}
    found = {
        (row["side"] == "erroneous", *(name in split(row["right"]) for name in names)): row["count"]
        for row in rows.iter_rows(named=True)
        if row["count"]
    }
    assert found == counted
    assert rows.filter(pl.col("side") == "erroneous")["count"].sum() == 83
    assert rows.filter(pl.col("side") == "clean")["count"].sum() == 76


def test_pairs(query, cases, names):
    rows = pairs_view(load(replace(query, scorers=tuple(names)))).rows.filter(pl.col("side") == "all")
    cells = {(row["scorer"], row["other"], row["metric"]): row for row in rows.iter_rows(named=True)}
    for one, other in combinations(names, 2):
        same = cases.select((pl.col(f"{one}.outcome") == pl.col(f"{other}.outcome")).sum()).item()
        assert (cells[one, other, "same_outcome"]["count"], cells[one, other, "same_outcome"]["n"]) == (same, 159)
        said = cases.drop_nulls([f"{one}.verdict", f"{other}.verdict"])
        same = (said[f"{one}.verdict"] == said[f"{other}.verdict"]).mean()
        assert cells[one, other, "same_verdict"]["value"] == pytest.approx(same)
        lacking = cases.filter(~is_right(one))
        covered = lacking.filter(is_right(other)).height
        assert (cells[one, other, "covered"]["count"], cells[one, other, "covered"]["n"]) == (covered, lacking.height)
        oracle = f1(cases, is_right(one) | is_right(other))
        assert cells[one, other, "oracle_f1"]["value"] == pytest.approx(oracle)


def test_a_cascade(query, cases):
    query = Query(workspace=query.workspace, scorers=(FIRST, SECOND))
    rows = cascade_view(load(query)).rows
    lowest = cases[f"{FIRST}.lowest_reward"]
    distance = (lowest - 0.5).abs()
    assert cases[f"{FIRST}.decision_distance"].equals(distance.alias(f"{FIRST}.decision_distance"))
    answered = cases[f"{SECOND}.verdict"].is_not_null()
    for (cut,), part in rows.filter(pl.col("cut").is_not_null()).group_by("cut"):
        asked = distance < cut
        right = pl.when(pl.col("taken")).then(is_right(SECOND)).otherwise(is_right(FIRST))
        cells = dict(part.select("metric", "value").iter_rows())
        assert cells["share_sent"] == pytest.approx(asked.mean())
        assert cells["f1"] == pytest.approx(f1(cases.with_columns(taken=asked & answered), right))
    alone = rows.filter(pl.col("metric") == "f1", pl.col("cut").is_null())
    assert dict(alone.select("kind", "value").iter_rows()) == {
        "first": pytest.approx(f1(cases, is_right(FIRST))),
        "second": pytest.approx(f1(cases, is_right(SECOND))),
    }


def test_rewards_around_the_error_and_by_gold_class(query, cases):
    results = load(Query(workspace=query.workspace, scorers=(FIRST,)))
    rewards = results.evaluation(FIRST).rewards.lists
    steps = cases.select("case", "earliest_error", rewards=rewards).with_columns(
        step=pl.int_ranges(pl.col("rewards").list.len())
    )
    steps = steps.explode("rewards", "step")
    erroneous = steps.filter(pl.col("earliest_error") >= 0).with_columns(
        offset=pl.col("step") - pl.col("earliest_error")
    )
    plain = {
        offset: (mean, n)
        for offset, mean, n in erroneous.group_by("offset")
        .agg(pl.col("rewards").mean(), pl.len().alias("n"))
        .iter_rows()
    }
    aligned = breakdown_view(results, page="aligned").rows
    for row in aligned.filter(pl.col("offset").is_not_null()).iter_rows(named=True):
        assert (row["value"], row["n"]) == (pytest.approx(plain[row["offset"]][0]), plain[row["offset"]][1])
    bars = breakdown_view(results, page="rewards").rows
    lowest = pl.col(f"{FIRST}.lowest_reward")
    for row in bars.filter(pl.col("unit") == "case", pl.col("metric") == "count").iter_rows(named=True):
        closed = "both" if row["reward_to"] == 1 else "left"
        side = pl.col("earliest_error") >= 0 if row["side"] == "erroneous" else pl.col("earliest_error") < 0
        inside = lowest.is_between(row["reward_from"], row["reward_to"], closed=closed)
        assert row["value"] == cases.filter(side, inside).height
    pairs = (
        cases.filter(pl.col("earliest_error") < 0)
        .select(clean=lowest)
        .join(cases.filter(pl.col("earliest_error") >= 0).select(wrong=lowest), how="cross")
    )
    above = pairs.select((pl.col("clean") > pl.col("wrong")).mean() + (pl.col("clean") == pl.col("wrong")).mean() / 2)
    auroc = bars.filter(pl.col("unit") == "case", pl.col("metric") == "auroc")["value"].item()
    assert auroc == pytest.approx(above.item())


def test_reliability(query, cases):
    results = load(Query(workspace=query.workspace, scorers=(FIRST,)))
    rows = breakdown_view(results, page="reliability").rows
    lowest = pl.col(f"{FIRST}.lowest_reward")
    binned = cases.with_columns(bin=(lowest * 10).floor().clip(0, 9))
    plain = binned.group_by("bin").agg(
        (pl.col("earliest_error") < 0).mean().alias("share"), lowest.mean().alias("mean"), pl.len().alias("n")
    )
    ece = plain.select(((pl.col("share") - pl.col("mean")).abs() * pl.col("n")).sum() / 159).item()
    of_cases = rows.filter(pl.col("unit") == "case")
    assert of_cases.filter(pl.col("metric") == "ece")["value"].item() == pytest.approx(ece)
    found = of_cases.filter(pl.col("metric") == "share_right", pl.col("value").is_not_null())
    assert found["n"].to_list() == plain.sort("bin")["n"].to_list()
    assert found["value"].to_list() == pytest.approx(plain.sort("bin")["share"].to_list())


def decided(cases, threshold):
    """The cases with the verdict and whether it is right at a threshold, from the rewards; ReasonEval's rule is <=."""
    wrong = pl.col("rewards").list.eval(pl.element() <= threshold)
    verdict = pl.when(wrong.list.any()).then(wrong.list.arg_max()).otherwise(-1).cast(pl.Int64)
    found = cases.with_columns(verdict=verdict)
    return found.with_columns(right=pl.col("verdict") == pl.col("earliest_error"))


def test_a_curve_and_its_bands(query, cases):
    results = load(Query(workspace=query.workspace, scorers=(FIRST,)))
    with_rewards = cases.with_columns(rewards=results.evaluation(FIRST).rewards.lists)
    rows = curve_view(results, 21).rows
    erroneous = pl.col("earliest_error") >= 0
    for row in rows.iter_rows(named=True):
        at = decided(with_rewards, row["threshold"])
        accuracies = {
            "error_acc": at.filter(erroneous)["right"].mean(),
            "correct_acc": at.filter(~erroneous)["right"].mean(),
        }
        error_acc, correct_acc = accuracies.values()
        both = 2 * error_acc * correct_acc / (error_acc + correct_acc) if error_acc + correct_acc else None
        expected = {**accuracies, "f1": both}[row["metric"]]
        assert row["value"] == (None if expected is None else pytest.approx(expected))
        assert row["low"] is None or row["low"] <= row["value"] <= row["high"]
    assert rows["n"].unique().sort().to_list() == [76, 83, 159]


def test_flips_between_two_thresholds(query, cases):
    results = load(Query(workspace=query.workspace, scorers=(FIRST,)))
    document = flips_view(results, "0.5", "0.3")
    with_rewards = cases.with_columns(rewards=results.evaluation(FIRST).rewards.lists)
    before, after = decided(with_rewards, 0.5), decided(with_rewards, 0.3)
    changed = cases.select("case", was=before["right"], now=after["right"])
    expected = {
        "right": changed.filter(pl.col("now") & ~pl.col("was"))["case"].to_list(),
        "wrong": changed.filter(pl.col("was") & ~pl.col("now"))["case"].to_list(),
    }
    wheres = document.provenance["where"][FIRST]
    for flip, listed in expected.items():
        assert listed
        assert cases.filter(passing(cases, [wheres[flip]]))["case"].to_list() == listed
        assert document.rows.filter(pl.col("flip") == flip)["case"].to_list() == listed
