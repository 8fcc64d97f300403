"""The README and the guide are true: their commands run, their snippets work, their keys are the program's."""

import contextlib
import json
import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from textual.app import App

import authored
from inspector import cli
from inspector.cli import command_flags
from inspector.widgets.guide import KEYS, page, pages
from inspector.widgets.guide.key_page import key_page
from inspector.widgets.key_spelling import written
from inspector.widgets.key_table import COMMANDS
from inspector.widgets.key_table.command import VERBS
from inspector.widgets.key_table.rail import RAIL
from scoring import __version__
from scoring.models.critics.answer_parsers import version
from scoring.models.critics.protocols import PROTOCOLS
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring_process import captured, jobs_here
from servers.fault_server import running

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
GUIDE = "\n".join(key_page() if name == KEYS else page(name) for name in pages())
BOTH = f"{README}\n{GUIDE}"
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", BOTH, re.DOTALL)
COMMAND_LINES = [
    line.partition("  #")[0].strip()
    for language, block in BLOCKS
    for line in block.splitlines()
    if language == "sh" and line.startswith("prm-inspect")
]


@dataclass(frozen=True)
class Ran:
    """What a command line came to."""

    returncode: int
    stdout: str
    stderr: str


def run(line: str, cwd: Path) -> Ran:
    words = shlex.split(line)
    assert words[0] == "prm-inspect"
    with contextlib.chdir(cwd):
        return Ran(*captured(lambda: cli.main(words[1:])))


def test_there_are_command_lines():
    assert len(COMMAND_LINES) >= 6


def test_every_command_line_is_one_that_the_program_knows():
    for line in dict.fromkeys(COMMAND_LINES):
        assert cli.parse(shlex.split(line)[1:]).command in {None, *command_flags.COMMANDS}, line


HELPED = {example for command in command_flags.COMMANDS for example in command_flags.parser_of(command).examples}
"""What the help of a command shows, which `test_command_line` runs."""


SCORES = "prm-inspect stress "
"""It runs a PRM and so makes a workspace; `tests/inspector/analyses/test_stress.py` tries it."""


ON_THE_DEMO = [
    line
    for line in dict.fromkeys(COMMAND_LINES)
    if "--benchmark demo" in line and line not in HELPED and not line.startswith(SCORES)
]


@pytest.mark.parametrize("line", ON_THE_DEMO)
def test_every_command_on_the_demo_runs_without_a_workspace(line: str, tmp_path: Path):
    answer = run(line, tmp_path)
    assert answer.returncode == 0, answer.stderr
    written = [path for path in tmp_path.iterdir() if path.name in line or path.name.endswith(".provenance.json")]
    assert answer.stdout or written
    assert set(tmp_path.iterdir()) == set(written)


def test_the_json_command_prints_one_document(tmp_path: Path):
    line = next(line for line in COMMAND_LINES if line.endswith("--json"))
    document = json.loads(run(line, tmp_path).stdout)
    assert document.keys() == {"rows", "provenance"}
    assert "optimistic" in str(document["provenance"]["threshold_source"])


