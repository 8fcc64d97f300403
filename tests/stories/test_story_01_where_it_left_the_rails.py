"""Where did the model leave the rails? An erroneous case says it as it is opened, in any colours."""

import json
import re
from functools import partial

import pytest

import authored
from at_the_terminal import eventually, import_rewards, pressed, printed, shell, shown, unframed
from thoroughness import THOROUGH, also
from under_pilot import app

SCORER = "tiny-prm-m"
GLYPHS = {"exact": "=", "early": "<", "late": ">", "missed": "o"}
LOOKED_AT = None if THOROUGH else 48
"""So many of the demo's erroneous cases are looked at, from the first; each outcome is among them."""
MANNERS = [((80, 24), "1"), *also(((120, 36), ""))]


def says_where(screen: str, case: dict, place: str) -> None:
    """The case is on screen with gold and predicted step, the rewards at both, and the outcome as glyph and word."""
    title = screen.splitlines()[0]
    assert case["id"] in title and place in title, f"{case}\n{screen}"  # noqa: PT018  # one title
    gold, verdict, rewards, outcome = (case[name] for name in ("gold", "verdict", "rewards", "outcome"))
    predicted = f"step {verdict}" if verdict >= 0 else "no error"
    text = unframed(screen)
    # The sentence wraps in a narrow pane.
    sentence = re.search(
        rf" {re.escape(GLYPHS[outcome])} predicted {predicted}, gold step {gold}: (.{{40}})", " ".join(text.split())
    )
    assert sentence, f"{case}\n{screen}"
    assert outcome in sentence[1], screen
    for word, step in {"exact" if gold == verdict else "gold": gold, "pred": verdict}.items():
        if step >= 0 and not (word == "pred" and gold == verdict):
            line = re.search(rf"^ {word} +{step} (.*)", text, re.MULTILINE)
            assert line, f"{word} {case}\n{screen}"
            assert re.search(rf"(?<![\d.]){rewards[step]:.2f}(?!\d)", line[1]), f"{word} {case}\n{screen}"


def walk(terminal, cases: list[dict], most: int | None = None) -> None:
    """Through the cases of the list, which is open at its first."""
    for place, case in enumerate(cases[:most], start=1):
        eventually(terminal, partial(says_where, case=case, place=f" {place} of {len(cases)} "))
        terminal.send(b"n")


@pytest.mark.parametrize(("size", "no_color"), MANNERS)
def test_an_erroneous_case_of_the_demo_says_where_as_it_is_opened(size, no_color, tmp_path):
    asked = ("--benchmark", "demo", "--scorer", SCORER, "--where", "earliest_error >= 0")
    fields = {"verdict": "verdict", "outcome": "outcome", "rewards": "rewards"}
    rows = printed("cases", *asked, "--columns", "id,earliest_error,verdict,outcome,rewards", cwd=tmp_path)
    cases = [
        {"id": row["id"], "gold": row["earliest_error"], **{name: row[f"{SCORER}.{at}"] for name, at in fields.items()}}
        for row in rows
    ]
    assert {case["outcome"] for case in cases[:LOOKED_AT]} == set(GLYPHS)
    with app("demo", cwd=tmp_path, size=size, NO_COLOR=no_color) as terminal:
        shown(terminal, "240 cases", "? help")
        pressed(terminal, "g l")
        shown(terminal, "240 of 240 cases", f"▸ {SCORER} ▸")
        pressed(terminal, ":")
        terminal.send(b"earliest_error >= 0\r")
        shown(terminal, f"{len(cases)} of 240 cases", "the process is wrong")
        pressed(terminal, "enter")
        walk(terminal, cases, LOOKED_AT)


LONG = [(2, 38), (38, 2), (0, 59), (59, 0), (30, -1), (10, 10), (0, -1), (59, 59), (7, 8), (8, 7)]
"""Gold and predicted step of cases with far more to read than any screen holds."""
STEPS = 60


def long_cases() -> list[dict]:
    found = []
    for number, (gold, verdict) in enumerate(LONG):
        rewards = [round(0.6 + 0.37 * ((7 * step + number) % 60) / 60, 4) for step in range(STEPS)]
        if verdict >= 0:
            rewards[verdict] = round(0.05 + number / 100, 4)
        outcome = "missed" if verdict < 0 else ("exact", "late", "early")[(verdict > gold) - (verdict < gold)]
        found.append({"id": f"long-{number}", "gold": gold, "verdict": verdict, "rewards": rewards, "outcome": outcome})
    return found


def long_row(case: dict) -> dict:
    steps = [
        f"Now {case['id']} number {step}: " + "we add the next term and carry one over; " * 9 for step in range(STEPS)
    ]
    problem = "How much is it? " + "The story goes on and on. " * 80
    return authored.row(id=case["id"], steps=steps, problem=problem, label=case["gold"], final_answer_correct=False)


@pytest.mark.parametrize(("size", "no_color"), [((120, 36), ""), *also(((80, 24), "1"))])
def test_so_does_a_case_that_is_far_longer_than_the_screen(size, no_color, tmp_path):
    cases = long_cases()
    (tmp_path / "long.json").write_text(json.dumps([long_row(case) for case in cases]))
    shell("import", "long.json", "-w", "space", cwd=tmp_path)
    import_rewards(tmp_path, "space", [{"id": case["id"], "mine": case["rewards"]} for case in cases], "mine")
    with app("-w", "space", cwd=tmp_path, size=size, NO_COLOR=no_color) as terminal:
        shown(terminal, f"{len(cases)} cases", "? help")
        pressed(terminal, "g l")
        shown(terminal, f"{len(cases)} of {len(cases)} cases")
        pressed(terminal, "enter")
        walk(terminal, cases)
