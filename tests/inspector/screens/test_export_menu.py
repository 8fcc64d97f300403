import csv
import json
import shlex
from pathlib import Path

import pytest
from msgspec.structs import replace
from textual.events import Paste

import example
import making
from inspector.cli import main
from inspector.screens.export import ExportMenu
from inspector.state.focusing import on_benchmark
from opened import inspected, listed, opened
from scoring.selection.query import Query
from screen_text import hides, press, screen_text, shows, until
from thoroughness import together


@pytest.fixture
def query(tmp_path, monkeypatch):
    """A workspace named relative to the folder in which the app runs."""
    monkeypatch.chdir(tmp_path)
    return replace(example.write(tmp_path / "ws"), workspace="ws")


def rows_of(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def again(provenance, path):
    """The bytes that the command of a provenance writes."""
    command = provenance["command"]
    assert command.startswith("prm-inspect ")
    assert main([*shlex.split(command)[1:], "--quiet", "-o", str(path)]) == 0
    return path.read_bytes()


async def test_a_csv_of_the_cases_holds_the_rows_on_screen_and_its_command_makes_it_again(query, tmp_path):
    """A threshold that still moves is kept first."""
    async with opened(query) as pilot:
        await press(pilot, "enter", "s", *"steps", "enter", "t", *["right"] * 3, "e")
        await until(pilot, lambda: isinstance(pilot.app.screen, ExportMenu))
        await press(pilot, "escape")
        assert "changed: " not in screen_text(pilot.app)
        now = inspected(pilot)
        pilot.app.screen.put(now.selected(chosen=now.filter.toggled("subset", "sums")))
        await shows(pilot, "subset = sums", "longest first", "3 of 9 cases", "θ 0.530")
        await press(pilot, "e")
        await shows(pilot, "The 3 cases on screen, in this order", "The metrics, by subset")
        await press(pilot, "g", "c")
        await shows(pilot, "Wrote 3 rows to bench-cases.csv", "Again: prm-inspect cases")
        assert [row["case"] for row in rows_of(Path("bench-cases.csv"))] == listed(pilot)
        assert [row["alpha.outcome"] for row in rows_of(Path("bench-cases.csv"))] == listed(pilot, "alpha.outcome")
    provenance = json.loads(Path("bench-cases.provenance.json").read_bytes())
    assert again(provenance, tmp_path / "again.csv") == Path("bench-cases.csv").read_bytes()
    assert (tmp_path / "again.provenance.json").read_bytes() == Path("bench-cases.provenance.json").read_bytes()


FORMS = [("c", "csv"), ("j", "json"), ("m", "md")]
MENUS = [
    (("g", "l"), False, "cases"),
    (("g", "l"), True, "metrics"),
    ((), False, "board"),
    (("g", "l", "enter"), False, "exact-one"),
]


async def test_every_entry_of_every_menu_writes_a_file_that_its_command_makes_again(query, tmp_path):
    tried = [
        (key.upper() if capital else key, keys, Path(f"bench-{name}.{ending}"))
        for (key, ending), (keys, capital, name) in together(FORMS, MENUS)
    ]
    async with opened(query, size=(120, 24)) as pilot:
        await press(pilot, "t", "right", "right", "right", "enter")
        for key, keys, path in tried:
            await press(pilot, *keys, "e")
            await until(pilot, lambda: isinstance(pilot.app.screen, ExportMenu))
            await press(pilot, key)
            await shows(pilot, f"rows to {path}", "Again: prm-inspect")
            if path.suffix == ".md":
                await shows(pilot, "Copied, and also wrote")
                assert pilot.app.clipboard == path.read_text()
            pilot.app.clear_notifications()
            await press(pilot, "escape", "escape")
    for _, _, path in tried:
        written = path.read_bytes()
        if path.suffix == ".md":
            line = next(line for line in path.read_text().splitlines() if line.startswith("> command: "))
            provenance = {"command": line.split("`")[1]}
        elif path.suffix == ".json":
            provenance = json.loads(written)["provenance"]
        else:
            provenance = json.loads(path.with_suffix(".provenance.json").read_bytes())
        assert "--threshold alpha=0.53" in provenance["command"]
        assert again(provenance, tmp_path / f"again{path.suffix}") == written


async def test_the_menu_closes_without_writing_and_where_cases_are_marked_these_alone_are_exported(query, tmp_path):
    """Keys of the screen below do nothing while it is open. Where there is little room the line of the file stays in
    sight, and so does the cursor.
    """
    async with opened(query) as pilot:
        await press(pilot, "g", "l")
        await shows(pilot, "9 of 9 cases")
        was = inspected(pilot)
        for key in ("escape", "e", "q"):
            await press(pilot, "e")
            await shows(pilot, "Esc Close")
            await press(pilot, "x", "s", "t", "right", "f", "down", key)
            await hides(pilot, "Esc Close")
            assert inspected(pilot) is was
        assert [path.name for path in Path().iterdir()] == ["ws"]
        await pilot.resize_terminal(40, 12)
        await press(pilot, "e", *["down"] * 9)
        await shows(pilot, "h   HTML", "into")
        await press(pilot, "escape")
        await pilot.resize_terminal(120, 24)
        await press(pilot, "space", "j", "space", "t", "right", "right", "enter")
        names = [listed(pilot)[place] for place in (0, 2)]
        await press(pilot, "e")
        await shows(pilot, "The 2 marked cases, in this order")
        await press(pilot, "c")
        await shows(pilot, "Wrote 2 rows to bench-cases.csv")
    assert [row["case"] for row in rows_of(Path("bench-cases.csv"))] == names
    provenance = json.loads(Path("bench-cases.provenance.json").read_bytes())
    assert again(provenance, tmp_path / "again.csv") == Path("bench-cases.csv").read_bytes()


async def test_the_file_is_shown_and_can_be_another_one(query, tmp_path):
    """Its ending follows the form; a folder takes the usual name; a file that is there is not written over."""
    Path("out").mkdir()
    async with opened(query) as pilot:
        await press(pilot, "g", "l", "e")
        await shows(pilot, "into", "bench-cases.csv")
        await press(pilot, "down")
        await shows(pilot, "bench-cases.json")
        await press(pilot, "tab", "ctrl+u", *"out/mine.json", "up")
        await shows(pilot, "out/mine.csv")
        await press(pilot, "enter")
        await shows(pilot, "Wrote 9 rows to out/mine.csv")
        await press(pilot, "e", "tab", "ctrl+u", *"out/mine.csv", "enter")
        await shows(pilot, "Wrote 9 rows to out/mine-2.csv")
        await press(pilot, "e", "tab", "ctrl+u", *"out", "enter")
        await shows(pilot, "Wrote 9 rows to out/bench-cases.csv")
        await press(pilot, "e", "tab", "ctrl+u", *"new/mine.csv", "enter")
        await shows(pilot, "Wrote 9 rows to new/mine.csv")
        # A folder that is not there yet, and one that nobody may look into.
        await press(pilot, "e", "tab", "ctrl+u", *"newer/", "enter")
        await shows(pilot, "Wrote 9 rows to newer/bench-cases.csv")
        await press(pilot, "e", "tab", "ctrl+u")
        pilot.app.post_message(Paste("n" * 300))
        await press(pilot, "enter")
        # On the screen the name has several lines.
        await until(pilot, lambda: any("File name too long" in one.message for one in pilot.app._notifications))
        # What would be another form is asked about, and nothing is written.
        await press(pilot, "e", "tab", "ctrl+u", *"mine.json", "enter")
        await shows(pilot, "This form is written into .csv files")
        await press(pilot, "escape")
    assert not Path("mine.json").exists()
    assert Path("out/mine.csv").read_bytes() == Path("out/mine-2.csv").read_bytes()
    assert not list(Path().glob("*.csv"))


async def test_what_is_in_the_folder_that_the_app_was_started_in_is_not_written_over_whatever_its_name_is(
    query, tmp_path
):
    """Neither the first export nor the provenance of another."""
    there = tmp_path / "\N{HEAVY BLACK HEART}\N{VARIATION SELECTOR-16} a\N{NO-BREAK SPACE}b"
    there.mkdir()
    (there / "bench-cases.provenance.json").write_text("of an older export")
    async with opened(query, folder=there) as pilot:
        await press(pilot, "g", "l")
        for number in (2, 3):
            await press(pilot, "e", "c")
            await shows(pilot, f"Wrote 9 rows to bench-cases-{number}.csv")
        await press(pilot, "e", "j")
        await shows(pilot, "Wrote 9 rows to bench-cases.json")
    assert (there / "bench-cases.provenance.json").read_text() == "of an older export"
    assert {path.name for path in there.glob("*.csv")} == {"bench-cases-2.csv", "bench-cases-3.csv"}
    assert not list(tmp_path.glob("bench-*"))


async def test_a_folder_that_cannot_be_written_is_said_and_nothing_breaks(query, tmp_path):
    (tmp_path / "file").write_text("no folder")
    async with opened(query, folder=tmp_path / "file" / "below") as pilot:
        await press(pilot, "e", "c")
        await shows(pilot, "Cannot write")
        await press(pilot, "g", "l")
        await shows(pilot, "9 of 9 cases")


async def test_a_report_is_of_the_cases_and_the_benchmark_that_the_metrics_speak_of(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    example.write(tmp_path / "ws")
    making.workspace(tmp_path / "ws", *making.study(n=8), benchmark="another")
    async with opened(Query(workspace="ws", scorers=("alpha",)), size=(120, 24)) as pilot:
        await press(pilot, "g l")
        pilot.app.screen.put(on_benchmark(inspected(pilot), "bench"))
        await press(pilot, "colon", *"n_steps > 2", "enter")
        await shows(pilot, "5 of 9 cases")
        await press(pilot, "e")
        await shows(pilot, "HTML report, to mail")
        await press(pilot, "v", "h")
        await shows(pilot, "Wrote the report to bench-report.html", "Again: prm-inspect report")
    page = Path("bench-report.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "<script" not in page
    assert "5 cases" in page
    assert "bench/" in page
    assert "another/" not in page
    words = ["-w", "ws", "-q", "--benchmark", "bench", "--where", "n_steps > 2"]
    assert main(["report", *words, "-o", str(tmp_path / "again.html")]) == 0
    assert (tmp_path / "again.html").read_text(encoding="utf-8").count("<table") == page.count("<table")