def test_a_notebook_adds_a_benchmark_and_a_scorer_and_reads_metrics(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    authored.write(tmp_path / "gsm8k.json", [authored.row(number, label=number % 2 - 1) for number in range(6)])
    snippet = next(block for language, block in BLOCKS if language == "python" and "open_workspace" in block)
    # A step is wrong where the text is the first one of an odd case.
    made: dict[str, Any] = {"my_prm": lambda steps: [0.1 if steps[0][8] in "135" else 0.9, 0.7, 0.8]}
    exec(compile(snippet, "README.md", "exec"), made)  # noqa: S102  # the README's own words
    said = capsys.readouterr().out
    assert "processbench: 6 cases new" in said
    assert "my-prm: new, 6 results belong to a case" in said
    assert made["by_step"]["reward"].to_list()[:6] == [0.9, 0.7, 0.8, 0.1, 0.7, 0.8]
    line = "prm-inspect metrics --benchmark processbench --scorer my-prm --where 'n_steps > 2' --json"
    rows = [row for row in json.loads(run(line, tmp_path).stdout)["rows"] if row["metric"] == "f1"]
    assert made["f1"].to_dicts() == rows
    assert load(Query()).evaluation("my-prm").verdicts.tolist() == [-1, 0] * 3


def _steps(row: dict[str, Any]) -> list[float]:
    return [0.75] * len(row["steps"])


SHAPES = {
    "`id` and `rewards`, a list": [{"id": row["id"], "rewards": _steps(row)} for row in authored.rows(6)],
    "`id` and several columns": [{"id": row["id"], "a": _steps(row), "b": _steps(row)} for row in authored.rows(6)],
    "`id`, `step` and `score`": [
        {"id": row["id"], "step": step, "score": reward}
        for row in authored.rows(6)
        for step, reward in enumerate(_steps(row), start=1)
    ],
    "`id` and `prediction`": [{"id": row["id"], "prediction": 0} for row in authored.rows(6)],
    "`id` and `answer`": [{"id": row["id"], "answer": r"So it is \boxed{-1}."} for row in authored.rows(6)],
    "a benchmark's own row": [{**row, "mine": _steps(row)} for row in authored.rows(6)],
    "`problem`, `steps`, `label` and rewards": [
        {"problem": row["problem"], "steps": row["steps"], "label": row["label"], "rewards": _steps(row)}
        for row in authored.rows(6)
    ],
}


@pytest.mark.parametrize("start", SHAPES)
def test_the_rows_that_it_names_come_in_without_a_flag(start: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    assert BOTH.count(f"\n| {start}") == 1
    monkeypatch.chdir(tmp_path)
    assert cli.main(["import", str(authored.write(tmp_path / "cases.json", authored.rows(6))), "-q"]) == 0
    mine = tmp_path / "mine.jsonl"
    mine.write_text("".join(json.dumps(row) + "\n" for row in SHAPES[start]), encoding="utf-8")
    assert cli.main(["import", str(mine), "-q"]) in {0, 1}
    results = load(Query())
    assert results.cases.height == 6
    assert len(results.chosen) == (2 if "several" in start else 1)
    assert all(results.evaluation(name).coverage.count == 6 for name in results.chosen)


def test_plain_polars_makes_the_same_metrics_of_the_exported_cases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    snippet = next(block for language, block in BLOCKS if language == "python" and "by_subset" in block)
    written = {*re.findall(r'"(\w+\.\w+)"', snippet), "metrics.csv"}
    for line in dict.fromkeys(line for line in COMMAND_LINES if "--benchmark demo" in line):
        if written & set(line.split()):
            assert run(line, tmp_path).returncode == 0
    made: dict[str, Any] = {}
    exec(compile(snippet, "README.md", "exec"), made)  # noqa: S102  # the README's own words
    ours = {(row["subset"], row["metric"]): row["value"] for row in pl.read_csv("metrics.csv").iter_rows(named=True)}
    assert made["average"] == {metric: pytest.approx(ours["average", metric], abs=1e-12) for metric in made["average"]}
    for row in made["by_subset"].iter_rows(named=True):
        for metric in ("error_acc", "correct_acc", "f1"):
            assert row[metric] == pytest.approx(ours[row["subset"], metric], abs=1e-12)


def test_the_two_commands_are_there_for_ci():
    for name in ("demo", "tests"):
        block = re.search(rf"<!-- command: {name} -->\n```sh\n(.*?)```", README, re.DOTALL)
        assert block
        assert "python3 -m venv .venv" in block[1]


def test_every_key_it_names_is_bound():
    rows = re.findall(r"^\| ((?:`[^`]+` ?)+)\|", BOTH, re.MULTILINE)
    named = {key for row in rows for key in re.findall(r"`([^`]+)`", row)}
    bound = {written(key) for command in (*COMMANDS, *RAIL) for key in command.keys.split(",")}
    # Textual binds the palette and copy keys, so no table lists them; c belongs to the export menu.
    bound |= {"c", "Ctrl+C", written(App.COMMAND_PALETTE_BINDING)}
    assert named
    assert set(map(_alike, named)) <= set(
        map(_alike, bound | {key for keys, _ in VERBS for key in map(written, keys.split(","))})
    )


def _alike(key: str) -> str:
    """A key as it is written: of those with a name, capitals do not count."""
    return key if len(key) == 1 or " " in key else key.lower()


def test_the_table_of_critics_says_what_the_protocols_are():
    counted = {"wrong": "wrong", "drop": "left out"}
    row = r"^\| (\w+) \| ([^|]+) \| (\d) \| (\d) \| ([^|]+) \| `([\w-]+)` \| (wrong|left out) \|"
    rows = re.findall(row, GUIDE, re.MULTILINE)
    assert {row[0] for row in rows} == set(PROTOCOLS)
    for name, asked, base, shots, repeated, reader, unparsed in rows:
        one = PROTOCOLS[name]
        assert (int(base), int(shots), reader) == (one.steps.base, one.shots, version(one.read))
        assert unparsed == counted[one.unparsed]
        assert ("each step" in asked) == (one.gives != "earliest error")
        assert ("redundancy" in asked) == one.redundancy
        assert [int(number) for number in re.findall(r"\d", repeated)] == [n for n in (one.votes, one.runs) if n > 1]


def test_the_commands_about_critics_run_one_after_the_other(tmp_path: Path):
    pytest.importorskip("httpx")
    block = next(block for language, block in BLOCKS if language == "sh" and "--critic" in block and "reparse" in block)
    currency, listed = re.search(r"`(currency = [^`]+)`.*?`(\[\[price\]\])`", GUIDE, re.DOTALL).groups()
    price = "\n".join(re.search(r"`(model = [^`]+)`,\s+`(in = [^`]+)` and `(out = [^`]+)`", GUIDE).groups())
    (tmp_path / "prices.toml").write_text(f"{currency}\n{listed}\n{price.replace('some-model-*', '*')}\n")
    rows = [authored.row(number, "gsm8k", label=number % 2 - 1) for number in range(14)]
    assert run(f"prm-inspect import {authored.write(tmp_path / 'gsm8k.json', rows)}", tmp_path).returncode == 0
    lines = [line.partition("  #")[0].strip() for line in block.splitlines() if line.startswith("prm-inspect")]
    with running() as server, jobs_here():
        told = [run(line.replace("http://127.0.0.1:8000", server.url), tmp_path) for line in lines]
    assert [one.returncode for one in told] == [0] * len(lines), [one.stderr for one in told]
    said = dict(zip((line.split()[1] + ("8" if "--votes" in line else "") for line in lines), told, strict=True))
    assert "112 of 112 answers came" in said["score8"].stderr
    assert len([line for line in said["votes"].stdout.splitlines() if re.match(" *[1-8]  +[0-9–]", line)]) == 8
    assert "boxed{2}" in said["show"].stdout
    assert "verdict" in said["reparse"].stdout


def test_every_file_it_names_is_there():
    for path in re.findall(r"\]\((?!http)([^)#]+)\)", README):
        assert (ROOT / path).exists(), path


def test_the_metric_of_ones_own_is_the_file_that_is_tested():
    (snippet,) = (block for language, block in BLOCKS if language == "python" and "@metric" in block)
    written = (ROOT / "tests" / "own" / "near.py").read_text(encoding="utf-8")
    assert written.endswith(snippet.split("\n\n\n", 1)[1].strip() + "\n")


def test_what_is_cited_is_this_version():
    released = re.search(rf"^## {re.escape(__version__)}, (\S+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert released, "the changelog has no section of this version, with its date"
    cited = f"\nversion: {__version__}\ndate-released: {released[1]}\n"
    assert cited in (ROOT / "CITATION.cff").read_text()
