"""How fast texts are searched, by itself and in the app under a real terminal of 200 x 50.

    python tests/bench/bench_search.py [--cases 3400 100000 1000000] [--folder DIR] [--only WORD ...]

Workspaces are those of bench_app. Times are in milliseconds beside the targets, the medians of five runs with the files
in the page cache, and are never asserted. `first` is until the first hits, `last` until all texts were read. In the app
the word is typed at once: from its last letter to the first and the last byte; then keys are pressed while a search
runs, and the worst wait for an answer is told.
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support"), str(ROOT / "tests" / "bench")]

from large_workspace import make_workspace  # noqa: E402  # after the path is set

from scoring.workspace.filtering.text_query import TextQuery  # noqa: E402
from scoring.workspace.filtering.text_search import Searchable, search  # noqa: E402
from scoring.workspace.workspace import Workspace  # noqa: E402
from terminal import Terminal  # noqa: E402

RUN = [sys.executable, "-m", "inspector.cli"]
SCORERS = 8
RUNS = 5
TARGETS = {3_400: "100", 100_000: "200", 1_000_000: "1000"}
QUERIES = {
    "a word in many cases": ("divide", ()),
    "the same, in steps alone": ("divide", ("steps",)),
    "a word in no case": ("zebra", ()),
    "case matters": ("Step", ()),
    "two words and a phrase": ('divide "each of them" even', ()),
    "an expression": ("/x_[0-9]+ = (7|9)/", ()),
}


def main() -> None:
    """Measure everything and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, nargs="+", default=[3_400, 100_000])
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "prm-inspect-bench")
    parser.add_argument("--only", nargs="+", default=[], help="words in the names of what is measured")
    chosen = parser.parse_args()
    print(f"{'cases':>9}  {'what':<34} {'first':>8} {'last':>8} {'worst':>8} {'hits':>9}   target", flush=True)
    for cases in chosen.cases:
        root = make_workspace(chosen.folder / str(cases), cases, SCORERS)
        for what, *numbers in (*alone(root), *in_the_app(root, cases)):
            if not chosen.only or any(word in what for word in chosen.only):
                cells = " ".join(f"{number:>{9 if at == 3 else 8}}" for at, number in enumerate(numbers))
                print(f"{cases:>9,}  {what:<34} {cells}   {TARGETS.get(cases, '')}", flush=True)


def alone(root: Path) -> Iterator[tuple[object, ...]]:
    """The search without a screen."""
    metadata, texts = Workspace.open(root).cases()
    among = Searchable(texts, metadata["key"])
    for what, (text, scopes) in QUERIES.items():
        query = TextQuery.parse(text, scopes)
        firsts, lasts, hits = [], [], 0
        for _ in range(RUNS):
            start, first = time.perf_counter(), None
            for found in search(query, among):
                hits = int(found.mask.sum())
                if first is None and hits:
                    first = time.perf_counter() - start
            firsts.append(first or 0.0)
            lasts.append(time.perf_counter() - start)
        yield what, milliseconds(firsts), milliseconds(lasts), f"{1e3 * max(lasts):.0f}", f"{hits:,}"


def milliseconds(seconds: list[float]) -> str:
    """The median."""
    return f"{1e3 * statistics.median(seconds):.0f}"


def in_the_app(root: Path, cases: int) -> Iterator[tuple[object, ...]]:
    """Typed in the list; and keys while it runs."""
    with tempfile.TemporaryDirectory() as state:
        env = {"PYTHONPATH": str(ROOT), "XDG_STATE_HOME": state}
        with Terminal([*RUN, "-w", str(root)], columns=200, lines=50, env=env) as terminal:
            terminal.wait_for(f"{cases:,} cases", timeout=600)
            terminal.settle(2, timeout=600)
            terminal.press("g", "l", gap=1)
            firsts, lasts = [], []
            for word in ("divide", "zebra", "because", "half of", "even"):
                terminal.press("/", gap=0.3)
                start, written = time.perf_counter(), len(terminal.output)
                answer = terminal.press(word, gap=0.01)
                # What is written is looked through as bytes: making a screen of them takes longer than the search.
                while b" ms" not in terminal.output[written:] and time.perf_counter() < start + 60:
                    terminal.press("", gap=0.005, timeout=0.05)
                lasts.append(time.perf_counter() - start)
                firsts.append(answer.first / 1e3 if answer else 0.0)
                terminal.press("escape", gap=0.5)
            yield "typed in the app", milliseconds(firsts), milliseconds(lasts), f"{1e3 * max(lasts):.0f}", ""
            waits = []
            for word in ("number", "second", "three", "counts", "odd"):
                terminal.press("/", gap=0.3)
                terminal.press(word, gap=0.02)
                terminal.press("enter", gap=0.02)
                answers = [terminal.press(key, gap=0.01, timeout=2) for key in ("down", "up") * 4]
                waits += [answer.first / 1e3 for answer in answers if answer]
                terminal.press("x", gap=0.5)
            yield "a cursor key while one runs", milliseconds(waits), "", f"{1e3 * max(waits):.0f}", ""


if __name__ == "__main__":
    main()
