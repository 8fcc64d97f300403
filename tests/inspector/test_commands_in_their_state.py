"""Commands that need something first, each in its state. The others: `test_commands`."""

import pytest

from inspector.commands import COMMANDS
from needing import NEEDING
from opened import opened
from screen_text import press, shows, until

KEYS = {command.id: command.keys for command in COMMANDS}


TRIED = [(*command, key) for command in NEEDING for key in KEYS[command[1]].split(",")]


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
