import json
import os
import shutil
import threading
import time
from pathlib import Path

import pytest

import making
from inspector.app.app import InspectApp
from inspector.screens.base import AppScreen
from inspector.screens.loading import READING, UNCHANGED
from inspector.state.remembered import RememberedState, recent_workspaces
from inspector.widgets.search_bar import SearchBar
from opened import DEMO, inspected, opened
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.triage.journal import Author, Journal
from screen_text import press, rests, settled, shows, until


@pytest.fixture
def workspace(query):
    return Query(workspace=query.workspace)


async def read(pilot):
    """Wait until the board stands there itself, and no frame of it that was kept."""
    await until(pilot, lambda: isinstance(pilot.app.screen, AppScreen))
    await shows(pilot, "2 scorers")


async def focus(query, state_folder, *keys):
    app = InspectApp(query, state_folder=state_folder)
    async with app.run_test(size=(120, 36), notifications=True) as pilot:
        await read(pilot)
        await settled(pilot)
        await press(pilot, *keys)
        return inspected(pilot).focus.scorer


async def test_the_scorer_in_focus_is_found_again_unless_another_is_asked_for_or_it_is_gone(workspace, tmp_path):
    assert await focus(workspace, tmp_path) == "beta"
    (kept,) = tmp_path.rglob("*.json")
    assert json.loads(kept.read_bytes()).keys() == {"format", "place"}
    app = InspectApp(workspace, state_folder=tmp_path)
    async with app.run_test(size=(120, 36)) as pilot:
        await read(pilot)
        await press(pilot, "down", "enter", "t", "right", "enter")
        moved = inspected(pilot).evaluation.rule.threshold
        assert inspected(pilot).filter.conditions
    app = InspectApp(workspace, state_folder=tmp_path)
    async with app.run_test(size=(120, 36)) as pilot:
        await read(pilot)
        assert inspected(pilot).focus.scorer == "alpha"
        # Neither a filter nor a threshold comes back.
        assert inspected(pilot).evaluation.rule.threshold != moved
        assert not inspected(pilot).filter.conditions
    assert await focus(Query(workspace=workspace.workspace, scorers=("beta",)), tmp_path) == "beta"
    remembered = RememberedState(kept)
    remembered.keep(scorer="gone")
    remembered.save()
    assert await focus(workspace, tmp_path) == "beta"


async def test_what_cannot_be_written_is_told_once(workspace, tmp_path):
    (tmp_path / "workspaces").write_text("in the way")
    app = InspectApp(workspace, state_folder=tmp_path)
    async with app.run_test(size=(120, 36), notifications=True) as pilot:
        await shows(pilot, "2 scorers")
        await press(pilot, "down")
        await shows(pilot, "will not be remembered")
        assert inspected(pilot).focus.scorer == "alpha"


async def test_without_a_state_folder_nothing_is_kept(workspace):
    assert await focus(workspace, None, "down") == "alpha"
    assert await focus(workspace, None) == "beta"


LONG_AGO = time.time() - 60


def aged(space):
    """A workspace whose files are a minute old."""
    for path in (space, *space.rglob("*")):
        os.utime(path, (LONG_AGO,) * 2)


def opened_slowly(query, state_folder, monkeypatch):
    """The app, and what lets it read."""
    reading = threading.Event()
    monkeypatch.setattr("scoring.selection.loading.load", lambda query: reading.wait(20) and load(query))
    return InspectApp(query, state_folder=state_folder), reading


async def kept(query, state_folder, size=(120, 36)):
    """Open it until its first frame is kept; the screen."""
    async with InspectApp(query, state_folder=state_folder).run_test(size=size) as pilot:
        before = await rests(pilot, "scorers")
        await until(pilot, lambda: list(state_folder.rglob("*.msgpack")))
        return before


async def test_the_first_screen_is_there_before_anything_is_read(workspace, tmp_path, monkeypatch):
    aged(Path(workspace.workspace))
    before = await kept(workspace, tmp_path)
    app, reading = opened_slowly(workspace, tmp_path, monkeypatch)
    async with app.run_test(size=(120, 36)) as pilot:
        at_first = await shows(pilot, UNCHANGED)
        assert at_first.splitlines()[:-1] == before.splitlines()[:-1]
        assert app.front is None
        # What is typed meanwhile is for what is on screen, in its order.
        await pilot.press("g", "l", "j")
        reading.set()
        await shows(pilot, "9 of 9 cases")
        await until(pilot, lambda: app.screen.table.cursor == 1)
        await press(pilot, "g", "b")
        assert await rests(pilot, "? help") == before


CHANGES = {
    "a reward part": lambda space: (space / "rewards").touch(),
    "a benchmark called as what does not count": lambda space: (space / "benchmarks" / "derived" / "new").touch(),
    "what is saved beside": lambda space: (space / "slices.json").write_text("{}"),
    "nothing that counts": lambda space: [(space / folder / "new").touch() for folder in ("triage", "derived")],
}


