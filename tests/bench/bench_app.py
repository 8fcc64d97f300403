"""How fast the program answers, under a real terminal of 200 x 50.

    python tests/bench/bench_app.py [--cases 3400 100000 1000000] [--only WORD ...] [--folder DIR] [--beside CHECKOUT]

Workspaces of authored nonsense are made under `--folder` and found there again. With another checkout beside, each is
measured with both in turn, the other one first, start by start and key by key; the median of the ratios of pairs is a
row of its own. Numbers are reported beside the targets and never asserted: machines differ and are busy. Times are in
milliseconds; the answer to a key ends with a tenth of a second of silence, so that a pane which follows later is
counted in it.
"""

import argparse
import math
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support"), str(ROOT / "tests" / "bench")]

from large_workspace import make_workspace  # noqa: E402  # after the path is set

from terminal import Answer, Terminal  # noqa: E402

RUN = [sys.executable, "-m", "inspector.cli"]
SCORERS = 8
SCORERS_OF = {3_400: 10, 1_000_000: 4}
"""How many scorers a workspace of so many cases has; SCORERS those of another size."""
STARTS = 5
PAIRS = 15


@dataclass(frozen=True)
class Keys:
    """A key pressed again and again, after those that lead there; `targets` by number of cases, "" is for the rest."""

    what: str
    before: tuple[str, ...]
    pressed: tuple[str, ...]
    times: int
    targets: dict[int, str]
    gap: float = 0.1


EVERY = (
    Keys("cursor move, pane closed", ("g", "l", "v", "z"), ("down",), 60, {0: "p95 8, 3 kB"}),
    Keys("cursor move, pane open", ("g", "l"), ("down",), 30, {0: "first 8, last 150"}, 0.2),
    Keys("page down, pane closed", ("g", "l", "v", "z"), ("pagedown",), 25, {0: "p95 30"}),
    Keys(
        "facet on and off",
        ("g", "l", "v", "z", "f", "down"),
        ("space",),
        12,
        {3400: "60", 100_000: "100", 1_000_000: "250"},
    ),
    Keys(
        "other facet on and off",
        ("g", "l", "v", "z", "f", *["down"] * 9),
        ("space",),
        12,
        {3400: "60", 100_000: "100", 1_000_000: "250"},
    ),
    Keys(
        "threshold step, all cases",
        ("g", "l", "v", "z", "t"),
        ("right",),
        40,
        {3400: "p95 25", 100_000: "p95 40", 1_000_000: "p95 80"},
    ),
    Keys(
        "threshold step, failures",
        ("enter", "v", "z", "t"),
        ("right",),
        40,
        {3400: "p95 25", 100_000: "p95 40", 1_000_000: "p95 80"},
    ),
    Keys("threshold step, list and steps", ("enter", "t"), ("right",), 30, {}, 0.2),
    Keys("threshold step, board", ("t",), ("right",), 30, {}),
    Keys("cursor move, board", (), ("down", "up"), 20, {0: "10 kB"}),
    Keys("cursor move, board and panels", (), ("down",), 8, {0: "10 kB"}, 0.5),
    Keys("threshold step, thresholds", ("g", "h", "t"), ("right",), 30, {3400: "p95 25", 100_000: "p95 40"}),
    Keys(
        "another scorer, thresholds",
        ("g", "h"),
        ("o", "down", "enter"),
        8,
        {3400: "first 150", 100_000: "first 400"},
        1.0,
    ),
    Keys("next flip, failures", ("enter", "v", "z", "t"), ("n",), 30, {}),
)
CASE = (
    Keys("next case, one scorer", ("g", "l", "enter"), ("n",), 30, {0: "first 30, last 70"}),
    Keys("threshold step, one case", ("g", "l", "enter", "t"), ("right",), 30, {0: "p95 25"}),
)
"""On cases of forty steps with six scorers."""


