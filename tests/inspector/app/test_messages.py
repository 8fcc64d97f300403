import pytest

import example
from inspector.state.message_history import MOST, MessageHistory
from opened import opened, press, shows
from scoring.selection.query import Query


@pytest.fixture(scope="module")
def query(tmp_path_factory):
    return Query(workspace=example.write(tmp_path_factory.mktemp("messages")))


async def test_they_are_listed_the_last_one_first_and_one_is_copied_whole(query):
    copied = []
    async with opened(query, size=(100, 30)) as pilot:
        await press(pilot, "exclamation_mark")
        await shows(pilot, "The app has said nothing yet.")
        await press(pilot, "enter")
        long = "a long one " * 40
        pilot.app.tell("\x1b[31mred[/]")
        pilot.app.warn(long)
        pilot.app.saving.copy = lambda text, *_: copied.append(text)
        await press(pilot, "exclamation_mark")
        await shows(pilot, "Messages", "a long one", "[31mred[/]")
        assert [message.severity for message in pilot.app.message_history] == ["warning", "information"]
        await press(pilot, "enter")
        await pilot.pause()
    assert copied == [long.strip()]


def test_the_oldest_go():
    history = MessageHistory()
    for at in range(MOST + 5):
        history.keep(f"message {at}", "information")
    assert [len(list(history)), next(iter(history)).text] == [MOST, f"message {MOST + 4}"]
