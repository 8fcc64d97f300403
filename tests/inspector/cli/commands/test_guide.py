"""The guide is printed page by page."""

import json
import re

import pytest
from polars.testing import assert_frame_equal

import scoring_process
from inspector import cli
from inspector.widgets.guide import FIRST, KEYS, page, pages
from inspector.widgets.guide.key_page import key_page
from opened import opened
from scoring.api import open_workspace
from screen_text import press, screen_text, shows

TEXTS = {name: key_page() if name == KEYS else page(name) for name in pages()}


def test_its_pages_are_listed_the_first_one_first(capsys):
    assert cli.main(["guide"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == [FIRST, "Start"]
    assert [line.split()[0] for line in lines] == list(pages())


@pytest.mark.parametrize("name", pages())
def test_a_page_is_printed_as_it_was_written_where_nobody_looks_on(name, capsys):
    assert cli.main(["guide", name]) == 0
    assert capsys.readouterr().out == TEXTS[name]


def test_a_page_is_laid_out_on_a_terminal(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "60")
    assert cli.main(["guide", "glossary", "-q"]) == 0
    text = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out)
    assert "Glossary" in text
    assert "|" not in text
    assert max(map(len, text.splitlines())) <= 60


def test_another_page_is_one_sentence(capsys):
    assert cli.main(["guide", "scorin"]) == 2
    assert "the guide has no page 'scorin'; did you mean scoring? There are: start," in capsys.readouterr().err


def test_every_page_that_a_page_sends_to_is_there():
    named = {name for text in TEXTS.values() for name in re.findall(r"`(?:prm-inspect )?guide ([\w-]+)`", text)}
    assert named
    assert named <= set(pages())


def test_the_example_of_how_large_a_cluster_is_what_its_command_says(tmp_path):
    text = page("scale").partition("## How large a cluster")[2]
    command, answer = re.findall(r"```(?:sh)?\n(.*?)\n```", text, re.DOTALL)
    words = command.removeprefix("prm-inspect ").split()
    ran = scoring_process.commanded_here(*words, "-w", tmp_path / "ws")
    assert ran.returncode == 0
    assert answer in ran.stderr.splitlines()


def test_the_benchmark_of_ones_own_is_read_alike_by_its_mapping_and_its_file(tmp_path, capsys):
    text = page("own-data").partition("## A benchmark of your own")[2]
    (tmp_path / "map.json").write_text(re.search(r"```json\n(.*?)```", text, re.DOTALL)[1])
    (tmp_path / "krumm.py").write_text(re.search(r"```python\n(.*?)```", text, re.DOTALL)[1])
    with (tmp_path / "krumm.jsonl").open("w") as file:
        for number in range(6):
            moves = [{"said": f"Move {move} of riddle {number}."} for move in range(1 + number % 3)]
            row = {"ref": f"k{number}", "quest": f"Riddle {number}?", "trail": {"moves": moves}, "slip_at": number % 2}
            file.write(json.dumps({**row, "realm": "knots", "slip_kind": "sign" if number % 2 else None}) + "\n")
    frames = []
    for how in (["--mapping", f"{tmp_path}/map.json"], []):
        words = ["import", *([] if how else [f"{tmp_path}/krumm.py"]), f"{tmp_path}/krumm.jsonl", *how]
        assert cli.main([*words, "-w", f"{tmp_path}/{len(how)}"]) == 0
        capsys.readouterr()
        workspace = open_workspace(tmp_path / str(len(how)))
        frames.append(workspace.cases())
    told = ["id", "problem", "steps", "earliest_error", "subset", "error_type"]
    assert_frame_equal(*(frame.select(told) for frame in frames))
    assert frames[0].columns == frames[1].columns
    assert frames[0]["earliest_error"].to_list() == [-1, 0] * 3


async def test_the_palette_opens_a_page_over_any_screen():
    async with opened(size=(100, 30)) as pilot:
        await press(pilot, "g", "l", "ctrl+p", *"glossary")
        await shows(pilot, "Guide: Glossary")
        await press(pilot, "enter")
        await shows(pilot, "One word has one meaning")
        before = screen_text(pilot.app)
        await press(pilot, "j", "j")
        assert screen_text(pilot.app) != before
        await press(pilot, "k", "k", "k")
        assert screen_text(pilot.app) == before
        await press(pilot, "escape")
        await shows(pilot, "240 of 240 cases")
