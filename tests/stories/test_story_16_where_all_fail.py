"""Where do all scorers fail, and who is right alone."""

import re
from functools import partial
from pathlib import Path

from at_the_terminal import eventually, pressed, printed, shown, unframed
from under_pilot import app


def test_the_cases_that_nobody_has_right_and_those_that_one_has_are_lists(tmp_path: Path):
    rows = printed("compare", "--benchmark", "demo", cwd=tmp_path)
    value = {(row["scorer"], row["metric"]): row["value"] for row in rows if row["other"] is None}
    nobody = int(value[None, "erroneous_unanimous_wrong"])
    alone = int(value["numbers-traced", "erroneous_lone_right"])
    with app("demo", cwd=tmp_path) as terminal:
        shown(terminal, "7 scorers", "? help")
        pressed(terminal, "g c")
        shown(terminal, "[two scorers]", "points, 95%")
        pressed(terminal, "]", "]")
        screen = eventually(terminal, complete)
        line = next(line for line in lines_of(screen) if "numbers-traced" in line)
        assert line.split()[-2:] == [str(alone), str(int(value["numbers-traced", "clean_lone_right"]))]

        # Seven scorers precede the line of cases that all have wrong.
        words = f"{nobody} cases: no scorer is right, erroneous"
        pressed(terminal, *["j"] * 7)
        until_there(terminal, "h", words)
        listed(terminal, words, nobody)
        eventually(terminal, complete)
        place = [line.split()[0] for line in lines_of(screen)].index("numbers-traced")
        pressed(terminal, "home", *["j"] * place)
        until_there(terminal, "l", "only numbers-traced right, erroneous")
        listed(terminal, "only numbers-traced right, erroneous", alone)


def lines_of(screen: str) -> list[str]:
    """The lines of scorers, best first."""
    return [line for line in unframed(screen).splitlines() if re.match(r" *\S+ +240 +\d", line)]


def until_there(terminal, key: str, words: str) -> None:
    """Press a key until the cursor is on the number with these words."""
    for _ in range(12):
        if words in terminal.screen_text():
            return
        pressed(terminal, key)
        terminal.settle()


def complete(screen: str) -> str:
    assert "All 7 scorers" in screen
    assert "vs. the best" in screen
    return screen


def listed(terminal, words: str, n: int) -> None:
    """Open the number under the cursor, see that so many cases are listed, and go back."""
    shown(terminal, words)
    pressed(terminal, "enter")
    eventually(terminal, partial(has, text=f"{n} of 240 cases"))
    pressed(terminal, "escape")


def has(screen: str, text: str) -> None:
    assert text in screen, screen
