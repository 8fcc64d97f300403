"""Did my checkpoint regress: a gate for CI by its exit codes, what became wrong, and the same cases in the app."""

import json
import random
import shlex
from functools import partial

import pytest

from at_the_terminal import eventually, import_rewards, pressed, printed, shell, shown
from authored import row
from under_pilot import app

N = 300
STEPS = 3


def rewards(gold: int, right: bool) -> list[float]:
    """Rewards that make a case right or wrong at 0.5."""
    low = gold if right else (-1 if gold >= 0 else 0)
    return [0.1 if step == low else 0.9 for step in range(STEPS)]


@pytest.fixture(scope="module")
def runs():
    """By scorer whether it is right, case by case: the new one loses three in twenty of the erroneous cases."""
    rng = random.Random(18)
    golds = [rng.choice((-1, 0, 1, 2)) for _ in range(N)]
    old = [rng.random() < 0.6 for _ in golds]
    new = [one and not (gold >= 0 and rng.random() < 0.15) for one, gold in zip(old, golds, strict=True)]
    good = [one or rng.random() < 0.2 for one in old]
    return golds, {"step-100": old, "step-200": new, "step-300": good}


@pytest.fixture(scope="module")
def folder(tmp_path_factory, runs):
    golds, right = runs
    folder = tmp_path_factory.mktemp("ci")
    cases = [row(at, "gsm8k", label=gold) for at, gold in enumerate(golds)]
    (folder / "gsm8k.json").write_text(json.dumps(cases))
    shell("import", "gsm8k.json", "-w", "space", cwd=folder)
    given = [
        {"id": case["id"], **{name: rewards(gold, told[at]) for name, told in right.items()}}
        for at, (case, gold) in enumerate(zip(cases, golds, strict=True))
    ]
    import_rewards(folder, "space", given, *right)
    return folder


def f1(golds: list[int], right: list[bool]) -> float:
    sides = [[one for one, gold in zip(right, golds, strict=True) if (gold >= 0) == erroneous] for erroneous in (1, 0)]
    a, b = (sum(side) / len(side) for side in sides)
    return 2 * a * b / (a + b)


def check(folder, new: str, code: int, *more: str) -> dict:
    """The row of a check that ends with this code."""
    words = ("check", new, "--baseline", "step-100", "-w", "space", "-q", "--json", *more)
    (found,) = json.loads(shell(*words, cwd=folder, code=code))["rows"]
    return found


def test_the_gate_is_shut_for_the_worse_and_open_for_the_better(runs, folder):
    golds, right = runs
    worse, better = check(folder, "200", 1), check(folder, "300", 0)
    assert (worse["result"], better["result"]) == ("regression", "improvement")
    for found, name in ((worse, "step-200"), (better, "step-300")):
        wanted = f1(golds, right[name]) - f1(golds, right["step-100"])
        assert found["difference"] == pytest.approx(wanted, abs=1e-9)
        assert found["low"] < wanted < found["high"]
    assert worse["high"] < 0 < better["low"]


def test_a_condition_of_ones_own_decides_and_what_cannot_be_ends_with_2(folder):
    assert check(folder, "200", 0, "--fail-if", "difference < -0.5")["result"] == "regression"
    assert check(folder, "300", 1, "--fail-if", "newly_right > 0")["fails"]
    assert check(folder, "300", 2, "--fail-if", "prmscore_difference < 0")["fails"] is None
    for words in (("nobody", "--baseline", "step-100"), ("200", "--baseline", "200")):
        shell("check", *words, "-w", "space", cwd=folder, code=2)
    shell("check", "200", "--baseline", "100", "-w", "space", "--fail-if", "no_such < 0", cwd=folder, code=2)


def test_what_became_wrong_is_listed_by_its_command_and_by_the_app(runs, folder):
    golds, right = runs
    lost = {
        f"processbench/gsm8k-{at}"
        for at in range(N)
        if right["step-100"][at] and not right["step-200"][at] and golds[at] >= -1
    }
    found = check(folder, "200", 1)
    assert found["newly_wrong"] == len(lost)
    assert set(found["newly_wrong_cases"]) < lost
    page = shell("check", "200", "--baseline", "100", "-w", "space", cwd=folder, code=1).decode()
    (line,) = (one for one in page.splitlines() if "All of them: " in one)
    command = shlex.split(line.partition("All of them: ")[2])
    assert {one["case"] for one in printed(*command[1:], cwd=folder)} == lost

    with app("-w", "space", cwd=folder, size=(120, 40)) as terminal:
        shown(terminal, "step-200", "? help")
        for _ in range(3):
            if "step-200" in _focus(terminal.screen_text()):
                break
            pressed(terminal, "j")
        pressed(terminal, "g r", "o")
        eventually(terminal, partial(_says, texts=("the scorer in focus alone", "step-100")))
        pressed(terminal, "j", "enter")
        eventually(terminal, partial(_says, texts=("They differ in", "step-100", "step-200")))


def _focus(screen: str) -> str:
    """The line of the board under the cursor."""
    return next((line for line in screen.splitlines() if "▌" in line), "")


def _says(screen: str, texts: tuple[str, ...]) -> str:
    assert all(text in screen for text in texts), screen
    return screen
