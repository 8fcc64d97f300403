"""The program as a person has it: under a real terminal, on the demo and on hostile data."""

import csv
import io
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from scoring.cache import RewardParts
from scoring.scorer import Scorer
from scoring.workspace import Workspace
from terminal import Terminal

pytestmark = pytest.mark.pty

RUN = [sys.executable, "-m", "inspector.cli"]
ROOT = str(Path(__file__).parent.parent)
ENV = {"PYTHONPATH": ROOT, "COLORTERM": "truecolor"}
SIZES = [(80, 24), (200, 50)]

ESCAPES = "a\x1b]0;PWNED\x07b \x1b[2Jc \x1b[31md \x9b1me \x00f \x7fg \u202eh\u2066 i\u200bj"
MARKUP = "x[/b] [red]y[/] f[i] \\[ z [link=http://example.org]w[/link] $\\frac{1}{2}$"
WIDE = "数学" * 40 + "👩‍👩‍👧 e\u0301 " + "long" * 120


def shown(terminal: Terminal, *texts: str) -> str:
    for text in texts:
        terminal.wait_for(text)
    terminal.settle()
    return terminal.screen_text()


def metric(screen: str) -> str:
    return re.search(r"F1 (\d+\.\d)", screen)[1]


@pytest.mark.parametrize(("columns", "lines"), SIZES)
def test_from_the_board_to_a_late_error_with_another_threshold_and_out(columns, lines, tmp_path):
    with Terminal([*RUN, "demo"], columns=columns, lines=lines, env=ENV, cwd=tmp_path) as terminal:
        shown(terminal, "scorers", "blend")
        terminal.press("enter")
        failures = shown(terminal, "most instructive", "missed")
        assert "116 of 240 cases" in failures
        before = metric(failures)

        terminal.press("t")
        rail = shown(terminal, "* best", "flips 0")
        assert "threshold 0.5000 (default)" in rail
        for _ in range(6):
            terminal.press("right")
        moved = shown(terminal, "threshold 0.5600 (was 0.5000)")
        assert metric(moved) != before
        assert "flips 0" not in moved
        terminal.press("escape")
        restored = shown(terminal, "threshold 0.500")
        assert metric(restored) == before
        assert "116 of 240 cases" in restored

        terminal.press("q")
        shown(terminal, "240 cases", "scorers")
        terminal.press("q")
        assert terminal.wait() == 0
        assert "Now yours: prm-inspect import PATH" in terminal.output.decode()


@pytest.mark.parametrize(("columns", "lines"), SIZES)
def test_the_open_case_is_decided_again_with_everything_else(columns, lines, tmp_path):
    with Terminal([*RUN, "demo"], columns=columns, lines=lines, env=ENV, cwd=tmp_path) as terminal:
        shown(terminal, "240 cases", "scorers")
        terminal.press("a")
        shown(terminal, "240 of 240 cases")
        terminal.press("f")
        shown(terminal, "[ ] > late")
        terminal.press("j", "j")
        terminal.press("space")
        shown(terminal, "outcome = late")
        terminal.press("escape")
        terminal.press("enter")
        case = shown(terminal, "late (reward", "gold", "pred")
        sentence = re.search(r"predicted step (\d+), gold step (\d+): (\w+) steps? late", case)
        assert int(sentence[1]) > int(sentence[2])
        terminal.press("t")
        shown(terminal, "flips 0")
        for _ in range(45):
            terminal.press("right", gap=0.02)
        assert f"predicted step {sentence[1]}, gold" not in shown(terminal, "threshold 0.9500 (was 0.5000)")
        terminal.press("escape")
        shown(terminal, f"predicted step {sentence[1]}, gold step {sentence[2]}")


