"""What a visitor may do: one value, asked at every door."""

import argparse
from pathlib import Path

import pytest

from inspector.app.app import InspectApp
from inspector.screens.base import AppScreen
from inspector.screens.messages import Import, Score, ScoreCase
from inspector.screens.score import model_choices
from inspector.screens.slices import SlicesScreen
from inspector.screens.start import import_list, path_picks
from inspector.state.visit import _CHANGES, _FLAGS, _NEVER, HERE, Visit
from inspector.widgets.key_table import COMMANDS
from inspector.widgets.text_editor import TextEditor
from opened import opened
from scoring.runs.arguments import add_arguments
from screen_text import hides, press, shows

LOOKS = Visit("ann", writes=False, root="/nowhere")
ONLY = "only where the server was started with --allow-write"


@pytest.fixture
def visited(monkeypatch, tmp_path):
    """Have the app be opened for a visitor."""

    def visit(value):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setitem(InspectApp.__init__.__kwdefaults__, "visit", value)
        return opened(folder=tmp_path)

    return visit


@pytest.fixture
def space(tmp_path):
    """A visitor who may write, a file in the workspace, one outside, and a link that leads there."""
    root, outside = tmp_path / "space", tmp_path / "outside"
    for folder in (root / "in", outside):
        folder.mkdir(parents=True)
        (folder / "rows.jsonl").write_text("{}\n")
    (root / "link").symlink_to(outside)
    return Visit("ann", writes=True, root=str(root)), root, outside


# -- the value


def test_whoever_started_the_app_may_do_everything():
    assert [HERE.refusal(action) for action in (*_NEVER, *_CHANGES)] == [""] * len({**_NEVER, **_CHANGES})
    assert HERE.reaches(Path("/etc"))
    assert HERE.refused_source("https://host/x") == HERE.refused_run("/models/x", ("--adapter", "./mine.py")) == ""


def test_the_actions_that_are_kept_from_visitors_are_there():
    known = {command.action for command in COMMANDS}
    for action in (*_NEVER, *_CHANGES):
        kinds = (TextEditor, SlicesScreen, InspectApp)
        assert action in known or any(hasattr(kind, f"action_{action}") for kind in kinds), action


def test_a_path_is_where_its_links_lead(space):
    visit, root, outside = space
    assert visit.reaches(root / "in" / "rows.jsonl")
    assert visit.reaches(root)
    for path in (outside, root / "link", root / ".." / "outside", root.with_name("space-2"), root / "\0", Path("/")):
        assert not visit.reaches(path)


def test_only_files_inside_the_workspace_are_imported(space):
    visit, root, outside = space
    assert visit.refused_source(str(root / "in")) == ""
    for source in (
        str(outside),
        f"{root}/link/rows.jsonl",
        "~",
        "hf:Qwen/ProcessBench",
        "https://host/x",
        "s3://x/y",
        "-",
    ):
        assert str(root) in visit.refused_source(source)
    assert ONLY in LOOKS.refused_source(str(root / "in"))


def test_a_run_names_no_file_server_or_code(space, monkeypatch):
    visit, root, outside = space
    monkeypatch.chdir(root.parent)
    for model in ("Qwen/Qwen2.5-Math-PRM-7B", str(root / "in"), ""):
        assert visit.refused_run(model, ("--limit=5", "--sample", "3", "--critic=prmbench")) == ""
    for model in (str(outside), "outside/rows.jsonl", "space/link", "../x", "~"):
        assert str(root) in visit.refused_run(model, ())
    for flags in (
        ("--adapter=x.py",),
        ("--adap", "x.py"),
        ("--server=http://x",),
        ("--limit=5", "--allow-pickle"),
        ("-x",),
    ):
        assert "A browser's run takes no -" in visit.refused_run("a/b", flags)
    assert ONLY in LOOKS.refused_run("a/b", ())


def test_the_flags_that_a_visitor_may_give_name_no_file_server_or_code():
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    actions = {flag: action for action in parser._actions for flag in action.option_strings}
    assert _FLAGS - {"--where"} <= actions.keys()
    places = {flag for flag, action in actions.items() if {"FILE", "URL", "DIR"} & _words(action.metavar)}
    assert {"--adapter", "--server", "--model", "--prices", "--template", "--base", "--reference"} <= places
    assert not places & _FLAGS


