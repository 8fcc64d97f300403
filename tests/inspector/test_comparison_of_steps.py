"""`compare` where the official figure is PRMScore, and where cases or verdicts are missing."""

import json
import random
from dataclasses import replace

import pytest

import making
import step_making
import step_reference
from inspector.cli import main
from inspector.comparison import COMPARISON, best_first, compare_document
from inspector.loading import load
from inspector.request import Request
from reference import Case
from step_reference import Step


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


def document(root, *names):
    return compare_document(load(Request(workspace=root, scorers=names)))


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


def test_standings_and_pairs_of_a_terminal_begin_with_prmscore(root, capsys):
    lines = printed(["compare", "-w", root], capsys).out.splitlines()
    assert lines[0].split()[:6] == ["benchmark", "scorer", "n", "left", "out", "prmscore"]
    assert lines[2].split()[:4] == ["prmbench", "good", "23", "1"]
    assert "f1" not in lines[0].split()
    (at,) = [
        row for row, line in enumerate(lines) if "p (Holm)" in line or line.startswith("benchmark   scorer   other")
    ]
    assert lines[at + 2].split()[:7] == ["prmbench", "good", "bad", "all", "prmscore,", "pooled", "23"]
    assert [" ".join(line.split()[3:5]) for line in lines[at + 3 : at + 5]] == ["right steps", "wrong steps"]
    assert any("erroneous" in line for line in lines[at + 5 :])


def test_without_names_the_best_by_prmscore_comes_first(root):
    assert best_first(load(Request(workspace=root))).chosen == ("good", "bad")


def test_lines_of_a_side_show_the_difference_that_their_counts_add_up_to(tmp_path, capsys):
    cases, scorers = making.study(n=60)
    making.workspace(tmp_path, cases, scorers, **making.labels(cases))
    out = printed(["compare", "gpt4", "rand-0", "-w", str(tmp_path)], capsys).out
    lines = [line.split() for line in out.splitlines()]
    (average,) = (line for line in lines if line[3:6] == ["all", "f1,", "average"])
    assert average
    for side, metric in (("erroneous", "error_acc,"), ("clean", "correct_acc,")):
        (line,) = (line for line in lines if line[3:6] == [side, metric, "pooled"])
        n, only_scorer, only_other = int(line[6]), *(int(word) for word in line[11:13])
        assert float(line[7]) == pytest.approx(100 * (only_scorer - only_other) / n, abs=0.06)


def test_where_a_subset_lacks_a_side_a_line_has_the_f1_of_all_cases_together(tmp_path, capsys):
    gold = [
        Case(2, 1, (0.9, 0.1), subset="p"),
        Case(2, -1, (0.9, 0.9), subset="p"),
        Case(2, -1, (0.9, 0.9), subset="q"),
    ]
    worse = [*gold[:2], replace(gold[2], rewards=(0.9, 0.1))]
    both = [(making.scorer(name, threshold=0.5), rows) for name, rows in (("one", gold), ("two", worse))]
    making.workspace(tmp_path, gold, both)
    lines = [line.split() for line in printed(["compare", "one", "two", "-w", str(tmp_path)], capsys).out.splitlines()]
    told = [line[5] for line in lines if line[3:5] == ["all", "f1,"]]
    assert told == ["average", "pooled"]
    assert "+33.3" in next(line for line in lines if line[3:6] == ["all", "f1,", "pooled"])


def test_a_scorer_that_has_nobody_beside_it_is_not_called_the_best(tmp_path, capsys):
    cases, scorers = making.study(n=20)
    silent = [replace(case, rewards=None, refused="") for case in cases]
    silent[0] = scorers[0][1][0]
    making.workspace(tmp_path, cases, [scorers[0], (making.scorer("late"), silent)])
    name = scorers[0][0].name
    where = "\"late.outcome\" = 'unscored'"
    out = printed(["compare", name, "late", "-w", str(tmp_path), "--where", where], capsys).out
    line = next(line for line in out.splitlines() if line.startswith("bench ") and name in line)
    assert "nothing to compare with: no other scorer has an F1 here" in line
    assert not {"best", "yes"} & set(line.split())


def test_cases_without_gold_are_counted_in_words(tmp_path, capsys):
    cases, scorers = making.study(n=20)
    cases = [replace(case, gold=None, error_steps=None) if at in {2, 5} else case for at, case in enumerate(cases)]
    making.workspace(tmp_path, cases, scorers)
    said = (
        "bench: 2 of 20 cases have no gold label of a first error, and what is compared of first errors leaves them out"
    )
    words = ["compare", "gpt4", "rand-0", "-w", str(tmp_path)]
    assert said in printed(words, capsys).err
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
