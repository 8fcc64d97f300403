"""Progress of an import on a terminal, and who hears of it."""

import io
import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from authored import json_lines, rows
from inspector.cli import main
from inspector.cli.actions import importing, progress
from inspector.cli.actions.progress import ReadingProgress, bar_line
from scoring.data.progress import tell
from scoring.importing.batch import ImportOptions, read_sources
from scoring.selection.loading import nothing_loaded


class Terminal(io.StringIO):
    def isatty(self):
        return True


def at_a_terminal(monkeypatch):
    """What is said on standard error, which is a terminal, nearly at once. Not in a fixture: pytest has its own."""
    made = Terminal()
    monkeypatch.setattr(sys, "stderr", made)
    monkeypatch.setattr(progress, "PATIENCE", 0.01)
    monkeypatch.setattr(progress, "EVERY", 0.01)
    return made


def slow(monkeypatch, seen):
    """Reading goes on until what it has said is on the terminal."""
    real = importing.read_sources

    def find_(*args, **named):
        heard = next(one for one in (*args, *named.values()) if isinstance(one, ReadingProgress))
        heard(30_000_000, 120_000_000, "in/many.jsonl")
        seen()
        return real(*args, **named)

    monkeypatch.setattr(importing, "read_sources", find_)


def test_a_slow_import_shows_a_bar_and_takes_it_away(monkeypatch, processbench_file, tmp_path):
    stderr = at_a_terminal(monkeypatch)

    def seen():
        for _ in range(2000):
            if "many.jsonl" in stderr.getvalue():
                return
            progress.threading.Event().wait(0.01)
        raise AssertionError(stderr.getvalue())

    slow(monkeypatch, seen)
    assert main(["import", str(processbench_file(rows(3))), "-w", str(tmp_path / "w")]) == 0
    lines = stderr.getvalue().split("\r")
    picture = next(line for line in lines if "many.jsonl" in line)
    assert re.match(r"\[#+ +\] 30 MB of 120 MB  [\d.]+ [kMG]?B/s, \d+ \w+ left  many.jsonl\x1b\[J$", picture)
    assert lines[-1] == "\x1b[K"


@pytest.mark.parametrize("how", ["quiet", "no terminal", "quick"])
def test_nothing_is_shown_to_who_wants_nothing_or_has_no_terminal_or_need_not_wait(monkeypatch, how):
    stderr = at_a_terminal(monkeypatch)
    if how == "no terminal":
        monkeypatch.setattr(Terminal, "isatty", lambda _: False)
    if how == "quick":
        monkeypatch.setattr(progress, "PATIENCE", 60)
    with ReadingProgress("reading", quiet=how == "quiet") as told:
        told(1, 2, "x")
        progress.threading.Event().wait(0.1)
    assert stderr.getvalue() == ""


def test_an_error_stands_on_a_line_of_its_own(tmp_path, monkeypatch):
    stderr = at_a_terminal(monkeypatch)
    slow(monkeypatch, lambda: progress.threading.Event().wait(0.1))
    assert main(["import", str(tmp_path / "gone.json"), "-w", str(tmp_path / "w")]) == 2
    assert stderr.getvalue().split("\x1b[K")[-1].startswith("Cannot read the file: ")


def test_a_slow_analysis_shows_what_is_counted_how_fast_and_how_long_it_will_take(monkeypatch):
    stderr = at_a_terminal(monkeypatch)

    def waiting(*_):
        tell(250_000, 1_000_000, "scorer-3", "cases")
        for _ in range(2000):
            if "scorer-3" in stderr.getvalue():
                return nothing_loaded()
            progress.threading.Event().wait(0.01)
        raise AssertionError(stderr.getvalue())

    monkeypatch.setattr("scoring.selection.loading.load", waiting)
    assert main(["metrics", "--benchmark", "demo", "--json"]) == 0
    lines = stderr.getvalue().split("\r")
    picture = next(line for line in lines if "scorer-3" in line)
    assert re.match(r"\[#+ +\] 250,000 of 1,000,000 cases  [\d,]+/s, \d+ \w+ left  scorer-3\x1b\[J$", picture)


def test_the_time_of_something_else_begins_anew(monkeypatch):
    now = iter((0.0, 100.0))
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(now))
    told = ReadingProgress("metrics", quiet=True)
    told(5, 10, "one", "cases")
    told(6, 10, "two", "cases")
    told(1, 10, "intervals", "resamples")
    assert told.words(2.0) == "1 of 10 resamples  0/s, 18 s left  intervals"
    assert told._began == 100.0


@given(st.integers(0, 10**12), st.integers(0, 10**12), st.text("ab :,", max_size=60), st.integers(1, 200))
def test_a_bar_keeps_to_the_line_and_to_what_is_done(done, more, words, columns):
    line = bar_line(done, done + more, words, columns)
    assert len(line) <= max(0, columns - 1)
    if bar := re.match(r"\[(#*)( *)\] ", line):
        width = len(bar[1]) + len(bar[2])
        assert len(bar[1]) == width * done // max(1, done + more)


def test_who_reads_hears_of_every_file_and_of_all_bytes(processbench_file):
    paths = [processbench_file(rows(3), "in/a.jsonl"), processbench_file(rows(9)[3:], "in/b.jsonl")]
    heard = []
    read_sources(
        [str(paths[0].parent), str(paths[1])], ImportOptions(), None, None, progress=lambda *told: heard.append(told)
    )
    sizes = [path.stat().st_size for path in paths]
    names = [str(path) for path in paths]
    half, whole = sizes[0], sum(sizes)
    told = [(0, names[0]), (half, names[0]), (half, names[1]), (whole, names[1]), (whole, "joining")]
    assert heard == [(done, whole, name) for done, name in told]


def test_within_a_large_file_blocks_are_told(processbench_file, monkeypatch):
    path = processbench_file(json_lines(rows(200)))
    heard = []
    monkeypatch.setattr("scoring.formats.reading.rows.BLOCK_SIZE", 2000)
    found = read_sources([str(path)], ImportOptions(), None, None, progress=lambda done, *_: heard.append(done))
    assert found.imported[0].cases.height == 200
    assert len(heard) > 5
    assert heard == sorted(heard)
    assert heard[-1] == path.stat().st_size
