"""Pages of `breakdown` in bins: where verdicts, errors and steps lie, and the rewards around the earliest error."""

from collections.abc import Iterator, Sequence
from itertools import chain, groupby
from typing import Any

import numpy as np
import polars as pl
from msgspec.structs import replace

from inspector.analyses import Params
from inspector.render.blocks import Block, Note
from inspector.render.chart_blocks import Bin, Columns, Counted, Curve, Histogram, Series, Tick
from inspector.render.lines import CaseLink
from inspector.render.table_blocks import (
    Cell,
    Column,
    Kind,
    Table,
    bar_column,
    count,
    figure,
    forest_column,
    table,
    text,
)
from inspector.render.texts.sentences import GLYPHS, WORDS, counted
from inspector.state.figure_notes import FEW, INDEPENDENT
from scoring.data.errors import UsageError
from scoring.data.schema import Bools, Row
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.verdicts import OUTCOMES
from scoring.metrics.aligned_rewards import BAND, aligned_rows
from scoring.metrics.breakdown import SCHEMA
from scoring.metrics.outcome_conditions import SIDES, answered
from scoring.metrics.positions import all_position_rows, first_position_rows, offset_rows, step_position_rows
from scoring.metrics.reliability import ECE, case_reliability, step_reliability
from scoring.metrics.separation import SEPARATIONS, case_histogram, step_histogram
from scoring.metrics.step_bins import PRESETS, StepBins
from scoring.metrics.step_contributions import judged_steps
from scoring.selection.result_set import ResultSet, by_benchmark, within
from scoring.workspace.filtering.filters import Facet

OFFSET, POSITION, STEP_POSITION, ALIGNED = "offset", "position", "step_position", "aligned"
REWARDS, RELIABILITY = "rewards", "reliability"
PLACES = {
    OFFSET: ("outcome", "offset"),
    POSITION: ("side", "position"),
    STEP_POSITION: ("position",),
    ALIGNED: ("side", "offset"),
    REWARDS: ("unit", "side", "reward_from", "reward_to"),
    RELIABILITY: ("unit", "reward_from", "reward_to"),
}
"""By page the columns that name a bin."""
NUMBERS = {"offset": pl.Int64(), "reward_from": pl.Float64(), "reward_to": pl.Float64()}
"""Those of them that hold numbers."""
OF_REWARDS = {
    ALIGNED: (BAND, FEW),
    REWARDS: (
        "cases by their lowest reward, steps by their own: of clean cases, or before, at and after the earliest error",
        SEPARATIONS,
        FEW,
    ),
    RELIABILITY: (
        "share_right: of cases the clean ones, by the lowest reward; of labelled steps the right ones, by their reward",
        ECE,
        f"low and high: 95%, Wilson's; {INDEPENDENT}; steps have none, since those of a case are not; {FEW}",
    ),
}
"""What the bins of rewards mean."""
STEP_FIGURES = {
    "acc": "accuracy on steps",
    "positive_acc": "accuracy on right steps",
    "negative_acc": "accuracy on wrong steps",
    "prmscore": "PRMScore",
}
"""What can be told of steps by where they stand."""
_APART = {"early": "no step", "late": "beyond", "missed": "missed"}
"""What the column of verdicts without a distance is called: an answer that names no step, one beyond the last, none."""
_CLASSES = (("gold", "gold"), ("predicted", "predicted"))


# -- rows


def bins_of(params: Params, benchmark: str) -> StepBins:
    """Return how positions are put in bins: as asked, else as the benchmark's paper does."""
    name = params.get("preset") or (benchmark if benchmark in PRESETS else "processbench")
    if name not in PRESETS:
        raise UsageError(f"{name!r} is not a preset of {params.page}.", f"There are: {', '.join(PRESETS)}.")
    return PRESETS[name]


