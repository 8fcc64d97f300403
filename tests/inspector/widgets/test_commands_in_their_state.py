"""Commands that need something first, each in its state. The others: `test_commands`."""

from collections import defaultdict
from itertools import groupby

import pytest

from inspector.widgets.key_spelling import NO_KEY
from inspector.widgets.key_table import COMMANDS
from needing import NEEDING
from opened import opened
from screen_text import press, shows, strokes, until
from thoroughness import one_of

KEYS = {
    command.id: [strokes(command)] if command.keys == NO_KEY else [(key,) for key in command.keys.split(",")]
    for command in COMMANDS
}
ALIKE = ("line-", "page-")
"""Commands that begin so are one action with another argument: usually one of them is tried."""


def family(command):
    return command[0], next((begin for begin in ALIKE if command[1].startswith(begin)), command[1])


TOGETHER = defaultdict(list)
"""Space -> its commands and their keys: they share an opening, and none changes what another one needs."""
for _number, (_, _alike) in enumerate(groupby(sorted(NEEDING, key=family), family)):
    for _command in one_of(list(_alike), _number):
        # That all keys of a command are bound to it: `test_commands`.
        TOGETHER[NEEDING[_command].space] += [(_command, keys) for keys in one_of(KEYS[_command[1]], _number)]


@pytest.mark.parametrize("space", TOGETHER)
async def test_the_key_does_it(space, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    async with opened(space(), size=(160, 30), folder=tmp_path) as pilot:
        for at, (command, keys) in enumerate(TOGETHER[space]):
            case = NEEDING[command]
            try:
                await press(pilot, *(("escape",) * 3 + ("g b",) if at else ()), *case.before)
                pilot.app.clear_notifications()
                await shows(pilot, case.until)
                await press(pilot, *case.then)
                await until(pilot, lambda screen=command[0]: screen == pilot.app.screen.NAME)
                await until(pilot, lambda case=case: not case.holds(pilot.app), timeout=8)
                await press(pilot, *keys)
                await until(pilot, lambda case=case: case.holds(pilot.app), timeout=8)
            except (AssertionError, TimeoutError) as error:
                error.add_note(f"{command}, by {keys}")
                raise
