"""How fast thresholds are found and cases decided, beside naive code: `python tests/bench/bench_metrics.py`.

The naive code goes through the definitions one case and one step at a time, a full evaluation a threshold, and does so
in the same run. Numbers are reported beside the targets and never asserted: machines differ and are busy.
"""

import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from msgspec.structs import replace

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]

import numpy as np  # noqa: E402  # after the path is set
import polars as pl  # noqa: E402

from covering import PROCESSBENCH, TWO, covered  # noqa: E402
from scoring.data.schema import METADATA, REWARDS  # noqa: E402
from scoring.data.scorer import Scorer  # noqa: E402
from scoring.evaluation.evaluation import Evaluation, evaluate  # noqa: E402
from scoring.evaluation.gold import Gold  # noqa: E402
from scoring.evaluation.verdicts import OUTCOMES  # noqa: E402
from scoring.formats.benchmarks.prmbench import CLASSES, STEP_LABELLED  # noqa: E402
from scoring.metrics import resampling  # noqa: E402
from scoring.metrics.benchmark_metrics import metrics_of  # noqa: E402
from scoring.metrics.deciding import dev_tuned  # noqa: E402
from scoring.metrics.first_error_family import FIRST_ERRORS  # noqa: E402
from scoring.metrics.metrics_by_subset import MetricsBySubset  # noqa: E402
from scoring.metrics.step_labels import step_rows as step_metrics  # noqa: E402
from scoring.metrics.threshold_curves import metric_curve, tuned  # noqa: E402

GRID = 100
RESAMPLES, NAIVE_RESAMPLES = 1000, 5
SCORERS = 10
TYPES = 5


def main() -> None:
    """Measure everything and print a table."""
    print(f"{'what':<80} {'ours':>9} {'naive':>10} {'ratio':>7}   target")
    for what, ours, naive, target in rows():
        slow, ratio = ("", "") if naive is None else (f"{naive * 1e3:.0f} ms", f"{naive / ours:.0f}x")
        print(f"{what:<80} {ours * 1e3:6.2f} ms {slow:>10} {ratio:>7}   {target}")
    print(f"\n{'coverage of the 95% interval of the average F1, 400 made benchmarks':<80} {'share':>9}")
    for what, share in coverage():
        print(f"{what:<80} {share:9.3f}")


def coverage() -> Iterator[tuple[str, float]]:
    """How often intervals hold the truth: cases by themselves, whole problems, and where sharing is ignored."""
    for name, made in (("ProcessBench's sizes", PROCESSBENCH), ("two subsets of 40", TWO)):
        yield f"{name}, one solution a problem, stratified", covered(*made, 400)
        alike = f"{name}, 4 solutions a problem, mostly alike"
        yield f"{alike}, whole problems resampled", covered(*made, 400, each=4, alike=0.8)
        yield f"{alike}, ignored", covered(*made, 400, each=4, alike=0.8, ignored=True)


def rows() -> Iterator[tuple[str, float, float | None, str]]:
    """What was measured: seconds of ours, of the naive code (None = there is none), and the target."""
    for n, n_steps, repeats, target in ((3_595, 7, 9, "50x"), (100_000, 10, 5, "100x")):
        found, lists = study(n, n_steps)
        everything = np.ones(n, dtype=np.bool_)
        best = metric_curve(FIRST_ERRORS, found, everything, whole="all")
        ours = timed(
            lambda found=found, rows=everything: metric_curve(FIRST_ERRORS, found, rows, whole="all").best, repeats
        )
        start = time.perf_counter()
        _, f1 = naive_grid(*lists)
        slow = time.perf_counter() - start
        better = f"best F1 {best.best[1]:.4f} against {f1:.4f} of the grid"
        yield f"exact best threshold, {n:,} x {n_steps} ({better})", ours, slow, target
    yield from step_rows()
    types = np.random.default_rng(1).integers(0, TYPES, n)
    yield f"decide {n:,} cases again, counts by error type", timed(lambda: counts(found, types), 30), None, "under 2 ms"
    naive = naive_counts(*lists, types.tolist(), 0.4)
    assert np.array_equal(counts(found.at(0.4), types, again=False), naive)
    grouped, _ = study(3_595, 7, subsets=9)
    yield "dev-tuned, 3,595 cases in 9 subsets, draw included", timed(lambda: drawn(grouped), 9), None, ""
    yield from bootstraps()


