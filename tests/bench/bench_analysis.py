"""How soon a screen of analysis stands there, under a real terminal of 200 x 50, with ten scorers.

    python tests/bench/bench_analysis.py [--cases 3400 100000] [--folder DIR]

Two times a screen, in milliseconds: the first opening of a fresh program, in which what the screen needs is imported,
and the median of further openings; each until its first numbers are on screen. Then the time until all of it is filled
in. Reported beside the targets, never asserted.
"""

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support"), str(ROOT / "tests" / "bench")]

from bench_app import RUN, Program  # noqa: E402  # after the path is set
from large_workspace import make_workspace  # noqa: E402

from terminal import Terminal  # noqa: E402

SCREENS = {
    "gc": "Cases with an error",
    "gd": "F1 of scorer-9 by subset",
    "ga": "Bias",
    "gh": "against the threshold",
    "gr": "scorer    F1",
    "gs": "distinct  generators",
    "gp": "No tables of a paper",
}
"""The keys of each screen, and what stands there with its first numbers."""
BUSY = "Computing"
TARGETS = {3_400: 150, 100_000: 400}
AGAIN = 5


def main() -> None:
    """Measure every screen and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, nargs="+", default=[3_400, 100_000])
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "prm-inspect-bench-ten")
    parser.add_argument("--keys", nargs="+", default=list(SCREENS))
    chosen = parser.parse_args()
    print(f"{'cases':>9}  {'key':<5} {'first':>8} {'again':>8} {'filled':>8}   target")
    for cases in chosen.cases:
        root = make_workspace(chosen.folder / str(cases), cases, 10)
        with tempfile.TemporaryDirectory() as state:
            program = Program([*RUN, "-w", str(root)], state, cases)
            with program.started() as terminal:
                program.ready(terminal)
                terminal.settle(3 + cases / 1e5, timeout=600)
            for key in chosen.keys:
                print(f"{cases:>9,}  {key:<5} {told(program, key)}   {TARGETS.get(cases, '')}", flush=True)


def told(program: Program, key: str) -> str:
    """First, again and filled of one screen."""
    with program.started() as terminal:
        program.ready(terminal)
        # Whoever is tied with the best is computed behind the board.
        terminal.settle(2, timeout=120)
        first, filled = opening(terminal, key)
        again = []
        for _ in range(AGAIN):
            terminal.press("escape", gap=0.5)
            again.append(opening(terminal, key)[0])
    return f"{first:>8.0f} {statistics.median(again):>8.0f} {filled:>8.0f}"


def opening(terminal: Terminal, key: str) -> tuple[float, float]:
    """Milliseconds until the first numbers stand there, and until nothing is being computed any more."""
    begin = time.perf_counter()
    terminal.send(key.encode())
    first = terminal.arrival_of(SCREENS[key], timeout=60)
    while BUSY in terminal.screen_text():
        terminal.settle(0.05, timeout=1)
    return 1e3 * first, 1e3 * (time.perf_counter() - begin)


if __name__ == "__main__":
    main()