def bin_frame(results: ResultSet, params: Params) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Return the rows of a page, one a bin and metric with the condition that selects its cases, and notes on them."""
    rows: list[dict[str, Any]] = []
    binnings: dict[str, None] = {}
    for evaluation in results.chosen_evaluations:
        for benchmark, inside in by_benchmark(results):
            bins = bins_of(params, benchmark)
            for row in _rows(evaluation, benchmark, inside, params, bins, results.query.seed):
                where = None if row["where"] is None else " AND ".join((*within(results, benchmark), row["where"]))
                rows.append({"scorer": evaluation.scorer.name, "benchmark": benchmark, **row, "where": where})
            if params.page in {POSITION, STEP_POSITION}:
                binnings[bins.words] = None
    columns = {name: NUMBERS.get(name, pl.String()) for name in ("scorer", "benchmark", *PLACES[params.page])}
    frame = pl.DataFrame(rows, schema={**columns, **SCHEMA}, orient="row")
    if params.page in OF_REWARDS:
        return frame, OF_REWARDS[params.page]
    steps = "a row counts steps, so that `where` is null and there is no interval where a bin holds several a case"
    further = ("low and high of exact: the bootstrap of error_acc",) if params.page == OFFSET else (steps,)
    return frame, (f"low and high: 95%, Wilson's; {INDEPENDENT}; {FEW}", *binnings, *further)


def _rows(
    evaluation: Evaluation, benchmark: str, inside: Bools, params: Params, bins: StepBins, seed: int
) -> Iterator[dict[str, Any]]:
    if params.page == OFFSET:
        return offset_rows(evaluation, inside, seed)
    if params.page == ALIGNED:
        return aligned_rows(evaluation, inside)
    if params.page == REWARDS:
        return chain(case_histogram(evaluation, inside), step_histogram(evaluation, inside))
    if params.page == RELIABILITY:
        return chain(case_reliability(evaluation, inside), step_reliability(evaluation, inside))
    if params.page == POSITION and params.get("errors", bins.errors) == "first":
        return first_position_rows(evaluation, inside, bins)
    make = all_position_rows if params.page == POSITION else step_position_rows
    return make(evaluation, inside, bins, judged_steps(evaluation, benchmark))


# -- how far verdicts lie from the earliest error


def offset_blocks(results: ResultSet, evaluation: Evaluation, benchmark: str, rows: Sequence[Row]) -> Iterator[Block]:
    """Draw how far the verdicts of a scorer lie from the earliest errors, and count its outcomes."""
    counts = [row for row in rows if row["metric"] == "count"]
    n = counts[0]["n"] if counts else 0
    if n:
        who = evaluation.scorer.name
        title = f"How far verdicts of {who} lie from the earliest error, in steps"
        yield Columns(title, tuple(distances(counts, evaluation.scorer.name, benchmark)))
    else:
        yield Note(evaluation.coverage.nothing or "No erroneous case here has a verdict.")
    yield _outcome_table(results, evaluation, benchmark, n)
    erroneous = int((_shown_of(results, benchmark) & (evaluation.gold.earliest >= 0)).sum())
    out = f"; {erroneous - n:,} of the {erroneous:,} erroneous cases have none" if erroneous > n else ", which is all"
    yield Note(f"The columns add up to the {counted(n, 'erroneous case')} with a verdict{out}.", "quiet")


def distances(rows: Sequence[Row], scorer: str, benchmark: str) -> Iterator[Counted]:
    """Count verdicts by their distance: early at the left, late at the right, missed at the end."""
    placed = {row["offset"]: row for row in rows if row["offset"] is not None}
    apart = {row["outcome"]: row for row in rows if row["offset"] is None}
    if "early" in apart:
        yield _distance("early", None, apart["early"], scorer, benchmark)
    for offset in range(min(placed, default=0), max(placed, default=-1) + 1):
        outcome = "early" if offset < 0 else "late" if offset else "exact"
        yield _distance(outcome, offset, placed.get(offset), scorer, benchmark)
    for outcome in ("late", "missed"):
        if outcome in apart:
            yield _distance(outcome, None, apart[outcome], scorer, benchmark)


def _distance(outcome: str, offset: int | None, row: Row | None, scorer: str, benchmark: str) -> Counted:
    n = 0 if row is None else int(row["value"])
    name = _APART[outcome] if offset is None else f"{offset:+d}" if offset else "0"
    words = WORDS[outcome] if name in {outcome, "0"} else f"{WORDS[outcome]}, {name}"
    link = CaseLink((row["where"],), n, words, scorer, benchmark=benchmark) if row is not None and n else None
    return Counted(name, words, n, outcome, link, offset)


def _shown_of(results: ResultSet, benchmark: str) -> Bools:
    return next(inside for name, inside in by_benchmark(results) if name == benchmark)


def _outcome_table(results: ResultSet, evaluation: Evaluation, benchmark: str, n: int) -> Table:
    """How many are early, exact, late and missed, which is all of `n`; and who is left out, and why."""
    scorer, conditions = evaluation.scorer.name, (*within(results, benchmark), SIDES["erroneous"])
    erroneous = _shown_of(results, benchmark) & (evaluation.gold.earliest >= 0)

    def link(number: int, words: str, *further: str) -> CaseLink:
        return CaseLink((*conditions, *further), number, words, scorer, benchmark=benchmark)

    there = np.bincount(evaluation.codes[erroneous & evaluation.coverage.answered], minlength=len(OUTCOMES)).tolist()
    rows: list[list[Cell]] = []
    for outcome in ("early", "exact", "late", "missed"):
        number, title = there[OUTCOMES.index(outcome)], WORDS[outcome]
        opens = link(number, title, answered(scorer), Facet(f"{scorer}.outcome", (outcome,)).sql)
        share = Cell(number / n if n else None, Kind.SHARE, style="dim")
        rows.append([text(f"{GLYPHS[outcome]} {title}", outcome), count(number, opens), share])
    whole = "erroneous with a verdict"
    rows.append([text(whole, "strong"), count(n, link(n, whole, answered(scorer)), "strong"), text("")])
    gone = np.bincount(evaluation.codes[erroneous & ~evaluation.coverage.answered], minlength=len(OUTCOMES)).tolist()
    for outcome, number in zip(OUTCOMES, gone, strict=True):
        if number:
            opens = link(number, f"erroneous, {WORDS[outcome]}", Facet(f"{scorer}.outcome", (outcome,)).sql)
            rows.append([text(f"left out: {WORDS[outcome]}", "dim"), count(number, opens), text("")])
    return table("", ["", "cases", bar_column("%")], rows)


# -- where errors are, and steps


def position_blocks(evaluation: Evaluation, benchmark: str, rows: Sequence[Row], params: Params) -> Iterator[Block]:
    """Draw where errors are, and where a scorer puts them."""
    bins, scorer = bins_of(params, benchmark), evaluation.scorer.name
    first = params.get("errors", bins.errors) == "first"
    counts = {(row["side"], row["position"]): row for row in rows if row["metric"] == "count"}
    which = "earliest errors" if first else "all error steps"
    title = f"Where errors are, and where the scorer puts them: {which}"
    if not any(row["value"] for row in counts.values()):
        yield Note(title, "lead")
        why = next((row["reason"] for row in rows if row["reason"]), None)
        yield Note(f"There is nothing to show: {why or 'no such case'}.")
        return
    places = []
    for label in bins.labels:
        pair = [counts.get((side, label)) for side, _ in _CLASSES]
        if any(pair):
            numbers = [int(row["value"] or 0) if row else 0 for row in pair]
            links = [
                CaseLink((row["where"],), number, f"{side} {label}", scorer, benchmark=benchmark)
                if row and row["where"] and number
                else None
                for (side, _), row, number in zip(_CLASSES, pair, numbers, strict=True)
            ]
            places.append(Bin(0.0, 0.0, (numbers[0], numbers[1]), (links[0], links[1]), label))
    yield Histogram(title, tuple(_with_empty_joined(places)), _CLASSES, counted="cases" if first else "steps")
    yield Note(f"{bins.words[0].upper()}{bins.words[1:]}.", "quiet")
    if first:
        yield Note("Both sides are the erroneous cases with a verdict.", "quiet")
    else:
        yield Note(
            "Counts are steps of the cases whose error steps are all labelled and that are judged step by step; steps "
            "have no list of cases.",
            "quiet",
        )


def _with_empty_joined(places: Sequence[Bin]) -> Iterator[Bin]:
    """Yield the positions; merge empty neighbours into one."""
    for counts, run in groupby(places, key=lambda place: any(place.counts)):
        alike = list(run)
        if counts or len(alike) < 2:
            yield from alike
        else:
            yield replace(alike[0], name=f"{alike[0].name} to {alike[-1].name}")


def step_blocks(benchmark: str, rows: Sequence[Row], params: Params) -> Iterator[Block]:
    """Draw how well single steps are judged by where they stand."""
    bins, metric = bins_of(params, benchmark), params.get("figure", "acc")
    if metric not in STEP_FIGURES:
        raise UsageError(f"{metric!r} is not a figure of steps.", f"There are: {', '.join(STEP_FIGURES)}.")
    here = [row for row in rows if row["metric"] == metric]
    title = f"{STEP_FIGURES[metric][:1].upper()}{STEP_FIGURES[metric][1:]}, by position of the step"
    if not any(row["value"] is not None for row in here):
        yield Note(title, "lead")
        why = next((row["reason"] for row in here if row["reason"]), "no step is labelled and judged")
        yield Note(f"There is nothing to show: {why}.")
        return
    last = max(at for at, row in enumerate(here) if row["n"])
    lines = [[text(row["position"]), replace(figure(row), n=row["n"])] for row in here[: last + 1]]
    yield table(title, ["position", "%"], lines, bars=True, counted="steps")
    yield Note(f"{bins.words[0].upper()}{bins.words[1:]}.", "quiet")
    yield Note(
        "Counts are steps, labelled and judged one by one, which have no list of cases; an interval stands where a bin "
        "holds one step of a case at most.",
        "quiet",
    )


# -- rewards around the earliest error


def aligned_blocks(evaluation: Evaluation, benchmark: str, rows: Sequence[Row]) -> Iterator[Block]:
    """Draw the mean reward by distance from the earliest error."""
    around = [row for row in rows if row["offset"] is not None]
    clean = next(row for row in rows if row["offset"] is None)
    if all(row["value"] is None for row in rows):
        yield Note(f"There is nothing to show: {clean['reason'] or around[0]['reason']}.")
        return
    if any(row["value"] is not None for row in around):
        yield _aligned_chart(evaluation, around, clean)
    lines = [_aligned_line(evaluation, benchmark, row) for row in (*around, clean)]
    columns: list[str | Column] = [Column("offset", right=True), forest_column("mean reward, 95%"), "n"]
    yield table("Mean reward by steps before and after the earliest error", columns, lines)
    yield Note(
        "95% intervals are of a mean over cases, those of one problem taken together. A case counts at an offset where "
        "it has such a step; clean cases count by their own mean over all steps.",
        "quiet",
    )


def _aligned_chart(evaluation: Evaluation, around: Sequence[Row], clean: Row) -> Curve:
    xs = np.array([float(row["offset"]) for row in around])
    ys, low, high = (
        np.array([np.nan if row[name] is None else row[name] for row in around]) for name in ("value", "low", "high")
    )
    series = [Series("erroneous cases", "e", "exact", xs, ys, low, high)]
    if clean["value"] is not None:
        series.append(Series("clean cases, all steps", "c", "clean", xs[[0, -1]], np.full(2, clean["value"])))
    rule = evaluation.rule
    if rule.by_threshold and rule.on == "rewards" and rule.threshold is not None:
        series.append(Series("threshold", "t", "dim", xs[[0, -1]], np.full(2, rule.threshold)))
    values = np.concatenate([ys, low, high, *(np.asarray(curve.ys, dtype=np.float64) for curve in series[1:])])
    bottom, top = float(np.nanmin(values)), float(np.nanmax(values))
    margin = 0.05 * (top - bottom) or 0.05
    return Curve(
        "",
        "steps from the earliest error",
        "mean reward",
        tuple(series),
        (Tick(0.0, "g", "the earliest error", "gold"),),
        (float(xs[0]), float(xs[-1])),
        (bottom - margin, top + margin),
        Kind.NUMBER,
        whole=True,
    )


def _aligned_line(evaluation: Evaluation, benchmark: str, row: Row) -> list[Cell]:
    offset, scorer = row["offset"], evaluation.scorer.name
    name = "clean, all steps" if offset is None else "the earliest error" if not offset else f"{offset:+d}"
    link = CaseLink((row["where"],), row["n"], f"with rewards: {name}", scorer, benchmark=benchmark)
    return [text(name, "gold" if offset == 0 else ""), figure(row, Kind.REWARD), count(row["n"], link)]
