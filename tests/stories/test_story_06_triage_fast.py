"""Triage fast: a key a ruling; what was ruled outlives the end of the program, and one key takes each of them back."""

import os
import signal
from pathlib import Path

import pytest

import making
import under_pilot
from at_the_terminal import app, pressed, shown
from scoring.workspace.triage.journal import Journal
from thoroughness import also

pytestmark = pytest.mark.pty


@pytest.fixture
def root(tmp_path: Path):
    cases, scorers = making.study(n=60)
    making.workspace(tmp_path / "w", cases, scorers, **making.labels(cases))
    return tmp_path / "w"


def rulings(root):
    return {case: list(of.values()) for case, of in Journal(root / "triage").triage.rulings.items()}


@pytest.mark.parametrize("size", [(80, 24), *also((120, 36))])
def test_thirty_rulings_in_thirty_presses_outlive_kill_9_and_undo_takes_back_the_last(size, root):
    with app("-w", str(root), cwd=root, size=size) as terminal:
        shown(terminal, "60 cases", "? help")
        pressed(terminal, "g l")
        shown(terminal, "60 of 60")
        pressed(terminal, "g t")
        shown(terminal, "Decide about 60 cases")
        pressed(terminal, "enter")
        shown(terminal, "1 of 60", "0 ruled, 60 to go")
        terminal.send(b"1" * 30)
        before = shown(terminal, "31 of 60", "30 ruled, 30 to go")
        os.kill(terminal.pid, signal.SIGKILL)
    assert len(rulings(root)) == 30
    with under_pilot.app("-w", str(root), cwd=root, size=size) as terminal:
        shown(terminal, "60 cases", "? help")
        pressed(terminal, "g t")
        after = shown(terminal, "31 of 60", "30 ruled, 30 to go")
        # The same case, through the same scorer.
        assert after.splitlines()[0] == before.splitlines()[0]
        assert after.splitlines()[2:-2] == before.splitlines()[2:-2]
        for left in range(29, 25, -1):
            pressed(terminal, "u")
            shown(terminal, f"{left} ruled, {60 - left} to go", f" {left + 1} of 60")
    assert len(rulings(root)) == 26
