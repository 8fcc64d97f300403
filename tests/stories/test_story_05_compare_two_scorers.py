"""Compare two scorers: quadrants, difference with interval, a test for each side; what only one has right is a list."""

import json
import re
from pathlib import Path

import pytest

from at_the_terminal import eventually, pressed, printed, shown, unframed
from thoroughness import also
from under_pilot import app

A, B = "tiny-prm-m", "tiny-prm-s"
QUADRANTS = ("both_right", "only_scorer_right", "only_other_right", "neither_right")


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """What the command prints, by subset and metric."""
    rows = printed("compare", A, B, "--benchmark", "demo", cwd=tmp_path_factory.mktemp("told"))
    return {(row["subset"], row["metric"]): row for row in rows if row["other"] == B and row["scorer"] == A}


def row_of(screen: str, name: str) -> str:
    return next(line for line in unframed(screen).splitlines() if line.strip().startswith(f"{name} "))


def points(row) -> str:
    ends = f"95% from {100 * row['low']:+.1f} to {100 * row['high']:+.1f}"
    return f"{100 * row['value']:+.1f} points, {ends}".replace("-", "−")


@pytest.mark.parametrize("size", [(120, 44), *also((160, 50))])
def test_what_only_the_other_has_right_is_a_list_with_both_beside_each_other(size, told, tmp_path: Path):
    with app("demo", cwd=tmp_path, size=size) as terminal:
        shown(terminal, "7 scorers", "? help")
        pressed(terminal, "g c")
        shown(terminal, "points, 95%")
        pressed(terminal, "o")
        shown(terminal, "Compare with")
        while f">{B}" not in (screen := terminal.screen_text()).replace(" ", ""):
            assert f"{B}" in screen
            pressed(terminal, "j")
        pressed(terminal, "enter")
        screen = eventually(terminal, complete)
        assert points(told["average", "f1_difference"]) in " ".join(unframed(screen).split())
        for metric, name in {"f1": "F1", "error_acc": "cases with an error", "correct_acc": "clean cases"}.items():
            value = f" {100 * told['average', f'{metric}_difference']['value']:+.1f} ".replace("-", "−")
            assert value in row_of(screen, name), screen
        boxes = unframed(screen)
        told_counts = [
            int(n) for pair in re.findall(r"A (?:right|wrong) │ \S* +(\d+) │ \S* +(\d+) │", boxes) for n in pair
        ]
        counts = [int(told["all", f"{side}_{name}"]["value"]) for side in ("erroneous", "clean") for name in QUADRANTS]
        assert told_counts == counts, screen
        chances = [float(p) for p in re.findall(r"McNemar p = ([\d.]+)", screen)]
        assert chances == pytest.approx(
            [told["all", f"{side}_mcnemar"]["p"] for side in ("erroneous", "clean")], rel=0.05
        )

        only_b = int(told["all", "erroneous_only_other_right"]["value"])
        # Into the square of cases with an error, then down to where A is wrong.
        pressed(terminal, "tab")
        shown(terminal, "both right, erroneous")
        pressed(terminal, "j")
        shown(terminal, f"{only_b} cases: only B right, erroneous")
        pressed(terminal, "enter")
        listed = shown(terminal, f"{only_b} of 240 cases")
        assert A in listed
        pressed(terminal, "enter")
        case = shown(terminal, f"1 of {only_b}")
        # Both scorers stand beside each other, each with its letter.
        assert re.search(rf"\bA {A}", case), case
        assert re.search(rf"\bB {B}", case), case
        pressed(terminal, "escape")
        shown(terminal, f"{only_b} of 240 cases")
        pressed(terminal, "escape")
        eventually(terminal, complete)


def complete(screen: str) -> str:
    assert f"{B}" in screen
    assert f"B {B} ▸ compare" in screen
    assert "points, 95% from" in screen
    return screen


def test_the_export_is_what_the_command_prints(told, tmp_path: Path):
    with app("demo", cwd=tmp_path) as terminal:
        shown(terminal, "7 scorers", "? help")
        pressed(terminal, "g c")
        shown(terminal, "points, 95%")
        pressed(terminal, "e")
        shown(terminal, "JSON file")
        pressed(terminal, "j")
        shown(terminal, "Wrote")
    (written,) = tmp_path.glob("*compare*.json")
    again = re.search(r'"command": "prm-inspect (compare [^"]*)"', written.read_text())
    assert again
    words = again[1].split()
    assert words[0] == "compare"
    assert (
        printed(*[word for word in words if word != "--json"], cwd=tmp_path) == json.loads(written.read_text())["rows"]
    )
