"""How long a chart takes to be laid out and painted at 120 x 36: `python tests/bench/bench_charts.py`.

Painted is what a pane does with the lines: every piece gets its style and every line becomes a strip. Numbers are
reported beside the target and never asserted: machines differ and are busy. Times in milliseconds.
"""

import asyncio
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]

import numpy as np  # noqa: E402  # after the path is set
from textual.app import App, ComposeResult  # noqa: E402

from inspector.render.chart_blocks import Bin, Series, Tick  # noqa: E402
from inspector.render.charts.bars import Bar, bars  # noqa: E402
from inspector.render.charts.chart_marks import ChartMark  # noqa: E402
from inspector.render.charts.curve import curve  # noqa: E402
from inspector.render.charts.glyphs import Glyphs  # noqa: E402
from inspector.render.charts.heat_map import heat_map  # noqa: E402
from inspector.render.charts.histogram import histogram  # noqa: E402
from inspector.render.charts.reliability import ReliabilityBin, reliability  # noqa: E402
from inspector.render.lines import CaseLink, PieceRow, Sheet  # noqa: E402
from inspector.widgets.sheet_view import SheetView  # noqa: E402

WIDTH, HEIGHT = 120, 36
RUNS = 30
CLASSES = (("erroneous", "missed"), ("clean", "clean"))
Chart = Callable[[], list[PieceRow]]


def charts(draw: np.random.Generator) -> dict[str, Chart]:
    """By what it is a chart that fills the pane."""
    glyphs, drill = Glyphs(), CaseLink((), 1, "one")

    def mark() -> ChartMark:
        value = float(draw.random())
        return ChartMark(value, value - 0.05, value + 0.05, int(draw.integers(5, 900)), drill)

    names = [f"kind of reasoning {number}" for number in range(30)]
    cells = [[mark() for _ in range(6)] for _ in names]
    entries = [Bar(name, mark()) for name in names]
    xs = np.linspace(0, 1, 3000)
    walks = [np.clip(0.5 + np.cumsum(draw.normal(0, 0.01, xs.size)), 0, 1) for _ in range(8)]
    series = [
        Series(f"scorer {letter}", letter, f"scorer-{letter}", xs, ys, ys - 0.05, ys + 0.05)
        for letter, ys in zip("abcdefgh", walks, strict=True)
    ]
    ticks = [Tick(0.5, "D", "default"), Tick(0.7, "P", "present")]
    edges = np.linspace(0, 1, 21).tolist()
    counts = draw.integers(0, 900, (20, 2)).tolist()
    bins = [Bin(edges[at], edges[at + 1], (one[0], one[1]), (drill, drill)) for at, one in enumerate(counts)]
    shares = [ReliabilityBin(at / 10, (at + 1) / 10, at / 10 + 0.05, mark()) for at in range(10)]
    return {
        "heat-map of 30 x 6": lambda: heat_map(names, names[:6], cells, WIDTH, glyphs),
        "30 bars": lambda: bars(entries, WIDTH, glyphs),
        "8 curves with bands of 3,000 points": lambda: curve(series, WIDTH, 28, glyphs, ticks=ticks),
        "histogram of 20 bins": lambda: histogram(bins, CLASSES, WIDTH, glyphs, height=14, ticks=ticks),
        "reliability diagram": lambda: reliability(shares, WIDTH, 30, glyphs),
    }


class Pane(App[None]):
    """A pane and nothing else."""

    def compose(self) -> ComposeResult:
        yield SheetView()


async def measured(made: dict[str, Chart]) -> None:
    """Print a line a chart, after an empty pane."""
    app = Pane()
    async with app.run_test(size=(WIDTH, HEIGHT)) as pilot:
        await pilot.pause()
        view = app.query_one(SheetView)
        for name, chart in {"nothing": list, **made}.items():
            laid, painted = [], []
            for _ in range(RUNS):
                start = time.perf_counter()
                lines = chart()
                between = time.perf_counter()
                view.show_sheet(Sheet(lines))
                for line in range(HEIGHT):
                    view.render_line(line)
                laid.append(1e3 * (between - start))
                painted.append(1e3 * (time.perf_counter() - between))
            both = sorted(one + other for one, other in zip(laid, painted, strict=True))
            p95 = both[round(0.95 * RUNS) - 1]
            print(
                f"{name:<40} {statistics.median(laid):8.2f} {statistics.median(painted):8.2f} {p95:8.2f}"
                "   20 over nothing"
            )


def main() -> None:
    """Measure and print a table."""
    print(f"{'what':<40} {'laid out':>8} {'painted':>8} {'p95':>8}   target")
    asyncio.run(measured(charts(np.random.default_rng(0))))


if __name__ == "__main__":
    main()
