"""What a dialog leaves on the screen when it is gone: nothing."""

import pytest

from terminal import Terminal
from test_pty import ENV, RUN


def looks(terminal):
    """Every cell with its colours."""
    screen = terminal.screen()
    return [[screen.buffer[y][x] for x in range(120)] for y in range(36)]


@pytest.mark.pty
def test_a_dialog_leaves_nothing_behind(tmp_path):
    with Terminal([*RUN, "demo"], columns=120, lines=36, env=ENV, cwd=tmp_path) as terminal:
        terminal.wait_for("240 cases")
        terminal.settle()
        terminal.press("g", "l")
        terminal.settle()
        before = looks(terminal)
        for key, says in (("s", "Sort by"), ("v c", "Columns of the list"), ("e", "CSV")):
            terminal.press(key)
            terminal.wait_for(says)
            terminal.settle()
            terminal.press("escape")
            terminal.settle()
            assert looks(terminal) == before, f"after {key}"
