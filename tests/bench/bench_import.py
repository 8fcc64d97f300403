"""What importing costs beside polars on the same file: `python tests/bench/bench_import.py [--rows N]`.

Ratios are reported beside the targets and never asserted: machines differ and are busy. Every measurement is a process
of its own, the real command for ours, so that its processor time and its peak of resident memory are its own; processor
time includes the start of Python. Ours and polars' take turns.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "support")]

REPEATS = 3
WORDS = [f"w{number * 7919 % 1_000_003}" for number in range(5000)]
POLARS = "import sys, polars as pl; pl.scan_ndjson(sys.argv[1]).sink_parquet(sys.argv[2])"


@dataclass(frozen=True)
class Cost:
    """Seconds on the clock, seconds of processors, and gigabytes of resident memory at the peak."""

    wall: float
    processor: float
    resident: float


def main() -> None:
    """Measure everything and print a table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, default=1_000_000, help="rows of the large files")
    rows = options.parse_args().rows
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        for part in (small, cases, rewards):
            for line in part(place, rows):
                print(line, flush=True)


def small(folder: Path, _rows: int) -> Iterator[str]:
    """Files of the sizes of ProcessBench and PRMBench."""
    import modified

    draw = random.Random(0)
    sound = modified.row()
    for what, number, made in (
        ("3,400 ProcessBench cases", 3400, lambda at: case(at, draw)),
        ("6,216 PRMBench rows", 6216, lambda at: modified_case(at, draw, sound)),
    ):
        file = write(folder / f"{number}.jsonl", number, made)
        start = statistics.median(cost([sys.executable, "-c", "import inspector.cli"]).wall for _ in range(REPEATS))
        walls = [imported(file, folder / f"{number}-{turn}").wall for turn in range(REPEATS)]
        yield f"{what:<44} {statistics.median(walls):6.2f} s on the clock, {start:.2f} of them Python's start"


def cases(folder: Path, rows: int) -> Iterator[str]:
    """A large file of cases with unique texts: whole, again, and with one broken line."""
    draw = random.Random(1)
    file = write(folder / "cases.jsonl", rows, lambda number: small_case(number, draw))
    yield f"{rows:,} cases, {file.stat().st_size / 1e9:.2f} GB"
    yield from beside_polars(file, folder, "cases", target="speed at least 60%, under 2 GB")
    broken(file)
    yield told("cases with a broken line", [imported(file, folder / "with a broken line")])


def rewards(folder: Path, rows: int) -> Iterator[str]:
    """A large file of ids and rewards that joins a benchmark by its ids."""
    draw = random.Random(2)
    steps = [draw.randint(3, 12) for _ in range(rows)]
    benchmark = write(folder / "benchmark.jsonl", rows, lambda number: bare_case(number, steps[number]))
    space = folder / "with a benchmark"
    imported(benchmark, space)
    file = write(folder / "mine.jsonl", rows, lambda number: rewards_of(number, steps[number], draw))
    yield f"{rows:,} rows of ids and rewards, {file.stat().st_size / 1e9:.2f} GB"
    yield from beside_polars(file, folder, "rewards", space, target="processor time at most 4x, under 1.5 GB")
    broken(file)
    yield told("rewards with a broken line", [imported(file, copied(space, folder / "other"))])


def beside_polars(file: Path, folder: Path, what: str, space: Path | None = None, *, target: str) -> Iterator[str]:
    """The import and polars in turn, and the import once more."""
    ours, theirs, again = [], [], []
    for turn in range(REPEATS):
        place = folder / f"{what}-{turn}"
        if space is not None:
            copied(space, place)
        ours.append(imported(file, place))
        theirs.append(cost([sys.executable, "-c", POLARS, str(file), str(folder / "by-polars.parquet")]))
        again.append(imported(file, place))
    yield told(f"{what}: import", ours)
    yield told(f"{what}: polars", theirs)
    yield told(f"{what}: import once more", again)
    pairs = list(zip(ours, theirs, strict=True))
    speed = statistics.median(polars.wall / own.wall for own, polars in pairs)
    processor = statistics.median(own.processor / polars.processor for own, polars in pairs)
    second = statistics.median(late.processor / early.processor for early, late in zip(ours, again, strict=True))
    yield f"{what}: {speed:.0%} of polars' speed, {processor:.1f}x its processor time (target: {target})"
    yield f"{what}: the second import takes {second:.0%} of the first (target: under a third)"


