"""What a dialog draws first is what it shows, and what it leaves on the screen when it is gone is nothing."""

import pytest

import example
from inspector.screens.dialog import Dialog
from inspector.widgets.line_view import LineView
from opened import opened
from screen_text import press, settled
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
        # The list is being imported when it is opened that soon.
        terminal.wait_for("false alarm")
        terminal.settle()
        before = looks(terminal)
        for key, says in (("s", "Sort by"), ("v c", "Columns of the list"), ("e", "CSV")):
            terminal.press(key)
            terminal.wait_for(says)
            terminal.settle()
            terminal.press("escape")
            terminal.settle()
            assert looks(terminal) == before, f"after {key}"


@pytest.mark.parametrize("width", [50, 80, 99, 120, 200])
@pytest.mark.parametrize("keys", [("g l", "v s"), ("g l", "enter", "v h")])
async def test_what_a_dialog_draws_before_it_is_laid_out_is_as_wide_as_it_gets(width, keys, tmp_path):
    """Else it would be drawn twice, and first with its words cut."""
    async with opened(example.write(tmp_path), size=(width, 30)) as pilot:
        for key in keys:
            await press(pilot, *key.split())
        await settled(pilot)
        dialog = pilot.app.screen
        assert isinstance(dialog, Dialog)
        assert dialog.line_width == dialog.query_one(LineView).viewport.width