@pytest.mark.parametrize(("columns", "lines"), SIZES)
def test_the_file_holds_the_rows_on_screen_and_its_command_makes_it_again(columns, lines, tmp_path):
    with Terminal([*RUN, "demo"], columns=columns, lines=lines, env=ENV, cwd=tmp_path) as terminal:
        shown(terminal, "240 cases", "scorers")
        terminal.press("enter")
        shown(terminal, "most instructive")
        for key in ("t", *["right"] * 3, "enter"):
            terminal.press(key)
        screen = shown(terminal, "threshold 0.530")
        listed = [
            line.split()[0].lstrip("▌") for line in screen.splitlines()[3:-1] if re.match(r"[ ▌]\w+-\d{3} ", line)
        ]
        terminal.press("e")
        shown(terminal, "CSV file")
        terminal.press("c")
        terminal.wait_for("demo-cases.csv")
        terminal.press("q", "q")
    data = (tmp_path / "demo-cases.csv").read_bytes()
    rows = list(csv.DictReader(io.StringIO(data.decode())))
    assert len(listed) > 5
    assert [row["id"] for row in rows][: len(listed)] == listed
    number = int(re.search(r"(\d+) of 240 cases", screen)[1])
    assert len(rows) == number
    facts = json.loads((tmp_path / "demo-cases.provenance.json").read_bytes())
    command = shlex.split(facts["command"])
    assert command[0] == "prm-inspect"
    again = subprocess.run([*RUN, *command[1:]], capture_output=True, check=True, cwd=ROOT)
    assert again.stdout == data


@pytest.fixture
def hostile(tmp_path):
    """A workspace with hostile text in every field, through the command that a person would use."""
    rows = []
    for number, text in enumerate((ESCAPES, MARKUP, WIDE, f"{ESCAPES}{MARKUP}")):
        steps = [text, f"{text}\n{text}", "plain"]
        row = {"id": f"set{number}-{number}", "generator": text, "problem": text, "steps": steps}
        rows.append({**row, "subset": text, "label": number - 1, "final_answer_correct": False})
    file = tmp_path / "hostile.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows).replace("plain", "\\ud800"), encoding="utf-8")
    root = tmp_path / "space"
    report = subprocess.run([*RUN, "import", str(file), "-w", str(root)], capture_output=True, check=False, cwd=ROOT)
    assert report.returncode == 1
    assert b"\x1b" not in report.stdout
    assert b"lone-surrogate" in report.stdout
    cases, _ = Workspace.open(root).cases()
    scorer = Scorer(f"scorer {MARKUP} \x1b[5m", "ab" * 32, about=ESCAPES)
    parts = RewardParts(root / "rewards" / scorer.folder)
    scorer.save(parts.folder)
    rewards = pl.Series([[0.9, 0.4, 0.8]] * cases.height, dtype=pl.List(pl.Float64))
    parts.append(
        pl.DataFrame({"key": cases["key"], "vote": pl.Series([0] * cases.height, dtype=pl.Int32), "rewards": rewards})
    )
    return root


@pytest.mark.parametrize(("columns", "lines"), [*SIZES, (20, 5)])
def test_no_escape_sequence_of_the_data_reaches_the_terminal(hostile, columns, lines, tmp_path):
    argv = [*RUN, "-w", str(hostile)]
    with Terminal(argv, columns=columns, lines=lines, env=ENV, cwd=tmp_path) as terminal:
        terminal.settle(0.5)
        for key in (
            "a",
            "f",
            "j",
            "j",
            "escape",
            "enter",
            "n",
            "n",
            "n",
            "backslash",
            "e",
            "c",
            "escape",
            "q",
            "enter",
        ):
            terminal.press("\\" if key == "backslash" else key, timeout=2)
        for width, height in ((90, 30), (30, 8), (columns, lines)):
            terminal.resize(width, height)
            terminal.settle(0.2)
        terminal.press("q", timeout=2)
        terminal.press("q", timeout=2)
        assert terminal.wait() == 0
        output = bytes(terminal.output)
    assert b"Traceback" not in output
    for forbidden in (
        b"PWNED\x07",
        b"\x1b]0;",
        b"\x1b[2Jc",
        b"\x1b[31md",
        b"\x1b[5m",
        b"\x00",
        "\x9b".encode(),
        "\u202e".encode(),
    ):
        assert forbidden not in output


def test_plain_terminals_get_plain_characters(tmp_path):
    with Terminal(
        [*RUN, "demo", "--ascii"], columns=120, lines=30, env={**ENV, "NO_COLOR": "1"}, cwd=tmp_path
    ) as terminal:
        shown(terminal, "240 cases", "scorers")
        terminal.press("enter")
        shown(terminal, "most instructive")
        terminal.press("t")
        screen = shown(terminal, "* best")
        assert ">algebra" in screen
        odd = {character for character in screen if not character.isascii()}
        assert not odd
