"""The document of `thresholds --curve`: the official figure over a grid of thresholds, with bands and ticks."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from inspector.breakdown import within
from inspector.documents import provenance
from inspector.official_rows import step_benchmarks
from inspector.selection import Selection, surroundings
from inspector.threshold_span import threshold_span
from inspector.threshold_ways import PER_SUBSET, Way, ways
from scoring.benchmarks.registry import step_labelled
from scoring.errors import UsageError
from scoring.evaluation import Evaluation
from scoring.export import Document
from scoring.metrics.first_error import Unparsed
from scoring.metrics.intervals import RESAMPLES, SMALL
from scoring.metrics.lineup import line_up
from scoring.metrics.lineup_conditions import EVERY, common_of
from scoring.metrics.paired import SIDES
from scoring.metrics.reward_bins import even_bins
from scoring.metrics.step_threshold_bands import prmscore_bands
from scoring.metrics.threshold_bands import Bands, first_error_bands
from scoring.official_rows import METRICS
from scoring.parts import parts
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


class Tick(NamedTuple):
    """A threshold with a name, and whether it was tuned on cases that the curve is of."""

    name: str
    threshold: float
    optimistic: bool = False


def curve_document(selection: Selection, points: int = POINTS, form: str = "") -> Document:
    """A row for every chosen scorer with a threshold, benchmark, threshold of the grid or tick, and metric.

    First errors: f1, error_acc and correct_acc as means over subsets (`average`); a benchmark whose official figure is
    of steps: prmscore of all steps pooled (`all`). `tick` names a threshold that a way to choose it comes to, and is
    null on the grid. `where` selects the `n` cases in the denominator; null where steps are counted.

    Raises:
        UsageError: no scorer has a threshold to move, or there are too few or too many points.
    """
    if not 2 <= points <= MOST:
        raise UsageError(f"a curve has 2 to {MOST} points, not {points}.", "Give another number, or none.")
    movable = [one for one in selection.chosen_evaluations if one.at_default().movable]
    if not movable:
        raise UsageError("no scorer here has a threshold, so there is no curve.", "Choose another with --scorer.")
    rows: list[dict[str, Any]] = []
    for evaluation in movable:
        for part, inside in parts(selection.cases, ("benchmark",)):
            if (evaluation.at_default().tried & inside).any():
                rows += curve_rows(evaluation, inside, selection, part["benchmark"], points)
    words = ("--curve", *([] if points == POINTS else [str(points)]))
    command = selection.request.command("thresholds", *words, form=form)
    frame = pl.DataFrame(rows, schema=CURVE, orient="row")
    return Document(frame, {**provenance(selection, command, tuple(_notes(selection)))})


def curve_rows(
    evaluation: Evaluation, inside: Bools, selection: Selection, benchmark: str, points: int = POINTS
) -> Iterator[dict[str, Any]]:
    """The rows of one scorer on the shown ones of the cases `inside` (n) of one benchmark."""
    scope = replace(selection, shown=selection.shown[inside[selection.shown]])
    present = evaluation if evaluation.movable else evaluation.at_default()
    grid = even_bins(*threshold_span(present), points - 1).edges
    marks = list(ticks(evaluation, inside, scope))
    thresholds = np.concatenate([grid, [one.threshold for one in marks]])
    bands = bands_of(present, scope.mask, thresholds, benchmark, selection)
    if bands is None:
        return
    names = [*[None] * points, *(one.name for one in marks)]
    tuned = [*[False] * points, *(one.optimistic for one in marks)]
    wheres = _conditions(present, scope.mask, selection.unparsed(benchmark), bands)
    about = {
        "scorer": evaluation.scorer.name,
        "benchmark": benchmark,
        "subset": "all" if bands.metrics == ("prmscore",) else "average",
        "comparison": spelled(present.rule) if isinstance(present.rule, Rule) else None,
    }
    for at in range(thresholds.size):
        for place, metric in enumerate(bands.metrics):
            where = wheres.get(metric)
            yield {
                **about,
                **_point(bands, place, at),
                "tick": names[at],
                "optimistic": tuned[at],
                "where": None if where is None else " AND ".join((*within(selection, benchmark), where)),
            }


def bands_of(
    evaluation: Evaluation, rows: Bools, thresholds: Floats, benchmark: str, selection: Selection
) -> Bands | None:
    """The official figure of some cases (n) of one benchmark at thresholds; None where none decides."""
    facts, seed = step_labelled(benchmark), selection.request.seed
    if facts is not None:
        return prmscore_bands(evaluation, rows, thresholds, facts, seed)
    return first_error_bands(evaluation, rows, thresholds, selection.unparsed(benchmark), seed)


def ticks(evaluation: Evaluation, inside: Bools, scope: Selection) -> Iterator[Tick]:
    """The present threshold, and those that the ways to choose one come to.

    Args:
        evaluation: as it is at present.
        inside: (n,) the cases of one benchmark.
        scope: shows those of them that the curve is of.
    """
    if isinstance(evaluation.rule, Rule):
        yield Tick(PRESENT, evaluation.rule.threshold)
    for way in ways(evaluation, inside, scope.mask, surroundings(scope)):
        if way.evaluation is not None and not way.of_redundancy and way.kind not in {"chosen", "dev:kept"}:
            yield from _of_way(way, scope.mask)


def _of_way(way: Way, shown: Bools) -> Iterator[Tick]:
    """The threshold of a way, or one a subset."""
    assert way.evaluation is not None  # noqa: S101  # whoever asks has seen to it
    rule = way.evaluation.rule
    tuned = way.tuned_on is not None and bool((way.tuned_on & shown).any())
    if isinstance(rule, Rule):
        yield Tick(way.kind, rule.threshold, tuned)
    elif isinstance(rule, RuleByCase):
        kind = "best" if way.kind == PER_SUBSET else way.kind
        yield from (Tick(f"{kind}:{subset}", threshold, tuned) for subset, threshold in rule.told.items())


def _conditions(evaluation: Evaluation, rows: Bools, unparsed: Unparsed, bands: Bands) -> dict[str, str]:
    if bands.metrics == ("prmscore",):
        return {}
    alone = line_up((evaluation,), rows, unparsed)
    return {metric: common_of(alone, (0,), side) for metric, side in _SIDE_OF.items()}


def _point(bands: Bands, place: int, at: int) -> dict[str, Any]:
    value, low, high = (
        None if np.isnan(side[place, at]) else float(side[place, at]) for side in (bands.values, bands.low, bands.high)
    )
    fewest = min(bands.sizes[1:]) if place == 0 and len(bands.sizes) > 1 else bands.sizes[place]
    return {
        "threshold": float(bands.thresholds[at]),
        "metric": bands.metrics[place],
        "value": value,
        "low": low,
        "high": high,
        "n": bands.sizes[place],
        "small": value is not None and fewest < SMALL,
        "reason": bands.reasons[place][at],
    }


def _notes(selection: Selection) -> Iterator[str]:
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
