"""A paper's tables on screen."""

import json
import shlex

import pytest

import papers
from inspector.cli import main
from inspector.first_inspection import inspect
from inspector.loading import load
from inspector.paint import Brush
from inspector.render.lines import text_of
from inspector.request import Request
from inspector.sheets.paper import paper_figures, paper_of, paper_sheet
from opened import opened
from screen_text import hides, press, shows, until
from walking import walk

BRUSH = Brush(ascii_only=True)


@pytest.fixture
def root(tmp_path):
    papers.processbench(tmp_path / "w", papers.gsm8k())
    return Request(workspace=str(tmp_path / "w"))


def sheet_of(request, place, **options):
    inspection = inspect(load(request))
    number = papers_of(inspection)[place].number
    found = paper_figures(inspection, number, everyone=options.pop("everyone", False))
    return inspection, paper_sheet(inspection, place, found, BRUSH, 80)


def papers_of(inspection):
    return paper_of(inspection).tables


def test_every_table_lays_out_and_every_number_opens_its_cases(root):
    walked = 0
    for place in range(8):
        inspection, sheet = sheet_of(root, place)
        walked += walk(inspection, sheet)
        assert text_of(sheet.lines[0]).startswith("Table ")
    assert walked > 10


def test_here_published_and_difference_stand_beneath_each_other(root):
    _, sheet = sheet_of(root, 1)
    lines = [text_of(row).rstrip() for row in sheet.lines]
    here = next(place for place, line in enumerate(lines) if " here " in line)
    assert lines[here].split()[-5:] == ["68.2", "-", "-", "-", "-"]
    assert lines[here + 1].split() == ["published", "68.2", "62.6", "50.7", "44.3", "56.5"]
    assert lines[here + 2].split() == ["difference", "+0.0"]
    assert {piece.style for piece in sheet.lines[here + 1] if piece.text.strip()} == {"dim"}
    assert "- no erroneous case was scored: MATH, OlympiadBench, Omni-MATH of Qwen" in " ".join(" ".join(lines).split())
    assert any("Checked 1 of 5 printed cells; differing: 0." in line for line in lines)


def test_statistics_of_a_paper_open_their_cases(root):
    inspection, sheet = sheet_of(root, 0)
    assert walk(inspection, sheet) >= 2
    assert any("published" in text_of(row) for row in sheet.lines)


async def test_tables_turn_by_keys_and_are_picked_from_a_list(root):
    async with opened(root, size=(120, 36)) as pilot:
        await press(pilot, "P")
        await shows(pilot, "Table 3 of ProcessBench", "Checked 1 of 5")
        await hides(pilot, "Skywork-PRM-7B")
        await press(pilot, "a")
        await shows(pilot, "Skywork-PRM-7B")
        await press(pilot, "a", "tab")
        await shows(pilot, "Table 4 of ProcessBench")
        await press(pilot, "o")
        await shows(pilot, "Tables of ProcessBench", "Table 9")
        await press(pilot, "g", "enter")
        await shows(pilot, "Table 2 of ProcessBench", "process error rate")
        await press(pilot, "escape")
        await until(pilot, lambda: pilot.app.screen.NAME == "board")


async def test_its_export_is_what_paper_prints(root, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    async with opened(root, size=(80, 24), folder=tmp_path) as pilot:
        await press(pilot, "P")
        await shows(pilot, "Checked 1 of 5")
        await press(pilot, "e", "j")
        await until(pilot, lambda: list(tmp_path.glob("*.json")))
    (file,) = tmp_path.glob("*.json")
    capsys.readouterr()
    assert main(shlex.split(json.loads(file.read_text())["provenance"]["command"])[1:]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == json.loads(file.read_text())["rows"]
