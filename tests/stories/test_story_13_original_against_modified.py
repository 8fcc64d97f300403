"""Original against modified process: both reward tracks beside each other, injected steps marked."""

import re
from functools import partial

import pytest

import originals
from at_the_terminal import eventually, pressed, printed, shown, unframed
from thoroughness import also
from under_pilot import app

MARKS = {"same": " ", "changed": "~", "added": "+", "removed": "-"}
NUMBER = r"(?<![\d.])\d\.\d\d(?!\d)"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("originals")
    originals.workspace(folder / "space")
    return folder


def line_of(screen: str, text: str) -> str:
    """The one line of the comparison that has a text."""
    (found,) = (line for line in screen.splitlines() if re.search(rf"[ ✗▼] ?{re.escape(text)} *$", line))
    return found


def compares(screen: str, rows: list[dict]) -> str:
    """Every step of both solutions with its mark, its numbers and its rewards, in order."""
    screen = unframed(screen)
    assert "orig    mod" in screen, screen
    at = 0
    for row in rows:
        # A changed step takes two lines: as it was, and as it is.
        for side, text, name in (("-", row["original_text"], "original_"), ("+", row["text"], "")):
            if text is None or (row["change"] == "same" and side == "-"):
                continue
            plain = text.replace("$", "").replace("\\frac{16}{2}", "16/2").replace("\\frac{24}{2}", "24/2")
            line = line_of(screen, plain)
            place = screen.index(line)
            assert place > at, screen
            at = place
            mark = MARKS[row["change"]] + (side if row["change"] == "changed" else "")
            assert line[1:3].strip() == mark.strip(), line
            both = ("original_", "") if row["change"] == "same" else (name,)
            rewards = [f"{row[f'alpha.{which}reward']:.2f}" for which in both]
            assert re.findall(NUMBER, line.replace(plain, "")) == rewards, line
            steps = [row[f"{which}step"] for which in both]
            assert [int(found) for found in re.findall(r"(?<=\s)\d+(?=\s)", line.replace(plain, ""))] == steps, line
    return screen


def _same(screen: str, before: str) -> str:
    assert screen == before, screen
    return screen


@pytest.mark.parametrize(
    ("size", "no_color"), [((120, 36), ""), *also(((80, 24), "1"), ((80, 24), ""), ((120, 36), "1"))]
)
def test_d_lays_both_solutions_beside_each_other(size, no_color, folder):
    rows = printed("show", "redundency_sum_0", "--original", "-w", "space", cwd=folder)
    # The data, not the program, says what was put in.
    assert [row["text"] for row in rows if row["text"] is not None] == list(originals.MODIFIED)
    assert [row["original_text"] for row in rows if row["original_text"] is not None] == list(originals.ORIGINAL)
    assert [row["alpha.reward"] for row in rows if row["text"] is not None] == originals.REWARDS[0]
    tracked = [row["alpha.original_reward"] for row in rows if row["original_text"] is not None]
    assert tracked == list(originals.REWARDS_OF_ORIGINAL)
    with app("-w", "space", cwd=folder, size=size, NO_COLOR=no_color) as terminal:
        shown(terminal, "? help", "alpha")
        pressed(terminal, "g l")
        shown(terminal, "4 of 4 cases")
        pressed(terminal, "enter")
        before = shown(terminal, "1 of 4", "Thrice n is wanted")
        pressed(terminal, "v o")
        screen = eventually(terminal, partial(compares, rows=rows))
        assert "twice 4" in screen
        assert "thrice 4" in screen
        # The injected errors keep their marks: the earliest by gold, here also predicted, and the other one.
        assert re.search(r"^ ~\+ exact +1 ", screen, re.MULTILINE), screen
        assert re.search(r"^ +\+ err +2 ", screen, re.MULTILINE), screen
        pressed(terminal, "v o")
        assert eventually(terminal, partial(_same, before=before)) == before

        # Where the original was not scored or is not there the screen says so.
        pressed(terminal, "n", "n", "v o")
        screen = shown(terminal, "▸ circular_sum_2", "3 of 4", "Original against modified")
        assert "orig    mod" not in screen or not re.search(rf"~- +\d+ +\S* ?{NUMBER}", screen), screen
        pressed(terminal, "n")
        screen = shown(terminal, "4 of 4")
        assert "original" in screen.lower(), screen
