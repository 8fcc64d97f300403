"""The program as a person has it: the demo under a real terminal."""

import csv
import io
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from authored import json_lines, rows
from terminal import Terminal
from thoroughness import also

pytestmark = pytest.mark.pty

RUN = [sys.executable, "-m", "inspector.cli"]
ROOT = str(Path(__file__).parent.parent)
ENV = {"PYTHONPATH": ROOT, "COLORTERM": "truecolor"}
SMALL, LARGE = (80, 24), (200, 50)


def shown(terminal: Terminal, *texts: str) -> str:
    for text in texts:
        terminal.wait_for(text)
    terminal.settle()
    return terminal.screen_text()


def metric(screen: str) -> str:
    return re.search(r"F1 (\d+\.\d)", screen)[1]


def test_rows_that_are_piped_in_open_in_the_app_which_has_the_terminal_for_its_keys(tmp_path):
    (tmp_path / "sums.jsonl").write_bytes(json_lines(rows(6)))
    command = ["sh", "-c", f"gzip -c sums.jsonl | {shlex.join(RUN)} -"]
    with Terminal(command, columns=SMALL[0], lines=SMALL[1], env=ENV, cwd=tmp_path) as terminal:
        shown(terminal, "6 cases")
        terminal.press("q")
        assert terminal.wait() == 0


@pytest.mark.parametrize(("columns", "lines"), [SMALL, *also(LARGE)])
def test_from_the_board_to_a_late_error_with_another_threshold_and_out(columns, lines, tmp_path):
    with Terminal([*RUN, "demo"], columns=columns, lines=lines, env=ENV, cwd=tmp_path) as terminal:
        shown(terminal, "scorers", "blend")
        terminal.press("enter")
        failures = shown(terminal, "most instructive", "missed")
        assert "123 of 240 cases" in failures
        before = metric(failures)

        terminal.press("t")
        rail = shown(terminal, "* best", "nothing changed")
        assert "threshold 0.5000" in rail
        for _ in range(6):
            terminal.press("right")
        moved = shown(terminal, "threshold 0.5600 (was 0.5000)")
        assert metric(moved) != before
        assert "nothing changed" not in moved
        terminal.press("escape")
        restored = shown(terminal, "threshold 0.500")
        assert metric(restored) == before
        assert "123 of 240 cases" in restored

        terminal.press("g", "b")
        shown(terminal, "240 cases", "scorers")
        terminal.press("q")
        assert terminal.wait() == 0
        assert "Now yours: prm-inspect import PATH" in terminal.output.decode()


@pytest.mark.parametrize(("columns", "lines"), [LARGE, *also(SMALL)])
def test_the_open_case_is_decided_again_with_everything_else(columns, lines, tmp_path):
    with Terminal([*RUN, "demo"], columns=columns, lines=lines, env=ENV, cwd=tmp_path) as terminal:
        shown(terminal, "240 cases", "scorers")
        terminal.press("g", "l")
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
        shown(terminal, "nothing changed")
        for _ in range(45):
            terminal.press("right", gap=0.02)
        assert f"predicted step {sentence[1]}, gold" not in shown(terminal, "threshold 0.9500 (was 0.5000)")
        terminal.press("escape")
        shown(terminal, f"predicted step {sentence[1]}, gold step {sentence[2]}")


@pytest.mark.parametrize(("columns", "lines"), [SMALL, *also(LARGE)])
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
        terminal.press("q")
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


def test_a_plain_terminal_gets_plain_characters(tmp_path):
    with Terminal([*RUN, "demo", "--ascii"], columns=120, lines=30, env=ENV, cwd=tmp_path) as terminal:
        shown(terminal, "scorers", "Enter Open")
        terminal.press("up")
        terminal.press("enter")
        shown(terminal, "most instructive")
        for keys, words in (
            (("t", "right"), "* best"),
            (("escape",), "Enter Open"),
            (("f",), "outcome of"),
            (("f", "e"), "CSV file"),
            (("c",), "Again:"),
            (("?",), "type letters to narrow"),
            (("escape", "ctrl+p"), "Search for commands"),
            (("escape",), "Enter Open"),
            (("enter",), "1 of"),
        ):
            for key in keys:
                terminal.press(key)
            shown(terminal, words)
        output = bytes(terminal.output)
    assert {chr(byte) for byte in output if byte > 126} == set()


@pytest.mark.parametrize(("flags", "variable"), [(["--no-color"], ""), *also(([], "1"))])
def test_without_colour_there_are_only_greys(flags, variable, tmp_path):
    env = {**ENV, "NO_COLOR": variable}
    with Terminal([*RUN, "demo", *flags], columns=120, lines=30, env=env, cwd=tmp_path) as terminal:
        shown(terminal, "scorers", "Enter Open")
        terminal.press("enter")
        shown(terminal, "most instructive", "Gold")
        greys = re.findall(rb"[34]8;2;(\d+);(\d+);(\d+)", bytes(terminal.output))
    assert greys
    assert all(red == green == blue for red, green, blue in greys)