def bootstraps() -> Iterator[tuple[str, float, float | None, str]]:
    """Intervals of the average F1 of ten scorers, by stratified cases and by whole problems, draws included."""
    what = f"{RESAMPLES:,} resamples of the average F1 of {SCORERS} scorers, 3,400 cases in 4 subsets"
    for each, way in ((1, "stratified"), (2, "2 solutions a problem"), (4, "4 solutions a problem")):
        found, (rewards, gold) = study(3_400, 7, subsets=4, each=each)
        scorers = [found.at(0.3 + place / 20) for place in range(SCORERS)]
        everything = np.ones(3_400, dtype=np.bool_)

        def ours(scorers: list[Evaluation] = scorers, rows: np.ndarray = everything) -> None:
            resampling._problem_draws.cache_clear()
            for one in scorers:
                MetricsBySubset.of(FIRST_ERRORS, one, rows).average()

        ours()
        start = time.perf_counter()
        naive_bootstrap(rewards, gold, each)
        # One scorer and a few resamples are measured; the rest are more of the same.
        slow = (time.perf_counter() - start) * SCORERS * RESAMPLES / NAIVE_RESAMPLES
        yield f"{what}, {way}", timed(ours, 9), slow, "under 50 ms"
        again = timed(lambda one=found, rows=everything: MetricsBySubset.of(FIRST_ERRORS, one, rows).average(), 30)
        yield "  the same of one scorer whose threshold moved, draws remembered", again, None, "under 5 ms"


