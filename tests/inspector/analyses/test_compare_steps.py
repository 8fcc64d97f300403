"""`compare` where the official figure is PRMScore, and where cases or verdicts are missing."""

import json
import random

import pytest
from msgspec.structs import replace

import making
import step_making
import step_reference
from inspector.analyses.compare.compare import COMPARISON
from inspector.cli import main
from inspector.state.common_cases import best_first
from reference import Case
from scoring.selection.loading import load
from scoring.selection.query import Query
from step_reference import Step
from views import compare_view, panels_of, table_of, words_of


def items_of(skill, seed):
    """Twenty-four cases as one scorer judges them: each step rightly with this probability."""
    gold, rng, items = random.Random(0), random.Random(seed), []
    for index in range(24):
        name = step_making.CLASSES[index % len(step_making.CLASSES)]
        wrong = () if name == step_reference.ALONE else (gold.randrange(3),)
        low = [(at in wrong) == (rng.random() < skill) for at in range(3)]
        rewards = tuple(0.1 if at else 0.9 for at in low)
        items.append(Step(Case(3, min(wrong, default=-1), rewards, "", name, wrong), name))
    return items


GOOD, BAD = items_of(0.9, 1), items_of(0.6, 2)
BAD[3] = replace(BAD[3], case=replace(BAD[3].case, rewards=None))


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("steps")
    scorers = [
        (making.scorer(name, threshold=0.5, comparison="<="), items) for name, items in (("bad", BAD), ("good", GOOD))
    ]
    step_making.workspace(root, GOOD, scorers)
    return str(root)


def document(root, *names, **asked):
    return compare_view(load(Query(workspace=root, scorers=names, **asked)))


def printed(words, capsys):
    capsys.readouterr()
    assert main(words) == 0
    return capsys.readouterr()


def test_prmscore_is_compared_on_the_cases_that_all_judged(root):
    found = document(root, "good", "bad")
    assert found.rows.columns == list(COMPARISON)
    rows = {(row["scorer"], row["metric"]): row for row in found.rows.iter_rows(named=True) if row["subset"] == "all"}
    common = [[item for at, item in enumerate(items) if at != 3] for items in (GOOD, BAD)]
    good, bad = (step_reference.figures(items, 0.5, "<=", None)["prmscore"] for items in common)
    assert rows["good", "prmscore"]["value"] == pytest.approx(good, abs=1e-12)
    assert rows["bad", "prmscore_behind_best"]["value"] == pytest.approx(bad - good, abs=1e-12)
    row = rows["good", "prmscore_difference"]
    assert (row["other"], row["n"], row["left_out"], row["p"]) == ("bad", 23, 1, None)
    assert row["value"] == pytest.approx(good - bad, abs=1e-12)
    assert row["low"] < row["value"] < row["high"]
    said = found.provenance["prmscore"]["prmbench"]
    assert said.startswith("of all steps pooled")
    assert said.endswith("steps of 23 of 24 cases judged by all 2 scorers that judged any")
    assert ("good", "erroneous_mcnemar") in rows


def test_first_errors_alone_bring_no_word_of_prmscore(tmp_path):
    cases, scorers = making.study(n=20)
    making.workspace(tmp_path, cases, scorers)
    found = document(str(tmp_path), "gpt4", "rand-0")
    assert "prmscore" not in found.provenance
    assert not found.rows["metric"].str.contains("prmscore").any()


def test_what_people_see_begins_with_prmscore(root):
    found = document(root, "good", "bad")
    lines = [next(iter(line.values())) for line in panels_of(found)["Difference"]]
    assert lines[:3] == ["PRMScore", "accuracy on right steps", "accuracy on wrong steps"]


def test_without_names_the_best_by_prmscore_comes_first(root):
    assert best_first(load(Query(workspace=root))).chosen == ("good", "bad")


def test_lines_of_a_side_show_the_difference_that_their_counts_add_up_to(tmp_path):
    cases, scorers = making.study(n=60)
    making.workspace(tmp_path, cases, scorers, **making.labels(cases))
    for line in table_of(document(str(tmp_path), "gpt4", "rand-0", "x=y"), "Differences"):
        if line["cases"] != "all":
            n, only_first, only_second = (int(line[name]) for name in ("n", "only first", "only second"))
            assert float(line["difference"].split()[0].replace("−", "-")) == pytest.approx(
                100 * (only_first - only_second) / n, abs=0.06
            )


def test_where_a_subset_lacks_a_side_a_line_has_the_f1_of_all_cases_together(tmp_path):
    gold = [
        Case(2, 1, (0.9, 0.1), subset="p"),
        Case(2, -1, (0.9, 0.9), subset="p"),
        Case(2, -1, (0.9, 0.9), subset="q"),
    ]
    worse = [*gold[:2], replace(gold[2], rewards=(0.9, 0.1))]
    both = [(making.scorer(name, threshold=0.5), rows) for name, rows in (("one", gold), ("two", worse))]
    making.workspace(tmp_path, gold, both)
    lines = panels_of(document(str(tmp_path), "one", "two"))["Difference"]
    assert [next(iter(line.values())) for line in lines[:2]] == ["F1", "F1, all subsets together"]
    assert lines[0]["A − B"] == "–"
    assert lines[1]["A − B"].startswith("+33.3")


def test_a_scorer_that_has_nobody_beside_it_is_not_called_the_best(tmp_path):
    cases, scorers = making.study(n=20)
    silent = [replace(case, rewards=None, refused="") for case in cases]
    silent[0] = scorers[0][1][0]
    others = [(making.scorer("late"), silent), (making.scorer("later"), silent)]
    making.workspace(tmp_path, cases, [scorers[0], *others])
    name = scorers[0][0].name
    where = "\"late.outcome\" = 'unscored'"
    found = document(str(tmp_path), name, "late", "later", where=(where,))
    line = next(line for line in table_of(found, "Standings") if line["scorer"] == name)
    assert (line["vs. the best"], line.get("tied", "")) == ("–", "")
    assert "nothing to compare with: no other scorer has an F1 here" in words_of(found)


def test_cases_without_gold_are_counted_in_words(tmp_path, capsys):
    cases, scorers = making.study(n=20)
    cases = [replace(case, gold=None, error_steps=None) if at in {2, 5} else case for at, case in enumerate(cases)]
    making.workspace(tmp_path, cases, scorers)
    said = (
        "bench: 2 of 20 cases have no gold label of a first error, and what is compared of first errors leaves them out"
    )
    words = ["compare", "gpt4", "rand-0", "-w", str(tmp_path)]
    assert said in printed(words, capsys).out
    assert said in json.loads(printed([*words, "--json"], capsys).out)["provenance"]["notes"]


def test_cases_without_a_labelled_step_are_counted_too(tmp_path):
    bare = [
        replace(item, case=replace(item.case, gold=None, error_steps=None)) if at < 2 else item
        for at, item in enumerate(GOOD)
    ]
    scorers = [(making.scorer(name, threshold=0.5), bare) for name in ("one", "two")]
    step_making.workspace(tmp_path, bare, scorers)
    found = document(str(tmp_path), "one", "two")
    assert "prmbench: 2 of 24 cases have no labelled step: prmscore leaves them out" in found.provenance["notes"]
    assert found.rows.filter(metric="prmscore_difference")["n"].to_list() == [22]
