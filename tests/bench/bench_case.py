"""How fast one long case answers, under a real terminal of 200 x 50: `python tests/bench/bench_case.py`.

Cases of 40 steps with unique texts and formulas, six scorers beside each other. Numbers are reported beside the targets
and never asserted: machines differ and are busy. Times in milliseconds.
"""

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]

import polars as pl  # noqa: E402  # after the path is set

from scoring.data.scorer import Scorer  # noqa: E402
from scoring.workspace.cache import RewardParts  # noqa: E402
from scoring.workspace.workspace import Workspace  # noqa: E402
from terminal import Terminal  # noqa: E402

CASES, STEPS, SCORERS = 200, 40, 6
RUN = [sys.executable, "-m", "inspector.cli"]
SENTENCE = "so we add the first number to a second one and then divide by three which gives x again"
WORDS = SENTENCE.split()
CHOICE = ("o", *("space", "j") * SCORERS, "enter")
"""Keys that put all scorers beside each other; the one in focus cannot be unticked."""


def main() -> None:
    """Measure and print a table."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "space"
        make_workspace(root)
        print(f"{'what':<44} {'first':>8} {'last':>8} {'p95':>8} {'bytes':>8}   target")
        for row in keys([*RUN, "-w", str(root)], Path(folder)):
            print("{:<44} {:>8} {:>8} {:>8} {:>8}   {}".format(*row))


def make_workspace(root: Path) -> None:
    """Authored nonsense: unique texts of two or three lines a step."""
    draw = random.Random(0)
    file = root.parent / "cases.jsonl"
    with file.open("w") as out:
        for number in range(CASES):
            steps = [
                f"Step {step} of {number}: {' '.join(draw.choices(WORDS, k=draw.randint(8, 30)))} "
                f"$\\frac{{{number}}}{{{step + 2}}} = x_{{{step}}}^2$."
                for step in range(STEPS)
            ]
            row = {"id": f"set-{number}", "problem": f"Problem {number}: {' '.join(draw.choices(WORDS, k=30))}"}
            out.write(json.dumps({**row, "steps": steps, "label": draw.choice([-1, draw.randrange(STEPS)])}) + "\n")
    subprocess.run(
        [*RUN, "import", str(file), "-w", str(root), "-q"], check=True, env={"PYTHONPATH": str(ROOT), "PATH": ""}
    )
    cases, _ = Workspace.open(root).cases()
    for number in range(SCORERS):
        scorer = Scorer(f"scorer-{number}", f"{number:032x}"[::-1])
        rewards = [[draw.betavariate(5, 1.5) for _ in range(STEPS)] for _ in range(CASES)]
        parts = RewardParts(root / "rewards" / scorer.folder)
        parts.append(
            pl.DataFrame({"key": cases["key"], "rewards": rewards}).with_columns(vote=pl.lit(0, dtype=pl.Int32))
        )
        scorer.save(parts.folder)


def keys(argv: Sequence[str], state: Path) -> Iterator[tuple[object, ...]]:
    """Keys on the case screen, with all scorers beside each other."""
    runs = (
        ("next case", (), "n", 30, "first 30, last 70"),
        ("next case, curves", ("v", "v"), "n", 20, ""),
        ("next case, right after the one before", (), "n", 30, "held"),
        ("step cursor", ("home",), "down", 40, "3 kB"),
        ("fold the prefix", (), "enter", 10, ""),
        ("blind", (), "vb", 10, ""),
        ("curves", (), "vv", 10, "drawn in 20"),
        ("threshold step", ("t",), "right", 25, "last 20 / p95 25"),
    )
    env = {"PYTHONPATH": str(ROOT), "XDG_STATE_HOME": str(state)}
    for what, before, key, count, target in runs:
        with Terminal(argv, columns=200, lines=50, env=env) as terminal:
            terminal.wait_for(f"{SCORERS} scorers")
            terminal.settle()
            for opening in ("a", "enter", *CHOICE, *before):
                terminal.press(opening)
                terminal.settle()
            # The neighbours are made ready when no key was pressed for a while.
            gap = 0.02 if target == "held" else 0.35
            answers = [answer for _ in range(count) if (answer := terminal.press(key, gap=gap)) is not None]
        lasts = sorted(answer.last for answer in answers)
        first, last = (statistics.median(one) for one in ([answer.first for answer in answers], lasts))
        p95 = lasts[max(0, round(0.95 * len(lasts)) - 1)]
        size = statistics.median(len(answer.data) for answer in answers)
        yield what, f"{first:.1f}", f"{last:.1f}", f"{p95:.1f}", f"{size:.0f}", target


if __name__ == "__main__":
    main()
