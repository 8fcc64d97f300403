"""Searching under a real terminal: keys are answered while texts are read, and hostile text stays text."""

import json
import sys
from pathlib import Path

import pytest

import authored
from terminal import Terminal

pytestmark = pytest.mark.pty

ROOT = str(Path(__file__).parents[3])
SLOW = """
import sys, time
sys.path.insert(0, {root!r})
from scoring.workspace.filtering import text_search
real = text_search._collected
def slow(source, lazy):
    found = real(source, lazy)
    time.sleep(0.5)
    return found
text_search._collected = slow
text_search.FIRST_BATCH = text_search.BATCH = 256
from inspector.cli import main
sys.exit(main({argv!r}))
"""


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    """1,500 cases; texts that would act if they could."""
    from inspector.cli import main

    folder = tmp_path_factory.mktemp("searching")
    file = folder / "cases.jsonl"
    hostile = "\x1b]0;PWNED\x07 [red]needle[/red] \u202eneedle \x1b[2J"
    rows = [{**authored.row(label=1), "id": f"gsm8k-{n}", "problem": f"{hostile} {n}"} for n in range(1500)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(["import", str(file), "-w", str(folder / "space"), "-q"]) in {0, 1}
    return folder / "space"


def test_keys_are_answered_while_a_long_search_runs_and_nothing_that_is_found_acts(workspace, tmp_path):
    program = SLOW.format(root=ROOT, argv=["-w", str(workspace)])
    with Terminal([sys.executable, "-c", program], columns=120, lines=36, cwd=tmp_path) as terminal:
        terminal.wait_for("1,500 of 1,500 cases")
        terminal.press("/", *"needle")
        terminal.press("enter")
        terminal.wait_for("so far")
        waits = [terminal.press(key, gap=0.02).first for key in ("down", "down", "up", "pagedown", "up")]
        assert "so far" in terminal.screen_text(), "it still ran"
        assert sorted(waits)[2] < 400, "no key waited for the texts"
        terminal.wait_for("[red]needle[/red]")
        terminal.press("escape")
        terminal.settle()
        assert "needle" not in terminal.screen_text().splitlines()[0]
        assert "1,500 of 1,500 cases" in terminal.screen_text()
        terminal.press("q", "q")
        assert terminal.wait() == 0
        assert b"PWNED\x07" not in terminal.output
        assert b"\x1b[2J" not in terminal.output.split(b"1,500", 1)[1]