def told(what: str, costs: list[Cost]) -> str:
    """Medians of what runs cost, and the largest peak."""
    wall, processor = (statistics.median(getattr(one, name) for one in costs) for name in ("wall", "processor"))
    peak = max(one.resident for one in costs)
    return f"{what:<44} {wall:6.2f} s on the clock, {processor:6.2f} of processors, {peak:5.2f} GB"


def imported(file: Path, space: Path) -> Cost:
    """Import a file into a workspace with the command."""
    words = ["-q", "-w", str(space), "import", str(file)]
    return cost([sys.executable, "-c", "import sys; from inspector.cli import main; sys.exit(main())", *words])


def copied(space: Path, place: Path) -> Path:
    """Another workspace with the same benchmarks; their files are linked."""
    subprocess.run(["cp", "-rl", str(space), str(place)], check=True)
    return place


def cost(argv: list[str]) -> Cost:
    """Run a command to its end; one that ends with warnings has done its work."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    start = time.perf_counter()
    process = subprocess.Popen(argv, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in {0, 1}:
        raise SystemExit(f"{argv} ended with {process.returncode}")
    # Kilobytes on Linux, bytes on macOS.
    unit = 1e9 if sys.platform == "darwin" else 1e6
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / unit)


def write(file: Path, number: int, row: Callable[[int], dict[str, object]]) -> Path:
    """Write so many rows as JSON Lines."""
    with file.open("w") as out:
        out.writelines(json.dumps(row(at)) + "\n" for at in range(number))
    return file


def broken(file: Path) -> None:
    """Break the row in the middle, in place: its first key loses its quote."""
    with file.open("r+b") as out:
        out.seek(file.stat().st_size // 2)
        out.readline()
        out.seek(out.tell() + 1)
        out.write(b" ")


def case(number: int, draw: random.Random, steps: int = 10, words: int = 24) -> dict[str, object]:
    """A row as ProcessBench has them, of about 2.3 kB: steps of unique nonsense."""
    clean = number % 3 == 0
    return {
        "id": f"made-{number}",
        "generator": f"model-{number % 12}",
        "problem": f"Problem {number}: {' '.join(draw.choices(WORDS, k=20))}",
        "steps": [f"{number}.{step} {' '.join(draw.choices(WORDS, k=words))}" for step in range(steps)],
        "final_answer_correct": clean,
        "label": -1 if clean else number % steps,
    }


def small_case(number: int, draw: random.Random) -> dict[str, object]:
    """The same in about 1.1 kB."""
    return case(number, draw, steps=6, words=18)


def bare_case(number: int, steps: int) -> dict[str, object]:
    """The least that is a case."""
    texts = [f"step {step} of {number}" for step in range(steps)]
    return {"id": f"made-{number}", "problem": f"What is {number}?", "steps": texts, "label": number % steps}


def rewards_of(number: int, steps: int, draw: random.Random) -> dict[str, object]:
    """One row of rewards."""
    return {"id": f"made-{number}", "rewards": [round(draw.random(), 6) for _ in range(steps)]}


def modified_case(number: int, draw: random.Random, sound: dict[str, object]) -> dict[str, object]:
    """A sound row as PRMBench has them, with an id and texts of its own."""
    texts = {
        name: [f"{number}.{step} {' '.join(draw.choices(WORDS, k=24))}" for step in range(len(value))]
        for name, value in sound.items()
        if isinstance(value, list) and value and all(isinstance(one, str) for one in value)
    }
    return {**sound, **texts, "idx": f"{sound['idx']}_{number}"}


if __name__ == "__main__":
    main()
