"""Pages of `thresholds` about the rewards behind it: by gold class, and as probabilities."""

from collections.abc import Callable, Iterator, Sequence

import polars as pl
from msgspec.structs import replace

from inspector.analyses import Params
from inspector.analyses.breakdown.bin_pages import RELIABILITY, REWARDS, bin_frame
from inspector.render.blocks import Block, Note
from inspector.render.chart_blocks import Bin, CalibrationBin, Classes, Histogram, Reliability, Tick
from inspector.render.lines import CaseLink
from inspector.render.table_blocks import figure
from inspector.render.view import View
from inspector.state.figure_notes import first_run_notes
from inspector.state.provenance import provenance
from inspector.state.thresholds.ways import NOTHING, scorers_there, threshold_sections
from scoring.data.reward_transforms import transform
from scoring.data.schema import Row
from scoring.evaluation.evaluation import Evaluation
from scoring.selection.result_set import ResultSet

GOLD_SIDES: Classes = (("erroneous", "missed"), ("clean", "clean"))
STEPS: Classes = (("wrong", "missed"), ("right", "clean"))
_CLASSES = {"case": (GOLD_SIDES, ({"erroneous"}, {"clean"})), "step": (STEPS, ({"at"}, {"clean", "before"}))}
"""By unit its classes, and which rows are of each: steps after the earliest error are neither."""


def rewards_view(results: ResultSet, params: Params) -> View:
    """Show how rewards lie by gold class, and how well they tell these apart."""
    return _of_bins(results, params, REWARDS, reward_blocks)


def reliability_view(results: ResultSet, params: Params) -> View:
    """Show whether rewards are the probabilities that they look like."""
    return _of_bins(results, params, RELIABILITY, reliability_blocks)


def _of_bins(
    results: ResultSet,
    params: Params,
    page: str,
    lay_out: Callable[[Evaluation, Sequence[Row], str], Iterator[Block]],
) -> View:
    """A page over the rows that the page of `breakdown` of this name has."""
    frame, notes = bin_frame(results, Params(page))

    def blocks(name: str, scope: ResultSet) -> Iterator[Block]:
        there = scorers_there(scope, name)
        for evaluation in there:
            if len(there) > 1:
                yield Note(evaluation.scorer.name, "lead")
            own = frame.filter(pl.col("scorer") == evaluation.scorer.name, pl.col("benchmark") == name)
            yield from lay_out(evaluation, own.to_dicts(), name)
        if not there:
            yield Note(NOTHING)

    title = "Rewards by gold class" if page == REWARDS else "Are rewards probabilities?"
    command = results.query.command("thresholds", f"--{page}", form=params.form)
    facts = provenance(results, command, (*notes, *first_run_notes(results)))
    return View(frame, facts, title=title, lay_out=lambda: threshold_sections(results, blocks))


def reward_blocks(evaluation: Evaluation, rows: Sequence[Row], benchmark: str) -> Iterator[Block]:
    """Draw histograms of cases and of steps by gold class, and say how well rewards tell these apart."""
    of_cases, of_steps = ([row for row in rows if row["unit"] == unit] for unit in ("case", "step"))
    if not any(row["value"] for row in of_cases if row["metric"] == "count"):
        reason = next((row["reason"] for row in of_cases if row["metric"] == "auroc"), "nothing was scored")
        yield Note(f"There are no rewards to lay out: {reason}.")
        return
    rule = evaluation.rule
    on_rewards = rule.by_threshold and rule.on == "rewards"
    ticks = (Tick(rule.threshold, "^", "present threshold"),) if on_rewards and rule.threshold is not None else ()
    separation = _separation(of_cases, "a clean case", "an erroneous one")
    yield _histogram(f"The lowest reward of each case: {separation}", of_cases, "case", ticks, evaluation, benchmark)
    separation = _separation(of_steps, "a right step", "one at an earliest error")
    title = f"The reward of each step before and at the earliest error: {separation}"
    yield _histogram(title, of_steps, "step", ticks, evaluation, benchmark)
    if rule.by_threshold and not on_rewards:
        what = transform(rule.on).plural
        yield Note(f"The threshold is on {what} of rewards, so that it has no place on these axes.", "quiet")


