"""Reproduce the paper's table: ours, published and the difference, in the shell and in the app, down to the cases."""

from functools import partial

import pytest

import papers
from at_the_terminal import eventually, pressed, printed, shell, shown
from under_pilot import app


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One PRM with exactly the printed figures on the whole of GSM8K, and one with a case more."""
    folder = tmp_path_factory.mktemp("paper")
    papers.processbench(folder / "same", papers.gsm8k())
    papers.processbench(folder / "other", papers.gsm8k(exact=papers.PRINTED[0] + 1))
    return folder


def test_the_check_says_whether_the_printed_figures_come_out(folder):
    shell("paper", "processbench", "5", "--check", "-w", "same", cwd=folder)
    shell("paper", "processbench", "5", "--check", "-w", "other", cwd=folder, code=1)


def test_ours_published_and_difference_stand_in_the_app_as_in_the_shell(folder):
    rows = printed("paper", "processbench", "3", "-w", "other", cwd=folder)
    (cell,) = (row for row in rows if row["subset"] == "gsm8k")
    with app("-w", "other", cwd=folder, size=(120, 36)) as terminal:
        shown(terminal, "PRM800K", "? help")
        pressed(terminal, "g p")
        screen = eventually(terminal, partial(_says, texts=("Table 3 of ProcessBench", "Checked 1 of 5")))
        lines = screen.splitlines()
        at = next(place for place, line in enumerate(lines) if "PRM800K" in line and " here " in line)
        here, published, difference = lines[at : at + 3]
        assert "published" in published
        assert f"{100 * cell['value']:.1f}" in here
        assert f"{100 * cell['published']:.1f}" in published
        assert f"{100 * cell['difference']:+.1f}" in difference
        assert "No figure in MATH, OlympiadBench, Omni-MATH of" in " ".join(screen.split())
        # The number opens the cases behind it.
        pressed(terminal, "enter")
        eventually(terminal, partial(_says, texts=(f"{cell['n']} of 400 cases",)))
        pressed(terminal, "escape")
        eventually(terminal, partial(_says, texts=("Table 3 of ProcessBench",)))
        # Another table is chosen from a list; beside it stands the list of all of them.
        pressed(terminal, "v v")
        eventually(terminal, partial(_says, texts=("Table", "The paper's other scorers")))
        pressed(terminal, "enter")
        eventually(terminal, partial(_says, texts=("Table 2", "the cases by subset", "Table 9")))
        pressed(terminal, "enter")
        eventually(terminal, partial(_says, texts=("Table 2 of ProcessBench", "process error rate")))
        pressed(terminal, "]")
        eventually(terminal, partial(_says, texts=("Tables of ProcessBench", "critics by one greedy answer")))


def _says(screen: str, texts: tuple[str, ...]) -> str:
    assert all(text in screen for text in texts), screen
    return screen
