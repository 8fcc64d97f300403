"""The official figure of scorers over a grid of thresholds, with bands and ticks: the rows of `thresholds --curve`."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from msgspec.structs import replace

from inspector.state.figure_notes import step_benchmarks
from inspector.state.thresholds.threshold_span import threshold_span
from inspector.state.thresholds.ways import PER_SUBSET, ThresholdWay, ways
from scoring.data.schema import Bools
from scoring.evaluation.evaluation import Evaluation
from scoring.metrics.aligned import align_scorers
from scoring.metrics.aligned_conditions import EVERY, common_of
from scoring.metrics.benchmark_metrics import every_metrics_of, metrics_of
from scoring.metrics.curve_bands import Bands
from scoring.metrics.deciding import rule_among
from scoring.metrics.first_error import F1_SCORE, SIDES
from scoring.metrics.kernel import Metric, Unparsed
from scoring.metrics.official_rows import METRICS
from scoring.metrics.resampling import RESAMPLES, SMALL
from scoring.metrics.reward_bins import even_bins
from scoring.selection.result_set import ResultSet, surroundings, within

CURVE = {
    **{name: METRICS[name] for name in ("scorer", "benchmark", "subset")},
    "threshold": pl.Float64(),
    "comparison": pl.String(),
    "tick": pl.String(),
    **{name: METRICS[name] for name in ("metric", "value", "low", "high", "n", "small")},
    "optimistic": pl.Boolean(),
    "reason": METRICS["reason"],
    "where": pl.String(),
}
POINTS = 101
MOST = 1000
PRESENT = "present"
_SIDE_OF = {"f1": EVERY, "error_acc": SIDES[0], "correct_acc": SIDES[1]}


class NamedThreshold(NamedTuple):
    """A threshold with a name, and whether it was tuned on cases that the curve is of."""

    name: str
    threshold: float
    optimistic: bool = False


def curve_rows(
    evaluation: Evaluation,
    inside: Bools,
    results: ResultSet,
    benchmark: str,
    points: int = POINTS,
    *,
    intervals: bool = True,
) -> Iterator[dict[str, Any]]:
    """Yield the rows of one scorer on the shown ones of the cases `inside` (n) of one benchmark, columns of CURVE.

    First errors: f1, error_acc and correct_acc as means over subsets (`average`); a benchmark whose official figure is
    of steps or its own: that figure alone, of all of them pooled (`all`). Metrics of the user's own follow, of all
    cases together. `tick` names a threshold that a way to choose it comes to, and is null on the grid. `where` selects
    the `n` cases in the denominator of figures of first errors; null of others.
    """
    scope = replace(results, shown=results.shown[inside[results.shown]])
    present = evaluation if evaluation.rule.is_movable else evaluation.at_default()
    grid = even_bins(*threshold_span(present), points - 1).edges
    marks = list(ticks(evaluation, inside, scope))
    thresholds = np.concatenate([grid, [mark.threshold for mark in marks]])
    unparsed, seed = results.unparsed(benchmark), results.query.seed if intervals else None
    each: list[tuple[str, list[dict[str, Any]]]] = []
    wheres: dict[str, str] = {}
    for reported in every_metrics_of(benchmark):
        bands = reported.bands(present, scope.mask, thresholds, unparsed, seed)
        if bands is not None:
            each += [(reported.whole, list(_points(bands, metric))) for metric in bands.metrics]
            wheres |= _conditions(present, scope.mask, unparsed, bands)
    names = [*[None] * points, *(mark.name for mark in marks)]
    tuned = [*[False] * points, *(mark.optimistic for mark in marks)]
    about = {
        "scorer": evaluation.scorer.name,
        "benchmark": benchmark,
        "comparison": None if present.rule.movable is None else present.rule.movable.spelled,
    }
    of_benchmark = within(results, benchmark)
    for at in range(thresholds.size):
        for subset, points_of in each:
            point = points_of[at]
            where = wheres.get(point["metric"])
            yield {
                **about,
                "subset": subset,
                **point,
                "tick": names[at],
                "optimistic": tuned[at],
                "where": None if where is None else " AND ".join((*of_benchmark, where)),
            }


def ticks(evaluation: Evaluation, inside: Bools, scope: ResultSet) -> Iterator[NamedThreshold]:
    """Yield the present threshold, and those that the ways to choose one come to.

    Args:
        evaluation: as it is at present.
        inside: (n,) the cases of one benchmark.
        scope: shows those of them that the curve is of.
    """
    rule = rule_among(evaluation, scope.mask, scope.query.seed).movable
    if rule is not None:
        yield NamedThreshold(PRESENT, rule.threshold)
    for way in ways(evaluation, inside, scope.mask, surroundings(scope)):
        if way.evaluation is not None and not way.of_redundancy and way.kind not in {"chosen", "dev:kept"}:
            yield from _of_way(way, scope.mask)


def _of_way(way: ThresholdWay, mask: Bools) -> Iterator[NamedThreshold]:
    """The threshold of a way, or one a subset."""
    assert way.evaluation is not None  # noqa: S101  # whoever asks has seen to it
    rule = way.evaluation.rule
    tuned = way.tuned_on is not None and bool((way.tuned_on & mask).any())
    if rule.threshold is not None:
        yield NamedThreshold(way.kind, rule.threshold, tuned)
    kind = "best" if way.kind == PER_SUBSET else way.kind
    yield from (NamedThreshold(f"{kind}:{subset}", threshold, tuned) for subset, threshold in rule.by_subset.items())


def _conditions(evaluation: Evaluation, rows: Bools, unparsed: Unparsed, bands: Bands) -> dict[str, str]:
    if bands.metrics[0] is not F1_SCORE:
        return {}
    alone = align_scorers((evaluation,), rows, unparsed)
    return {metric: common_of(alone, (0,), side) for metric, side in _SIDE_OF.items()}


def _points(bands: Bands, metric: Metric) -> Iterator[dict[str, Any]]:
    size, few = bands.size(metric), bands.support(metric) < SMALL
    of_metric = (bands.values(metric), *bands.interval(metric))
    for at, (threshold, reason) in enumerate(zip(bands.thresholds, bands.reasons(metric), strict=True)):
        value, low, high = (None if np.isnan(side[at]) else float(side[at]) for side in of_metric)
        yield {
            "threshold": float(threshold),
            "metric": metric.name,
            "value": value,
            "low": low,
            "high": high,
            "n": size,
            "small": value is not None and few,
            "reason": reason,
        }


def curve_notes(results: ResultSet) -> Iterator[str]:
    """Explain what the rows mean."""
    yield (
        f"low and high: 95%, {RESAMPLES} resamples, of whole problems where cases share them: what `metrics` gives at "
        "the threshold"
    )
    yield (
        "a tick is where a way to choose the threshold comes to; its figures here are of all shown cases, dev cases "
        "included; `thresholds` has the figures of each way; optimistic: tuned on cases that are shown"
    )
    for name, _ in step_benchmarks(results):
        yield f"{name}: prmscore of all steps pooled, n counts steps"
    for reported in map(metrics_of, results.benchmarks):
        if reported.own:
            yield f"{reported.benchmark}: {reported.name} of {reported.taken_over}, n counts {reported.unit}"
