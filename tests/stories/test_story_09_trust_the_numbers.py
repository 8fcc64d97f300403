"""Trust the numbers: those of ProcessBench's own script on the same answers, and the card that says how they came."""

import json
import random
import re
from functools import partial

import pytest

from at_the_terminal import eventually, pressed, printed, shell, shown
from authored import row
from under_pilot import app

NAME = "a-critic"
SUBSETS = ("gsm8k", "math", "olympiadbench", "omnimath")
UNREADABLE = ("I cannot tell.", r"So \boxed{paragraph 2}.", "")


def answered(row_: dict, rng: random.Random) -> dict:
    """The row as the script writes it, with the critic's answer; one in eight cannot be read."""
    if rng.random() < 1 / 8:
        return {**row_, "generated_critique": rng.choice(UNREADABLE), "prediction": None, "match": False}
    named = rng.choice((row_["label"], row_["label"], -1, 0, 1, 2, 7))
    text = rf"First \boxed{{9}}, and after all \boxed{{{named}}}."
    return {**row_, "generated_critique": text, "prediction": named, "match": named == row_["label"]}


@pytest.fixture(scope="module")
def answers():
    rng = random.Random(9)
    rows = {
        subset: [
            row(at, subset, problem=f"What is {at} in {subset}?", label=rng.choice((-1, -1, 0, 1, 2)))
            for at in range(60)
        ]
        for subset in SUBSETS
    }
    return {subset: [answered(one, rng) for one in found] for subset, found in rows.items()}


@pytest.fixture(scope="module")
def folder(tmp_path_factory, answers):
    folder = tmp_path_factory.mktemp("trust")
    (folder / NAME).mkdir()
    for subset, rows in answers.items():
        bare = [{key: one[key] for key in row()} for one in rows]
        (folder / f"{subset}.json").write_text(json.dumps(bare))
        for side, label in (("error", False), ("correct", True)):
            chosen = [one for one in rows if (one["label"] == -1) == label]
            text = "".join(json.dumps(one) + "\n" for one in chosen)
            (folder / NAME / f"{subset}_{side}.jsonl").write_text(text)
    shell("import", *(f"{subset}.json" for subset in SUBSETS), "-w", "space", cwd=folder)
    shell("import", NAME, "-w", "space", cwd=folder)
    return folder


def official(answers: dict[str, list[dict]]) -> dict[tuple[str, str], float]:
    """What the script prints, as fractions: accuracies of `match` by side, their harmonic mean, the mean of subsets."""
    found: dict[tuple[str, str], float] = {}
    for subset, rows in answers.items():
        error = [one["match"] for one in rows if one["label"] != -1]
        correct = [one["match"] for one in rows if one["label"] == -1]
        acc1, acc2 = sum(error) / len(error), sum(correct) / len(correct)
        found |= {(subset, "error_acc"): acc1, (subset, "correct_acc"): acc2}
        found[subset, "f1"] = 2 * acc1 * acc2 / (acc1 + acc2)
    found["average", "f1"] = sum(found[subset, "f1"] for subset in answers) / len(answers)
    return found


def says(screen: str, *texts: str) -> str:
    assert all(text in screen for text in texts), screen
    return screen


def test_the_shell_the_board_and_the_card_tell_the_scripts_numbers(answers, folder):
    wanted = official(answers)
    told = {(one["subset"], one["metric"]): one["value"] for one in printed("metrics", "-w", "space", cwd=folder)}
    assert {place: told[place] for place in wanted} == pytest.approx(wanted, abs=1e-9)
    unread = sum(one["prediction"] is None for rows in answers.values() for one in rows)
    assert unread > 10

    average = f"{100 * wanted['average', 'f1']:.1f}"
    with app("-w", "space", cwd=folder, size=(120, 50)) as terminal:
        board = shown(terminal, NAME, "? help")
        assert re.search(rf"{NAME} +{re.escape(average)}", board), board
        pressed(terminal, "g r")
        card = eventually(terminal, partial(_card, average=average))
        assert "unparsed and refused ones count as wrong" in card
        assert "mean of 4 subsets" in card
        assert f"{240 - unread} of 240 with a verdict" in card
        assert re.search(rf"unparsed +{unread}: ", card)
        # The count on the card opens exactly these cases.
        for _ in range(40):
            if f"Enter: {unread} cases: unparsed" in terminal.screen_text():
                break
            pressed(terminal, "j")
        pressed(terminal, "enter")
        eventually(terminal, partial(_says, text=f"{unread} of 240 cases"))


def _card(screen: str, average: str) -> str:
    return says(screen, f"{average} (", "How they are counted")


def _says(screen: str, text: str) -> str:
    return says(screen, text)
