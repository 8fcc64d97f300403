"""Commands that need something first, each in its state. The others: `test_commands`."""

import pytest

from inspector.commands import COMMANDS
from needing import NEEDING
from opened import opened
from screen_text import press, shows, until

KEYS = {command.id: command.keys for command in COMMANDS}


@pytest.mark.parametrize("command", NEEDING, ids=" ".join)
async def test_the_key_does_it(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    case = NEEDING[command]
    async with opened(case.space(), size=(160, 30), folder=tmp_path) as pilot:
        await press(pilot, *case.before)
        await shows(pilot, case.until)
        await press(pilot, *case.then)
        await until(pilot, lambda: command[0] == pilot.app.screen.NAME)
        await until(pilot, lambda: not case.holds(pilot.app))
        await press(pilot, KEYS[command[1]])
        await until(pilot, lambda: case.holds(pilot.app), timeout=8)
