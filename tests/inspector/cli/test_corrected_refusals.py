"""Refusals print the corrected command, and that command runs."""

import json
import shlex
from pathlib import Path

import pytest

from inspector import cli

IDS = [f"case-{number}" for number in range(12)]
REWARDS = [[0.9, 0.2 + number / 20, 0.7] for number in range(12)]
NUMBERS = list(zip(IDS, REWARDS, strict=True))


def write_lines(name, rows):
    Path(name).write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a workspace of cases and a scorer, and files that are refused."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PRM_INSPECT_WORKSPACE", str(tmp_path / "a space"))
    cases = [
        {
            "id": name,
            "generator": "nobody",
            "problem": f"Count to {number}.",
            "steps": ["One.", "Two.", "More."],
            "final_answer_correct": number % 2 == 1,
            "label": -1 if number % 2 else 1,
        }
        for number, name in enumerate(IDS)
    ]
    write_lines("gsm8k.jsonl", cases)
    write_lines("mine.jsonl", [{"id": name, "model_output": rewards} for name, rewards in NUMBERS])
    write_lines("named.jsonl", [{"qid": name, "xs": rewards} for name, rewards in NUMBERS])
    write_lines("said.jsonl", [{"qid": name, "at": number % 3} for number, name in enumerate(IDS)])
    steps = [f"{name},{step},{reward}" for name, rewards in NUMBERS for step, reward in enumerate(rewards)]
    write_lines("my steps.csv", ["qid,k,val", *steps])
    write_lines("two.jsonl", [{"id": name, "a": rewards, "b": rewards[::-1]} for name, rewards in NUMBERS])
    assert run("import -q gsm8k.jsonl") in {0, 1}
    assert run("import -q mine.jsonl --rewards model_output=my-prm") in {0, 1}
    assert run("import -q two.jsonl --rewards a=my-other --rewards b=third") in {0, 1}


def run(command):
    try:
        return cli.main(shlex.split(command))
    except SystemExit as left:
        return left.code


@pytest.mark.parametrize(
    "command",
    [
        "import gsm8k.jsonl mine.jsonl --rewards model_output",
        "import mine.jsonl gsm8k.jsonl --rewards=model_output=one --name x",
        "import mine.jsonl --rewards model_outputs",
        "import two.jsonl --rewards a=one --rewards bb=two",
        "import named.jsonl",
        "import named.jsonl --rewards xs",
        "import named.jsonl --id qids",
        "import said.jsonl",
        "import 'my steps.csv'",
        "import mine.jsonl --rewards model_output --at 3 --series run --run 2",
        "import gsm8k.jsonl --at 3 --series run",
        "import procesbench gsm8k.jsonl",
        "import gsm8k.jsonl --dry-run --save-mapping it.json",
        "import mine.jsonl --rewards model_output --rule 'product<'",
        "metrics --scorer my-prn",
        "metrics --scorer my",
        "metrics --benchmark procesbench",
        "metrics --benchmark processbench --by n_step",
        "metrics --threshold my-prn=0.4",
        "metrics --where 'n_step > 1'",
        "metrics --where \"my-prm.outcome = 'late'\"",
        "metrics --protocl processbench",
        "metrics --labels orignal",
        "metrcs --json",
        "cases --search ''",
        "cases --in steps",
        "cases --labels both",
        "compare my-prn my-other",
        "breakdown --cols generator",
        "check my-prm --baseline my-other --fail-if 'eror_acc < 0'",
        "export cases --to proccessbench",
        "export cases --to processbench --who me",
        "paper processbench --check",
        "paper processbench 33",
        "show processbench/case-1x",
        "guide apps",
        "help metrcs",
    ],
)
@pytest.mark.usefixtures("folder")
def test_the_printed_commands_run(command, capsys):
    capsys.readouterr()
    assert run(command) == 2
    err = capsys.readouterr().err
    printed = [
        line.removeprefix("    prm-inspect ") for line in err.splitlines() if line.startswith("    prm-inspect ")
    ]
    print(err)
    assert printed
    codes = [run(line) for line in printed]
    assert set(codes) <= {0, 1}
