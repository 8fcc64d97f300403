"""The history of a case in the app: what the shell says of it, and while labels are hidden one's own part alone."""

from pathlib import Path

import pytest

import example
from inspector.cli import main
from inspector.screens.history_dialog import HIDDEN, HistoryDialog
from inspector.state.triage.history import history_lines
from opened import opened
from scoring.selection.loading import load
from scoring.workspace.triage.journal import ENVIRONMENT, Author, Journal
from screen_text import hides, pane_text, press, rests, screen_lines, screen_text, shows, until
from thoroughness import also
from views import triage_view

CASE = "bench/alarm-one"
HOSTILE = "\x1b[2J[red]not red[/] \x07end"


@pytest.fixture
def query(tmp_path, monkeypatch):
    monkeypatch.setenv(ENVIRONMENT, "ann")
    monkeypatch.chdir(tmp_path)
    return example.write(tmp_path / "w")


def journal(query, who, machine="gpu"):
    return Journal(Path(query.workspace) / "triage", Author(who, machine), clock=lambda: "2026-01-02T03:04:05.000Z")


def said(query):
    """Ann rules, takes it back and rules otherwise; Zoe has her say in between."""
    journal(query, "ann").rule([CASE], "model wrong")
    journal(query, "zoe").rule([CASE], "unsure")
    ann = journal(query, "ann")
    ann.rule([CASE], "both defensible")
    ann.undo()
    ann.rule([CASE], "gold wrong")
    journal(query, "zoe").tag([CASE, "bench/late-one"], ["odd"])


async def test_it_says_what_the_shell_says_in_the_same_words(query, capsys):
    said(query)
    rows = triage_view(load(query), case=CASE).rows
    lines = [f"{label}  {words}" for label, words in history_lines(rows)]
    assert len(lines) == 6
    assert main(["triage", CASE, "-w", query.workspace]) == 0
    out = capsys.readouterr().out
    assert [line for line in lines if line not in out] == []
    async with opened(query, size=(120, 36)) as pilot:
        await press(pilot, "enter", "enter", "v", "h")
        screen = await rests(pilot, f"What was done to {CASE}", ": 1 undone")
        assert [line for line in lines if line not in screen] == []
        assert "ruled: both defensible (undone)" in screen
        assert "undid 3: ruled: both defensible" in screen
        # What was undone is dim.
        view = pilot.app.screen.query_one("#done")
        found = {"".join(text for text, _ in line.parts): line.parts[1][1] for line in view._lines}
        assert [style for line, style in found.items() if "(undone)" in line] == ["dim"]
        assert {style for line, style in found.items() if "(undone)" not in line} == {""}
        await press(pilot, "escape")
        await hides(pilot, "What was done")
        # While labels are hidden one sees what one did oneself.
        await press(pilot, "v", "b", "v", "h")
        screen = await rests(pilot, "What was done", HIDDEN)
        assert "zoe" not in screen
        assert "unsure" not in screen
        assert "ruled: gold wrong" in screen
        await press(pilot, "escape", "v", "b", "v", "h")
        await shows(pilot, "zoe@gpu", "put on the tag odd (with 1 other case)")
        await hides(pilot, HIDDEN)


async def test_in_a_queue_too_and_what_is_done_next_stands_last(query):
    async with opened(query, size=(120, 36)) as pilot:
        await press(pilot, "enter", "enter", "v", "h")
        await shows(pilot, "Nobody has done anything to this case.")
        await press(pilot, "escape", "v", "b", "v", "h")
        await shows(pilot, "You have done nothing to this case.", HIDDEN)
        await press(pilot, "escape", "v", "b", "escape", "g", "t", "enter", "v", "h")
        await shows(pilot, "began a queue with it: bench,", "other cases)")
        await press(pilot, "q")
        await hides(pilot, "What was done")
        await press(pilot, "1", "u", "v", "h")
        screen = await rests(pilot, "ruled: model wrong (undone)", "undid 2: ruled: model wrong")
        assert screen.index("began a queue") < screen.index("(undone)") < screen.index("undid 2")
        await press(pilot, "escape", "space", "N", "v", "h")
        await shows(pilot, "put it off")


async def test_long_and_hostile_histories_are_gone_through_and_nothing_in_them_acts(query):
    zoe = journal(query, "zoe", "a-machine-with-a-long-name-\x1b[31m")
    for number in range(60):
        zoe.note([CASE], f"note {number} {HOSTILE} 大 " + "and on and on " * 9)
    async with opened(query) as pilot:
        await press(pilot, "enter", "enter")
        for size in ((40, 12), *also((200, 50), (80, 24))):
            await pilot.resize_terminal(*size)
            await press(pilot, "v", "h")
            await until(pilot, lambda: isinstance(pilot.app.screen, HistoryDialog))
            view = pilot.app.screen.query_one("#done")
            # The newest stand there first.
            await until(pilot, lambda view=view: view.max_scroll_y and view.scroll_offset.y == view.max_scroll_y)
            assert view.max_scroll_x == 0
            await press(pilot, "home")
            await shows(pilot, " 1  2026")
            await press(pilot, "pagedown", "j", "k", "G")
            await until(pilot, lambda view=view: view.scroll_offset.y == view.max_scroll_y)
            screen = await rests(pilot, "and on")
            assert "\x1b" not in screen
            assert "\x07" not in screen
            lines = screen_lines(pilot.app)
            assert len(lines) == size[1]
            assert lines[-1].lstrip().startswith("Esc close")
            await pilot.resize_terminal(80, 24)
            await press(pilot, "G")
            await rests(pilot, "60  2026", "[red]not red[/]")
            await press(pilot, "q")
            await hides(pilot, "[red]not red[/] ␇end and on and on and on and on and on and on")


async def test_what_others_said_is_hidden_everywhere_else_while_labels_are(query):
    """A tag or a note of somebody else tells as much as a ruling does: on the case, in its dialogs, in the list.

    In a blind queue a ruling shows what others did.
    """
    zoe, ann = journal(query, "zoe"), journal(query, "ann")
    zoe.rule([CASE], "unsure")
    zoe.tag([CASE], ["zoes-tag"])
    zoe.note([CASE], "zoes-note")
    ann = journal(query, "ann")
    ann.tag([CASE], ["anns-tag"])
    ann.note([CASE], "anns-note")
    async with opened(query, size=(160, 36)) as pilot:
        await press(pilot, "enter")
        await shows(pilot, "anns-tag, zoes-tag")
        await press(pilot, "v", "b")
        await hides(pilot, "zoes-tag", "zoes-note")
        await press(pilot, "enter")
        await shows(pilot, "BLIND")
        await until(pilot, lambda: "Tags anns-tag Note anns-note" in pane_text(pilot.app))
        assert "zoe" not in screen_text(pilot.app)
        await press(pilot, "a")
        assert "zoe" not in await rests(pilot, f"Note on {CASE}", "anns-note")
        await press(pilot, "escape", "w")
        await shows(pilot, "It has: anns-tag")
        await press(pilot, "escape", "v", "b")
        await until(pilot, lambda: "Tags anns-tag, zoes-tag" in pane_text(pilot.app))
        assert "zoe: zoes-note" in pane_text(pilot.app)
        await press(pilot, "a")
        await shows(pilot, "zoe: zoes-note", "anns-note")
        await press(pilot, "escape", "escape", "v", "b", "g", "t", "enter", "v", "h")
        assert "zoe" not in await rests(pilot, "What was done", HIDDEN)
        await press(pilot, "escape", "1", "v", "h")
        await shows(pilot, "ruled: unsure", "ruled: model wrong", "zoe@gpu")
