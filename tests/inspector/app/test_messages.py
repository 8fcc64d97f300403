import pytest

import example
from inspector.state.message_history import MOST, MessageHistory
from opened import opened
from screen_text import press, shows


@pytest.fixture(scope="module")
def query(tmp_path_factory):
    return example.write(tmp_path_factory.mktemp("messages"))


async def test_they_are_shown_whole_and_the_last_one_first(query):
    async with opened(query, size=(100, 30)) as pilot:
        await press(pilot, "exclamation_mark")
        await shows(pilot, "No messages yet.")
        await press(pilot, "escape")
        pilot.app.tell("\x1b[31mred[/]")
        pilot.app.warn("a long one " * 40 + "ends")
        await press(pilot, "exclamation_mark")
        await shows(pilot, "a long one", "ends", "red[/]")
        assert [message.severity for message in pilot.app.message_history] == ["warning", "information"]


def test_the_oldest_go():
    history = MessageHistory()
    for at in range(MOST + 5):
        history.keep(f"message {at}", "information")
    assert [len(list(history)), next(iter(history)).text] == [MOST, f"message {MOST + 4}"]
