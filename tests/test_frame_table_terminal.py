import re
import sys
from pathlib import Path

import pytest

from terminal import Terminal

BENCH = Path(__file__).parent / "bench" / "bench_frame_table.py"


@pytest.mark.pty
@pytest.mark.parametrize("environment", [{}, {"NO_COLOR": "1", "TERM": "linux", "COLORTERM": ""}])
def test_a_terminal_gets_only_the_lines_that_changed(environment):
    argv = [sys.executable, str(BENCH), "--app", "600"]
    with Terminal(argv, columns=200, lines=50, env=environment) as terminal:
        terminal.wait_for("gsm8k/5")
        # An app that answers has painted its first screen, however long that took.
        terminal.press("down")
        terminal.press("up")
        terminal.settle()
        for key, lines in (("down", {2, 3}), ("x", {5, 7, 9}), ("x", {5, 7, 9})):
            answer = terminal.press(key)
            assert answer is not None
            written = {int(line) for line in re.findall(rb"\x1b\[(\d+);1H\x1b\[", answer.data)}
            assert written == lines
            assert len(answer.data) <= 3000
        assert "▌gsm8k/1 " in terminal.screen_text()
        terminal.press("end")
        assert "▌gsm8k/599 " in terminal.screen_text()
