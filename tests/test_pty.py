"""The program as a person has it: the demo under a real terminal."""

import re
import shlex
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


@pytest.mark.parametrize(
    ("flags", "variable", "columns", "lines"), [(["--no-color"], "", *SMALL), *also(([], "1", *LARGE))]
)
def test_from_the_board_to_a_late_error_with_another_threshold_and_out(flags, variable, columns, lines, tmp_path):
    """On a plain terminal, which gets plain characters in greys."""
    command, env = [*RUN, "demo", "--ascii", *flags], {**ENV, "NO_COLOR": variable}
    with Terminal(command, columns=columns, lines=lines, env=env, cwd=tmp_path) as terminal:
        shown(terminal, "scorers", "blend")
        terminal.press("enter")
        failures = shown(terminal, "most instructive", "missed")
        assert "123 of 240 cases" in failures
        before = metric(failures)

        terminal.press("t")
        rail = shown(terminal, "* best", "nothing changed")
        assert "threshold 0.500" in rail
        for _ in range(6):
            terminal.press("right")
        moved = shown(terminal, "threshold 0.560 (was 0.500)")
        assert metric(moved) != before
        assert "nothing changed" not in moved
        terminal.press("escape")
        restored = shown(terminal, "threshold 0.500")
        assert metric(restored) == before
        assert "123 of 240 cases" in restored

        for keys, words in (
            (("f",), "outcome of"),
            (("f", "e"), "CSV file"),
            (("c",), "Again:"),
            (("?",), "type letters to narrow"),
            (("escape", "ctrl+p"), "Search for commands"),
            (("escape", "g", "b"), "240 cases"),
        ):
            for key in keys:
                terminal.press(key)
            shown(terminal, words)
        terminal.press("q")
        assert terminal.wait() == 0
        output = bytes(terminal.output)
    assert "Now yours: prm-inspect import PATH" in output.decode()
    assert {chr(byte) for byte in output if byte > 126} == set()
    greys = re.findall(rb"[34]8;2;(\d+);(\d+);(\d+)", output)
    assert greys
    assert all(red == green == blue for red, green, blue in greys)
