"""How fast curves, cascades and sets of scorers are made, beside naive code: `python tests/bench/bench_together.py`.

The naive code decides and counts one case at a time, as often as the definition says. Numbers are reported beside the
targets and never asserted: machines differ and are busy.
"""

import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support"), str(ROOT / "tests" / "bench")]

import numpy as np  # noqa: E402  # after the path is set
from bench_metrics import study, timed  # noqa: E402

from scoring.evaluation.evaluation import Evaluation  # noqa: E402
from scoring.metrics.aligned import AlignedScorers, align_scorers  # noqa: E402
from scoring.metrics.aligned_rewards import aligned_rows  # noqa: E402
from scoring.metrics.cascade import cascade  # noqa: E402
from scoring.metrics.correct_sets import correct_sets  # noqa: E402
from scoring.metrics.curve_bands import metric_bands  # noqa: E402
from scoring.metrics.first_error_family import FIRST_ERRORS  # noqa: E402
from scoring.metrics.resampling import RESAMPLES  # noqa: E402
from scoring.metrics.scorer_pairs import agreement_rows, oracle_rows  # noqa: E402
from scoring.metrics.separation import case_histogram, step_histogram  # noqa: E402

SIZES = (3_400, 100_000)
SCORERS = 10
GRID = np.linspace(0, 1, 101)
NAIVE_RESAMPLES, NAIVE_CUTS = 2, 20


def main() -> None:
    """Measure everything and print a table."""
    print(f"{'what':<80} {'ours':>10} {'naive':>12} {'ratio':>7}   target")
    for what, ours, naive, target in rows():
        slow, ratio = ("", "") if naive is None else (f"{naive * 1e3:.0f} ms", f"{naive / ours:.0f}x")
        print(f"{what:<80} {ours * 1e3:7.1f} ms {slow:>12} {ratio:>7}   {target}")


def rows() -> Iterator[tuple[str, float, float | None, str]]:
    """What was measured: seconds of ours, of the naive code (None = there is none), and the target."""
    for n in SIZES:
        found, (rewards, gold) = study(n, 7, subsets=4)
        everything, repeats = np.ones(n, dtype=np.bool_), 5 if n == SIZES[0] else 1
        curve = timed(lambda found=found, rows=everything: metric_bands(FIRST_ERRORS, found, rows, GRID), repeats)
        yield (
            f"F1 at {GRID.size} thresholds with bands, {n:,} cases in 4 subsets",
            curve,
            naive_bands(rewards, gold),
            "1 s",
        )
        bars = timed(
            lambda found=found, rows=everything: [*case_histogram(found, rows), *step_histogram(found, rows)], 5
        )
        yield f"reward histograms of cases and steps, {n:,} x 7", bars, None, "100 ms"
        spent = timed(lambda found=found, rows=everything: list(aligned_rows(found, rows)), 5)
        yield f"rewards around the earliest error, {n:,} x 7", spent, None, "100 ms"
        aligned = align_scorers([found.at(0.2 + place / 20) for place in range(SCORERS)], everything)
        yield from of_aligned(found, aligned, repeats)


def histograms(found: Evaluation, everything: np.ndarray) -> list[dict[str, Any]]:
    """Both."""
    return [*case_histogram(found, everything), *step_histogram(found, everything)]


def of_aligned(
    found: Evaluation, aligned: AlignedScorers, repeats: int
) -> Iterator[tuple[str, float, float | None, str]]:
    """What several scorers make of the same cases together."""
    what = f"{SCORERS} scorers, {aligned.rows.size:,} cases"
    start = time.perf_counter()
    counted = Counter(
        (bool(side), tuple(row)) for side, row in zip(aligned.erroneous, aligned.right.tolist(), strict=True)
    )
    naive = time.perf_counter() - start
    sets = list(correct_sets(aligned, range(SCORERS)))
    assert sum(one.count > 0 for one in sets) == len(counted)
    yield (
        f"who is right together, {what}",
        timed(lambda: list(correct_sets(aligned, range(SCORERS))), 5),
        naive,
        "100 ms",
    )
    yield f"agreement of all pairs, {what}", timed(lambda: list(agreement_rows(aligned)), repeats), None, "150 ms"
    yield (
        f"oracle of all pairs with intervals, {what}",
        timed(lambda: list(oracle_rows(aligned)), repeats),
        None,
        "behind",
    )
    distances = found.decision_distances
    made = cascade(aligned, 0, 9, distances)
    ours = timed(lambda: cascade(aligned, 0, 9, distances), 5)
    yield (
        f"a cascade at all {made.cuts.size:,} cuts, {aligned.rows.size:,} cases",
        ours,
        naive_cascade(aligned, distances),
        "",
    )
    cuts = tuple(made.spread().tolist())
    yield f"  intervals at {len(cuts)} of them", timed(lambda: made.scores(cuts), repeats), None, "behind"


def naive_cascade(aligned: AlignedScorers, distances: np.ndarray) -> float:
    """Seconds for all cuts, of a few measured ones: who is asked, and F1 of one pooled group."""
    right, gold, asked = aligned.right.tolist(), aligned.erroneous.tolist(), distances.tolist()
    cuts = sorted(set(asked))
    start = time.perf_counter()
    for cut in cuts[:: max(1, len(cuts) // NAIVE_CUTS)][:NAIVE_CUTS]:
        hits, totals = [0, 0], [0, 0]
        for row, side, distance in zip(right, gold, asked, strict=True):
            hits[side] += row[9] if distance < cut else row[0]
            totals[side] += 1
        assert all(totals)
    return (time.perf_counter() - start) / NAIVE_CUTS * len(cuts)


def naive_bands(rewards: list[list[float]], gold: list[int]) -> float:
    """Seconds for all resamples, of a few measured ones: each draws cases and counts who is right at each threshold."""
    draw = random.Random(0)
    start = time.perf_counter()
    right = [naive_right(row, label) for row, label in zip(rewards, gold, strict=True)]
    decided = time.perf_counter() - start
    start = time.perf_counter()
    for _ in range(NAIVE_RESAMPLES):
        hits = np.zeros((4, 2, GRID.size))
        for _ in range(len(gold)):
            row = draw.randrange(len(gold))
            hits[row % 4, int(gold[row] == -1)] += right[row]
    return decided + (time.perf_counter() - start) / NAIVE_RESAMPLES * RESAMPLES


def naive_right(rewards: list[float], gold: int) -> list[bool]:
    """Whether a case is right at each threshold."""
    return [next((step for step, reward in enumerate(rewards) if reward < cut), -1) == gold for cut in GRID.tolist()]


if __name__ == "__main__":
    main()