def naive_bootstrap(rewards: list[list[float]], gold: list[int], each: int) -> list[float]:
    """The average F1 in a few resamples of whole problems, one case at a time; verdicts are decided once."""
    draw, found = random.Random(0), []
    right = [naive_verdict(row, 0.4) == label for row, label in zip(rewards, gold, strict=True)]
    for _ in range(NAIVE_RESAMPLES):
        hits, totals = {}, {}
        for _ in range(len(gold) // each):
            first = each * draw.randrange(len(gold) // each)
            for row in range(first, first + each):
                cell = (row // each % 4, gold[row] == -1)
                totals[cell] = totals.get(cell, 0) + 1
                hits[cell] = hits.get(cell, 0) + right[row]
        f1 = []
        for subset in range(4):
            a, b = (hits[subset, side] / totals[subset, side] for side in (False, True))
            f1.append(2 * a * b / (a + b))
        found.append(sum(f1) / 4)
    return found


def step_rows() -> Iterator[tuple[str, float, float | None, str]]:
    """The exact best threshold for PRMScore, and all figures, on as many cases, steps and classes as PRMBench has."""
    found, (rewards, _) = study(6_216, 13)
    wrong = np.random.default_rng(2).random(np.shape(rewards)) < np.where(np.array(rewards) < 0.6, 0.4, 0.1)
    listed = [np.flatnonzero(row).tolist() for row in wrong]
    cases = found.gold.cases.with_columns(
        pl.lit("prmbench").alias("benchmark"),
        pl.Series("subset", [list(CLASSES)[row % len(CLASSES)] for row in range(found.gold.cases.height)]),
        pl.Series("error_type", [list(CLASSES)[row % len(CLASSES)] for row in range(found.gold.cases.height)]),
        pl.Series("error_category", [None] * found.gold.cases.height, dtype=pl.String),
        pl.Series("error_steps", listed, dtype=pl.List(pl.Int32)),
        pl.Series("earliest_error", [min(row, default=-1) for row in listed], dtype=pl.Int32),
    )
    found = replace(found, gold=Gold(cases))
    everything = np.ones(cases.height, dtype=np.bool_)
    best = tuned(metrics_of("prmbench").curve(found, everything, "drop")).threshold
    ours = timed(lambda: tuned(metrics_of("prmbench").curve(found, everything, "drop")), 9)
    start = time.perf_counter()
    _, score = naive_step_grid(rewards, wrong.tolist())
    slow = time.perf_counter() - start
    exact = naive_prmscore(rewards, wrong.tolist(), best)
    better = f"PRMScore {exact:.4f} against {score:.4f} of the grid"
    yield f"exact best threshold for steps, {cases.height:,} x 13 ({better})", ours, slow, ""
    what = f"all PRMBench figures of one scorer, {cases.height:,} x 13, {len(CLASSES)} classes"
    for name, seed, target in (("without intervals", None, "under 10 ms"), ("with intervals", 0, "under 50 ms")):
        figures = timed(lambda seed=seed: list(step_metrics(found.at(0.5), everything, STEP_LABELLED, seed=seed)), 9)
        yield f"{what}, {name}", figures, None, target


def drawn(found: Evaluation) -> Evaluation:
    """Dev-tuned, with nothing remembered of an earlier draw."""
    from scoring.metrics.deciding import dev_sets

    dev_sets.cache_clear()
    return dev_tuned(found, 0)


def study(
    n: int, n_steps: int, subsets: int = 1, each: int = 1
) -> tuple[Evaluation, tuple[list[list[float]], list[int]]]:
    """n cases of so many steps, half of them erroneous, with unique rewards that lean towards their gold label.

    Each problem has `each` solutions, all in one subset.
    """
    draw = np.random.default_rng(0)
    gold = np.where(draw.random(n) < 0.5, -1, draw.integers(0, n_steps, n))
    rewards = draw.beta(5, 1.5, (n, n_steps))
    erroneous = np.flatnonzero(gold >= 0)
    rewards[erroneous, gold[erroneous]] = draw.beta(2, 2, erroneous.size)
    names = pl.Series([f"c{index}" for index in range(n)])
    columns: dict[str, Any] = {
        "case": "bench/" + names,
        "key": names,
        "id": names,
        "benchmark": ["bench"] * n,
        "subset": [f"subset {index // each % subsets}" for index in range(n)],
        "problem_id": [f"p{index // each}" for index in range(n)],
        "n_steps": pl.Series([n_steps] * n, dtype=pl.Int32),
        "earliest_error": pl.Series(gold, dtype=pl.Int32),
    }
    schema = {name: dtype for name, dtype in METADATA.items() if name not in columns}
    cases = pl.DataFrame(columns).with_columns(pl.lit(None, dtype).alias(name) for name, dtype in schema.items())
    given = pl.DataFrame({"key": names, "rewards": rewards.tolist()}).with_columns(
        pl.lit(0 if name == "vote" else None, dtype).alias(name)
        for name, dtype in REWARDS.items()
        if name not in {"key", "rewards"}
    )
    return evaluate(Gold(cases.select(list(METADATA))), Scorer("bench", "0" * 32), given), (
        rewards.tolist(),
        gold.tolist(),
    )


def counts(found: Evaluation, types: np.ndarray, *, again: bool = True) -> np.ndarray:
    """Outcomes by error type, after deciding all cases again at another threshold."""
    decided = found.at(0.4) if again else found
    width = len(OUTCOMES)
    return np.bincount(types * width + decided.codes, minlength=TYPES * width).reshape(TYPES, width)


def timed(run: Callable[[], object], repeats: int) -> float:
    """Seconds, the median."""
    taken = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def naive_verdict(rewards: list[float], threshold: float) -> int:
    """The first step below the threshold, -1 if there is none."""
    for step, reward in enumerate(rewards):
        if reward < threshold:
            return step
    return -1


def naive_f1(rewards: list[list[float]], gold: list[int], threshold: float) -> float:
    """The harmonic mean of the accuracies on erroneous and on clean cases."""
    right, total = [0, 0], [0, 0]
    for row, label in zip(rewards, gold, strict=True):
        clean = label == -1
        total[clean] += 1
        right[clean] += naive_verdict(row, threshold) == label
    error_acc, correct_acc = right[0] / total[0], right[1] / total[1]
    return 2 * error_acc * correct_acc / (error_acc + correct_acc) if error_acc + correct_acc else 0.0


def naive_grid(rewards: list[list[float]], gold: list[int]) -> tuple[float, float]:
    """The best threshold and F1 of 100 full evaluations between min(0, lowest) and max(1, highest reward)."""
    low = min(0.0, *(min(row) for row in rewards))
    high = max(1.0, *(max(row) for row in rewards))
    found = (0.0, -1.0)
    for index in range(GRID):
        threshold = low + (high - low) * index / (GRID - 1)
        f1 = naive_f1(rewards, gold, threshold)
        if f1 > found[1]:
            found = (threshold, f1)
    return found


def naive_prmscore(rewards: list[list[float]], wrong: list[list[bool]], threshold: float) -> float:
    """The mean of the F1s of right and of wrong steps; a step is judged wrong below the threshold."""
    tp = fn = fp = tn = 0
    for row, labels in zip(rewards, wrong, strict=True):
        for reward, label in zip(row, labels, strict=True):
            if reward < threshold:
                tn, fn = tn + label, fn + (not label)
            else:
                fp, tp = fp + label, tp + (not label)
    if not tp or not tn:
        return -1.0
    positive = 2 * tp / (2 * tp + fp + fn)
    negative = 2 * tn / (2 * tn + fp + fn)
    return (positive + negative) / 2


def naive_step_grid(rewards: list[list[float]], wrong: list[list[bool]]) -> tuple[float, float]:
    """The best threshold and PRMScore of 100 full evaluations over the range of the rewards and [0, 1]."""
    low = min(0.0, *(min(row) for row in rewards))
    high = max(1.0, *(max(row) for row in rewards))
    grid = (low + (high - low) * index / (GRID - 1) for index in range(GRID))
    return max(((threshold, naive_prmscore(rewards, wrong, threshold)) for threshold in grid), key=lambda one: one[1])


def naive_counts(rewards: list[list[float]], gold: list[int], types: list[int], threshold: float) -> np.ndarray:
    """Outcomes by error type, one case at a time."""
    found = np.zeros((TYPES, len(OUTCOMES)), dtype=np.int64)
    for row, label, kind in zip(rewards, gold, types, strict=True):
        verdict = naive_verdict(row, threshold)
        if label == -1:
            word = "clean" if verdict == -1 else "false_alarm"
        elif verdict == -1:
            word = "missed"
        else:
            word = "exact" if verdict == label else "early" if verdict < label else "late"
        found[kind, OUTCOMES.index(word)] += 1
    return found


if __name__ == "__main__":
    main()
