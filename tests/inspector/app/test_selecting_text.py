"""Bug E13: the mouse selects text; Ctrl+C copies it, or quits without a selection, as `q` does."""

import pytest

import example
from opened import opened
from screen_text import press, rests, screen_text, settled, until


@pytest.fixture(scope="module")
def query(tmp_path_factory):
    return example.write(tmp_path_factory.mktemp("selecting"))


def place(app, words):
    """Return the column and the line of words on screen."""
    lines = screen_text(app).splitlines()
    row = next(number for number, line in enumerate(lines) if words in line)
    return lines[row].index(words), row


async def drag(pilot, words):
    """Drag the mouse over the words."""
    x, y = place(pilot.app, words)
    await pilot.mouse_down(offset=(x, y))
    await pilot.hover(offset=(x + len(words) - 1, y))
    await pilot.mouse_up(offset=(x + len(words), y))
    await settled(pilot)


async def test_text_of_a_case_is_copied_and_the_cursor_stays(query):
    async with opened(query, size=(120, 30)) as pilot:
        app = pilot.app
        await press(pilot, "enter", "enter")
        await rests(pilot, "Step 1 of")
        stop = app.screen.cursor.stop
        await drag(pilot, "Step 1 of")
        assert app.screen.get_selected_text() in {"Step 1 of", "Step 1 o"}
        assert app.screen.cursor.stop == stop
        await press(pilot, "ctrl+c")
        await until(pilot, lambda: app.clipboard.startswith("Step 1 o"))
        assert app.is_running
        assert not app.screen.get_selected_text()
        await press(pilot, "ctrl+c")
        await until(pilot, lambda: not app.is_running)
