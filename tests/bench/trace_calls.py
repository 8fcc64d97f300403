"""How far a reader has to walk: the files and functions that a command, a key and an import enter.

    python tests/bench/trace_calls.py [--tree CHECKOUT] [--list]

Functions of the project are traced while they run, in all threads; class bodies, comprehensions and lambdas are left
out. `returns` walks through the functions in the order in which each is entered first, and counts how often the walk
leads back to a file that it has left: what one does who reads the code once from the first line to the last. `returns
of calls` does the same for every call. `--list` prints that walk, a line a stay in a file.
"""

import argparse
import asyncio
import contextlib
import inspect
import io
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
ROWS = [
    {
        "id": f"one-{row}",
        "problem": "What is 2 + 2?",
        "steps": ["2 + 2 is 4.", "So 5."],
        "label": 1,
        "rewards": [0.9, 0.2],
    }
    for row in range(2)
]


class Trace:
    """The functions of a checkout that were entered, in order."""

    def __init__(self, tree: Path) -> None:
        self.calls: list[CodeType] = []
        self._folders = tuple(f"{tree / package}{os.sep}" for package in ("inspector", "scoring"))

    @contextlib.contextmanager
    def on(self) -> Iterator[None]:
        """Trace this thread and all threads that start later."""
        threading.setprofile(self._profile)
        sys.setprofile(self._profile)
        try:
            yield
        finally:
            sys.setprofile(None)
            threading.setprofile(None)  # type: ignore[arg-type]  # None ends it

    def _profile(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        named = code.co_flags & inspect.CO_NEWLOCALS and not code.co_name.startswith("<")
        if event == "call" and named and code.co_filename.startswith(self._folders):
            self.calls.append(code)

    def numbers(self) -> dict[str, int]:
        """Count files, functions, calls and returns."""
        first = list(dict.fromkeys(self.calls))
        return {
            "files": len({code.co_filename for code in first}),
            "functions": len(first),
            "calls": len(self.calls),
            "returns": _returns([code.co_filename for code in first]),
            "returns of calls": _returns([code.co_filename for code in self.calls]),
        }

    def walk(self, tree: Path) -> Iterator[str]:
        """Give a line for each stay in a file, with the functions that are read there."""
        for name, codes in groupby(dict.fromkeys(self.calls), key=lambda code: code.co_filename):
            yield f"{Path(name).relative_to(tree)}: {', '.join(code.co_qualname for code in codes)}"


def _returns(names: Sequence[str]) -> int:
    """Count how often a walk through files comes back to a file that it has left."""
    stays = [name for name, _ in groupby(names)]
    return len(stays) - len(set(stays))


def metrics(trace: Trace) -> None:
    """`metrics` from its arguments to the table."""
    from inspector.cli import main

    with trace.on(), contextlib.redirect_stdout(io.StringIO()):
        main(["metrics", "--benchmark", "demo"])


def threshold_key(trace: Trace) -> None:
    """One press of Right under the open rail, on the list of cases."""
    from opened import opened
    from screen_text import press, rests

    async def pressed() -> None:
        async with opened(size=(120, 40)) as pilot:
            await press(pilot, "g l", "t", "right")
            await rests(pilot)
            with trace.on():
                await pilot.press("right")
                await rests(pilot)

    asyncio.run(pressed())


def importing(trace: Trace) -> None:
    """`import` of two rows with a scorer."""
    from inspector.cli import main

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "mine.jsonl")
        file.write_text("".join(f"{json.dumps(row)}\n" for row in ROWS))
        with trace.on(), contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            main(["import", str(file), "-w", str(Path(folder, "space"))])


WALKS = {"metrics": metrics, "threshold key": threshold_key, "import of two rows": importing}


def main() -> None:
    """Trace each walk in a process of its own, and print a line of numbers for it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tree", type=Path, default=ROOT, help="the checkout to trace")
    parser.add_argument("--list", action="store_true", help="print the walks")
    parser.add_argument("--walk", choices=WALKS, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    tree = chosen.tree.resolve()
    if not (tree / "inspector").is_dir():
        parser.error(f"{tree} is not a checkout: it has no folder inspector.")
    if chosen.walk:
        sys.path[:0] = [str(tree / folder) for folder in (".", "tests", "tests/support", "assets")]
        trace = Trace(tree)
        WALKS[chosen.walk](trace)
        lines = trace.walk(tree) if chosen.list else ()
        print("\n".join([json.dumps(trace.numbers()), *lines]))
        return
    for name in WALKS:
        words = [sys.executable, __file__, "--tree", str(tree), "--walk", name, *(["--list"] if chosen.list else [])]
        done = subprocess.run(words, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": ""})
        numbers, *lines = done.stdout.splitlines()
        print(f"{name:<20} " + ", ".join(f"{number:,} {what}" for what, number in json.loads(numbers).items()))
        print(*lines, sep="\n", end="\n" if lines else "")


if __name__ == "__main__":
    main()
