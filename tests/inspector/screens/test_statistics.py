"""Statistics of a benchmark on screen."""

import json
import re
import shlex

import pytest

import example
import papers
from inspector.analyses.stats import stats
from inspector.cli import main
from inspector.render.lines import text_of
from inspector.state.opening import inspect
from opened import listed, opened
from scoring.selection import loading
from scoring.selection.loading import load
from scoring.selection.query import Query
from screen_text import hides, press, screen_lines, shows, until
from views import page_sheet, page_view
from walking import walk


def sheet_of(query):
    state = inspect(load(query))
    view = page_view(stats, state, "", ())
    if view.empty:
        return state, view.empty
    return state, page_sheet(view, (80, 24), ascii_only=True)


def test_every_count_opens_exactly_its_cases_on_the_demo():
    state, sheet = sheet_of(Query(benchmarks=("demo",)))
    assert walk(state, sheet) > 40


def test_every_count_opens_exactly_its_cases_with_gaps_and_types(tmp_path):
    asked = example.write(tmp_path / "w")
    state, sheet = sheet_of(Query(workspace=asked.workspace))
    assert walk(state, sheet) > 20
    lines = "\n".join(map(text_of, sheet.lines))
    assert "Error types, of the erroneous cases that have one" in lines
    assert re.search(r"gap +3 .* 50\.0", lines)
    assert "amy-model" in lines
    state, sheet = sheet_of(Query(workspace=asked.workspace, where=("n_steps > 2",)))
    assert walk(state, sheet) > 10


def test_published_figures_stand_beneath_dim_and_called_so_and_a_filter_says_that_they_are_of_the_whole(tmp_path):
    papers.processbench(tmp_path / "w", papers.gsm8k())
    _, sheet = sheet_of(Query(workspace=str(tmp_path / "w")))
    lines = [text_of(row) for row in sheet.lines]
    at = next(place for place, line in enumerate(lines) if line.startswith("gsm8k"))
    assert lines[at].split()[:4] == ["gsm8k", "400", "207", "193"]
    assert lines[at + 1].split() == ["published", "207", "193"]
    assert {piece.style for piece in sheet.lines[at + 1] if piece.text.strip()} == {"dim"}
    assert any("Published: ProcessBench" in line for line in lines)
    _, sheet = sheet_of(Query(workspace=str(tmp_path / "w"), where=("earliest_error = 0",)))
    assert "Published figures are of the whole benchmark" in " ".join(map(text_of, sheet.lines))


def test_without_a_case_it_says_so(tmp_path):
    asked = example.write(tmp_path / "w")
    _, sheet = sheet_of(Query(workspace=asked.workspace, where=("n_steps > 99",)))
    assert "No case passes the filter" in sheet


async def test_it_opens_without_a_scorer_and_a_number_leads_to_its_cases_and_back(tmp_path):
    async with opened(example.write(tmp_path / "w", scored=False), size=(80, 24)) as pilot:
        await press(pilot, "escape", "g", "s")
        await shows(pilot, "statistics", "distinct")
        await press(pilot, "l", "enter")
        await shows(pilot, "3 of 9 cases", "filter erroneous, sums")
        assert len(listed(pilot)) == 3
        await press(pilot, "escape")
        await shows(pilot, "distinct")
        await press(pilot, "escape")
        await until(pilot, lambda: pilot.app.screen.NAME == "board")


async def test_its_export_is_what_stats_prints_and_conditions_on_outcomes_count_for_nothing(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    async with opened(example.write(tmp_path / "w"), size=(120, 30), folder=tmp_path) as pilot:
        await press(pilot, "enter", "g", "s")
        await shows(pilot, "statistics", "without conditions on outcomes")
        # Its title tells no threshold.
        assert "θ" not in screen_lines(pilot.app)[0]
        await press(pilot, "g", "b", "g", "l", "x", "g", "s")
        await hides(pilot, "without conditions on outcomes")
        await shows(pilot, "distinct")
        await press(pilot, "e", "j")
        await until(pilot, lambda: list(tmp_path.glob("*.json")))
        await press(pilot, "g", "m")
        await shows(pilot, "θ 0.500")
    (file,) = tmp_path.glob("*.json")
    capsys.readouterr()
    assert main(shlex.split(json.loads(file.read_text())["provenance"]["command"])[1:]) == 0
    assert capsys.readouterr().out == file.read_text()


def test_the_command_reads_no_scorer_unless_a_condition_speaks_of_one(tmp_path, monkeypatch, capsys):
    asked = example.write(tmp_path / "w")
    words = ["stats", "-w", asked.workspace, "--json", "--quiet"]
    monkeypatch.setattr(loading, "scored", lambda *_: pytest.fail("a scorer was read"))
    assert main([*words, "--where", "n_steps > 2"]) == 0
    without = json.loads(capsys.readouterr().out)
    monkeypatch.undo()
    results = load(Query(workspace=asked.workspace, where=("n_steps > 2",)))
    assert without["rows"] == stats.view(results).rows.to_dicts()
    name = results.evaluations[0].scorer.name
    assert main([*words, "--where", f"\"{name}.outcome\" = 'exact'"]) == 0
    number = int((results.evaluated.column(f"{name}.outcome") == "exact").sum())
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["value"] for row in rows if (row["subset"], row["statistic"]) == ("all", "cases")] == [number]
