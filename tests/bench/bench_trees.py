"""How fast trees of 20,000 nodes open and answer, under a real terminal: `python tests/bench/bench_trees.py`.

Reading and counting are timed in this process, keys as a person feels them: from the press to the first byte of the
answer (median), and to the last one, the text of the node that follows when the keys rest. Numbers are reported beside
the targets and never asserted: machines differ and are busy. Times in milliseconds.
"""

import json
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]

from inspector.render.charts.glyphs import Glyphs  # noqa: E402
from inspector.screens.tree_rows import TreeRows  # noqa: E402  # after the path is set
from scoring.metrics.trees.reading import read_trees  # noqa: E402
from terminal import Terminal  # noqa: E402

NODES, TREES, REPEATS = 20_000, 3, 7
RUN = [sys.executable, "-m", "inspector.cli"]
SENTENCE = "so we add the first number to a second one and then divide by three which gives x again"
KEYS = (
    ("next node", (), "down", 60, "16"),
    ("node before", ("end",), "up", 60, "16"),
    ("page down", (), "pagedown", 30, "16"),
    ("to the last, to the first", (), ("end", "home"), 20, "16"),
    ("fold and unfold the root", (), ("left", "right"), 20, "16"),
    ("fold and unfold a node", ("down", "down"), ("left", "right"), 20, "16"),
    ("next wrong pruning", (), "tab", 20, "16"),
    ("next problem, and back", (), ("n", "N"), 10, "300"),
)


def main() -> None:
    """Measure and print a table."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "trees.jsonl"
        draw = random.Random(0)
        rows = [invented(draw, f"tree-{number}") for number in range(TREES)]
        file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        print(f"{'what':<44} {'first':>8} {'least':>8} {'median':>8} {'p95':>8}   target")
        opening(file)
        for columns, lines in ((80, 24), (200, 50)):
            print(f"{columns} x {lines}")
            keys(file, Path(folder), columns, lines)


def invented(draw: random.Random, name: str) -> dict[str, object]:
    """A tree as a beam of 40 grows it: nodes with 1 to 4 steps below, some dropped, leaves judged or not."""
    nodes: list[dict[str, object]] = [{"id": "0", "parent": None, "text": ""}]
    open_nodes = [0]
    while len(nodes) < NODES:
        parent = open_nodes.pop(draw.randrange(max(0, len(open_nodes) - 40), len(open_nodes)))
        for _ in range(draw.choice([1, 2, 4, 4])):
            text = f"{' '.join(draw.choices(SENTENCE.split(), k=draw.randint(8, 30)))} $\\frac{{x_{len(nodes)}}}{{2}}$"
            node = {"id": str(len(nodes)), "parent": str(parent), "text": text, "value": round(draw.random(), 3)}
            open_nodes.append(len(nodes))
            nodes.append(
                {**node, "visits": draw.randrange(20), "pruned": draw.choice([None, None, draw.randrange(30)])}
            )
    parents = {node["parent"] for node in nodes}
    for node in nodes:
        if node["id"] not in parents:
            node["correct"] = draw.choice([True, False, None])
    return {"id": name, "problem": "How many crates are left?", "nodes": nodes}


def opening(file: Path) -> None:
    """Read, count and lay out, per tree."""
    reading, laying = [], []
    for _ in range(REPEATS):
        began = time.perf_counter()
        trees = read_trees([file]).trees
        reading.append((time.perf_counter() - began) / TREES)
        began = time.perf_counter()
        rows = TreeRows(trees[0], Glyphs())
        rows.rows(("step", "value", "visits", "right", "dropped"), rows.visible[:64])
        laying.append(time.perf_counter() - began)
    both = [first + second for first, second in zip(reading, laying, strict=True)]
    for what, times, target in (
        ("read a tree", reading, ""),
        ("count it and lay it out", laying, ""),
        ("both", both, "300"),
    ):
        least, middle, most = (number * 1000 for number in (min(times), statistics.median(times), max(times)))
        print(f"{what:<44} {'':>8} {least:>8.1f} {middle:>8.1f} {most:>8.1f}   {target}")


def keys(file: Path, state: Path, columns: int, lines: int) -> None:
    """Press keys, from the opened screen on each."""
    env = {"PYTHONPATH": str(ROOT), "XDG_STATE_HOME": str(state)}
    for what, before, pressed, count, target in KEYS:
        with Terminal([*RUN, "trees", str(file)], columns=columns, lines=lines, env=env) as terminal:
            terminal.wait_for("tree-0" if columns > 100 else "problem 1 of 3")
            terminal.settle()
            for key in before:
                terminal.press(key)
                terminal.settle()
            turns = (pressed,) if isinstance(pressed, str) else pressed
            answers = [
                answer for at in range(count) if (answer := terminal.press(turns[at % len(turns)], gap=0.1)) is not None
            ]
        lasts = sorted(answer.last for answer in answers)
        p95 = lasts[max(0, round(0.95 * len(lasts)) - 1)]
        first = statistics.median(answer.first for answer in answers)
        print(f"{what:<44} {first:>8.1f} {lasts[0]:>8.1f} {statistics.median(lasts):>8.1f} {p95:>8.1f}   {target}")


if __name__ == "__main__":
    main()