def _separation(rows: Sequence[Row], high: str, low: str) -> str:
    """The AUROC in words, with its interval, or why there is none."""
    row = next(row for row in rows if row["metric"] == "auroc")
    if row["value"] is None:
        return f"no AUROC: {row['reason']}."
    ends = "" if row["low"] is None else f" ({row['low']:.3f} to {row['high']:.3f})"
    few = " ~" if row["small"] else ""
    return f"AUROC {row['value']:.3f}{ends}{few}: how often that of {high} is above that of {low}."


def _histogram(
    title: str, rows: Sequence[Row], unit: str, ticks: tuple[Tick, ...], evaluation: Evaluation, benchmark: str
) -> Histogram:
    classes, sides = _CLASSES[unit]
    counts = [row for row in rows if row["metric"] == "count"]
    bins = []
    for low, high in dict.fromkeys((row["reward_from"], row["reward_to"]) for row in counts):
        here = [row for row in counts if (row["reward_from"], row["reward_to"]) == (low, high)]
        each = [[row for row in here if row["side"] in side] for side in sides]
        sizes = [int(sum(row["value"] or 0 for row in side)) for side in each]
        links = [_bin_link(side, n, low, high, evaluation, benchmark) for side, n in zip(each, sizes, strict=True)]
        bins.append(Bin(low, high, (sizes[0], sizes[1]), (links[0], links[1])))
    return Histogram(title, tuple(bins), classes, ticks, f"{unit}s")


def _bin_link(
    rows: Sequence[Row], n: int, low: float, high: float, evaluation: Evaluation, benchmark: str
) -> CaseLink | None:
    if len(rows) != 1 or rows[0]["where"] is None or not n:
        return None
    words = f"lowest reward {low:.3g} to {high:.3g}, {rows[0]['side']}"
    return CaseLink((rows[0]["where"],), n, words, evaluation.scorer.name, benchmark=benchmark)


def reliability_blocks(evaluation: Evaluation, rows: Sequence[Row], benchmark: str) -> Iterator[Block]:
    """Draw reliability diagrams of steps and of cases, or say why there is none."""
    of_cases, of_steps = ([row for row in rows if row["unit"] == unit] for unit in ("case", "step"))
    yield from _shares(of_steps, "Share of right steps", "steps", evaluation, benchmark)
    if any(row["metric"] == "share_right" for row in of_steps):
        yield from _shares(of_cases, "Share of clean cases by the lowest reward", "cases", evaluation, benchmark)


def _shares(rows: Sequence[Row], title: str, counted: str, evaluation: Evaluation, benchmark: str) -> Iterator[Block]:
    """A reliability diagram with its calibration error, or why there is none."""
    ece = next(row for row in rows if row["metric"] == "ece")
    if ece["value"] is None:
        yield Note(f"There is no reliability diagram: {ece['reason']}.")
        return
    caption = f"{title}: expected calibration error {ece['value']:.3f} (how far it is from what was given, on average)."
    means = {row["reward_from"]: row["value"] for row in rows if row["metric"] == "mean_reward"}
    bins = []
    for row in rows:
        if row["metric"] == "share_right":
            low, high, where = row["reward_from"], row["reward_to"], row["where"]
            words = f"lowest reward {low:.1f} to {high:.1f}"
            name = evaluation.scorer.name
            link = CaseLink((where,), row["n"], words, name, benchmark=benchmark) if where and row["n"] else None
            bins.append(CalibrationBin(low, high, means[low], replace(figure(row, link=link), n=row["n"])))
    yield Reliability(caption, tuple(bins), counted)
    if all(reward_bin.share.low is None for reward_bin in bins):
        yield Note("No interval: steps of a case are not independent of each other.", "quiet")
