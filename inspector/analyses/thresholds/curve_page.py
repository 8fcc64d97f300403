"""The page of `thresholds` with the official figure over all thresholds, as curves."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl
from msgspec.structs import replace

from inspector.analyses import Params
from inspector.render.blocks import Block, Note
from inspector.render.cells import share
from inspector.render.chart_blocks import Curve, Series, Tick
from inspector.render.table_blocks import Column, Table, figure, forest_column, number, table, text
from inspector.render.texts.sentences import threshold_name
from inspector.render.view import View
from inspector.state.case_links import figure_link
from inspector.state.provenance import provenance
from inspector.state.thresholds.curve_rows import CURVE, MOST, POINTS, curve_notes, curve_rows
from inspector.state.thresholds.threshold_span import threshold_span
from inspector.state.thresholds.ways import NOTHING, dev_cuts, figure_title, scorers_there, threshold_sections
from scoring.data.errors import UsageError
from scoring.data.schema import WHOLE, Row
from scoring.evaluation.evaluation import Evaluation
from scoring.metrics.benchmark_metrics import BenchmarkMetrics, every_metrics_of, metrics_of
from scoring.metrics.deciding import rule_among
from scoring.metrics.own import own_metrics
from scoring.metrics.own_family import family_of
from scoring.metrics.threshold_curves import tuned
from scoring.selection.result_set import ResultSet, by_benchmark

LINES = 20
"""Points of a grid that people see, about."""
DRAWN = 400
"""Points that a curve is drawn through."""
GRIDS = ((5_000, 81), (20_000, 33), (10**9, 16))
"""Up to how many cases a curve has its interval at how many thresholds: they are what takes longest."""
BANDED = 2
"""Curves up to which all have bands; of more only the first has: they could not be told apart."""
LETTERS = "ABCDEFGH"


def curve_chart(
    scope: ResultSet,
    there: Sequence[Evaluation],
    benchmark: str,
    *,
    reported: BenchmarkMetrics | None = None,
    dev: bool = False,
    intervals: bool = False,
) -> Curve | None:
    """Draw the official figure of scorers, or what is `reported` instead, against the threshold.

    The cases are the shown ones of the benchmark. The axis is that of the first scorer; with `dev`, the thresholds
    tuned on its dev sets are ticks. None where no scorer has a curve.
    """
    reported = reported or metrics_of(benchmark)
    drawn = [evaluation for evaluation in there if evaluation.at_default().rule.by_threshold][: len(LETTERS)]
    unparsed = scope.unparsed(benchmark)
    # The letters that scorers have beside each other in a case as well: those of their order in the workspace.
    drawn_names = {evaluation.scorer.name for evaluation in drawn}
    names = {evaluation.scorer.name for evaluation in there[: len(LETTERS)]} | drawn_names
    names = names if len(names) <= len(LETTERS) else drawn_names
    ordered = [evaluation.scorer.name for evaluation in scope.evaluations if evaluation.scorer.name in names]
    letters = dict(zip(ordered, LETTERS, strict=False))
    series: list[Series] = []
    first: tuple[Evaluation, Any] | None = None
    for evaluation in drawn:
        at = evaluation if evaluation.rule.is_movable else evaluation.at_default()
        score_curve, rule = reported.curve(at, scope.mask, unparsed), at.rule.movable
        if score_curve is None or not score_curve.thresholds.size or score_curve.best is None or rule is None:
            continue
        first = first or (evaluation, score_curve)
        span, axis = threshold_span(evaluation), threshold_span(first[0])
        xs = np.linspace(*span, DRAWN)
        low = high = None
        if intervals and (not series or len(drawn) <= BANDED):
            grid = np.linspace(*span, next(size for most, size in GRIDS if scope.shown.size <= most))
            band = reported.bands(at.at_default(), scope.mask, grid, unparsed, scope.query.seed)
            if band is not None:
                low, high = (np.interp(xs, grid, ends) for ends in band.interval(band.metrics[0]))
        same = span == axis
        letter = letters[evaluation.scorer.name]
        name = (
            evaluation.scorer.name
            if same
            else f"{evaluation.scorer.name} (its own range, {span[0]:.4g} to {span[1]:.4g})"
        )
        placed = xs if same else axis[0] + (xs - span[0]) / ((span[1] - span[0]) or 1.0) * (axis[1] - axis[0])
        ys = score_curve.score[score_curve.places(xs, rule.comparison)]
        series.append(Series(name, letter, f"scorer-{letter.lower()}", placed, ys, low, high))
    if first is None:
        return None
    evaluation, score_curve = first
    title = f"{score_curve.metric.title} against the {threshold_name(evaluation.rule)}"
    ticks = tuple(_ticks(evaluation, score_curve, scope, benchmark, dev))
    return Curve(
        title,
        threshold_name(evaluation.rule),
        score_curve.metric.title,
        tuple(series),
        ticks,
        threshold_span(evaluation),
    )


def _ticks(evaluation: Evaluation, score_curve: Any, scope: ResultSet, benchmark: str, dev: bool) -> Iterator[Tick]:
    """Where the present threshold stands, the default, the best one and, with `dev`, those of dev sets."""
    default, source = evaluation.default
    at_default = evaluation.at_default()
    comparison = at_default.rule.comparison if at_default.rule.is_movable else "<"

    def score(threshold: float) -> float | None:
        value = float(score_curve.score[score_curve.places(threshold, comparison)])
        return value if np.isfinite(value) else None

    here = scope.mask & (scope.cases["benchmark"] == benchmark).to_numpy()
    rule = rule_among(evaluation, here, scope.query.seed)
    present = rule.threshold
    by_subset = rule.by_subset
    if present is not None:
        is_default = (present, rule.source) == (default, source)
        words = f"present, the default: {source}" if is_default else f"present: {rule.source}"
        name = "default" if is_default else "now"
        yield Tick(present, "^", words, score=score(present), name=name, source=rule.source)
    for name, cut in by_subset.items():
        yield Tick(cut, "^", f"present, {name} (by subset)", name="now", source=f"{name} (by subset)")
    if present != default:
        yield Tick(default, "d", f"default: {source}", "gold", name="default", source=source)
    if score_curve.best is not None:
        best, value = score_curve.best
        words = f"best on these: {share(value)}, optimistic"
        yield Tick(best, "*", words, "gold", score=value, name="best", source="optimistic: tuned on these cases")
    cuts: dict[float, list[str]] = {}
    for subset, cut in (dev_cuts(evaluation, scope, benchmark) if dev else {}).items():
        if cut not in by_subset.values():
            cuts.setdefault(cut, []).append(subset)
    for cut, subsets in cuts.items():
        names = [name for name in subsets if name not in WHOLE]
        yield Tick(cut, "v", ", ".join([f"dev-tuned, seed {scope.query.seed}", *names]), "dim")


def of_curves(scope: ResultSet, there: Sequence[Evaluation], benchmark: str, chart: Curve | None) -> Iterator[Note]:
    """Say what to know of the curves that are drawn, and why others are not."""
    runs = [f"{evaluation.scorer.name} ({len(evaluation.runs)} runs)" for evaluation in there if evaluation.further]
    if runs:
        yield Note(f"Curves are of the first run, figures of the mean of all: {', '.join(runs)}.", "quiet")
    ons = {
        evaluation.scorer.name: getattr(evaluation.rule, "on", None)
        for evaluation in there
        if evaluation.rule.by_threshold
    }
    others = [name for name, on in ons.items() if on != next(iter(ons.values()))]
    if others:
        yield Note(f"Their threshold is on something else: {', '.join(others)}.", "quiet")
    lacking = [evaluation.scorer.name for evaluation in there if not evaluation.rule.by_threshold]
    if lacking:
        yield Note(f"No threshold decides, so that there is no curve: {', '.join(lacking)}.", "quiet")
    movable = [evaluation for evaluation in there if evaluation.rule.by_threshold]
    for evaluation in movable if chart is None else ():
        reason = tuned(
            metrics_of(benchmark).curve(evaluation.at_default(), scope.mask, scope.unparsed(benchmark))
        ).reason
        yield Note(f"{evaluation.scorer.name}: there is no curve: {reason or 'undefined'}.")
    if chart is not None and chart.y == "PRMScore":
        yield Note("PRMScore of all steps pooled; bands resample whole problems.", "quiet")
    reported = metrics_of(benchmark)
    if chart is not None and reported.own:
        yield Note(f"{reported.title} of {reported.taken_over}; bands resample whole problems.", "quiet")


def own_curves(scope: ResultSet, there: Sequence[Evaluation], benchmark: str, *, intervals: bool) -> Iterator[Block]:
    """Draw each metric of the user's own against the threshold, as the official figure, or say why it has no curve."""
    for made, reported in zip(own_metrics(), every_metrics_of(benchmark)[1:], strict=True):
        chart = curve_chart(scope, there, benchmark, reported=reported, intervals=intervals)
        if chart is not None:
            yield replace(chart, title=f"{chart.title}, {reported.taken_over}")
        for evaluation in there if chart is None else ():
            moves = family_of(made).moves(
                evaluation.at_default(), np.flatnonzero(scope.mask), scope.unparsed(benchmark)
            )
            if moves is not None:
                why = moves.trouble or "it is undefined at every threshold"
                yield Note(f"{evaluation.scorer.name}: {reported.title} has no curve: {why}.", "quiet")


