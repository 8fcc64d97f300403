import json
import os
import threading
import time
from pathlib import Path

import pytest

from inspector.app import InspectApp
from inspector.request import Request
from inspector.screens.loading import READING, UNCHANGED
from inspector.selection import load
from inspector.terminal.remembered import Remembered
from opened import inspected
from screen_text import press, rests, screen_text, settled, shows, until


@pytest.fixture
def workspace(request_):
    return Request(workspace=request_.workspace)


async def focus(request, state, *keys):
    app = InspectApp(request, state=state)
    async with app.run_test(size=(120, 36), notifications=True) as pilot:
        await shows(pilot, "2 scorers")
        await settled(pilot)
        await press(pilot, *keys)
        return inspected(pilot).scorer


async def test_the_scorer_in_focus_is_found_again(workspace, tmp_path):
    assert await focus(workspace, tmp_path) == "beta"
    (kept,) = tmp_path.rglob("*.json")
    assert json.loads(kept.read_bytes()).keys() == {"format", "place"}
    assert await focus(workspace, tmp_path, "down") == "alpha"
    assert await focus(workspace, tmp_path) == "alpha"


async def test_a_scorer_that_is_asked_for_comes_before_the_remembered_one(workspace, tmp_path):
    await focus(workspace, tmp_path, "down")
    assert await focus(Request(workspace=workspace.workspace, scorers=("beta",)), tmp_path) == "beta"


async def test_one_that_has_gone_is_no_longer_in_focus(workspace, tmp_path):
    await focus(workspace, tmp_path, "down")
    (path,) = tmp_path.rglob("*.json")
    remembered = Remembered(path)
    remembered.keep(scorer="gone")
    remembered.save()
    assert await focus(workspace, tmp_path) == "beta"


async def test_neither_a_filter_nor_a_threshold_comes_back(workspace, tmp_path):
    app = InspectApp(workspace, state=tmp_path)
    async with app.run_test(size=(120, 36)) as pilot:
        await shows(pilot, "2 scorers")
        await press(pilot, "down", "enter", "t", "right", "enter")
        moved = inspected(pilot).threshold
    app = InspectApp(workspace, state=tmp_path)
    async with app.run_test(size=(120, 36)) as pilot:
        await shows(pilot, "2 scorers")
        assert inspected(pilot).threshold != moved
        assert not inspected(pilot).filter.conditions


async def test_what_cannot_be_written_is_told_once(workspace, tmp_path):
    (tmp_path / "workspaces").write_text("in the way")
    app = InspectApp(workspace, state=tmp_path)
    async with app.run_test(size=(120, 36), notifications=True) as pilot:
        await shows(pilot, "2 scorers")
        await press(pilot, "down")
        await shows(pilot, "will not be remembered")
        assert inspected(pilot).scorer == "alpha"


async def test_without_a_state_folder_nothing_is_kept(workspace):
    assert await focus(workspace, None, "down") == "alpha"
    assert await focus(workspace, None) == "beta"


async def test_the_first_screen_is_there_before_anything_is_read(workspace, tmp_path, monkeypatch):
    """As it was the last time, until it has been read again; not where a file has changed."""

    def open_again():
        reading = threading.Event()
        monkeypatch.setattr("inspector.selection.load", lambda request: reading.wait(20) and load(request))
        return InspectApp(workspace, state=tmp_path), reading

    space = Path(workspace.workspace)
    for path in (space, *space.rglob("*")):
        os.utime(path, (time.time() - 60,) * 2)
    async with InspectApp(workspace, state=tmp_path).run_test(size=(120, 36)) as pilot:
        before = await rests(pilot, "2 scorers")
        await until(pilot, lambda: list(tmp_path.rglob("*.msgpack")))
    app, reading = open_again()
    async with app.run_test(size=(120, 36)) as pilot:
        at_first = await shows(pilot, UNCHANGED)
        assert at_first.splitlines()[:-1] == before.splitlines()[:-1]
        assert app.inspection is None
        # What is typed meanwhile is for what is on screen, in its order.
        await pilot.press("g", "l", "j")
        reading.set()
        await shows(pilot, "9 of 9 cases")
        await until(pilot, lambda: app.screen.table.cursor == 1)
        await press(pilot, "g", "b")
        assert await rests(pilot, "Keys") == before
    for size in ((119, 36), (120, 36)):
        app, reading = open_again()
        if size == (120, 36):
            (space / "rewards").touch()
        async with app.run_test(size=size) as pilot:
            assert READING in screen_text(app)
            reading.set()
            await shows(pilot, "2 scorers")
