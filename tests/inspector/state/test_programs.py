"""Programs of this machine: the app starts them for the person at the terminal, and none for a visitor."""

import ast
import json
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

from inspector.app.app import InspectApp
from inspector.app.services.saving import copy
from inspector.case_page import images
from inspector.cli import main
from inspector.state import programs
from inspector.state.programs import ProgramRefused, check_program, open_file, open_link, run_program
from inspector.state.visit import HERE, Visit
from inspector.widgets.text_editor import TextEditor
from opened import opened
from scoring.selection.query import Query
from screen_text import press, shows, until

ROOT = Path(__file__).resolve().parents[3]
VISITORS = [Visit("ann", writes=writes, root="/nowhere") for writes in (False, True)]
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (2).to_bytes(4, "big") * 2

STARTERS = {
    "asyncio": {"create_subprocess_exec", "create_subprocess_shell"},
    "multiprocessing": {"Process", "Pool", "get_context"},
    "pty": {"spawn", "fork"},
    "subprocess": {"run", "Popen", "call", "check_call", "check_output", "getoutput", "getstatusoutput"},
    "webbrowser": {"open", "open_new", "open_new_tab", "get"},
}
OF_OS = ("system", "popen", "startfile", "posix_spawn", "posix_spawnp", "fork", "forkpty", "exec", "spawn")
PROGRAMS = {"inspector/state/programs.py"}
CHILDREN = {"scoring/engines/memory.py", "scoring/data/python_child.py"}
"""The module that starts Python processes of our own and, in those, the one that asks the driver of a GPU."""


def starts(tree):
    """The calls of a module that start a program, by whatever name it was imported."""
    modules, names = {}, {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {alias.asname or alias.name: alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {alias.asname or alias.name: (node.module, alias.name) for alias in node.names}
    # `Popen[bytes]` is a type.
    types = {node.value for node in ast.walk(tree) if isinstance(node, ast.Subscript)}
    for node in ast.walk(tree):
        if node in types:
            continue
        if isinstance(node, ast.Attribute):
            owner = ast.unparse(node.value)
            yield modules.get(owner, owner), node.attr
        elif isinstance(node, ast.Name) and node.id in names:
            yield names[node.id]


def is_start(module, name):
    return name in STARTERS.get(module, ()) or (module == "os" and name.startswith(OF_OS))


def test_one_module_starts_programs():
    found = {}
    for package in ("inspector", "scoring"):
        for path in (ROOT / package).rglob("*.py"):
            calls = {call for call in starts(ast.parse(path.read_text(encoding="utf-8"))) if is_start(*call)}
            if calls:
                found[str(path.relative_to(ROOT))] = calls
    assert found.keys() == PROGRAMS | CHILDREN, found


def test_calls_that_start_a_program_are_found():
    for code in (
        "import subprocess as s\ns.run([])",
        "from subprocess import Popen as P\nP([])",
        "import os\nos.execvp('x', [])",
        "import webbrowser\nwebbrowser.open('x')",
        "import asyncio\nasyncio.create_subprocess_exec('x')",
    ):
        assert any(is_start(*call) for call in starts(ast.parse(code))), code


@pytest.fixture
def started(monkeypatch):
    """What was started, nothing of which runs."""
    calls = []
    monkeypatch.setattr(programs.subprocess, "Popen", lambda words, **_: calls.append(words))

    def run(words, **_):
        calls.append(words)
        return programs.subprocess.CompletedProcess(words, 0)

    monkeypatch.setattr(programs.subprocess, "run", run)
    monkeypatch.setattr("webbrowser.open", lambda url, *_: calls.append(url))
    return calls


@pytest.mark.parametrize("visit", VISITORS)
def test_nothing_is_started_for_a_visitor(visit, started, tmp_path):
    for start in (
        lambda: check_program(visit),
        lambda: run_program(visit, ["true"]),
        lambda: open_file(visit, tmp_path, "xdg-open"),
        lambda: open_link(visit, "https://host.example"),
    ):
        with pytest.raises(ProgramRefused):
            start()
    assert started == []


def test_a_visitors_text_goes_to_the_clipboard_of_the_browser_and_anybody_elses_through_tmux(started):
    written = []
    for visit in VISITORS:
        assert copy("text", {"TMUX": "/x,1,0"}, written.append, visit)
    assert (len(written), started) == (2, [])
    assert copy("text", {"TMUX": "/x,1,0"}, written.append, HERE)
    assert (len(written), [words[0] for words in started]) == (2, ["tmux"])


# -- the keys


@pytest.fixture
def space(tmp_path, monkeypatch):
    """A workspace with a case that names an image."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.png").write_bytes(PNG)
    row = {"id": "im0", "problem": "p", "steps": ["a", "b"], "label": 0, "image": "a.png"}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row) + "\n")
    assert main(["import", "rows.jsonl", "--workspace", "space", "--quiet"]) == 0
    monkeypatch.setattr(images, "_opener", lambda: "/usr/bin/xdg-open")
    return Query(workspace=str(tmp_path / "space"))


@pytest.fixture
def as_visitor(monkeypatch):
    return lambda visit: monkeypatch.setitem(InspectApp.__init__.__kwdefaults__, "visit", visit)


async def open_image(pilot):
    """Press the keys that open the image of the first case."""
    await press(pilot, "g l", "enter")
    await shows(pilot, "a.png")
    screen = pilot.app.screen
    for _ in range(20):
        if screen.cursor.stop is not None and screen.cursor.stop.kind == "image":
            break
        await press(pilot, "k")
    await press(pilot, "enter")


@pytest.mark.parametrize("visit", [HERE, *VISITORS])
async def test_enter_on_an_image_opens_it_at_a_terminal_and_tells_a_visitor_where_it_is(
    visit, space, started, as_visitor, tmp_path
):
    as_visitor(visit)
    async with opened(space) as pilot:
        await open_image(pilot)
        await shows(pilot, "The server does not start programs" if visit.who else "Opening a.png outside")
    assert started == ([] if visit.who else [["/usr/bin/xdg-open", str(tmp_path.resolve() / "a.png")]])


@pytest.mark.parametrize("visit", [HERE, *VISITORS])
async def test_a_link_opens_at_a_terminal_alone(visit, started, as_visitor):
    as_visitor(visit)
    async with opened() as pilot:
        pilot.app.open_url("https://host.example/x")
        if visit.who:
            await shows(pilot, "The server does not start programs", "https://host.example/x")
    assert started == ([] if visit.who else ["https://host.example/x"])


@pytest.mark.parametrize("visit", [HERE, *VISITORS])
async def test_an_editor_opens_at_a_terminal_alone(visit, started, as_visitor, monkeypatch, tmp_path):
    monkeypatch.setenv("EDITOR", "ed")
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.chdir(tmp_path)
    as_visitor(visit)
    async with opened() as pilot:
        monkeypatch.setattr(type(pilot.app), "suspend", lambda _: nullcontext())
        await press(pilot, "g l", "enter", "a")
        await until(pilot, lambda: isinstance(pilot.app.focused, TextEditor))
        # Past the check of actions, as any code of ours could call it.
        pilot.app.focused.action_elsewhere()
        if visit.who:
            await shows(pilot, "The server does not start programs")
    assert [words[0] for words in started] == ([] if visit.who else ["ed"])


def test_a_program_gets_its_input_and_tells_its_exit_code():
    code = "import sys; sys.exit(len(sys.stdin.read()))"
    assert run_program(HERE, [sys.executable, "-c", code], data=b"seven..", quiet=True) == 7
