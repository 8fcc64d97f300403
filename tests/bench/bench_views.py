"""How fast analyses answer, and how fast their views are rendered: `python tests/bench/bench_views.py`.

Ten scorers. For every page of every analysis: milliseconds until its values are there (nothing is resampled) of a
workspace that was just read, so that nothing is remembered; after the threshold of one scorer moved; until its
intervals are there; then rendering. Reported beside the targets and never asserted: machines differ and are busy.
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support"), str(ROOT / "tests" / "bench")]

from large_workspace import make_workspace  # noqa: E402  # after the path is set

from inspector.analyses import Analysis, Params, load  # noqa: E402
from inspector.render.analysis_list import summaries  # noqa: E402
from inspector.render.charts.glyphs import Glyphs  # noqa: E402
from inspector.render.table_blocks import count, figure, table, text  # noqa: E402
from inspector.render.terminal import Terminal  # noqa: E402
from inspector.render.view import View  # noqa: E402
from inspector.state.focusing import covering  # noqa: E402
from inspector.state.opening import inspect  # noqa: E402
from inspector.state.screen_state import ScreenState  # noqa: E402
from inspector.state.subject import subject  # noqa: E402
from scoring.data.errors import UsageError  # noqa: E402
from scoring.selection.loading import load as load_query  # noqa: E402
from scoring.selection.query import Query  # noqa: E402

SCORERS = 10
TARGETS = {3_400: 150, 100_000: 400}
RENDERED = 50
"""Rows of the table that is rendered, under 5 ms."""


def main() -> None:
    """Measure everything and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, nargs="+", default=list(TARGETS))
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "prm-inspect-bench-ten")
    chosen = parser.parse_args()
    print(f"{'cases':>9}  {'page':<24} {'values':>9} {'moved':>9} {'intervals':>10}   target of values")
    for cases in chosen.cases:
        root = make_workspace(chosen.folder / str(cases), cases, SCORERS)
        start = inspect(load_query(Query(workspace=str(root))))
        for name in summaries():
            asked = load(name)
            if any(option.required for option in asked.options):
                continue
            for page in [one.name for one in asked.pages] or [""]:
                try:
                    told(start, asked, page)  # so that no import is measured
                except UsageError as error:
                    print(f"{cases:>9,}  {f'{name} {page}':<24} {error.sentence[:60]}", flush=True)
                    continue
                start = inspect(load_query(Query(workspace=str(root))))
                measured = told(start, asked, page)
                print(f"{cases:>9,}  {f'{name} {page}':<24} {measured}   {TARGETS.get(cases, '')} ms", flush=True)
    rendering()


def told(start: ScreenState, asked: Analysis, page: str) -> str:
    """Values, values at another threshold, and intervals."""
    names = about(start, asked, page)[: asked.most or None]
    moved = [start.moved(0.3 + at / 50) for at in range(4)]
    first = timed(lambda: view(start, asked, page, names, intervals=False), 1)
    again = statistics.median(timed(lambda one=one: view(one, asked, page, names, intervals=False), 1) for one in moved)
    whole = timed(lambda: view(start, asked, page, names, intervals=True), 1)
    return f"{1e3 * first:6.0f} ms {1e3 * again:6.0f} ms {1e3 * whole:7.0f} ms"


def about(start: ScreenState, asked: Analysis, page: str) -> tuple[str, ...]:
    """Whom a screen asks about on a page; beside each other stand three."""
    every = covering(start)
    whose = next((one.whose for one in asked.pages if one.name == page), "all")
    first = str(start.focus.scorer)
    others = [name for name in every if name != first]
    return {"focus": (first,), "pair": (first, others[0]), "beside": (first, *others[:2])}.get(whose, every)


def view(state: ScreenState, asked: Analysis, page: str, names: tuple[str, ...], *, intervals: bool) -> View:
    """The view, as a screen asks for it."""
    return asked.view(subject(state, names), Params(page), intervals=intervals).laid_out()


def rendering() -> None:
    """Milliseconds a renderer takes for a table of RENDERED rows of ten cells."""
    row = {"value": 0.6213, "low": 0.55, "high": 0.69, "reason": None, "small": True}
    lines = [[text(f"scorer-{at}"), count(1234 + at), *(figure(row) for _ in range(8))] for at in range(RENDERED)]
    columns = ["scorer", "n", *(f"metric {at}" for at in range(8))]
    from inspector.render.blocks import Section

    made = View(load_rows(), {}, lay_out=lambda: (Section("bench", "b", (table("t", columns, lines),)),))
    print(f"\n{RENDERED} rows of 10 cells, under 5 ms each")
    for width in (80, 200):
        spent = timed(lambda width=width: list(Terminal(width, Glyphs()).sections(made.sections)), 20)
        print(f"  terminal, {width} cells {1e3 * spent:6.1f} ms")
    for form in ("markdown", "latex", "html"):
        print(f"  {form:<19} {1e3 * timed(lambda form=form: made.render(form), 20):6.1f} ms")


def load_rows() -> object:
    """No rows: what is rendered are the sections."""
    import polars as pl

    return pl.DataFrame()


def timed(run: Callable[[], object], repeats: int) -> float:
    """Seconds, the median."""
    taken = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


if __name__ == "__main__":
    main()