def main() -> None:
    """Measure everything and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, nargs="+", default=[3_400, 100_000])
    parser.add_argument("--only", nargs="+", default=[], help="words in the names of what is measured")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "prm-inspect-bench")
    parser.add_argument("--beside", type=Path, help="another checkout, measured in turn with this one")
    chosen = parser.parse_args()
    if chosen.beside and not (chosen.beside / "inspector").is_dir():
        parser.error(f"{chosen.beside} is not a checkout: it has no folder inspector.")
    print(
        f"{'cases':>9}  {'what':<44} {'first':>8} {'last':>8} {'p95':>8} {'worst':>8} {'bytes':>8}   target", flush=True
    )
    if wanted("--help", chosen.only):
        print_help_time()
    trees = [*([chosen.beside.resolve()] if chosen.beside else []), ROOT]
    for cases in chosen.cases:
        root = make_workspace(chosen.folder / str(cases), cases, SCORERS_OF.get(cases, SCORERS))
        show(cases, measured(root, cases, EVERY, chosen.only, trees))
    if any(wanted(one.what, chosen.only) for one in CASE):
        root = make_workspace(chosen.folder / "long", 3_400, 6, steps=(40, 40))
        show(3_400, measured(root, 3_400, CASE, chosen.only, trees))


def show(cases: int, rows: Iterator[tuple[str, ...]]) -> None:
    """Print rows as they come."""
    for what, *numbers, target in rows:
        cells = " ".join(f"{number:>8}" for number in numbers)
        print(f"{cases:>9,}  {what:<44} {cells}   {target}", flush=True)


def wanted(what: str, words: Sequence[str]) -> bool:
    """Whether this is to be measured."""
    return not words or any(word in what for word in words)


def print_help_time() -> None:
    """--help against a bare Python, side by side."""
    bare, helped = [], []
    for _ in range(15):
        bare.append(timed([sys.executable, "-c", "pass"]))
        helped.append(timed([*RUN, "--help"]))
    ratio = statistics.median(helped) / statistics.median(bare)
    what = f"--help, {ratio:.1f} times a bare Python"
    print(f"{'':>9}  {what:<44} {'':>8} {statistics.median(helped):>8.0f} {'':>26}   under 4 times")


def timed(argv: Sequence[str]) -> float:
    """Milliseconds that a command takes."""
    start = time.perf_counter()
    subprocess.run(argv, check=True, capture_output=True, env={"PYTHONPATH": str(ROOT)})
    return (time.perf_counter() - start) * 1e3


def measured(
    root: Path, cases: int, every: Sequence[Keys], words: Sequence[str], trees: Sequence[Path]
) -> Iterator[tuple[str, ...]]:
    """The start, if it is asked for, and the keys, each in an app of its own, of one checkout after the other."""
    with tempfile.TemporaryDirectory() as state:
        programs = [Program([*RUN, "-w", str(root)], state, cases, tree) for tree in trees]
        for program in programs:
            # The first start computes what the others find, and keeps it while it says nothing.
            with program.started() as terminal:
                program.ready(terminal)
                terminal.settle(3 + cases / 1e5, timeout=600)
        if wanted("start", words) and every is EVERY:
            for program in programs:
                yield program.start()
                yield program.start_again()
            if len(programs) > 1:
                yield ratio("start", [[program.started_in() for program in programs] for _ in range(PAIRS)])
        for keys in every:
            if wanted(keys.what, words):
                yield from held(programs, keys)


def held(programs: Sequence["Program"], keys: Keys) -> Iterator[tuple[str, ...]]:
    """One key held, in the apps of all checkouts in turn."""
    with ExitStack() as stack:
        terminals = [stack.enter_context(program.started()) for program in programs]
        for program, terminal in zip(programs, terminals, strict=True):
            program.ready(terminal)
            terminal.settle()
            for opening in keys.before:
                terminal.press(opening, gap=0.4)
        turns = [[terminal.press(*keys.pressed, gap=keys.gap) for terminal in terminals] for _ in range(keys.times)]
    for program, answers in zip(programs, zip(*turns, strict=True), strict=True):
        yield program.row(keys, [answer for answer in answers if answer])
    if len(programs) > 1:
        answered = [turn for turn in turns if all(turn)]
        sides = ([[getattr(answer, side) for answer in turn] for turn in answered] for side in ("first", "last"))
        yield ratio(keys.what, *sides)


def ratio(what: str, *columns: Sequence[Sequence[float]]) -> tuple[str, ...]:
    """The medians over pairs of this checkout's time as a share of the other's, of the first byte if it is there."""
    medians = [
        f"{statistics.median(pair[-1] / pair[0] for pair in pairs) if pairs else math.nan:.3f}" for pairs in columns
    ]
    first, last = ["", *medians][-2:]
    return f"{what}: ratio of {len(columns[-1])} pairs", first, last, "", "", "", "1.05"


@dataclass(frozen=True)
class Program:
    """The app of a checkout on a workspace of so many cases; it remembers nothing of how it was left."""

    argv: list[str]
    state: str
    cases: int
    tree: Path = ROOT

    def started(self, state: str = "") -> Terminal:
        """The app, not yet ready; without a state folder it remembers nothing."""
        env = {
            "PYTHONPATH": str(self.tree),
            "PYTHONDONTWRITEBYTECODE": "",
            "XDG_STATE_HOME": state or tempfile.mkdtemp(dir=self.state),
        }
        return Terminal(self.argv, columns=200, lines=50, env=env, cwd=self.tree)

    def named(self, what: str) -> str:
        """What is measured, and of which checkout where it is another one."""
        return what if self.tree == ROOT else f"{what} ({self.tree.name})"

    def ready(self, terminal: Terminal) -> float:
        """Milliseconds until its rows are on screen."""
        return 1e3 * terminal.wait_for(f"{self.cases:,} cases", timeout=600)

    def start(self) -> tuple[str, ...]:
        """From the start to the rows, and the memory that is resident then and after a threshold was moved."""
        times = []
        for _ in range(STARTS):
            with self.started() as terminal:
                times.append(self.ready(terminal))
                terminal.settle()
                at_rest = resident(terminal)
                for key in ("g", "l", "t", "right", "enter"):
                    terminal.press(key, gap=0.5)
                used = resident(terminal)
        target = {3_400: "900", 100_000: "1200", 1_000_000: "2500, 700 MB"}.get(self.cases, "")
        median, worst = statistics.median(times), max(times)
        what = f"start; {at_rest:.0f} MB, {used:.0f} MB in use"
        return self.named(what), "", f"{median:.0f}", "", f"{worst:.0f}", "", target

    def start_again(self) -> tuple[str, ...]:
        """From the start to the rows where nothing has changed since the last one, beside the libraries alone."""
        state, times, bare = tempfile.mkdtemp(dir=self.state), [], []
        with self.started(state) as terminal:
            self.ready(terminal)
            # What is computed behind ends first, then the frame is kept.
            end = time.monotonic() + 6 + self.cases / 3e4
            while time.monotonic() < end and not list(Path(state).rglob("*.msgpack")):
                terminal.settle(0.5)
        for _ in range(STARTS):
            bare.append(timed([sys.executable, "-c", "import polars, textual.app, textual.widgets"]))
            with self.started(state) as terminal:
                times.append(self.ready(terminal))
        median, ratio = statistics.median(times), statistics.median(times) / statistics.median(bare)
        what = self.named(f"start again, {ratio:.2f} times the libraries")
        return what, "", f"{median:.0f}", "", f"{max(times):.0f}", "", "1.5 times"

    def started_in(self) -> float:
        """Milliseconds from a start to the rows."""
        with self.started() as terminal:
            return self.ready(terminal)

    def row(self, keys: Keys, answers: Sequence[Answer]) -> tuple[str, ...]:
        """What a key took."""
        target = keys.targets.get(self.cases, keys.targets.get(0, ""))
        what = self.named(keys.what)
        return (what if answers else f"{what}: no answer", *numbers(answers), target)


def numbers(answers: Sequence[Answer]) -> tuple[str, ...]:
    """Median first and last byte, p95 and worst last byte, and median bytes."""
    if not answers:
        return ("",) * 5
    lasts = sorted(answer.last for answer in answers)
    first = statistics.median(answer.first for answer in answers)
    p95 = lasts[max(0, round(0.95 * len(lasts)) - 1)]
    size = statistics.median(len(answer.data) for answer in answers)
    return f"{first:.1f}", f"{statistics.median(lasts):.1f}", f"{p95:.1f}", f"{lasts[-1]:.1f}", f"{size:.0f}"


def resident(terminal: Terminal) -> float:
    """Megabytes of memory that the program holds, mapped files included."""
    for line in Path(f"/proc/{terminal.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1e3
    return 0.0


if __name__ == "__main__":
    main()
