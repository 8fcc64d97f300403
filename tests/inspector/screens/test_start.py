"""Where nothing was imported yet a person chooses where to begin, and no file is touched before."""

import argparse
from pathlib import Path

import pytest

import authored
import making
from inspector import cli
from inspector.app import invitation
from inspector.app.invitation import known_here
from inspector.cli.actions import opening
from inspector.screens.start import import_list, path_picks, start_list
from inspector.state.remembered import RememberedState, recent_workspaces
from inspector.widgets.themes import DEFAULT, OneDialog, choose_theme
from opened import opened
from scoring.importing.source_locations import typed_source
from scoring.selection.query import Query
from screen_text import press, shows, until


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with a file to import, a workspace and something hidden."""
    monkeypatch.chdir(tmp_path)
    authored.write(tmp_path / "sums.json", authored.rows(3))
    making.workspace(tmp_path / "space", *making.study())
    (tmp_path / "results" / "deep").mkdir(parents=True)
    (tmp_path / ".hidden").mkdir()
    return tmp_path


def test_paths_are_completed_as_what_they_are(here):
    found = {pick.key: pick.note for pick in path_picks("")}
    assert set(found) == {"sums.json", "space", "results/"}
    assert (found["sums.json"], found["space"]) == ("a file", "a workspace")
    assert [pick.key for pick in path_picks("results/d")] == ["results/deep/"]
    assert [pick.key for pick in path_picks("results/")] == ["results/", "results/deep/"]
    assert [pick.key for pick in path_picks(f"{here}/su")] == [f"{here}/sums.json"]
    assert [pick.key for pick in path_picks(".h")] == [".hidden/"]
    assert path_picks("nowhere/x") == path_picks("~nobody/x") == []


@pytest.mark.parametrize("word", ["hf:Qwen/ProcessBench", "https://HOST/rows.jsonl"])
async def test_what_is_not_on_this_disk_is_taken_as_it_is_typed(here, word, monkeypatch):
    app = OneDialog(import_list())
    async with app.run_test(size=(100, 24)) as pilot:
        await shows(pilot, "sums.json")
        await press(pilot, *word, "enter")
    assert app.return_value == typed_source(word) == word
    assert typed_source("~/x").endswith("/x")
    monkeypatch.setattr(OneDialog, "run", lambda *_, **__: word)
    assert opening._where_to_begin(argparse.Namespace(ascii=False, no_mouse=False), Query()) == word


async def test_the_demo_comes_first_then_files_here_and_workspaces(here):
    app = OneDialog(start_list([str(here / "space")], ["sums.json"]))
    async with app.run_test(size=(100, 24)) as pilot:
        await shows(pilot, "Nothing was imported here yet", "the demo", "sums.json", "a workspace that you looked at")
        await press(pilot, *"res", "tab", "down", "tab", "enter")
    assert app.return_value == "results/deep/"


@pytest.mark.parametrize(
    ("keys", "chosen"), [(("enter",), "demo"), (("down", "enter"), "sums.json"), (("escape",), None)]
)
async def test_a_line_is_chosen_or_none(here, keys, chosen):
    app = OneDialog(start_list([], ["sums.json"]))
    async with app.run_test(size=(80, 20)) as pilot:
        await shows(pilot, "the demo")
        await press(pilot, *keys)
    assert app.return_value == chosen


@pytest.mark.parametrize(
    ("chosen", "begun"),
    [
        (None, None),
        ("demo", Query(benchmarks=("demo",))),
        ("space", Query(workspace="space")),
        ("sums.json", "sums.json"),
        ("results/", "results"),
    ],
)
def test_what_was_chosen_is_opened_or_imported(here, monkeypatch, chosen, begun):
    monkeypatch.setattr(OneDialog, "run", lambda *_, **__: chosen)
    args = argparse.Namespace(ascii=False, no_mouse=False)
    assert opening._where_to_begin(args, Query()) == begun


def test_it_asks_only_where_nothing_was_asked_for_and_there_is_nothing(here, monkeypatch):
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(here / "data"))
    assert opening._nothing_here(Query())
    assert not opening._nothing_here(Query(benchmarks=("demo",)))
    making.workspace(Path(".prm-inspect"), *making.study())
    assert not opening._nothing_here(Query())


async def test_a_workspace_that_was_looked_at_is_offered_as_long_as_it_is_there(here):
    state_folder = here / "state"
    async with opened(Query(workspace="space"), state_folder=state_folder) as pilot:
        await until(pilot, lambda: pilot.app.remembered.left.place)
    assert recent_workspaces(state_folder) == [str(here / "space")]
    RememberedState.of_workspace(here / "gone", state_folder).save()
    (here / "space").rename(here / "moved")
    assert recent_workspaces(state_folder) == []
    assert recent_workspaces(here / "nothing") == []


def test_without_a_terminal_nothing_is_imported(here, capsys):
    assert cli.main(["sums.json"]) == 2
    assert "the app needs a terminal" in capsys.readouterr().err
    assert not Path(".prm-inspect").exists()


def test_a_file_is_asked_about_once(here, monkeypatch):
    """Opened again, a table that has not changed is there as it was understood, and is looked at alone again."""
    rows = "problem,steps,mine\n" + "".join(f'"Sum {n}?","[""one"", ""two""]","[0.9, 0.{n}]"\n' for n in range(1, 4))
    Path("mine.csv").write_text(rows)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    asked, shown = [], []

    def mapping_of(_, table):
        asked.append(table.source)
        return table.proposal().mapping

    monkeypatch.setattr(opening, "_mapping_of", mapping_of)
    monkeypatch.setattr("inspector.app.app.run_app", lambda query, **_: shown.append(query.benchmarks) or 0)
    for _ in range(2):
        assert cli.main(["mine.csv"]) == 0
    assert asked == ["mine.csv"]
    assert shown == [("mine",), ("mine",)]
    Path("mine.csv").write_text(rows.replace("0.3", "0.7"))
    assert cli.main(["mine.csv"]) == 0
    assert len(asked) == 2


async def test_it_looks_as_the_terminal_and_the_kept_theme_ask(here):
    state_folder = here / "state"
    state_folder.mkdir()
    for name in ("prm-light", "no theme of ours"):
        assert choose_theme(state_folder, name) == ""
        app = OneDialog(start_list(["/a/space"], ["sums.json"]), state_folder=state_folder, ascii_only=True)
        async with app.run_test(size=(80, 20)) as pilot:
            text = await shows(pilot, "the demo", "sums.json")
            assert text.isascii()
            assert app.theme == (name if name == "prm-light" else DEFAULT)


def test_a_folder_that_nobody_may_look_into_holds_nothing(here, monkeypatch):
    assert known_here(here) == ["sums.json"]
    monkeypatch.setattr(Path, "iterdir", lambda _: (_ for _ in ()).throw(PermissionError("no")))
    assert known_here(here) == []


def test_few_files_of_a_folder_are_looked_into(here, monkeypatch):
    looked = []
    monkeypatch.setattr(invitation, "_known", lambda file: looked.append(file.name))
    for number in range(300):
        (here / f"{number:03}.json").write_text("{}")
    assert known_here(here) == []
    assert len(looked) == 20