def curves_view(results: ResultSet, params: Params, intervals: bool) -> View:
    """Give the official figure over a grid of thresholds: a row a threshold, and a chart a benchmark."""
    wanted = params.get("curve")
    n_points = POINTS if wanted is None else wanted
    if not isinstance(n_points, int) or not 2 <= n_points <= MOST:
        raise UsageError(f"a curve has 2 to {MOST} points, not {n_points!r}.", "Give another number, or none.")
    movable = [evaluation for evaluation in results.chosen_evaluations if evaluation.at_default().rule.is_movable]
    if not movable:
        raise UsageError("no scorer here has a threshold, so there is no curve.", "Choose another with --scorer.")
    rows: list[Row] = []
    for evaluation in movable:
        for benchmark, inside in by_benchmark(replace(results, shown=np.arange(results.evaluated.height))):
            if (evaluation.at_default().coverage.tried & inside).any():
                rows += curve_rows(evaluation, inside, results, benchmark, n_points, intervals=intervals)
    words = ("--curve", *([] if n_points == POINTS else [str(n_points)]))
    frame = pl.DataFrame(rows, schema=CURVE, orient="row")
    facts = provenance(
        results, results.query.command("thresholds", *words, form=params.form), tuple(curve_notes(results))
    )

    def blocks(name: str, scope: ResultSet) -> Iterator[Block]:
        there = scorers_there(scope, name)
        own = frame.filter(pl.col("benchmark") == name)
        chart = curve_chart(scope, there, name, dev=True, intervals=intervals)
        if chart is not None:
            yield chart
        yield from of_curves(scope, there, name, chart)
        yield from own_curves(scope, there, name, intervals=intervals)
        if own.height:
            yield _curve_table(scope, own, name)
            yield Note("All points of the grid, and conditions, are in --csv and --json.", "quiet")
        elif not there:
            yield Note(NOTHING)

    empty = "" if rows else NOTHING
    return View(frame, facts, title="Curves", lay_out=lambda: threshold_sections(results, blocks), empty=empty)