def _words(metavar):
    return set((metavar or "").replace("|", "_").replace(".", "_").split("_"))


# -- the app


async def test_who_only_looks_is_told_why_nothing_is_written(visited):
    async with visited(LOOKS) as pilot:
        # A key, two keys, and a line of the list of all that can be done.
        for keys, told in (
            (["S"], "Cases are scored only"),
            (["g i"], "Files are imported only"),
            (["question_mark", *"score", "enter"], "Cases are scored only"),
        ):
            await press(pilot, *keys)
            await shows(pilot, told)
            assert isinstance(pilot.app.screen, AppScreen)
            pilot.app.clear_notifications()
            await hides(pilot, told)
        await press(pilot, "g l", "v s", "s")
        await shows(pilot, "Slices are saved and deleted")
        await press(pilot, "escape", "enter")
        for keys, told in (
            ("S", "Cases are scored"),
            ("g w", "Variants of cases are kept"),
            ("v t", "tokens are read"),
        ):
            await press(pilot, keys)
            await shows(pilot, told)
        await press(pilot, "a", "ctrl+e")
        await shows(pilot, "An editor of the server's machine")


async def test_a_message_is_no_way_around(visited):
    async with visited(LOOKS) as pilot:
        heard = []
        pilot.app.post_message(Score("a/b"))
        await shows(pilot, "Cases are scored only")
        pilot.app.post_message(Import())
        await shows(pilot, "Files are imported only")
        pilot.app.post_message(ScoreCase({"model": "/etc"}, {}, heard.append))
        pilot.app.post_message(ScoreCase({"model": "/etc", "scorer": "/x"}, {}, heard.append))
        await pilot.pause()
        assert [event["event"] for event in heard] == ["failed", "failed"]
        assert all(ONLY in event["error"]["sentence"] for event in heard)
        assert (pilot.app.scoring._run, pilot.app.scoring._cases) == (None, None)


async def test_who_writes_reads_only_what_lies_in_the_workspace(visited, space):
    visit, root, outside = space
    offered = import_list(visit)
    assert [pick.key for pick in offered.lines("")[0]] == [f"{root}/", f"{root}/in/", f"{root}/link/"]
    assert [pick.key for pick in offered.lines(f"{root}/in/r")[0]] == [f"{root}/in/rows.jsonl"]
    for typed in (f"{outside}/", f"{root}/link/", "/"):
        assert path_picks(typed, visit) == []
        assert model_choices(typed, (), visit) == ()
    assert model_choices(f"{root}/", (), visit) == (f"{root}/in/", f"{root}/link/")
    async with visited(visit) as pilot:
        await press(pilot, "g i", *"~/", "enter")
        await shows(pilot, "From a browser only what lies inside the")
        await press(pilot, "escape", "S", *"../", "enter")
        await shows(pilot, "folder is run")


async def test_exports_and_long_texts_are_handed_to_the_browser(visited, tmp_path, monkeypatch):
    handed = []
    monkeypatch.setattr(
        InspectApp, "deliver_binary", lambda _, file, *, save_filename: handed.append((save_filename, file.read()))
    )
    before = set(tmp_path.iterdir())
    async with visited(LOOKS) as pilot:
        await press(pilot, "e", "c")
        await shows(pilot, "Wrote 7 rows to demo-board.csv", "Again: prm-inspect board")
        assert handed[0][0] == "demo-board.csv"
        assert handed[0][1].startswith(b"kind,scorer,")
        pilot.app.saving._kept("x" * 80_000)
        assert [name for name, _ in handed] == ["demo-board.csv", "copied.txt"]
        assert pilot.app.saving._kept("short") == ""
        assert len(handed) == 2
    assert set(tmp_path.iterdir()) == before


def test_visitors_leave_workspaces_each_in_their_own_way(monkeypatch, tmp_path):
    places = set()
    for who in ("ann", "../../bob", "a/b", "a-b"):
        monkeypatch.setenv("PRM_INSPECT_USER", who)
        place = Visit(who).state_folder(tmp_path)
        assert place.parent == tmp_path / "visitors"
        places.add(place)
    assert len(places) == 4
    assert HERE.state_folder(tmp_path) == tmp_path
