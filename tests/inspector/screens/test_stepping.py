"""The step cursor: folding what it stands on, copying it, the mouse."""

import json
import struct

import pytest

import benchmark_rows
import example
import making
import reference
from inspector.case_page import images
from inspector.case_page.open_case import Stop
from inspector.screens.messages import Copy
from inspector.state import programs
from opened import opened
from scoring.importing.batch import ImportOptions, read_sources
from scoring.selection.query import Query
from scoring.workspace.workspace import Workspace
from screen_text import hides, press, rests, settled, shows

WORDS = " ".join(f"word{number}" for number in range(200))


@pytest.fixture(scope="module")
def query(tmp_path_factory):
    root = tmp_path_factory.mktemp("stepping")
    cases = [reference.Case(5, 3, (0.9, 0.8, 0.9, 0.2, 0.1)), reference.Case(2, -1, (0.9, 0.9))]
    steps = [["$\\frac{1}{2}$ first", WORDS, "third", "fourth", "fifth"], ["one", "two"]]
    problems = [f"Problem: {WORDS}", "Short."]
    making.workspace(root / "w", cases, [(making.scorer(), cases)], steps=steps, problem=problems)
    return Query(workspace=str(root / "w"))


def stop(pilot):
    return pilot.app.screen.cursor.stop


async def test_enter_folds_a_step_and_unfolds_the_problem_and_the_prefix_and_the_facts(query):
    async with opened(query, size=(120, 60)) as pilot:
        await press(pilot, "g", "l", "enter")
        await shows(pilot, "exact  3 ", "word5 ")
        assert stop(pilot) == Stop("step", 3)
        await press(pilot, "enter")
        await shows(pilot, "Too short to fold.")
        await press(pilot, "home", "enter", "pagedown")
        await rests(pilot, "word199", "1/2 first")
        await press(pilot, "enter")
        await shows(pilot, "15 more (Enter)")
        await press(pilot, "j", "j")
        assert stop(pilot) == Stop("step", 1)
        await press(pilot, "enter")
        await shows(pilot, "more lines (Enter shows all)", "third")
        await hides(pilot, "word199")
        # Folds are of one case: the next begins without them, and so does this one when it comes back.
        await press(pilot, "n", "N")
        await shows(pilot, "word199")
        await press(pilot, "v", "p")
        await shows(pilot, "steps 0-1: right, rewards 0.80 to 0.90 (Enter unfolds)", "third")
        await hides(pilot, "word199")
        await press(pilot, "n", "N")
        await shows(pilot, "steps 0-1: right")
        await press(pilot, "k", "k")
        assert stop(pilot) == Stop("run", 0)
        await press(pilot, "enter")
        await shows(pilot, "word199", "1/2 first")
        assert stop(pilot) == Stop("step", 0)
        await press(pilot, "v", "p")
        await press(pilot, "n", "v", "p")
        await shows(pilot, "Nothing to fold: fewer than two steps come before.")
        await shows(pilot, "Short.", "v f shows all")
        await press(pilot, "G", "enter")
        await shows(pilot, "v f folds them")
        await press(pilot, "v", "f")
        await shows(pilot, "v f shows all")
        await press(pilot, "v", "f")
        await shows(pilot, "v f folds them")


async def test_what_the_cursor_stands_on_is_copied_raw_and_a_click_moves_it(query, monkeypatch):
    async with opened(query, size=(120, 36)) as pilot:
        said = []
        await press(pilot, "g", "l", "enter")
        screen = pilot.app.screen
        # The frame adds one line above the text.
        line = screen.cursor.page.starts[4] - screen.steps.scroll_offset.y + 1
        await pilot.click("#steps", offset=(30, line))
        await settled(pilot)
        assert stop(pilot) == Stop("step", 4)
        assert screen.steps.cursor == screen.cursor.page.starts[4]
        post = screen.post_message
        monkeypatch.setattr(screen, "post_message", lambda message: (said.append(message), post(message))[1])
        await press(pilot, "home", "j", "y", "question_mark", *"copy case", "enter")
        step, case = (message for message in said if isinstance(message, Copy))
        assert (step.text, step.what) == ("$\\frac{1}{2}$ first", "step 0 of bench/c0")
        assert case.text.startswith("bench/c0\n\nProblem: word0 word1")
        assert "[4] fifth" in case.text


async def test_moving_the_cursor_writes_two_lines_and_keeps_the_rest(tmp_path):
    async with opened(example.write(tmp_path / "w"), size=(120, 36)) as pilot:
        await press(pilot, "g", "l", "G", "enter", "home", "j")
        await rests(pilot)
        view = pilot.app.screen.steps
        written = []
        refresh = view.refresh
        view.refresh = lambda *regions, **how: (written.extend(regions), refresh(*regions, **how))[1]
        await press(pilot, "j")
        assert [region.height for region in written] == [1, 1]


async def test_enter_opens_an_image_outside_or_says_why_not(tmp_path, monkeypatch):
    folder = tmp_path / "set"
    (folder / "images").mkdir(parents=True)
    (folder / "images" / "pens.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 640, 480))
    row = benchmark_rows.visualprocessbench(image=["images/pens.png", "[bold]none.png"])
    (folder / "test.jsonl").write_text(json.dumps(row))
    workspace = Workspace.create(tmp_path / "w")
    read_sources([str(folder / "test.jsonl")], ImportOptions(), workspace, None).put(workspace)
    commands = []
    monkeypatch.setattr(images, "_opener", lambda: "opener")
    monkeypatch.setattr(programs.subprocess, "Popen", lambda command, **_: commands.append(command))
    async with opened(Query(workspace=str(tmp_path / "w")), size=(80, 24)) as pilot:
        await press(pilot, "g", "l", "enter")
        await shows(pilot, "images/pens.png  (640 x 480 PNG, 24 bytes; Enter opens it)")
        await press(pilot, "home", "j", "enter")
        await shows(pilot, "Opening images/pens.png outside.")
        assert (stop(pilot), commands) == (Stop("image", 0), [["opener", str(folder / "images" / "pens.png")]])
        await press(pilot, "j")
        await shows(pilot, "[bold]none.png  (missing)")
        await press(pilot, "enter")
        await shows(pilot, "[bold]none.png: missing.")
        assert len(commands) == 1
