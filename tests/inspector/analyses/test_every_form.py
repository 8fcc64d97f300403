"""Every command that prints a document prints it in every form, and groups by every column."""

import csv
import io
import json

import pytest

from inspector.cli import main
from inspector.cli.command_flags import COMMANDS, FORMS
from scoring.formats.benchmarks.demo import NAME
from scoring.selection.loading import load
from scoring.selection.query import Query
from thoroughness import THOROUGH, together
from views import cases_view

WORDS = {
    "benchmarks": [],
    "scorers": [],
    "prms": [],
    "stats": [],
    "board": ["--rows", "scorer", "--published"],
    "metrics": [],
    "thresholds": ["--scorer", "blend"],
    "compare": ["blend", "tiny-prm-m", "tiny-prm-s"],
    "card": ["tiny-prm-m", "tiny-prm-s"],
    "check": ["tiny-prm-m", "--baseline", "tiny-prm-s"],
    "breakdown": ["--scorer", "blend"],
    "bias": ["--scorer", "blend"],
    "highlights": ["--scorer", "blend"],
    "contested": [],
    "agreement": ["--scorers"],
    "cases": ["--scorer", "blend"],
    "show": ["algebra-012"],
    "similar": ["algebra-012"],
    "keys": [],
}
NO_DOCUMENT = {"demo", "import", "score", "doctor", "export", "report"}
NO_DOCUMENT |= {"remove", "restore", "prune", "help", "guide", "completion", "serve", "watch"}
NOT_ON_THE_DEMO = {
    "triage": "nobody says anything of it",
    "best-of-n": "no problem has two responses",
    "paper": "papers are of other benchmarks",
    "taxonomy": "nobody notes anything of it",
    "timeline": "no scorer is a checkpoint of a run",
    "trees": "no search is recorded there, and test_trees prints some",
    "votes": "nobody votes",
    "reparse": "nobody was asked here",
    "stress": "nothing was rewritten there",
}


def test_all_commands_are_here():
    assert WORDS.keys() | NO_DOCUMENT | NOT_ON_THE_DEMO.keys() == COMMANDS.keys()


@pytest.mark.parametrize(("command", "form"), together(WORDS, FORMS))
def test_one_document_and_nothing_else(command, form, capsysbinary, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    there = [] if command in {"prms", "keys"} else ["--benchmark", NAME]
    assert main([command, *WORDS[command], *there, f"--{form}"]) == 0
    out = capsysbinary.readouterr().out.decode()
    assert out.endswith("\n")
    if form == "json":
        document = json.loads(out)
        assert document.keys() == {"rows", "provenance"}
        assert document["provenance"]["command"].startswith(f"prm-inspect {command}")
    elif form == "jsonl":
        assert all(isinstance(json.loads(line), dict) for line in out.splitlines())
    elif form == "csv":
        rows = list(csv.reader(io.StringIO(out)))
        assert len({len(row) for row in rows}) == 1
    elif form == "markdown":
        assert "|" in out
        assert f"prm-inspect {command}" in out
    else:
        assert "\\begin{tabular}" in out
        assert out.count("\\begin{") == out.count("\\end{")


def test_metrics_group_by_every_kind_of_column_of_the_cases_and_of_scorers(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = cases_view(load(Query(benchmarks=(NAME,), scorers=("blend",)))).rows
    kinds = {(str(kind), name.partition(".")[0] == "blend"): name for name, kind in rows.schema.items()}
    assert len(kinds) > 5
    for column in rows.columns if THOROUGH else {*kinds.values(), "blend.outcome"}:
        assert main(["metrics", "--benchmark", NAME, "--scorer", "blend", "--by", column, "--json"]) == 0
        found = json.loads(capsys.readouterr().out)["rows"]
        assert all(column in row for row in found)
        assert sum(row["n"] for row in found if row["metric"] == "f1") == 240
