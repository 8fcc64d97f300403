"""Commands that need something first, each in its state. The others: `test_commands`."""

from itertools import groupby

import pytest

from inspector.commands import COMMANDS
from needing import NEEDING
from opened import opened
from screen_text import press, shows, until
from thoroughness import one_of

KEYS = {command.id: command.keys for command in COMMANDS}
ALIKE = ("rule-", "rate-", "line-", "page-")
"""Commands that begin so are one action with another argument: usually one of them is tried."""


def family(command):
    return command[0], next((begin for begin in ALIKE if command[1].startswith(begin)), command[1])


TRIED = [
    (*command, key)
    for number, (_, alike) in enumerate(groupby(sorted(NEEDING, key=family), family))
    for command in one_of(list(alike), number)
    for key in KEYS[command[1]].split(",")
]


@pytest.mark.parametrize("tried", TRIED, ids=" ".join)
async def test_the_key_does_it(tried, tmp_path, monkeypatch):
    *command, key = tried
    monkeypatch.chdir(tmp_path)
    case = NEEDING[tuple(command)]
    async with opened(case.space(), size=(160, 30), folder=tmp_path) as pilot:
        await press(pilot, *case.before)
        await shows(pilot, case.until)
        await press(pilot, *case.then)
        await until(pilot, lambda: command[0] == pilot.app.screen.NAME)
        await until(pilot, lambda: not case.holds(pilot.app))
        await press(pilot, key)
        await until(pilot, lambda: case.holds(pilot.app), timeout=8)
