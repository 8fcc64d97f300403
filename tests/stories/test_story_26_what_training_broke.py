"""What did training break: three checkpoints are imported by their files, and the cases of any two are opened."""

import json
import random
import re
from functools import partial

import pytest

from at_the_terminal import eventually, pressed, printed, shell, shown
from authored import json_lines, row
from under_pilot import app

N = 120
STEPS = (100, 200, 300)
RIGHT = {100: 0.5, 200: 0.7, 300: 0.6}
"""How often the checkpoint at a step is right."""


def rewards(gold: int, right: bool) -> list[float]:
    """Rewards that make a case right or wrong at 0.5."""
    low = gold if right else (-1 if gold >= 0 else 0)
    return [0.1 if step == low else 0.9 for step in range(3)]


@pytest.fixture(scope="module")
def run():
    """Gold labels, and by step whether the checkpoint is right, case by case."""
    rng = random.Random(26)
    golds = [rng.choice((-1, -1, 0, 1, 2)) for _ in range(N)]
    return golds, {step: [rng.random() < share for _ in golds] for step, share in RIGHT.items()}


@pytest.fixture(scope="module")
def folder(tmp_path_factory, run):
    golds, right = run
    folder = tmp_path_factory.mktemp("training")
    cases = [row(at, "gsm8k", label=gold) for at, gold in enumerate(golds)]
    (folder / "gsm8k.json").write_text(json.dumps(cases))
    (folder / "math-prm").mkdir()
    for step in STEPS:
        given = [{"id": one["id"], "rewards": rewards(one["label"], right[step][at])} for at, one in enumerate(cases)]
        (folder / "math-prm" / f"checkpoint-{step}.jsonl").write_bytes(json_lines(given))
    shell("import", "gsm8k.json", "-w", "space", cwd=folder)
    said = shell("import", *(f"math-prm/checkpoint-{step}.jsonl" for step in STEPS), "-w", "space", cwd=folder)
    assert "of the training run math-prm: steps 100, 200, 300, as the path says" in said.decode()
    return folder


def changed(run, first: int, last: int, *, mended: bool = False) -> set[int]:
    """The cases that broke, or were mended, from one step to another."""
    _, right = run
    before, after = right[first], right[last]
    return {at for at in range(N) if before[at] != after[at] and after[at] == mended}


def test_the_shell_counts_them_between_any_two(run, folder):
    golds, right = run
    rows = printed("timeline", "math", "-w", "space", "--from", "100", "--to", "300", cwd=folder)
    figures = {row["at"]: row["value"] for row in rows if row["metric"] == "error_acc" and row["other"] is None}
    erroneous = [at for at, gold in enumerate(golds) if gold >= 0]
    assert figures == {
        step: pytest.approx(sum(right[step][at] for at in erroneous) / len(erroneous), abs=1e-9) for step in STEPS
    }
    for first, last in ((100, 200), (200, 300), (100, 300)):
        between = [row for row in rows if (row["at"], row["other"]) == (last, f"checkpoint-{first}")]
        told = {row["metric"]: row["value"] for row in between}
        for name, mended in (("broken", False), ("mended", True)):
            cases = changed(run, first, last, mended=mended)
            assert told[f"erroneous_{name}"] == sum(golds[at] >= 0 for at in cases)
            assert told[f"clean_{name}"] == sum(golds[at] < 0 for at in cases)


def test_the_app_opens_exactly_those_with_both_checkpoints_beside_each_other(run, folder):
    broke, mended = (len(changed(run, 100, 200, mended=mended)) for mended in (False, True))
    with app("-w", "space", cwd=folder, size=(120, 50)) as terminal:
        shown(terminal, f"{N} cases", "? help")
        pressed(terminal, "g e")
        screen = shown(terminal, "math-prm: 3 checkpoints, steps 100 to 300", "Cases from step 100 to step 300")
        line = next(line for line in screen.splitlines() if " 200  checkpoint-200" in line)
        assert re.search(r"[+−]\d+\.\d +(\d+) +(\d+) ", line).groups() == (str(broke), str(mended)), screen
        # From the first figure to the next line, and there to the count beside it.
        pressed(terminal, "j", "l")
        shown(terminal, f"Enter: {broke} cases: broke from step 100 to 200")
        pressed(terminal, "enter")
        shown(terminal, f"{broke} of {N} cases", "filter broke from step 100 to 200")
        pressed(terminal, "enter")
        eventually(terminal, partial(_says, texts=("A checkpoint-100", "B checkpoint-200", f"1 of {broke}")))


def _says(screen: str, texts: tuple[str, ...]) -> str:
    assert all(text in screen for text in texts), screen
    return screen
