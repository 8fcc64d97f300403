"""The official figure of scorers over a grid of thresholds, with bands and ticks: the rows of `thresholds --curve`."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from msgspec.structs import replace

from inspector.inspection import threshold_span
from inspector.notes import step_benchmarks
from inspector.selection import Selection, surroundings, within
from inspector.threshold_ways import PER_SUBSET, Way, ways
from scoring.evaluation import Evaluation
from scoring.metrics.aligned import EVERY, align_scorers, common_of
from scoring.metrics.calibration import even_bins
from scoring.metrics.first_error import SIDES
from scoring.metrics.kernel import Metric, Unparsed
from scoring.metrics.resampling import RESAMPLES, SMALL
from scoring.metrics.step_labels import PRMSCORE
from scoring.metrics.threshold_curves import Bands, official_bands
from scoring.official_rows import METRICS
from scoring.step_rewards import Bools, Floats
from scoring.verdicts import Rule, RuleByCase, spelled

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
    selection: Selection,
    benchmark: str,
    points: int = POINTS,
    *,
    intervals: bool = True,
) -> Iterator[dict[str, Any]]:
    """Give the rows of one scorer on the shown ones of the cases `inside` (n) of one benchmark, columns of CURVE.

    First errors: f1, error_acc and correct_acc as means over subsets (`average`); a benchmark whose official figure is
    of steps: prmscore of all steps pooled (`all`). `tick` names a threshold that a way to choose it comes to, and is
    null on the grid. `where` selects the `n` cases in the denominator; null where steps are counted.
    """
    scope = replace(selection, shown=selection.shown[inside[selection.shown]])
    present = evaluation if evaluation.movable else evaluation.at_default()
    grid = even_bins(*threshold_span(present), points - 1).edges
    marks = list(ticks(evaluation, inside, scope))
    thresholds = np.concatenate([grid, [one.threshold for one in marks]])
    bands = bands_of(present, scope.mask, thresholds, benchmark, selection, intervals=intervals)
    if bands is None:
        return
    names = [*[None] * points, *(one.name for one in marks)]
    tuned = [*[False] * points, *(one.optimistic for one in marks)]
    wheres = _conditions(present, scope.mask, selection.unparsed(benchmark), bands)
    about = {
        "scorer": evaluation.scorer.name,
        "benchmark": benchmark,
        "subset": "all" if bands.metrics == (PRMSCORE,) else "average",
        "comparison": spelled(present.rule) if isinstance(present.rule, Rule) else None,
    }
    each = [list(_points(bands, metric)) for metric in bands.metrics]
    of_benchmark = within(selection, benchmark)
    for at in range(thresholds.size):
        for points_of in each:
            point = points_of[at]
            where = wheres.get(point["metric"])
            yield {
                **about,
                **point,
                "tick": names[at],
                "optimistic": tuned[at],
                "where": None if where is None else " AND ".join((*of_benchmark, where)),
            }


def bands_of(
    evaluation: Evaluation,
    rows: Bools,
    thresholds: Floats,
    benchmark: str,
    selection: Selection,
    *,
    intervals: bool = True,
) -> Bands | None:
    """Give the official figure of some cases (n) of one benchmark at thresholds; None where none decides."""
    seed = selection.request.seed if intervals else None
    return official_bands(evaluation, rows, thresholds, selection.unparsed(benchmark), benchmark, seed)


def ticks(evaluation: Evaluation, inside: Bools, scope: Selection) -> Iterator[NamedThreshold]:
    """The present threshold, and those that the ways to choose one come to.

    Args:
        evaluation: as it is at present.
        inside: (n,) the cases of one benchmark.
        scope: shows those of them that the curve is of.
    """
    if isinstance(evaluation.rule, Rule):
        yield NamedThreshold(PRESENT, evaluation.rule.threshold)
    for way in ways(evaluation, inside, scope.mask, surroundings(scope)):
        if way.evaluation is not None and not way.of_redundancy and way.kind not in {"chosen", "dev:kept"}:
            yield from _of_way(way, scope.mask)


def _of_way(way: Way, shown: Bools) -> Iterator[NamedThreshold]:
    """The threshold of a way, or one a subset."""
    assert way.evaluation is not None  # noqa: S101  # whoever asks has seen to it
    rule = way.evaluation.rule
    tuned = way.tuned_on is not None and bool((way.tuned_on & shown).any())
    if isinstance(rule, Rule):
        yield NamedThreshold(way.kind, rule.threshold, tuned)
    elif isinstance(rule, RuleByCase):
        kind = "best" if way.kind == PER_SUBSET else way.kind
        yield from (NamedThreshold(f"{kind}:{subset}", threshold, tuned) for subset, threshold in rule.told.items())


def _conditions(evaluation: Evaluation, rows: Bools, unparsed: Unparsed, bands: Bands) -> dict[str, str]:
    if bands.metrics == (PRMSCORE,):
        return {}
    alone = align_scorers((evaluation,), rows, unparsed)
    return {metric: common_of(alone, (0,), side) for metric, side in _SIDE_OF.items()}


def _points(bands: Bands, metric: Metric) -> Iterator[dict[str, Any]]:
    sizes = bands.sizes(metric)
    of_metric = (bands.values(metric), *bands.interval(metric))
    for at, (threshold, reason) in enumerate(zip(bands.thresholds, bands.reasons(metric), strict=True)):
        value, low, high = (None if np.isnan(side[at]) else float(side[at]) for side in of_metric)
        yield {
            "threshold": float(threshold),
            "metric": metric.name,
            "value": value,
            "low": low,
            "high": high,
            "n": sum(sizes),
            "small": value is not None and min(sizes) < SMALL,
            "reason": reason,
        }


def curve_notes(selection: Selection) -> Iterator[str]:
    """Say what the rows mean."""
    yield (
        f"low and high: 95%, {RESAMPLES} resamples that all thresholds of a curve share, of whole problems where cases "
        "share them; at one threshold they may differ a little from those of `metrics`, which draws by itself"
    )
    yield (
        "a tick is where a way to choose the threshold comes to; its figures here are of all shown cases, dev cases "
        "included; `thresholds` has the figures of each way; optimistic: tuned on cases that are shown"
    )
    for name, _ in step_benchmarks(selection):
        yield f"{name}: prmscore of all steps pooled, n counts steps"
