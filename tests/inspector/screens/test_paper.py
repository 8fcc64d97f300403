"""A paper's tables on screen."""

import json
import shlex

import pytest

import papers
from inspector.cli import main
from opened import opened
from scoring.selection.query import Query
from screen_text import hides, press, shows, until


@pytest.fixture
def root(tmp_path):
    papers.processbench(tmp_path / "w", papers.gsm8k())
    return Query(workspace=str(tmp_path / "w"))


async def test_tables_and_scorers_of_the_paper_are_chosen_and_its_export_is_what_paper_prints(
    root, tmp_path, monkeypatch, capsys
):
    """The first table on scorers is shown, and beside it the list of all."""
    monkeypatch.chdir(tmp_path)
    async with opened(root, size=(80, 24), folder=tmp_path) as pilot:
        await press(pilot, "g", "p")
        await shows(pilot, "Checked 1 of 5")
        await press(pilot, "e", "j")
        await until(pilot, lambda: list(tmp_path.glob("*.json")))
        pilot.app.clear_notifications()
        await pilot.resize_terminal(120, 36)
        await shows(pilot, "Table 3 of ProcessBench", "Checked 1 of 5")
        await press(pilot, "right_square_bracket")
        await shows(pilot, "Tables of ProcessBench", "critics by one greedy answer")
        await press(pilot, "v v")
        await shows(pilot, "This page has nothing to choose.")
        await press(pilot, "left_square_bracket")
        await shows(pilot, "Table 3 of ProcessBench", "Checked 1 of 5")
        await hides(pilot, "Skywork-PRM-7B")
        await press(pilot, "v v", "j", "enter")
        await shows(pilot, "yes", "no")
        await press(pilot, "home", "enter")
        await shows(pilot, "Skywork-PRM-7B")
        await press(pilot, "v v", "enter")
        await shows(pilot, "Table 9", "critics by one greedy answer")
        await press(pilot, "G", "enter")
        await shows(pilot, "Table 9 of ProcessBench", "QwQ-32B-Preview")
        await press(pilot, "v v", "enter", "home", "enter")
        await shows(pilot, "Table 2 of ProcessBench", "process error rate")
        await press(pilot, "escape")
        await until(pilot, lambda: pilot.app.screen.NAME == "board")
    (file,) = tmp_path.glob("*.json")
    capsys.readouterr()
    assert main(shlex.split(json.loads(file.read_text())["provenance"]["command"])[1:]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == json.loads(file.read_text())["rows"]
