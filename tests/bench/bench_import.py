"""What importing costs beside polars on the same file: `python tests/bench/bench_import.py [--rows N]`.

Seconds and ratios are reported beside the targets and never asserted: machines differ and are busy. Every measurement
runs in a process of its own, so that its peak of resident memory is its own.
"""

import argparse
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

REPEATS = 3
WORDS = [f"w{number * 7919 % 1_000_003}" for number in range(5000)]


def main() -> None:
    """Measure everything and print a table; or, as a child, measure one thing."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, default=200_000, help="rows of the large file")
    options.add_argument("--child", nargs=3, metavar=("WHAT", "FILE", "FOLDER"), help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.child:
        print(json.dumps(child(given.child[0], Path(given.child[1]), Path(given.child[2]))))
        return
    with tempfile.TemporaryDirectory() as folder:
        for line in chain(small(Path(folder)), large(Path(folder), given.rows)):
            print(line, flush=True)


def small(folder: Path) -> Iterator[str]:
    """Files of the sizes of ProcessBench and PRMBench."""
    import modified

    draw = random.Random(0)
    processbench = folder / "processbench.jsonl"
    write(processbench, (case(number, draw) for number in range(3400)))
    prmbench = folder / "prmbench.jsonl"
    write(prmbench, (modified_case(number, draw, modified.row()) for number in range(6216)))
    for file, what, target in (
        (processbench, "3,400 ProcessBench cases", "under 1 s"),
        (prmbench, "6,216 PRMBench rows", "under 2 s"),
    ):
        seconds = [run("import", file, folder)["seconds"] for _ in range(REPEATS)]
        yield f"{what:<40} {statistics.median(seconds):7.2f} s      target {target}"


def large(folder: Path, rows: int) -> Iterator[str]:
    """A large file of unique texts, whole and with one broken line."""
    draw = random.Random(1)
    file = folder / "large.jsonl"
    write(file, (case(number, draw) for number in range(rows)))
    yield f"{rows:,} rows, {file.stat().st_size / 1e9:.2f} GB"
    yield from beside_polars(file, folder, "whole")
    # Broken in place: the first key of the row in the middle loses its quote.
    with file.open("r+b") as out:
        out.seek(file.stat().st_size // 2)
        out.readline()
        out.seek(out.tell() + 1)
        out.write(b" ")
    yield from beside_polars(file, folder, "one broken line", polars=False)


def beside_polars(file: Path, folder: Path, what: str, *, polars: bool = True) -> Iterator[str]:
    """The import and polars in turn; polars stops at a broken line."""
    found: dict[str, list[dict[str, float]]] = {"import": [], "polars": []}
    for _ in range(REPEATS):
        for name in ("import", "polars") if polars else ("import",):
            found[name].append(run(name, file, folder))
    for name, runs in found.items():
        if runs:
            seconds = statistics.median(one["seconds"] for one in runs)
            memory = max(one["resident"] for one in runs)
            yield f"{f'{what}: {name}':<40} {seconds:7.2f} s {memory:6.2f} GB target under 2 GB"
    if polars:
        pairs = zip(found["polars"], found["import"], strict=True)
        ratio = statistics.median(theirs["seconds"] / ours["seconds"] for theirs, ours in pairs)
        yield f"{f'{what}: speed of polars reached':<40} {ratio:7.0%}        target at least 60%"


def run(what: str, file: Path, folder: Path) -> dict[str, float]:
    """One measurement in a process of its own: seconds of the work alone, and its peak of resident memory in GB."""
    with tempfile.TemporaryDirectory(dir=folder) as own:
        argv = [sys.executable, __file__, "--child", what, str(file), own]
        answer = subprocess.run(argv, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(answer.stdout)
    return found


def child(what: str, file: Path, folder: Path) -> dict[str, float]:
    """Import a file into a new workspace, or let polars make Parquet of it."""
    import polars as pl

    from scoring.importing.sources import ReadOptions, read_source
    from scoring.importing.spill import spill_folder
    from scoring.workspace import Workspace

    start = time.perf_counter()
    if what == "polars":
        pl.scan_ndjson(file).sink_parquet(folder / "by-polars.parquet")
    else:
        workspace = Workspace.create(folder / "space")
        with spill_folder(folder / "space") as spill:
            workspace.add(read_source(str(file), ReadOptions(folder=spill)).imported)
    seconds = time.perf_counter() - start
    # Kilobytes on Linux, bytes on macOS.
    unit = 1e9 if sys.platform == "darwin" else 1e6
    return {"seconds": seconds, "resident": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit}


def write(file: Path, rows: Iterator[dict[str, object]]) -> None:
    with file.open("w") as out:
        out.writelines(json.dumps(row) + "\n" for row in rows)


def case(number: int, draw: random.Random) -> dict[str, object]:
    """A row of about 2.3 kB as ProcessBench has them: ten steps of unique nonsense."""
    clean = number % 3 == 0
    return {
        "id": f"made-{number}",
        "generator": f"model-{number % 12}",
        "problem": f"Problem {number}: {' '.join(draw.choices(WORDS, k=20))}",
        "steps": [f"{number}.{step} {' '.join(draw.choices(WORDS, k=24))}" for step in range(10)],
        "final_answer_correct": clean,
        "label": -1 if clean else number % 10,
    }


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
