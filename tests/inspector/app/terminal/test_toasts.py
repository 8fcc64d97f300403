import time

import pytest
from textual.app import App
from textual.notifications import Notification
from textual.widgets._toast import Toast

from inspector.widgets.textual_compat import EndingNotifications
from inspector.widgets.toasts import toast_text
from opened import opened
from screen_text import press, rests, screen_text, shows


@pytest.mark.parametrize("late", [0.0, 0.001, 3600.0])
async def test_a_toast_made_as_its_time_ends_goes_away(late):
    """Textual's timer of less than no time asks for ever how late it is: the app would stand still."""
    notifications = EndingNotifications()
    notifications.add(Notification("said", timeout=2.0))
    said = next(iter(notifications))
    assert not said.has_expired
    said.raised_at = time.time() - said.timeout - late
    assert said.has_expired
    # Without it the test would not fail, but stand still as well.
    assert said.time_left > 0
    app = App()
    async with app.run_test() as pilot:
        await app.mount(Toast(said))
        end = time.monotonic() + 5
        while app.query(Toast) and time.monotonic() < end:
            await pilot.pause(0.02)
        assert not app.query(Toast)


def test_two_stay_warnings_longest_and_nothing_is_said_twice():
    told = EndingNotifications()
    told.add(Notification("careful", severity="warning"))
    for words in ("put", "undone", "put", "put", "done again"):
        told.add(Notification(words))
    assert [one.message for one in told] == ["careful", "done again"]
    told.add(Notification("careful", severity="warning"))
    assert [one.message for one in told] == ["done again", "careful"]
    told.add(Notification("broken", severity="error"))
    assert [one.message for one in told] == ["careful", "broken"]


@pytest.mark.parametrize("lines", [1, 2])
def test_a_long_message_ends_with_the_key_that_shows_all(lines):
    assert toast_text("short", 40, lines, "!") == "short"
    shown = toast_text("one word after the other, " * 9, 40, lines, "F2").split("\n")
    assert len(shown) == lines
    assert all(len(line) <= 40 for line in shown)
    assert shown[-1].endswith("… F2 shows all")


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_toasts_cover_two_lines_at_the_top_right_alone(query, size):
    """Bug E11: toasts covered the footer and lines of content. The history has the full text."""
    async with opened(query, size=size) as pilot:
        before = (await rests(pilot, "2 scorers")).splitlines()
        said = [f"{number}: one word after the other, " + "so it goes on " * 20 for number in range(3)]
        for words in said:
            pilot.app.warn(words)
        after = (await shows(pilot, "! shows all")).splitlines()
        assert before[2:] == after[2:]
        assert [line.startswith(was[:4]) for line, was in zip(after[:2], before[:2], strict=True)] == [True, True]
        pilot.app.clear_notifications()
        await press(pilot, "exclamation_mark")
        text = " ".join(screen_text(pilot.app).split())
        assert text.count("so it goes on") >= 40
