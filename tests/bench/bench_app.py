"""How fast the program answers, under a real terminal of 200 x 50: `python tests/bench/bench_app.py`.

Numbers are reported beside the targets and never asserted: machines differ and are busy. Times in milliseconds.
"""

import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import polars as pl  # noqa: E402  # after the path is set

from scoring.cache import RewardParts  # noqa: E402
from scoring.scorer import Scorer  # noqa: E402
from scoring.workspace import Workspace  # noqa: E402
from terminal import Terminal  # noqa: E402

CASES = 3400
RUN = [sys.executable, "-m", "inspector.cli"]
ENV = {"PYTHONPATH": str(ROOT)}
SENTENCE = "so we add the first number to a second one and then divide by three which gives x again"
WORDS = SENTENCE.split()


def main() -> None:
    """Measure everything and print a table."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "space"
        make_workspace(root)
        large = [*RUN, "-w", str(root)]
        rows = [*start_up(large), *keys(large)]
    print(f"{'what':<44} {'first':>8} {'last':>8} {'p95':>8} {'bytes':>8}   target")
    for what, first, last, p95, size, target in rows:
        print(f"{what:<44} {first:>8} {last:>8} {p95:>8} {size:>8}   {target}")


def make_workspace(root: Path) -> None:
    """A workspace of authored nonsense: unique texts, four scorers, about eight steps a case."""
    draw = random.Random(0)
    file = root.parent / "cases.jsonl"
    with file.open("w") as out:
        for number in range(CASES):
            steps = [
                f"Step {number}: {' '.join(draw.choices(WORDS, k=25))} $x_{{{i}}} = {i}$."
                for i in range(draw.randint(3, 13))
            ]
            label = draw.choice([-1, draw.randrange(len(steps))])
            problem = f"Problem {number}: {' '.join(draw.choices(WORDS, k=30))}"
            out.write(
                json.dumps({"id": f"set{number % 4}-{number}", "problem": problem, "steps": steps, "label": label})
                + "\n"
            )
    subprocess.run([*RUN, "import", str(file), "-w", str(root), "-q"], check=True, env={**ENV, "PATH": ""})
    cases, _ = Workspace.open(root).cases()
    for number in range(4):
        scorer = Scorer(f"scorer-{number}", f"{number:032x}"[::-1])
        rewards = [
            [draw.betavariate(2, 2) if step == gold else draw.betavariate(5, 1.5) for step in range(steps)]
            for steps, gold in cases.select("n_steps", "earliest_error").iter_rows()
        ]
        parts = RewardParts(root / "rewards" / scorer.folder)
        parts.append(
            pl.DataFrame({"key": cases["key"], "rewards": rewards}).with_columns(vote=pl.lit(0, dtype=pl.Int32))
        )
        scorer.save(parts.folder)


def start_up(large: Sequence[str]) -> Iterator[tuple[object, ...]]:
    """--help against a bare Python, side by side; first paint and rows."""
    bare, helped = [], []
    for _ in range(15):
        bare.append(timed([sys.executable, "-c", "pass"]))
        helped.append(timed([*RUN, "--help"]))
    ratio = statistics.median(helped) / statistics.median(bare)
    yield f"--help, times a bare Python ({ratio:.1f}x)", "", f"{statistics.median(helped):.0f}", "", "", "under 4x"
    for name, argv, paint, rows in (
        ("demo", [*RUN, "demo"], "reading the workspace", "novelty"),
        (f"{CASES:,} cases", large, "reading the workspace", "4 scorers"),
    ):
        paints, boards = zip(*(shown(argv, paint, rows) for _ in range(5)), strict=True)
        yield f"{name}: first paint", "", f"{statistics.median(paints):.0f}", f"{max(paints):.0f}", "", "500 (demo)"
        yield f"{name}: rows", "", f"{statistics.median(boards):.0f}", f"{max(boards):.0f}", "", "1000 (3,400 cases)"


def timed(argv: Sequence[str]) -> float:
    start = time.perf_counter()
    subprocess.run(argv, check=True, capture_output=True, env={**ENV, "PATH": ""})
    return (time.perf_counter() - start) * 1e3


def shown(argv: Sequence[str], paint: str, rows: str) -> tuple[float, float]:
    """Milliseconds to the first paint and to the rows."""
    with Terminal(argv, columns=200, lines=50, env=ENV) as terminal:
        first = terminal.wait_for(paint)
        return first * 1e3, (first + terminal.wait_for(rows)) * 1e3


def keys(large: Sequence[str]) -> Iterator[tuple[object, ...]]:
    """Held keys in the list, on the rail and in the case."""
    runs = (
        ("cursor move, pane closed", ("a", "z"), "down", 60, "last 5 / p95 8, 3 kB"),
        ("page down, pane closed", ("a", "z"), "pagedown", 15, ""),
        ("cursor move, pane open", ("a",), "down", 25, "first 8, settled 150"),
        ("threshold step, list", ("enter", "z", "t"), "right", 40, "last 20 / p95 25"),
        ("threshold step, list and steps", ("enter", "t"), "right", 40, "settled with the pane"),
        ("threshold step, one case", ("enter", "enter", "t"), "right", 25, "last 20 / p95 25"),
        ("next case", ("enter", "enter"), "n", 25, ""),
    )
    for what, before, key, count, target in runs:
        with Terminal(large, columns=200, lines=50, env=ENV) as terminal:
            terminal.wait_for("4 scorers")
            terminal.settle()
            for opening in before:
                terminal.press(opening)
                terminal.settle()
            answers = [answer for _ in range(count) if (answer := terminal.press(key, gap=0.12)) is not None]
        firsts, lasts = [answer.first for answer in answers], sorted(answer.last for answer in answers)
        size = f"{statistics.median(len(answer.data) for answer in answers):.0f}"
        p95 = f"{lasts[max(0, round(0.95 * len(lasts)) - 1)]:.1f}"
        yield what, f"{statistics.median(firsts):.1f}", f"{statistics.median(lasts):.1f}", p95, size, target


if __name__ == "__main__":
    main()
