import time

import pytest
from textual.app import App
from textual.notifications import Notification
from textual.widgets._toast import Toast

from inspector.widgets.textual_compat import EndingNotifications


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


def test_the_last_two_stay_what_takes_longer_to_read_too_and_nothing_is_said_twice():
    told = EndingNotifications()
    told.add(Notification("careful", severity="warning"))
    told.add(Notification("the run has ended", timeout=15))
    for words in ("put", "undone", "put", "put", "done again"):
        told.add(Notification(words))
    assert [one.message for one in told] == ["careful", "the run has ended", "put", "done again"]
    told.add(Notification("careful", severity="warning"))
    assert [one.message for one in told] == ["the run has ended", "put", "done again", "careful"]
