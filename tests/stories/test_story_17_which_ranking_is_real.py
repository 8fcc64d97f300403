"""Which ranking is real: paired bootstrap of the official metric, Holm-adjusted; the screen names all of it."""

import re
from pathlib import Path

from at_the_terminal import eventually, pressed, printed, shown, unframed
from under_pilot import app


def test_the_screen_says_who_is_tied_with_the_best_and_by_which_test(tmp_path: Path):
    rows = printed("compare", "--benchmark", "demo", cwd=tmp_path)
    cells = {(row["scorer"], row["metric"]): row for row in rows if row["subset"] in {"average", "all"}}
    names = {row["scorer"] for row in rows if row["metric"] == "tied_with_best"}
    with app("demo", cwd=tmp_path, size=(120, 60)) as terminal:
        shown(terminal, "7 scorers", "? help")
        pressed(terminal, "g c", "]", "]")
        screen = eventually(terminal, complete)
        lines = unframed(screen).partition("Tied:")[0].splitlines()
        order = []
        for line in lines:
            name = next((word for word in line.split()[:2] if word in names), None)
            if name is None or not re.search(r" 240 +\d", line):
                continue
            order.append(name)
            figure, behind, tied = (cells[name, metric] for metric in ("f1", "f1_behind_best", "tied_with_best"))
            # Its interval is drawn.
            assert re.search(rf" {100 * figure['value']:.1f} .*├?─*●─*┤?", line), line
            if behind["other"] == name:
                assert " best " in line
            else:
                assert f" {100 * behind['value']:+.1f} ".replace("-", "−") in line
                # Below, the best minus this scorer, with the interval.
                value, low, high = (-100 * behind[name] for name in ("value", "high", "low"))
                assert f" {value:+.1f} ({low:+.1f} to {high:+.1f})".replace("-", "−") in screen, screen
            assert ("yes" in line.split()) == bool(tied["value"])
        assert order == sorted(names, key=lambda name: -cells[name, "f1"]["value"])
        pressed(terminal, "i")
        shown(terminal, "paired bootstrap", "Holm over 42", "all pairs of the 7 scorers", "resamples, seed 0")


def complete(screen: str) -> str:
    assert "All 7 scorers" in screen
    # The interval of a difference to the best.
    assert re.search(r"\([+−]\d+\.\d to [+−]", screen), screen
    return screen
