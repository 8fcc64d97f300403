"""Move the threshold: every press is answered, the F1 is that of the shell, and Esc gives back what was there."""

import re
from collections import Counter
from functools import partial

import pytest

from at_the_terminal import eventually, pressed, printed, shown, unframed
from many_cases import MANY, f1
from thoroughness import THOROUGH, also
from under_pilot import app

START = 0.5
HELD, AT_ONCE = (30, 12) if THOROUGH else (7, 5)
LEFT, RIGHT = b"\x1b[D", b"\x1b[C"


def rail_says(screen: str, threshold: float, score: float | None = None) -> str:
    """The F1 on the rail, in percent; the rail has to be at the threshold, and to have the score where it is given."""
    found = re.search(rf"threshold {threshold:.3f}0* .*?F1 (\d+\.\d)", screen)
    assert found, screen
    if score is not None:
        assert found[1] == f"{100 * score:.1f}", screen
        # Title and rail are one number.
        title = screen.splitlines()[0]
        assert f"F1 {found[1]}" in title, screen
    return found[1]


def shell_f1(folder, threshold: str) -> float:
    rows = printed("metrics", "-w", "space", "--threshold", threshold, cwd=folder)
    (found,) = (row["value"] for row in rows if (row["subset"], row["metric"]) == ("average", "f1"))
    return found


@pytest.mark.parametrize("where", [("enter",), *also(("enter", "enter"))], ids=" ".join)
def test_every_key_is_answered_press_by_press_with_the_shells_numbers(where, cases, folder):
    with app("-w", "space", cwd=folder, size=(120, 36)) as terminal:
        shown(terminal, f"{MANY:,} cases", "? help")
        pressed(terminal, where[0])
        shown(terminal, "most instructive")
        pressed(terminal, *where[1:])
        before = shown(terminal, f"F1 {100 * f1(cases, START):.1f}", "t threshold", gap=0.5)
        pressed(terminal, "t")
        eventually(terminal, partial(rail_says, threshold=START, score=f1(cases, START)))
        for press in range(1, HELD + 1):
            pressed(terminal, "right")
            threshold = round(START + press / 100, 2)
            eventually(terminal, partial(rail_says, threshold=threshold, score=f1(cases, threshold)))

        # A keyboard that repeats faster than anybody reads: none is lost.
        terminal.send(LEFT * AT_ONCE)
        threshold = round(START + (HELD - AT_ONCE) / 100, 2)
        shown_f1 = eventually(terminal, partial(rail_says, threshold=threshold, score=f1(cases, threshold)))
        told = shell_f1(folder, f"{threshold:.2f}")
        assert shown_f1 == f"{100 * told:.1f}"
        assert told == pytest.approx(f1(cases, threshold), abs=1e-9)

        pressed(terminal, "escape")
        assert eventually(terminal, partial(_is, before=before)) == before

        # From where it started again.
        pressed(terminal, "t")
        eventually(terminal, partial(rail_says, threshold=START, score=f1(cases, START)))
        # Shift and an arrow go by thousandths, `.` to the next threshold that changes an outcome, `*` to the best.
        for keys in (["l"] * 3, ["n"] * 2, ["N"] * 3, ["v m"], ["x"], [LEFT] * 51):
            if keys[0] is LEFT:
                terminal.send(b"".join(keys))
            else:
                pressed(terminal, *keys)
            terminal.settle()
            screen = terminal.screen_text()
            asked, score = re.search(r"│ threshold (-?[\d.]+) .*?F1 (\d+\.\d)", screen).groups()
            assert score == f"{100 * shell_f1(folder, asked):.1f}", (keys[0], screen)
            assert score == f"{100 * f1(cases, float(asked)):.1f}", (keys[0], screen)


def _is(screen: str, before: str) -> str:
    assert screen == before, f"{screen}\nis not\n{before}"
    return screen


def test_a_threshold_between_rewards_of_many_digits_is_written_with_as_many_as_decide_alike(tmp_path):
    with app("demo", "--scorer", "tiny-prm-m", cwd=tmp_path, size=(120, 36)) as terminal:
        shown(terminal, "240 cases", "? help")
        pressed(terminal, "enter")
        shown(terminal, "most instructive")
        pressed(terminal, "t")
        eventually(terminal, partial(rail_says, threshold=START))
        for keys in (["n"], ["n"] * 4, ["N"] * 9, ["v m"]):
            pressed(terminal, *keys)
            terminal.settle()
            screen = terminal.screen_text()
            asked = re.search(r"│ threshold (-?[\d.]+) .*?F1", screen)[1]
            rows = printed("cases", "--benchmark", "demo", "--threshold", asked, "--scorer", "tiny-prm-m", cwd=tmp_path)
            outcomes = Counter(row["tiny-prm-m.outcome"].replace("_", " ") for row in rows)
            told = dict(re.findall(r"[=<>o.!] ([a-z ]+) (\d+)", "\n".join(screen.splitlines()[-5:-3])))
            assert {name: int(count) for name, count in told.items()} == outcomes, (asked, screen)


def test_the_open_case_is_decided_again_with_everything_else(tmp_path):
    with app("demo", cwd=tmp_path, size=(200, 50)) as terminal:
        shown(terminal, "240 cases", "scorers")
        pressed(terminal, "g l")
        shown(terminal, "240 of 240 cases")
        pressed(terminal, "f")
        shown(terminal, "[ ] > late")
        pressed(terminal, "j", "j", "space")
        shown(terminal, "outcome = late")
        pressed(terminal, "escape", "enter")
        sentence = eventually(
            terminal, partial(_late, words=r"predicted step (\d+), gold step (\d+): (\w+) steps? late")
        )
        assert int(sentence[1]) > int(sentence[2])
        pressed(terminal, "t")
        shown(terminal, "nothing changed")
        terminal.send(RIGHT * 45)
        moved = shown(terminal, "threshold 0.950 (was 0.500)")
        assert f"predicted step {sentence[1]}, gold" not in " ".join(unframed(moved).split())
        pressed(terminal, "escape")
        eventually(terminal, partial(_late, words=rf"predicted step {sentence[1]}, gold step {sentence[2]}"))


def _late(screen: str, words: str) -> re.Match[str]:
    found = re.search(words, " ".join(unframed(screen).split()))
    assert found, screen
    return found
