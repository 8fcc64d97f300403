"""How fast the virtual table answers under a real terminal: python tests/bench/bench_frame_table.py [--rows N ...]."""

import argparse
import statistics
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]

SPARKS = "▁▂▃▄▅▆▇█"
WORDS = ("exact", "early", "late", "missed", "clean")


def sparkline(value: tuple[list[float], int], width: int) -> list[tuple[str, str]]:
    rewards, gold = value
    return [
        (SPARKS[min(7, int(reward * 8))], "gold" if step == gold else "dim")
        for step, reward in enumerate(rewards[:width])
    ]


def outcome(value: str, _width: int) -> list[tuple[str, str]]:
    style = {"exact": "good", "clean": "good", "early": "early", "late": "late"}.get(value, "bad")
    return [(f"= {value}", style)]


def run_app(rows: int) -> None:
    """The program under the terminal: a table of synthetic rows.

    `x` shows a frame in which three of them differ, `f` every third row or all again, `s` them sorted or as they were.
    """
    import numpy as np
    import polars as pl
    from textual.app import App, ComposeResult

    from inspector.widgets.columns import TableColumn
    from inspector.widgets.frame_table import FrameTable

    random = np.random.default_rng(0)
    frame = pl.DataFrame(
        {
            "case": pl.select(pl.format("gsm8k/{}", pl.int_range(rows))).to_series(),
            "generator": random.choice(["Qwen2-7B-Instruct", "Llama-3.1-8B", "通义千问"], rows),
            "rewards": pl.Series(random.random((rows, 8))).arr.to_list(),
            "gold": random.integers(-1, 8, rows),
            "verdict": random.integers(-1, 8, rows),
            "lowest": random.random(rows),
            "outcome": random.choice(WORDS, rows),
            "note": random.choice(["", "contested", None], rows),
        }
    )
    columns = (
        TableColumn("case", "Case", 16),
        TableColumn("generator", "Generator", 20),
        TableColumn("rewards", "Rewards", 24, source=("rewards", "gold"), paint=sparkline),
        TableColumn("gold", "Gold", 5),
        TableColumn("verdict", "Verdict", 8),
        TableColumn("lowest", "Lowest", 8),
        TableColumn("outcome", "Outcome", 12, paint=outcome),
        TableColumn("note", "Note", 20, flex=1),
    )
    view = np.arange(rows, dtype=np.int32)
    near = pl.int_range(rows).is_in([3, 5, 7])
    other = frame.with_columns(verdict=pl.when(near).then(-1 - pl.col("verdict")).otherwise("verdict"))

    class TableApp(App[None]):
        def compose(self) -> ComposeResult:
            yield FrameTable()

        def on_mount(self) -> None:
            self.frames = (other, frame)
            self.views = {"f": (view[::3].copy(), view), "s": (np.argsort(frame["lowest"]).astype(np.int32), view)}
            self.query_one(FrameTable).show(frame, view, columns)

        def key_x(self) -> None:
            self.query_one(FrameTable).show(self.frames[0], view)
            self.frames = self.frames[::-1]

        def key_f(self) -> None:
            self.show_view("f")

        def key_s(self) -> None:
            self.show_view("s")

        def show_view(self, name: str) -> None:
            self.query_one(FrameTable).show(frame, self.views[name][0])
            self.views[name] = self.views[name][::-1]

    TableApp().run()


def p95(values: Iterable[float]) -> float:
    ordered = sorted(values)
    return ordered[max(0, round(0.95 * len(ordered)) - 1)]


def measure(rows: int, columns: int, lines: int) -> None:
    from terminal import Terminal

    argv = [sys.executable, __file__, "--app", str(rows)]
    with Terminal(argv, columns=columns, lines=lines) as terminal:
        terminal.wait_for("gsm8k/5", timeout=60)
        terminal.settle()
        for label, keys, times in (
            ("3 rows change", ("x",), 20),
            ("cursor down", ("down",), 30),
            ("cursor down, to the edge and on", ("down",), 60),
            ("page down", ("pagedown",), 20),
            ("end, home", ("end", "home"), 20),
            ("filter on and off", ("f",), 20),
            ("sort on and off", ("s",), 20),
        ):
            answers = [terminal.press(keys[turn % len(keys)]) for turn in range(times)]
            heard = [answer for answer in answers if answer]
            last = [answer.last for answer in heard]
            print(
                f"{rows:>9,}  {label:<32}{len(heard):>3}/{times:<4}"
                f"{statistics.median(answer.first for answer in heard):>8.1f}{statistics.median(last):>8.1f}"
                f"{p95(last):>8.1f}{max(last):>8.1f}{statistics.median(len(answer.data) for answer in heard):>9.0f}",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[3_400, 100_000, 1_000_000])
    parser.add_argument("--size", default="200x50", help="columns x lines")
    parser.add_argument("--app", type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.app is not None:
        run_app(args.app)
        return
    columns, lines = map(int, args.size.split("x"))
    print(f"     rows  {'key':<32}answered first ms last ms     p95   worst    bytes")
    for rows in args.rows:
        measure(rows, columns, lines)


if __name__ == "__main__":
    main()