async def test_where_anything_but_triage_and_what_is_derived_has_changed_nothing_is_shown_before_it_is_read(
    tmp_path, monkeypatch
):
    space, state_folder = tmp_path / "space", tmp_path / "state"
    making.workspace(space, *making.study(), benchmark="derived")
    for folder in ("triage", "derived"):
        (space / folder).mkdir(exist_ok=True)
    query = Query(workspace=str(space))
    aged(space)
    await kept(query, state_folder)
    shutil.copytree(space, tmp_path / "as it was")
    app, reading = opened_slowly(query, state_folder, monkeypatch)
    async with app.run_test(size=(120, 36)) as pilot:
        await shows(pilot, UNCHANGED)
        for name, change in CHANGES.items():
            shutil.rmtree(space)
            shutil.copytree(tmp_path / "as it was", space)
            aged(space)
            assert app.remembering.first_frame(), name
            change(space)
            assert bool(app.remembering.first_frame()) is (name == "nothing that counts"), name
        await pilot.resize_terminal(119, 36)
        assert not app.remembering.first_frame()
        reading.set()
        await shows(pilot, "3 scorers")


async def test_what_people_say_counts_where_a_condition_may_speak_of_it(tmp_path, monkeypatch):
    space, state_folder = tmp_path / "space", tmp_path / "state"
    making.workspace(space, *making.study())
    (space / "triage").mkdir()
    query = Query(workspace=str(space), where=("ruling IS NULL",))
    aged(space)
    await kept(query, state_folder)
    app, reading = opened_slowly(query, state_folder, monkeypatch)
    async with app.run_test(size=(120, 36)) as pilot:
        await shows(pilot, UNCHANGED)
        Journal(space / "triage", Author("ann", "gpu")).rule(["bench/c0"], "model wrong")
        assert not app.remembering.first_frame()
        reading.set()
        await shows(pilot, "3 scorers")


async def test_a_first_screen_that_was_left_otherwise_since_is_not_shown(workspace, tmp_path):
    """What is typed meanwhile would be for another scorer than the one that the cursor is seen on."""
    aged(Path(workspace.workspace))
    await kept(workspace, tmp_path)
    async with InspectApp(workspace, state_folder=tmp_path).run_test(size=(120, 36)) as pilot:
        assert pilot.app.remembering.first_frame()
        await rests(pilot, "scorers")
        # A condition that is remembered is seen on no first screen.
        pilot.app.remembered.add("conditions", "n_steps > 2")
        pilot.app.remembering.save()
        assert pilot.app.remembering.first_frame()
        await press(pilot, "j")
        await until(pilot, lambda: pilot.app.state.focus.scorer == "alpha")
    app = InspectApp(workspace, state_folder=tmp_path)
    async with app.run_test(size=(120, 36)) as pilot:
        assert not app.remembering.first_frame()
        await until(pilot, lambda: app.front and app.state.focus.scorer == "alpha")


@pytest.mark.parametrize(("keys", "ends"), [(("q",), True), (("ctrl+c",), True), (("g", "l", "slash", "q"), False)])
async def test_q_ends_what_is_not_there_yet_unless_it_is_typed_into_something(
    workspace, tmp_path, monkeypatch, keys, ends
):
    app, reading = opened_slowly(workspace, tmp_path, monkeypatch)
    async with app.run_test(size=(120, 36)) as pilot:
        await shows(pilot, READING)
        await pilot.press(*keys)
        await settled(pilot)
        assert app.is_running is not ends
        reading.set()
        if not ends:
            await shows(pilot, "search q")
            await until(pilot, lambda: app.screen.query_one(SearchBar).typing)


async def test_the_demo_and_the_workspace_that_the_variable_names_are_left_apart(workspace, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PRM_INSPECT_WORKSPACE", workspace.workspace)
    state_folder = tmp_path / "state"

    async def left(query):
        async with opened(query, state_folder=state_folder) as pilot:
            return pilot.app.remembered.left

    async with opened(Query(), state_folder=state_folder) as pilot:
        pilot.app.remembered.keep(board_sort="scorer:asc")
    before = await left(Query())
    # As `prm-inspect demo` opens it, and the start list.
    async with opened(DEMO, state_folder=state_folder) as pilot:
        assert pilot.app.remembered.left.board_sort == ""
        await press(pilot, "down")
        pilot.app.remembered.keep(board_rows="subset", columns=("case",))
        pilot.app.remembered.add("models", "demo/tiny")
    assert await left(Query()) == before
    assert (await left(DEMO)).board_rows == "subset"
    # Neither of the demo's places is a workspace that a person looked at.
    assert recent_workspaces(state_folder) == [str(Path(workspace.workspace).resolve())]