def _curve_table(scope: ResultSet, rows: pl.DataFrame, benchmark: str) -> Table:
    """A line a threshold, ascending: what it is called, and each metric with its band; LINES or so of a grid."""
    several = rows["scorer"].n_unique() > 1
    place = pl.int_range(pl.len()).over("scorer", "metric")
    grid = pl.col("tick").is_null()
    step = pl.when(grid).then(place).max().over("scorer") // LINES + 1
    listed = rows.filter(~grid | (place % step == 0))
    metrics = rows["metric"].unique(maintain_order=True).to_list()
    columns: list[str | Column] = [*(["scorer"] if several else []), "called", Column("threshold", right=True)]
    columns += [forest_column(figure_title(name), int(name != metrics_of(benchmark).name)) for name in metrics]
    lines = []
    for scorer in rows["scorer"].unique(maintain_order=True):
        own = listed.filter(pl.col("scorer") == scorer).sort("threshold", maintain_order=True)
        evaluation = scope.evaluation(scorer)
        links = {name: figure_link(scope, evaluation, benchmark, name) for name in metrics}
        for part in own.partition_by("threshold", "tick", maintain_order=True):
            cells = {row["metric"]: row for row in part.iter_rows(named=True)}
            first = next(iter(cells.values()))
            line = [text(scorer)] if several else []
            line += [text(first["tick"] or ""), number(first["threshold"])]
            line += [
                figure(cells.get(name), link=links[name] if _linked(cells.get(name)) else None) for name in metrics
            ]
            lines.append(line)
    return table("At some thresholds", columns, lines, labels=2 if several else 1)


def _linked(row: Row | None) -> bool:
    return row is not None and row["value"] is not None
