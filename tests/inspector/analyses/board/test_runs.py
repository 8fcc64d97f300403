"""Three runs of one judge, from files to figures."""

import csv
import json
import re
import statistics

import pytest

import authored
import benchmark_rows
from inspector.analyses.board.board_rows import board_frame
from inspector.cli import main
from opened import opened
from scoring.selection.loading import load
from scoring.selection.query import Query
from screen_text import shows
from views import metrics_view

GOLD = [0, 1, -1, -1, 0, 1, -1, -1]
RUNS = [
    [0, 1, -1, -1, 0, 0, -1, 1],
    [0, 0, -1, -1, 0, 0, -1, -1],
    [0, 1, -1, 0, 0, 1, -1, -1],
]


FIRST_RUN = "judge ran 3 times: this is its first run; metrics is about all of them"


@pytest.fixture
def root(tmp_path):
    cases, answers = tmp_path / "sums.jsonl", tmp_path / "judge.csv"
    lines = [
        {"id": f"set{place // 4}-{place}", "problem": f"problem {place}", "steps": ["one", "two"], "label": label}
        for place, label in enumerate(GOLD)
    ]
    cases.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with answers.open("w", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(["id", "repetition", "answer"])
        rows.writerows((line["id"], run, RUNS[run][place]) for run in range(3) for place, line in enumerate(lines))
    mapping = tmp_path / "mapping.json"
    told = {"id": "id", "run": "repetition", "verdicts": {"judge": "answer"}, "verdict_base": 0}
    mapping.write_text(json.dumps(told))
    space = str(tmp_path / "w")
    assert main(["import", str(cases), "-w", space, "-q"]) in {0, 1}
    assert main(["import", str(answers), "--mapping", str(mapping), "-w", space, "-q"]) in {0, 1}
    return space


def share(run, rows):
    return sum(RUNS[run][row] == GOLD[row] for row in rows) / len(rows)


def f1(run, rows):
    wrong, right = ([row for row in rows if (GOLD[row] >= 0) == side] for side in (True, False))
    a, b = share(run, wrong), share(run, right)
    return 2 * a * b / (a + b)


def test_a_table_with_a_column_of_runs_becomes_means_over_runs(root, capsys):
    capsys.readouterr()
    assert main(["metrics", "-w", root, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    rows = {(row["subset"], row["metric"]): row for row in document["rows"]}
    pooled = [f1(run, range(8)) for run in range(3)]
    row = rows["all", "f1"]
    assert (row["runs"], row["small"]) == (3, True)
    assert (row["value"], row["sd"]) == (
        pytest.approx(statistics.mean(pooled)),
        pytest.approx(statistics.stdev(pooled)),
    )
    assert row["low"] <= row["value"] <= row["high"]
    notes = " ".join(document["provenance"]["notes"])
    assert "sd: their sample standard deviation (n-1)" in notes
    assert "3 runs, of 8 each cases" in notes


def test_the_board_and_metrics_give_the_same_digits_and_screens_the_first_run(root):
    found = load(Query(workspace=root))
    rows = metrics_view(found).rows.rows(named=True)
    (line,) = board_frame(found).rows(named=True)
    row = next(row for row in rows if (row["subset"], row["metric"]) == ("average", "f1"))
    assert {name: line[name] for name in ("low", "high", "sd", "runs")} == {
        name: row[name] for name in ("low", "high", "sd", "runs")
    }
    assert line["score"] == row["value"]
    assert line["over"].endswith("mean of 3 runs")
    assert found.evaluation("judge").verdicts.tolist() == RUNS[0]


def test_the_board_says_which_columns_are_of_the_first_run(root, capsys):
    """Its bias is not the difference of the accuracies beside it, which are means over all."""
    capsys.readouterr()
    assert main(["board", "-w", root, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    (line,) = (row for row in document["rows"] if row["kind"] == "scorer")
    of_sides = [share(0, [row for row in range(8) if (GOLD[row] >= 0) == side]) for side in (False, True)]
    assert line["bias"] == pytest.approx(of_sides[0] - of_sides[1])
    assert line["bias"] != pytest.approx(line["on_right"] - line["on_wrong"])
    note = "outcomes, bias, fp and fn are those of the first run: judge"
    assert note in document["provenance"]["notes"]
    assert main(["board", "-w", root]) == 0
    shown = capsys.readouterr()
    assert f"{note[0].upper()}{note[1:]}." in shown.out + shown.err


async def test_so_does_the_board_of_the_app(root):
    async with opened(Query(workspace=root)) as pilot:
        await shows(pilot, "mean of 3 runs", "outcomes and bias are those of the")


def test_a_terminal_shows_the_sd_and_marks_few_cases(root, capsys):
    capsys.readouterr()
    assert main(["metrics", "-w", root]) == 0
    shown = capsys.readouterr()
    assert " sd " in shown.out
    assert " ~" in shown.out
    assert "~ fewer than 20 cases" in shown.err + shown.out


@pytest.mark.parametrize("command", [["cases"], ["breakdown"], ["show", "0"], ["bias"], ["highlights"]])
def test_other_commands_are_of_the_first_run_and_say_so(root, capsys, command):
    command = ["show", load(Query(workspace=root)).cases["case"][0]] if command[0] == "show" else command
    capsys.readouterr()
    assert main([*command, "-w", root, "--json"]) == 0
    notes = json.loads(capsys.readouterr().out)["provenance"]["notes"]
    assert FIRST_RUN in notes
    if command[0] in {"breakdown", "bias", "highlights"}:
        assert main([*command, "-w", root]) == 0
        assert f"{FIRST_RUN}." in capsys.readouterr().out


def test_first_runs_are_told_of_the_benchmark_that_has_several(root, tmp_path, capsys):
    others = [benchmark_rows.grben(number, problem=f"What is {number}?", label=number % 4) for number in range(8)]
    (tmp_path / "grben.jsonl").write_bytes(authored.json_lines(others))
    lines = [f"set{at // 4}-{at},{run},{verdict}" for run in range(3) for at, verdict in enumerate(RUNS[run])]
    (tmp_path / "both.csv").write_text(
        "\n".join(["id,repetition,answer", *lines, *(f"{row['id']},0,{row['label'] - 1}" for row in others)])
    )
    mapping = {"id": "id", "run": "repetition", "verdicts": {"crit": "answer"}, "verdict_base": 0}
    (tmp_path / "crit.json").write_text(json.dumps(mapping))
    for words in (["grben.jsonl"], ["both.csv", "--mapping", str(tmp_path / "crit.json")]):
        assert main(["import", str(tmp_path / words[0]), *words[1:], "-w", root, "-q"]) in {0, 1}
    for command in (["breakdown", "--rows", "n_steps"], ["bias"]):
        capsys.readouterr()
        assert main([*command, "-w", root, "--scorer", "crit"]) == 0
        grben, processbench = re.split(r"^processbench$", capsys.readouterr().out, flags=re.MULTILINE)
        assert "crit ran 3 times" in processbench
        assert "crit ran" not in grben


@pytest.mark.parametrize(
    "command", [["compare", "judge", "other"], ["check", "judge", "--baseline", "other"], ["contested"]]
)
def test_two_scorers_are_compared_by_first_runs_which_are_no_means(root, tmp_path, capsys, command):
    said = tmp_path / "other.csv"
    lines = [f"set{place // 4}-{place},{verdict}" for place, verdict in enumerate(RUNS[1])]
    said.write_text("\n".join(["id,verdict", *lines]))
    assert main(["import", str(said), "--verdict", "verdict=other", "--base", "0", "-w", root, "-q"]) in {0, 1}
    capsys.readouterr()
    assert main([*command, "-w", root]) == 0
    shown = capsys.readouterr().out
    assert f"{FIRST_RUN}." in shown
    assert "means over several runs" not in shown


def test_a_board_marks_nobody_as_best_by_one_run_of_several(root, tmp_path, capsys):
    said = tmp_path / "other.csv"
    said.write_text("\n".join(["id,verdict", *(f"set{at // 4}-{at},{verdict}" for at, verdict in enumerate(RUNS[2]))]))
    assert main(["import", str(said), "--verdict", "verdict=other", "--base", "0", "-w", root, "-q"]) in {0, 1}
    capsys.readouterr()
    assert main(["board", "-w", root, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [(row["scorer"], row["standing"]) for row in document["rows"]] == [("other", None), ("judge", None)]
    why = "judge ran 3 times, and scorers are compared by single runs"
    assert f"processbench: no best one is marked: {why}" in document["provenance"]["notes"]
    assert main(["board", "-w", root]) == 0
    shown = capsys.readouterr().out
    assert f"processbench: no best one is marked: {why}." in shown
    assert "Outcomes, bias, fp and fn are those of the first run: judge." in shown
    # Among scorers with one run there is a best one, unless a mean over runs is above it.
    for name, run in (("same", 2), ("less", 1), ("low", 1)):
        rows = [f"set{at // 4}-{at},{verdict}" for at, verdict in enumerate(RUNS[run])]
        said.write_text("\n".join(["id,verdict", *rows]))
        words = ["import", str(said), "--verdict", f"verdict={name}", "--base", "0", "-w", root, "-q"]
        assert main(words) in {0, 1}
    capsys.readouterr()
    assert main(["board", "-w", root, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    rows = document["rows"]
    marked = {row["scorer"]: row["standing"] for row in rows}
    assert {marked["other"], marked["same"]} <= {"best", "tied"}
    assert marked["judge"] is None
    (note,) = (note for note in document["provenance"]["notes"] if note.startswith("processbench: standing "))
    assert note.endswith(f"; {why}")
    of_three = [word for name in ("judge", "less", "low") for word in ("--scorer", name)]
    assert main(["board", "-w", root, *of_three, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["rows"][0]["scorer"] == "judge"
    assert {row["standing"] for row in document["rows"]} == {None}
    assert f"processbench: no best one is marked: {why}" in document["provenance"]["notes"]
    assert main(["board", "-w", root, "--against", "other", "--json"]) == 0
    (row,) = (row for row in json.loads(capsys.readouterr().out)["rows"] if row["scorer"] == "judge")
    assert (row["d_score"], row["d_on_wrong"], row["d_reason"]) == (None, None, why)
    assert main(["report", "-w", root, "-o", str(tmp_path / "report.html")]) == 0
    assert "On common cases, by first runs, " in (tmp_path / "report.html").read_text()


def test_runs_of_step_rewards_are_refused(root, tmp_path, capsys):
    mapping = tmp_path / "rewards.json"
    mapping.write_text(json.dumps({"id": "id", "run": "repetition", "rewards": {"prm": "answer"}}))
    assert main(["import", str(tmp_path / "judge.csv"), "--mapping", str(mapping), "-w", root]) == 2
    assert "runs of step rewards" in capsys.readouterr().err


def test_files_of_one_run_each_become_runs(root, tmp_path, capsys):
    """As GR-Ben's scripts write them: nothing in a file says which repetition it is."""
    paths = [tmp_path / folder / "other.jsonl" for folder in ("first", "second")]
    for run, path in enumerate(paths):
        path.parent.mkdir()
        rows = [
            {
                "id": f"set{place // 4}-{place}",
                "problem": f"problem {place}",
                "steps": ["one", "two"],
                "label": label + 1 if label >= 0 else -1,
                "pred_error_idx": answer + 1 if answer >= 0 else -1,
                "raw_response": f"\\boxed{{{answer + 1 if answer >= 0 else -1}}}",
                "thinking_mode": "fast",
                "model_key": "other",
                "api_failed": False,
            }
            for place, (label, answer) in enumerate(zip(GOLD, RUNS[run], strict=True))
        ]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        assert main(["import", str(path), "--benchmark", "processbench", "--run", str(run), "-w", root, "-q"]) == 0
    capsys.readouterr()
    assert main(["metrics", "-w", root, "--scorer", "other", "--json"]) == 0
    rows = {(row["subset"], row["metric"]): row for row in json.loads(capsys.readouterr().out)["rows"]}
    assert rows["all", "f1"]["runs"] == 2
    assert rows["all", "f1"]["value"] == pytest.approx(statistics.mean(f1(run, range(8)) for run in range(2)))
    assert main(["import", str(tmp_path / "judge.csv"), "--mapping", str(tmp_path / "mapping.json"), "--run", "1"]) == 2
    assert "says itself which runs" in capsys.readouterr().err
