"""Commands that need something first, each in its state. The others: `test_commands`."""

from itertools import groupby

import pytest

from inspector.commands import COMMANDS
from inspector.commands.command import NO_KEY
from needing import NEEDING
from opened import opened
from screen_text import press, shows, strokes, until
from thoroughness import one_of

KEYS = {
    command.id: [strokes(command)] if command.keys == NO_KEY else [(key,) for key in command.keys.split(",")]
    for command in COMMANDS
}
ALIKE = ("rule-", "rate-", "line-", "page-")
"""Commands that begin so are one action with another argument: usually one of them is tried."""


def family(command):
    return command[0], next((begin for begin in ALIKE if command[1].startswith(begin)), command[1])


TRIED = [
    (*command, " ".join(keys), keys)
    for number, (_, alike) in enumerate(groupby(sorted(NEEDING, key=family), family))
    for command in one_of(list(alike), number)
    for keys in KEYS[command[1]]
]


@pytest.mark.parametrize("tried", TRIED, ids=lambda tried: " ".join(tried[:3]))
async def test_the_key_does_it(tried, tmp_path, monkeypatch):
    *command, _, keys = tried
    monkeypatch.chdir(tmp_path)
    case = NEEDING[tuple(command)]
    async with opened(case.space(), size=(160, 30), folder=tmp_path) as pilot:
        await press(pilot, *case.before)
        await shows(pilot, case.until)
        await press(pilot, *case.then)
        await until(pilot, lambda: command[0] == pilot.app.screen.NAME)
        await until(pilot, lambda: not case.holds(pilot.app))
        await press(pilot, *keys)
        await until(pilot, lambda: case.holds(pilot.app), timeout=8)
