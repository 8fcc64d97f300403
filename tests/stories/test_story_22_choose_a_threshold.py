"""Choose a threshold honestly: default, dev-tuned with its seed, best on these; and what carries over to a subset."""

import csv
import io
import re
from pathlib import Path

import pytest

from at_the_terminal import eventually, pressed, printed, shown, unframed
from thoroughness import also
from under_pilot import app

SCORER = "tiny-prm-m"
WAYS = {
    "default": "default",
    "best on these": "best",
    "dev-tuned, seed {seed}": "dev",
    "dev-tuned, dev cases kept": "dev:kept",
    "tuned on algebra": "from:algebra",
}
SUBSETS = ("arithmetic", "algebra", "everyday", "reasoning")
BAND = "95% interval at each point"


def told(folder: Path, seed: int):
    """What the command prints, by way and subset."""
    rows = printed("thresholds", "--benchmark", "demo", "--scorer", SCORER, "--seed", str(seed), cwd=folder)
    return {(row["kind"], row["subset"]): row for row in rows}


def line_of(screen: str, start: str) -> str:
    lines = [line.strip() for line in unframed(screen).splitlines()]
    return next((line for line in lines if re.match(rf"{re.escape(start)}  ", line)), "")


def percent(row) -> str:
    # Its interval is drawn.
    star = "*" if row["optimistic"] else ""
    return f"{100 * row['value']:.1f}{star}"


def _has(screen: str, words: str) -> str:
    assert words in screen, screen
    return screen


@pytest.mark.parametrize("seed", [0, *also(3)])
def test_every_way_is_the_command_s_says_where_it_is_optimistic_and_opens_its_cases(seed, tmp_path: Path):
    rows = told(tmp_path, seed)
    with app("--seed", str(seed), "demo", cwd=tmp_path, size=(120, 44)) as terminal:
        shown(terminal, "7 scorers", "? help")
        pressed(terminal, "g h")
        screen = shown(terminal, BAND, "tuned on algebra")
        for words, kind in WAYS.items():
            # Points stand beneath each other: there may be more than one blank behind a figure.
            line = " ".join(line_of(screen, words.format(seed=seed)).split())
            row, whole = rows[kind, "average"], rows[kind, "all"]
            assert percent(row) in line, (kind, line)
            assert ("*" in line) == row["optimistic"], line
            assert re.search(rf" {whole['n']}\b", line), line
            assert not whole["excluded"] or re.search(rf" {whole['excluded']}\b", line), line
        # The marks beneath the curve, each with its words.
        assert "0.500 present, the default" in screen
        assert f"* {rows['best', 'all']['threshold']:.3f} best on these" in screen
        for subset in SUBSETS:
            assert f"v {rows['dev', subset]['threshold']:.3f} dev-tuned, seed {seed}, {subset}" in screen

        # The best one, tried out: it is called what it is, and Escape gives back what was there.
        pressed(terminal, "t", "v m")
        moved = shown(terminal, "▲ 0.521 present: optimistic: best on these cases" if seed == 0 else "▲ 0.521 present")
        (present,) = [line for line in moved.splitlines() if "(present)" in line]
        assert percent(rows["best", "average"]).split()[0] in present
        pressed(terminal, "escape")
        assert eventually(terminal, lambda screen: _has(screen, "present, the default"))

        # What is tuned on one subset is told on every other.
        pressed(terminal, "]", "]")
        screen = shown(terminal, "[from subset to subset]", "tuned on reasoning", "* optimistic")
        for tuned in SUBSETS:
            line = next(line for line in screen.splitlines() if line.strip(" │┃").startswith(f"tuned on {tuned} "))
            cells = re.findall(r"(\d+\.\d)(\*?) n=(\d+)", line)
            assert len(cells) == 5
            for (value, star, n), subset in zip(cells, [*SUBSETS, "average"], strict=True):
                row = rows[f"from:{tuned}", subset]
                assert (value, bool(star)) == (f"{100 * row['value']:.1f}", row["optimistic"])
                assert int(n) == row["n"]
        shown(terminal, "60 cases: tried by tiny-prm-m, arithmetic")
        pressed(terminal, "enter")
        shown(terminal, "60 of 240 cases", "tried by tiny-prm-m, arithmetic")
        pressed(terminal, "escape")
        shown(terminal, "[from subset to subset]", "tuned on reasoning")

        pressed(terminal, "e", "c")
        shown(terminal, "demo-thresholds.csv")
    lines = (tmp_path / "demo-thresholds.csv").read_text(encoding="utf-8").splitlines()
    found = list(csv.DictReader(io.StringIO("\n".join(line for line in lines if not line.startswith("#")))))
    assert [(row["kind"], row["subset"]) for row in found] == list(rows)
    assert [float(row["value"]) for row in found] == pytest.approx([row["value"] for row in rows.values()])
