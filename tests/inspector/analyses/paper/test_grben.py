"""GR-Ben's tables: thinking, averages, types of error, unparsed answers."""

import polars as pl
import pytest

import judged
import making
import papers
import reference
from scoring.formats.benchmarks import grben
from scoring.workspace.cache import VoteParts


@pytest.fixture
def grben_root(root):
    """All nine domains with two cases each; VersaPRM, and a critic with and without long thinking."""
    cases = [case for domain in grben.OFFICIAL for case in papers.one_step(2, 1, 1, 1, domain)]
    types = [("logical" if index % 3 else "factual") if case.gold == 0 else None for index, case in enumerate(cases)]
    making.workspace(root, cases, [(making.scorer("VersaPRM"), cases)], benchmark="grben", error_type=types)
    for mode in ("fast", "slow"):
        papers.critic(root, cases, f"Qwen3-8B-{mode}", 1, "grben", thinking_mode=mode)
    papers.critic(root, cases, "Qwen3-14B", 1, "grben")
    return root


def test_thinking_is_a_property_of_the_scorer(rows, grben_root):
    table = rows("grben", "5")
    printed = {name: papers.cell(table, "biology", scorer=f"Qwen3-8B-{name}")["printed"] for name in ("fast", "slow")}
    assert len(set(printed.values())) == 2
    assert set(table.filter(pl.col("scorer") == "Qwen3-8B-slow")["setting"]) == {"slow"}
    short = rows("grben", "3")
    assert papers.cell(short, "biology", scorer="Qwen3-8B-fast")["printed"] == printed["fast"]
    slow = papers.cell(short, "biology", scorer="Qwen3-8B-slow")
    assert (slow["published"], slow["unchecked"]) == (
        None,
        "the table prints it for fast, and this scorer is greedy, slow",
    )
    unknown = papers.cell(short, "biology", scorer="Qwen3-14B")
    assert unknown["unchecked"] == "the table prints it for fast, and this scorer is greedy"


def test_gr_ben_averages_its_domains_and_leaves_processbench_to_processbench(rows, grben_root):
    table = rows("grben", "3")
    row = papers.cell(table, "average", scorer="VersaPRM")
    assert row["value"] == pytest.approx(2 / 3)
    assert row["published_as"] == "VersaPRM (8B)"
    assert row["unchecked"] == "9 of 9 subsets are not whole here"
    other = papers.cell(table, "processbench", scorer="VersaPRM")
    assert other["value"] is None
    assert other["published"] is not None
    assert "see paper processbench 3" in other["reason"]


def test_types_of_error_are_told_apart(rows, grben_root):
    table = rows("grben", "4")
    found = {
        name: papers.cell(table, name, "fn_rate", scorer="VersaPRM")["value"] for name in ("factual", "logical", "all")
    }
    assert found["all"] == pytest.approx(1 / 2)
    assert papers.cell(table, "all", "fp_rate", scorer="VersaPRM")["value"] == 0
    assert papers.cell(table, "knowledge-based", "fp_rate", scorer="VersaPRM")["reason"]
    counts = [papers.cell(table, name, "fn_rate", scorer="VersaPRM")["n"] for name in ("factual", "logical", "all")]
    assert counts[0] + counts[1] == counts[2] == 18


def test_unparsed_answers_are_left_out_as_gr_ben_does_and_wrong_as_processbench_does(rows, root):
    cases = papers.one_step(2, 2, 2, 2, "physics")
    for name, subset, value in (("grben", "physics", 1.0), ("processbench", "gsm8k", 0.5)):
        made = making.workspace(
            root / name, [reference.Case(1, c.gold, subset=subset) for c in cases], [], benchmark=name
        )
        keys = made.cases()[0]["key"]
        scorer = making.scorer("critic", kind="critic")
        folder = root / name / "rewards" / scorer.folder
        scorer.save(folder)
        VoteParts(folder).append(judged.votes(keys, [["0"], ["none"], ["-1"], ["-1"]]))
        row = papers.cell(rows(name, "10" if name == "grben" else "5", "-w", str(root / name)), subset, "error_acc")
        assert row["value"] == value
