"""What `paper` and `stats` print and write."""

import json

import polars as pl
import pytest
from msgspec.structs import replace

import making
import papers
import reference
from inspector import cli
from inspector.api import analysis
from inspector.cli import command_flags
from thoroughness import together


@pytest.mark.parametrize(
    ("words", "form"),
    together(
        [("processbench",), ("processbench", "5"), ("processbench", "2"), ("processbench", "3", "--all")],
        command_flags.FORMS,
    ),
)
def test_the_command_in_a_document_prints_it_again(called, root, tmp_path, words, form):
    papers.processbench(root, papers.one_step(4, 4, 2, 3))
    out = called(*words, "--threshold", "0.4", f"--{form}")[1]
    called(*words, "--threshold", "0.4", "-o", "out.json")
    command = json.loads((tmp_path / "out.json").read_text())["provenance"]["command"]
    assert "--benchmark" not in command
    again = [word for word in command.split()[2:] if word != "--json"]
    assert called(*again, f"--{form}")[1] == out


def test_raw_is_part_of_the_command(called, root):
    papers.processbench(root, papers.one_step(1, 1, 1, 1), "=1+1")
    assert "'=1+1," in called("processbench", "5", "--csv")[1]
    assert "'=1+1" not in called("processbench", "5", "--csv", "--raw")[1]
    assert json.loads(called("processbench", "5", "--json", "--raw")[1])["provenance"]["command"].endswith("--raw")


def test_the_source_is_named_and_what_becomes_of_the_unparsed(called, root):
    papers.processbench(root, papers.one_step(1, 1, 1, 1))
    facts = json.loads(called("processbench", "5", "--json")[1])["provenance"]
    assert facts["notes"][0] == "published: ProcessBench (arXiv 2412.06559), Table 5, as printed"
    assert facts["unparsed"] == "wrong"
    assert (
        json.loads(called("processbench", "5", "--json", "--unparsed", "drop")[1])["provenance"]["unparsed"] == "drop"
    )


def test_a_boundary_that_is_not_the_papers_is_said(called, root):
    cases = [reference.Case(1, 0, (0.5,), "", "circular", (0,))]
    making.workspace(root, cases, [(making.scorer("a-prm"), cases)], benchmark="prmbench", error_type=["circular"])

    def notes(*words):
        return " ".join(json.loads(called("prmbench", "17", "--json", *words)[1])["provenance"]["notes"])

    assert "not so here" not in notes()
    assert "as --protocol prmbench does; not so here: a-prm" in notes("--rule", "<")
    assert "not so here" not in notes("--protocol", "prmbench")


def test_three_lines_a_scorer_for_people(called, root):
    papers.processbench(root, papers.gsm8k(exact=111))

    def heads(subset):
        return [word for metric in ("error", "correct", "F1") for word in (subset, metric)]

    lines = called("processbench", "5", "--scorer", "qwen", "--ascii")[1].splitlines()
    assert lines[:2] == ["processbench", "Table 5 of ProcessBench: both accuracies and F1 on GSM8K and MATH"]
    assert lines[2].split() == ["scorer", *heads("GSM8K"), *heads("MATH")]
    assert lines[3].split() == [papers.MODEL, "here", "53.6", "95.3", "68.6", "-", "-", "-"]
    assert lines[4].split()[:4] == ["published", "53.1", "95.3", "68.2"]
    assert lines[5].split() == ["difference", "+0.5", "0.0", "+0.4"]


def test_statistics_of_a_paper_are_checked_on_whole_subsets(called, rows, root):
    papers.processbench(root, papers.gsm8k())
    found = rows("processbench", "2")
    same = found.filter((pl.col("subset") == "gsm8k") & (pl.col("statistic") == "erroneous")).to_dicts()[0]
    assert (same["value"], same["published"], same["agrees"]) == (207, 207, True)
    steps = (pl.col("subset") == "gsm8k") & (pl.col("statistic") == "mean_steps") & (pl.col("group") == "clean")
    other = found.filter(steps).to_dicts()[0]
    assert (other["value"], other["published"], other["agrees"]) == (1.0, 5.1, False)
    code, _, err = called("processbench", "2", "--check")
    assert code == 1
    assert "gsm8k, clean, mean_steps: 1 here, 5.1 printed" in err
    agreement = found.filter(pl.col("statistic") == "agreement_3_of_3").to_dicts()[0]
    assert (agreement["value"], agreement["reason"]) == (None, "not computed here")


def test_stats_has_the_published_statistics_beside(capsys, root):
    papers.processbench(root, papers.gsm8k())
    assert cli.main(["stats", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["rows"]
    row = next(row for row in found if (row["subset"], row["statistic"], row["group"]) == ("gsm8k", "clean", ""))
    assert (row["value"], row["published"], row["source"]) == (193, 193, "ProcessBench (arXiv 2412.06559), Table 2")
    row = next(row for row in found if (row["subset"], row["statistic"]) == ("gsm8k", "max_steps"))
    assert (row["published"], row["source"]) == (None, None)
    assert cli.main(["stats"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["gsm8k", "400", "207", "193"] in [line[:4] for line in lines]
    assert ["published", "207", "193"] in lines


def test_the_table_of_a_benchmark_with_figures_of_its_own_holds_those_of_metrics(called, root):
    cases, scorers = making.study(n=40)
    listed = [
        replace(
            case,
            error_steps=() if case.gold < 0 else tuple(range(case.gold, case.n_steps, 2)),
            subset=("gaia_dev", "tau2")[number % 2],
        )
        for number, case in enumerate(cases)
    ]
    making.workspace(root, listed, scorers, benchmark="agentprocessbench")
    metrics = {
        (row["scorer"], row["subset"], row["metric"]): row["value"]
        for row in analysis(root, "metrics", intervals=False).rows.iter_rows(named=True)
    }
    table = json.loads(called("agentprocessbench", "1", "--json")[1])["rows"]
    cells = {(row["scorer"], row["subset"], row["metric"]): row["value"] for row in table if row["value"] is not None}
    columns = [("all", "step_acc"), *((name, "first_error_acc") for name in ("all", "gaia_dev", "tau2"))]
    assert cells == {
        (scorer.name, *column): pytest.approx(metrics[scorer.name, *column], abs=1e-12)
        for scorer, _ in scorers
        for column in columns
    }
