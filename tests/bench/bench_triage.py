"""How fast triage answers, under a real terminal of 200 x 50: `python tests/bench/bench_triage.py [--cases N ...]`.

A ruling that brings the next case of a queue, from the key to the first and to the last byte; and a journal of 100,000
actions of two people, read beside the plain decoding of the same lines. Numbers are reported beside the targets and
never asserted: machines differ and are busy. Times are in milliseconds; the ratios are of medians taken side by side.
"""

import argparse
import json
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support"), str(ROOT / "tests" / "bench")]

from bench_app import RUN, SCORERS, Program, numbers  # noqa: E402  # after the path is set
from large_workspace import make_workspace  # noqa: E402

from scoring.workspace.triage.actions import (  # noqa: E402
    NOTE,
    RATE,
    RULE,
    RULINGS,
    SORT,
    TAG,
)
from scoring.workspace.triage.journal import Author, Journal  # noqa: E402

ACTIONS, CASES, PEOPLE = 100_000, 20_000, ("ann", "bob")
TIMES = 5
KEYS = (
    ("a ruling and the next case", "1", 30, "last under 50"),
    ("a ruling is undone", "u", 20, ""),
    ("a case is skipped", "s", 20, "last under 50"),
)
Row = tuple[str, ...]


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, nargs="+", default=[3_400, 100_000])
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "prm-inspect-bench")
    chosen = parser.parse_args()
    print(f"{'what':<56} {'first':>8} {'last':>8} {'p95':>8} {'worst':>8} {'bytes':>8}   target", flush=True)
    for row in journal():
        show(row)
    for cases in chosen.cases:
        for row in rulings(make_workspace(chosen.folder / str(cases), cases, SCORERS), cases):
            show(row)


def show(row: Row) -> None:
    """Print one row."""
    print("{:<56} {:>8} {:>8} {:>8} {:>8} {:>8}   {}".format(*row), flush=True)


def rulings(root: Path, cases: int) -> Iterator[Row]:
    """Keys in a queue of all failures of a scorer; what was ruled in the workspace before is thrown away."""
    with tempfile.TemporaryDirectory() as state:
        shutil.rmtree(root / "triage", ignore_errors=True)
        program = Program([*RUN, "-w", str(root)], state, cases)
        with program.started() as terminal:
            program.ready(terminal)
            terminal.settle(3 + cases / 1e5, timeout=600)
            for key in ("enter", "g", "t", "enter"):
                terminal.press(key, gap=1.0)
            terminal.wait_for("to go")
            for what, key, times, target in KEYS:
                # The next cases are made ready when no key was pressed for a while.
                answers = [answer for _ in range(times) if (answer := terminal.press(key, gap=0.35)) is not None]
                yield f"{cases:,} cases: {what}", *numbers(answers), target
        shutil.rmtree(root / "triage", ignore_errors=True)


def journal() -> Iterator[Row]:
    """Reading a journal, a ruling in it, and the first undo and the one after."""
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder))
        files = sorted(Path(folder).glob("*.jsonl"))
        read: list[float] = []
        plain: list[float] = []
        further: dict[str, list[float]] = {}
        for _ in range(TIMES):
            plain.append(timed(lambda: [json.loads(line) for file in files for line in file.read_bytes().splitlines()]))
            read.append(timed(lambda: Journal(Path(folder), Author("ann", "gpu"))))
            there = Journal(Path(folder), Author("ann", "gpu"))
            further.setdefault("a ruling", []).append(timed(partial(there.rule, ["b/1"], RULINGS[0])))
            for what in ("the first undo", "the next undo"):
                further.setdefault(what, []).append(timed(there.undo))
        ratio = statistics.median(read) / statistics.median(plain)
        yield row(f"{ACTIONS:,} actions are read, {ratio:.2f} times json.loads", read, "under 500")
        yield row("json.loads of the same lines", plain, "")
        for what, times in further.items():
            yield row(f"{what} among them, on the disk", times, "")


def row(what: str, times: list[float], target: str) -> Row:
    """Median and worst of some times."""
    return what, "", f"{statistics.median(times):.1f}", "", f"{max(times):.1f}", "", target


def timed(act: Callable[[], object]) -> float:
    """Milliseconds that something takes."""
    start = time.perf_counter()
    act()
    return (time.perf_counter() - start) * 1e3


def write(folder: Path) -> None:
    """Journals of two people who tag, note, rule, rate and sort at random."""
    draw = random.Random(0)
    for who in PEOPLE:
        with (folder / f"{who}-gpu.jsonl").open("w") as out:
            for n in range(1, ACTIONS // len(PEOPLE) + 1):
                kind, value = draw.choice(
                    [
                        (RULE, draw.choice(RULINGS)),
                        (TAG, f"tag-{draw.randrange(20)}"),
                        (RATE, f"{draw.randrange(9)} 1"),
                        (NOTE, f"first wrong thing {draw.randrange(99)}"),
                        (SORT, f"category {draw.randrange(9)}"),
                    ]
                )
                told = {"v": 1, "n": n, "time": "2026-01-01T00:00:00.000Z", "who": who, "machine": "gpu"}
                case = f"benchmark/subset-{draw.randrange(CASES)}"
                out.write(json.dumps({**told, "action": kind, "cases": [case], "value": value}) + "\n")


if __name__ == "__main__":
    main()
