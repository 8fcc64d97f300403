import json
from functools import cache

import polars as pl
import pytest

import judged
import making
from inspector.analyses.compare.cascade import CASCADE_ROWS
from inspector.analyses.compare.pair_pages import PAIR_ROWS
from inspector.analyses.compare.scorer_sets import SET_ROWS
from inspector.cli import main
from scoring.data.errors import UsageError
from scoring.selection.loading import load
from scoring.selection.query import Query, split
from scoring.workspace.filtering.filters import passing
from thoroughness import together
from views import cascade_view, cases_view, pairs_view, sets_view

DOCUMENTS = {
    "upset": (sets_view, SET_ROWS),
    "pairs": (pairs_view, PAIR_ROWS),
    "cascade": (cascade_view, CASCADE_ROWS),
}


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A study of three scorers, and one whose name looks like a flag."""
    root = tmp_path_factory.mktemp("it's a study")
    cases, scorers = making.study(n=60)
    making.workspace(root, cases, [*scorers, (making.scorer("-flag"), scorers[0][1])], **making.labels(cases))
    return str(root)


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    """Scorers without a threshold beside one that has one."""
    root = tmp_path_factory.mktemp("judged")
    judged.workspace(root)
    return str(root)


@cache
def made(view, root, *names, **asked):
    names = names or (("gpt4", "x=y") if view == "cascade" else ("gpt4", "rand-0", "x=y"))
    return DOCUMENTS[view][0](load(Query(workspace=root, scorers=names, **asked)))


@pytest.mark.parametrize(("view", "unparsed"), together(DOCUMENTS, ["wrong", "drop"]))
def test_every_condition_opens_as_many_cases_as_its_row_counts(root, view, unparsed):
    asked = {"where": ("n_steps > 1",), "unparsed": unparsed}
    document = made(view, root, **asked)
    assert document.rows.columns == list(DOCUMENTS[view][1])
    results = load(Query(workspace=root, **asked))
    frame = results.evaluated.table(results.evaluated.columns).filter(pl.Series(results.mask))
    counted = document.rows.filter(pl.col("where").is_not_null()).select("where", "count").unique()
    assert counted.height > 5
    for where, count in counted.iter_rows():
        assert passing(frame, [where]).sum() == count
    where, count = counted.sort("count", "where").row(-1)
    again = load(Query(workspace=root, unparsed=unparsed, where=("n_steps > 1", where)))
    assert cases_view(again).rows.height == count > 0


@pytest.mark.parametrize("view", DOCUMENTS)
def test_benchmarks_that_nobody_scored_are_passed_over_and_conditions_name_theirs(root, view):
    rows = made(view, root, benchmarks=("bench", "demo")).rows
    assert set(rows["benchmark"]) == {"bench"}
    results = load(Query(workspace=root, benchmarks=("bench", "demo")))
    frame = results.evaluated.table(results.evaluated.columns)
    where, count = rows.select("where", "count").sort("count", nulls_last=False).row(-1)
    assert "benchmark" in where
    assert passing(frame, [where]).sum() == count


@pytest.mark.parametrize("view", DOCUMENTS)
def test_undefined_is_null_with_a_reason(root, other, view):
    for folder, names in ((root, ()), (other, ("labels", "critic") if view != "cascade" else None)):
        if names is not None:
            rows = made(view, folder, *names).rows
            assert (rows["value"].is_null() == rows["reason"].is_not_null()).all()


def test_sets_add_up_and_lone_ones_are_those_of_compare(root, capsys):
    rows = made("upset", root).rows
    for (side,), part in rows.group_by("side"):
        assert part["count"].sum() == part["n"].unique().item()
        assert part["value"].sum() == pytest.approx(1)
        main(["compare", "gpt4", "rand-0", "x=y", "-w", root, "--json"])
        told = json.loads(capsys.readouterr().out)["rows"]
        compared = {(row["scorer"], row["metric"]): row["value"] for row in told if row["subset"] == "all"}
        for row in part.iter_rows(named=True):
            if row["kind"] == "lone_right":
                assert compared[row["scorer"], f"{side}_lone_right"] == row["count"]
            if row["kind"].startswith("unanimous"):
                assert compared[None, f"{side}_{row['kind']}"] == row["count"]
            assert len(split(row["right"])) == row["n_right"]


def test_agreement_is_that_of_compare(root, capsys):
    main(["compare", "gpt4", "rand-0", "x=y", "-w", root, "--json"])
    told = json.loads(capsys.readouterr().out)["rows"]
    compared = {(row["scorer"], row["other"], row["metric"]): row for row in told}
    rows = made("pairs", root).rows.filter(pl.col("side") == "all")
    for own, theirs in (("both_right_or_wrong", "outcome_agreement"), ("same_verdict", "verdict_agreement")):
        for row in rows.filter(pl.col("metric") == own).iter_rows(named=True):
            other = compared[row["scorer"], row["other"], theirs]
            assert (row["value"], row["n"]) == (other["value"], other["n"])


def test_a_scorer_that_tried_nothing_is_set_aside(other):
    rows = made("upset", other, "labels", "critic", "number")
    assert any("number tried no case (one number a solution" in note for note in rows.provenance["notes"])
    assert rows.rows["n_right"].max() == 2
    alone = made("upset", other, "labels", "number").rows
    assert alone["reason"].to_list() == ["only labels tried a case"] * 2


def test_the_best_cut_is_called_optimistic_and_the_ends_are_the_scorers_alone(root):
    rows = made("cascade", root, "gpt4", "rand-0").rows
    assert rows.filter("optimistic")["kind"].unique().to_list() == ["best"]
    f1 = rows.filter(pl.col("metric") == "f1")
    best = f1.filter(pl.col("kind") == "best")["value"].item()
    assert best >= f1["value"].max() - 1e-12
    first = f1.filter(pl.col("kind") == "first").row(0, named=True)
    none_sent = f1.filter((pl.col("kind") == "cut") & (pl.col("count") == 0)).row(0, named=True)
    assert [first[name] for name in ("value", "low", "high")] == [none_sent[name] for name in ("value", "low", "high")]
    tokens = rows.filter(pl.col("metric") == "second_tokens")
    assert set(tokens["reason"]) == {"rand-0 gives no answers in words, whose tokens could be counted"}


def test_what_cannot_be_compared_is_said(root, other, capsys):
    for view in ("upset", "pairs"):
        with pytest.raises(UsageError, match="two different scorers"):
            made(view, root, "gpt4")
    with pytest.raises(UsageError, match="of two scorers, not of 3"):
        made("cascade", root, "gpt4", "rand-0", "x=y")
    with pytest.raises(UsageError, match="critic has no threshold"):
        made("cascade", other, "critic", "labels")
    assert main(["compare", "gpt4", "-w", root, "--cascade"]) == 2
    assert "not of 1" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["--upset"], ["--pairs"], ["gpt4", "x=y", "--cascade"]])
def test_a_terminal_shows_a_table(root, capsys, words):
    assert main(["compare", "-w", root, *words]) == 0
    told = capsys.readouterr()
    assert "bench" in told.out
    assert "command: prm-inspect compare" in told.err


def test_no_case_in_common_leaves_reasons(tmp_path):
    cases, scorers = making.study(n=12)
    halves = [
        [case if row % 2 == half else making.reference.Case(case.n_steps, case.gold) for row, case in enumerate(scored)]
        for half, scored in enumerate([scorers[0][1], scorers[0][1]])
    ]
    making.workspace(tmp_path, cases, [(making.scorer("a"), halves[0]), (making.scorer("b"), halves[1])])
    for view in DOCUMENTS:
        rows = made(view, str(tmp_path), "a", "b").rows
        assert rows.height
        assert rows["value"].count() == 0
        assert rows["reason"].null_count() == 0
        assert set(rows["count"].drop_nulls()) == {0}
