"""Break down by pattern and error kind: cells are the command's, and Enter on one lists exactly its cases."""

import re
from functools import partial

from at_the_terminal import eventually, pressed, printed, shown
from under_pilot import app


def lists(screen: str, n: int) -> str:
    """The screen, where it lists so many of the demo's cases."""
    assert f" {n} of 240 cases" in screen.splitlines()[0], screen
    return screen


def test_a_cell_holds_as_many_cases_as_it_says_and_opens_them(tmp_path):
    rows = printed("breakdown", "--benchmark", "demo", "--scorer", "tiny-prm-m", cwd=tmp_path)
    n = {
        (row["pattern"], row["error_kind"]): row["n"]
        for row in rows
        if row["metric"] == "error_acc" and row["where"] is not None
    }
    with app("--benchmark", "demo", cwd=tmp_path, size=(150, 50)) as terminal:
        shown(terminal, "240 cases", "? help")
        pressed(terminal, "g d")
        home = shown(terminal, "by reasoning pattern and error kind", "Enter: ")
        told = re.search(r"Enter: (\d+) cases?: ([^,]+), ([^,]+),", home)
        assert n[told[2], told[3]] == int(told[1])
        pressed(terminal, "enter")
        eventually(terminal, partial(lists, n=int(told[1])))
        pressed(terminal, "escape")
        assert eventually(terminal, partial(same, before=home))
        pressed(terminal, "end")
        (whole,) = (
            row["n"]
            for row in rows
            if (row["metric"], row["pattern"], row["error_kind"]) == ("step_accuracy", "all", "all")
        )
        shown(terminal, f"Enter: {whole} cases")
        pressed(terminal, "enter")
        eventually(terminal, partial(lists, n=whole))


def same(screen: str, before: str) -> str:
    assert screen.splitlines()[:-1] == before.splitlines()[:-1], screen
    return screen
