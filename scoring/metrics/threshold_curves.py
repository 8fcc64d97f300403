"""The official figure at every threshold: exact at each distinct decision, or on a grid with intervals.

A threshold that rises judges more steps wrong. What that changes in the counts of a figure is known case by case, or
step by step, as the values at which a count gains or loses one; sorted, these give the counts at every threshold. What
a threshold is tuned for is the figure that the benchmark reports: F1 as the mean over subsets, PRMScore of all steps
pooled, or the leading one of its own of all cases together (`scoring.metrics.own_sweep`).
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from scoring.data.schema import Bools, Floats, Ints
from scoring.data.scorer import Comparison
from scoring.data.storage.remembered import IdentityCache
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.step_rewards import UNKNOWN_STEP, WRONG_STEP
from scoring.evaluation.verdicts import RIGHT, Rule
from scoring.formats.benchmarks.benchmark_registry import step_labelled
from scoring.formats.benchmarks.case_format import StepLabelled
from scoring.metrics.benchmark_figures import leading_figure
from scoring.metrics.first_error import BOTH_ZERO, F1_SCORE, NOTHING, sides_of
from scoring.metrics.kernel import Decided, Metric, NumberArray, Tally, Unparsed, first_error_sums, with_draws
from scoring.metrics.own import OwnFigure, OwnMetric
from scoring.metrics.own_sweep import own_sweep
from scoring.metrics.paired import OF_CASES
from scoring.metrics.resampling import RESAMPLES, percentile_intervals, resample_problems
from scoring.metrics.step_labels import (
    COUNTS,
    OF_STEPS,
    PRMSCORE,
    asked_by_redundancy,
    count_steps,
    judged_by_redundancy,
    labels_past_end,
    redundancy_rows,
    step_contributions,
)
from scoring.workspace.filtering.sql_words import literal, named

Moving = Literal["validity", "redundancy"]
"""Which threshold moves: the one that rewards are compared with, or the one above which a step is redundant."""
_CURVES = IdentityCache(32)
_REMEMBERED = 150_000
"""Cases of a workspace whose curves are remembered: those of more would take much memory."""
_AT_A_TIME = 1 << 20
"""Thresholds at which a figure is made at a time, where they are very many."""


class CurveGroup(NamedTuple):
    """What a rising threshold changes in one group of cases.

    `fixed` are the counts below every threshold; each of `gains` and `losses`, by the name of a count, holds the values
    at which it goes up, or down, by one.
    """

    fixed: Mapping[str, int]
    gains: Mapping[str, Floats]
    losses: Mapping[str, Floats]


class ThresholdCurve(Struct, frozen=True, eq=False, dict=True):
    """A figure at every distinct decision.

    Attributes:
        metric: The figure.
        thresholds: (t,), ascending: one value for every distinct decision.
        tally: The counts in g groups, over which the figure is averaged, and t columns.
    """

    metric: Metric
    thresholds: Floats
    tally: Tally

    @cached_property
    def score(self) -> Floats:
        """The figure at each threshold, shape (t,); NaN where undefined."""
        columns = (np.arange(first, min(first + _AT_A_TIME, self.thresholds.size)) for first in self._starts)
        return np.concatenate([self.tally.only(some).mean(self.metric) for some in columns])

    @property
    def _starts(self) -> range:
        return range(0, max(1, self.thresholds.size), _AT_A_TIME)

    @cached_property
    def best(self) -> tuple[float, float] | None:
        """The threshold with the highest figure and that figure; the lowest one wins a tie. None = undefined."""
        score = self.score
        if not score.size or np.isnan(score).all():
            return None
        place = int(np.nanargmax(score))
        return float(self.thresholds[place]), float(score[place])

    def places(self, thresholds: Floats | float, comparison: Comparison) -> Ints:
        """Find where (0-based) the thresholds stand that decide as these do; beyond the ends, the ends.

        Under "<" everything above one threshold of the curve decides as the next one, under "<=" as that one itself.
        """
        last = max(0, self.thresholds.size - 1)
        if comparison == "<":
            return np.minimum(np.searchsorted(self.thresholds, thresholds, side="left"), last)
        return np.maximum(np.searchsorted(self.thresholds, thresholds, side="right") - 1, 0)


def official_curve(evaluation: Evaluation, rows: Bools, unparsed: Unparsed, benchmark: str) -> ThresholdCurve | None:
    """Return the official figure at every distinct threshold; None where no one threshold decides.

    Args:
        evaluation: gives rewards, gold and the comparison; its threshold does not matter.
        rows: (n,) which cases take part, all of one benchmark.
        unparsed: how cases without a verdict count; PRMScore leaves them out.
        benchmark: the one they are of.
    """
    rule, facts, own = evaluation.rule, step_labelled(benchmark), leading_figure(benchmark)
    if not isinstance(rule, Rule):
        return None

    def made() -> ThresholdCurve | None:
        if own is not None:
            return own_curve(own, evaluation, rows, unparsed)
        if facts is None:
            return case_curve(evaluation, rows, evaluation.gold.subsets[1], unparsed)
        return step_curve(evaluation, rows, facts)

    if rows.size > _REMEMBERED:
        return made()
    # All that a curve depends on, which is not where the threshold is.
    owners = (evaluation.floats, evaluation.fixed_verdicts, evaluation.gold, evaluation.rewards, evaluation.scorer)
    key = (evaluation.scorer.name, benchmark, unparsed, rule.comparison, np.packbits(rows).tobytes())
    return _CURVES.of(key, owners, made)


def own_curve(made: OwnMetric, evaluation: Evaluation, rows: Bools, unparsed: Unparsed) -> ThresholdCurve | None:
    """Return a benchmark's own figure of all cases together at every distinct threshold; None where none decides.

    See `official_curve` for the arguments.
    """
    sweep = own_sweep(made, evaluation, rows, unparsed)
    if sweep is None:
        return None
    tally = Tally(dict(zip(made.counts, sweep.sums().T[:, None], strict=True)))
    return ThresholdCurve(OwnFigure(made), sweep.thresholds, tally)


def case_curve(
    evaluation: Evaluation, rows: Bools, groups: Ints, unparsed: Unparsed = "wrong"
) -> ThresholdCurve | None:
    """Return F1 as the plain mean over groups of cases at every distinct threshold; None where no threshold decides.

    Args:
        evaluation: as for `official_curve`.
        rows: (n,) which cases take part; unscored ones and those without gold never do.
        groups: (n,) subset number of each case, 0-based.
        unparsed: whether refused and unparsed cases stay in the denominators (`wrong`) or leave them (`drop`).
    """
    if not isinstance(evaluation.rule, Rule):
        return None
    decided = Decided(evaluation, unparsed)
    # The cases (m,) that take part: a dev set is a few of very many.
    taken = np.flatnonzero(rows & decided.members)
    at, before, lowest = (
        side[taken] for side in (evaluation.floats.at, evaluation.floats.before, evaluation.floats.all)
    )
    moving, wrong, groups = (
        evaluation.fixed_verdicts.by_threshold[taken],
        evaluation.gold.earliest[taken] >= 0,
        groups[taken],
    )
    values = np.concatenate([at[moving & wrong], before[moving & wrong], lowest[moving]])
    counted = {name: decided.count(name, taken) for name in F1_SCORE.counts}
    made = []
    for number in np.unique(groups):
        here = groups == number
        erroneous, clean = moving & wrong & here, moving & ~wrong & here
        # Cases that were decided as given are as they are at every threshold.
        fixed = {name: int((counted[name] & here & ~moving).sum()) for name in ("exact", "clean_right")}
        fixed |= {name: int((counted[name] & here).sum()) for name in ("erroneous", "clean")}
        fixed["clean_right"] += int(clean.sum())
        gains, losses = {"exact": at[erroneous]}, {"exact": before[erroneous], "clean_right": lowest[clean]}
        made.append(CurveGroup(fixed, gains, losses))
    return _swept(F1_SCORE, values, made, above=evaluation.rule.comparison == "<")


def step_curve(
    evaluation: Evaluation, rows: Bools, facts: StepLabelled, moving: Moving = "validity"
) -> ThresholdCurve | None:
    """Return PRMScore of all steps pooled at every distinct threshold; None where no one threshold decides.

    Args:
        evaluation: as for `official_curve`.
        rows: (n,) which cases take part. Steps that the other threshold decides, or labels, are as they are.
        facts: in which classes redundancy decides.
        moving: which threshold; of redundancy None also where the scorer gives no such numbers for these cases, or
            labels beside all of them.
    """
    by_redundancy = asked_by_redundancy(evaluation, facts)
    if moving == "redundancy":
        moved = rows & redundancy_rows(evaluation, by_redundancy, 0.0).numbers
        if not moved.any():
            return None
        numbers, offsets = evaluation.rewards.redundancy.values, evaluation.rewards.redundancy.offsets
        above = False
    else:
        if not isinstance(evaluation.rule, Rule):
            return None
        moved = rows & _moved_by_rule(evaluation, by_redundancy)
        compared = evaluation.compared_values
        numbers, offsets = compared.values, compared.offsets
        above = evaluation.rule.comparison == "<"
    labels = evaluation.gold.step_labels[np.repeat(moved, evaluation.gold.n_steps)]
    known = labels != UNKNOWN_STEP
    values, wrong = numbers[np.repeat(moved, np.diff(offsets))][known], labels[known] == WRONG_STEP
    fixed = _fixed_steps(evaluation, rows & ~moved, by_redundancy)
    of_right, of_wrong = values[~wrong], values[wrong]
    sizes = dict(zip(OF_STEPS, (of_right.size, 0, of_wrong.size, 0), strict=True))
    gains, losses = {"fn": of_right, "tn": of_wrong}, {"tp": of_right, "fp": of_wrong}
    if moving == "redundancy":
        # A step is redundant above the threshold: below all of them every one is.
        sizes = dict(zip(OF_STEPS, (0, of_right.size, 0, of_wrong.size), strict=True))
        gains, losses = losses, gains
    group = CurveGroup({name: sizes[name] + fixed[name] for name in OF_STEPS}, gains, losses)
    return _swept(PRMSCORE, values, [group], above=above)


def _moved_by_rule(evaluation: Evaluation, by_redundancy: Bools) -> Bools:
    """The cases whose steps the threshold on rewards decides. Shape (n,)."""
    redundancy = redundancy_rows(evaluation, by_redundancy, evaluation.scorer.redundancy_threshold)
    moved: Bools = evaluation.fixed_verdicts.by_threshold & ~redundancy.labels & ~redundancy.numbers
    return moved


def _fixed_steps(evaluation: Evaluation, rows: Bools, by_redundancy: Bools) -> dict[str, int]:
    """OF_STEPS of the cases of `rows` (n) as they are decided."""
    judged, gold = judged_by_redundancy(evaluation, by_redundancy), evaluation.gold
    counts = labels_past_end(judged, gold).counts[rows].sum(axis=0)
    if rows.any():
        still = rows[judged.cases]
        labels = judged.gold(gold)[still]
        known = labels != UNKNOWN_STEP
        cases = np.zeros(int(known.sum()), dtype=np.int64)
        counts = counts + count_steps(cases, labels[known] == WRONG_STEP, judged.wrong[still][known], 1)[0]
    return dict(zip(OF_STEPS, counts.tolist(), strict=True))


def _swept(metric: Metric, values: Floats, groups: Sequence[CurveGroup], *, above: bool) -> ThresholdCurve:
    """The curve over the distinct ones of `values`, and one more above the highest or below the lowest.

    With `above` a value changes the counts at thresholds above it, else at its own as well.
    """
    thresholds = np.unique(values[np.isfinite(values)])
    if thresholds.size:
        beyond = np.nextafter(thresholds[-1], np.inf) if above else np.nextafter(thresholds[0], -np.inf)
        thresholds = np.append(thresholds, beyond) if above else np.insert(thresholds, 0, beyond)
    sums: dict[str, npt.NDArray[np.int32]] = {}
    for name in metric.counts:
        # What no threshold moves is written once.
        moves = not groups or any(name in group.gains or name in group.losses for group in groups)
        sums[name] = np.zeros((len(groups), thresholds.size if moves else 1), dtype=np.int32)
        for row, group in enumerate(groups):
            sums[name][row] = group.fixed[name]
            if name in group.gains:
                sums[name][row] += _passed(group.gains[name], thresholds, above=above)
            if name in group.losses:
                sums[name][row] -= _passed(group.losses[name], thresholds, above=above)
    return ThresholdCurve(metric, thresholds, Tally(sums))


def _passed(values: Floats, thresholds: Floats, *, above: bool) -> npt.NDArray[np.int32]:
    """How many of the values each threshold has passed; those that are finite are all among the thresholds."""
    # Asked in order, places are found many times faster.
    ordered = np.sort(values[np.isfinite(values)])
    here = np.bincount(np.searchsorted(thresholds, ordered), minlength=thresholds.size)
    up_to = np.cumsum(here)
    return (up_to - here if above else up_to).astype(np.int32)


class Tuned(NamedTuple):
    """The best threshold; None where there is none, and `reason` says why."""

    threshold: float | None
    reason: str | None


def tuned(curve: ThresholdCurve | None) -> Tuned:
    """Find where a curve is highest; the lowest of equally good thresholds."""
    where = "the cases it would be tuned on"
    if curve is None or not curve.thresholds.size:
        what = "a labelled step" if curve is not None and curve.metric is PRMSCORE else "any"
        return Tuned(None, f"no threshold decides {what} of {where}")
    if curve.best is None:
        return Tuned(None, f"{curve.metric.title} is undefined on {where}{_why_undefined(curve)}")
    return Tuned(curve.best[0], None)


def _why_undefined(curve: ThresholdCurve) -> str:
    if curve.metric is not PRMSCORE:
        return ""
    tp, fn, fp, tn = (int(curve.tally.sums[name][0, 0]) for name in OF_STEPS)
    return ", which hold no right step" if tp + fn == 0 else ", which hold no wrong step" if fp + tn == 0 else ""


# -- on a grid, with intervals


class Bands(Struct, frozen=True, eq=False):
    """Figures at some thresholds, with the interval that each figure has on these cases wherever it is shown.

    Equal seeds draw alike at all thresholds, so that a curve's band moves as its curve does.

    Attributes:
        metrics: The figures.
        thresholds: (t,), in any order.
        tally: Counts in g groups, over which figures are averaged, and t columns, with draws.
    """

    metrics: tuple[Metric, ...]
    thresholds: Floats
    tally: Tally

    def values(self, metric: Metric) -> Floats:
        """Return a figure at each threshold, shape (t,); NaN where undefined."""
        return self.tally.mean(metric)

    def interval(self, metric: Metric) -> tuple[Floats, Floats]:
        """Return low and high end (95%) at each threshold, each (t,); NaN where there is none."""
        if self.tally.draws is None:
            nothing = np.full(self.thresholds.shape, np.nan)
            return nothing, nothing
        ends = percentile_intervals(self.tally.drawn_mean(metric))
        low, high = (np.where(np.isnan(self.values(metric)), np.nan, end) for end in ends)
        return low, high

    def sizes(self, metric: Metric) -> tuple[int, ...]:
        """Count what is in the denominators of a figure: cases of each of its sides, or steps."""
        if metric not in OF_CASES:
            return (int(metric.size(self.tally.sums)[0].max(initial=0)),)
        return tuple(int(self.tally.sums[side].sum()) for side in sides_of(metric))

    def reasons(self, metric: Metric) -> Iterator[str | None]:
        """Yield for each threshold why a figure is undefined; None where it is not."""
        values, sums = self.values(metric), self.tally.sums
        if metric not in OF_CASES:
            for place, value in enumerate(values):
                at = {name: counted[0, place] for name, counted in sums.items()}
                yield metric.why(at) if np.isnan(value) else None
            return
        groups = sums["erroneous"].shape[0]
        why = None if groups else NOTHING
        for side in sides_of(metric) if groups else ():
            if empty := int((sums[side] == 0).sum()):
                where = "" if empty == groups else f" in {empty} of {groups} subsets"
                why = f"no {side} case was scored{where}"
                break
        yield from (why or (BOTH_ZERO if np.isnan(value) else None) for value in values)


def official_bands(
    evaluation: Evaluation, rows: Bools, thresholds: Floats, unparsed: Unparsed, benchmark: str, seed: int | None = 0
) -> Bands | None:
    """Return the official figure, and the accuracies behind F1, at thresholds; None where no one threshold decides.

    The draws are those of `metrics`: at the threshold that decides, the band of one run is the interval there.

    See `official_curve` for the arguments; `thresholds` (t,) are finite, `seed` is that of the resamples, None =
    there are none, and no intervals.
    """
    facts, own = step_labelled(benchmark), leading_figure(benchmark)
    if facts is not None:
        return step_bands(evaluation, rows, thresholds, facts, seed)
    if own is not None:
        return own_bands(own, evaluation, rows, thresholds, unparsed, seed)
    return case_bands(evaluation, rows, thresholds, unparsed, seed)


def case_bands(
    evaluation: Evaluation, rows: Bools, thresholds: Floats, unparsed: Unparsed = "wrong", seed: int | None = 0
) -> Bands | None:
    """Return F1 and both accuracies as means over subsets at each of the thresholds; None where none decides.

    Whole problems are resampled where two cases are of one; else the cases of each side of a subset.
    """
    if not isinstance(evaluation.rule, Rule):
        return None
    taken = np.flatnonzero(rows & Decided(evaluation, unparsed).members)
    gold, order = evaluation.gold, np.argsort(thresholds, kind="stable")
    subsets, subset = np.unique(gold.subset_ranks[gold.subsets[1][taken]], return_inverse=True)
    cells, n_cells = 2 * subset + ~(gold.earliest[taken] >= 0), 2 * subsets.size
    spans = right_between(evaluation, taken, thresholds[order])
    # Back in the order that was asked for.
    back = np.argsort(order, kind="stable")
    totals = np.bincount(cells, minlength=n_cells)[:, None]

    def by_side(counted: NumberArray) -> NumberArray:
        return counted.reshape(*counted.shape[:-2], subsets.size, 2, counted.shape[-1])

    sums = first_error_sums(by_side(_hits(*spans, cells, n_cells, thresholds.size)[:, back]), by_side(totals))
    problems = gold.problems[taken]
    if seed is None:
        return Bands(OF_CASES, thresholds, Tally(sums))
    if np.unique(problems).size == problems.size:
        return Bands(OF_CASES, thresholds, with_draws(Tally(sums), seed))
    right = _right_at(*spans, thresholds.size)
    parts = np.column_stack([right, np.ones(cells.size)]).astype(np.float64)
    resampled = resample_problems(parts, cells, n_cells, problems, seed)
    drawn, sizes = resampled[..., :-1], resampled[..., -1:]
    return Bands(OF_CASES, thresholds, Tally(sums, first_error_sums(by_side(drawn[..., back]), by_side(sizes))))


def own_bands(
    made: OwnMetric, evaluation: Evaluation, rows: Bools, thresholds: Floats, unparsed: Unparsed, seed: int | None = 0
) -> Bands | None:
    """Return a benchmark's own figure of all cases together at each of the thresholds; None where none decides."""
    rows = rows & made.members(Decided(evaluation, unparsed))
    sweep = own_sweep(made, evaluation, rows, unparsed)
    if sweep is None:
        return None
    parts = sweep.at(thresholds)
    sums = dict(zip(made.counts, parts.sum(axis=0).T[:, None], strict=True))
    if seed is None:
        return Bands((OwnFigure(made),), thresholds, Tally(sums))
    together = np.zeros(len(parts), dtype=np.int64)
    flat = parts.reshape(len(parts), thresholds.size * len(made.counts))
    drawn = resample_problems(flat, together, 1, evaluation.gold.problems[rows], seed)
    by_count = np.moveaxis(drawn.reshape(RESAMPLES, 1, *parts.shape[1:]), -1, 0)
    return Bands((OwnFigure(made),), thresholds, Tally(sums, dict(zip(made.counts, by_count, strict=True))))


def right_between(evaluation: Evaluation, rows: Ints, thresholds: Floats) -> tuple[Ints, Ints]:
    """Find between which thresholds some cases (row ids, shape (m,)) are right: from one place to before another.

    Places are those of the thresholds, which ascend; shapes (m,). A case is right at thresholds without a gap: an
    error from where it is found to where an earlier step is named, a clean case as long as no step is. What no
    threshold decides is as it is at all of them.
    """
    floats, rule, end = evaluation.floats, evaluation.rule, thresholds.size
    assert isinstance(rule, Rule)  # noqa: S101  # whoever asks has seen to it
    side: Literal["left", "right"] = "right" if rule.comparison == "<" else "left"
    # From this place on a number is under the threshold.
    before, at, lowest = (
        np.searchsorted(thresholds, numbers[rows], side) for numbers in (floats.before, floats.at, floats.all)
    )
    erroneous = evaluation.gold.earliest[rows] >= 0
    moving = evaluation.fixed_verdicts.by_threshold[rows]
    still = np.where(np.isin(evaluation.codes[rows], RIGHT), end, 0)
    first = np.where(moving & erroneous, at, 0)
    last = np.where(moving, np.where(erroneous, before, lowest), still)
    return first, last


def _right_at(first: Ints, last: Ints, size: int) -> Bools:
    places = np.arange(size)
    right: Bools = (places >= first[:, None]) & (places < last[:, None])
    return right


def _hits(first: Ints, last: Ints, cells: Ints, n_cells: int, size: int) -> Ints:
    """How many cases of each cell are right at each of the thresholds in ascending order, shape (n_cells, size)."""
    begun, ended = (
        np.bincount(cells * (size + 1) + place, minlength=n_cells * (size + 1)).reshape(n_cells, size + 1)
        for place in (first, last)
    )
    hits: Ints = np.cumsum(begun - ended, axis=1)[:, :size]
    return hits


def step_bands(
    evaluation: Evaluation, rows: Bools, thresholds: Floats, facts: StepLabelled, seed: int | None = 0
) -> Bands | None:
    """Return PRMScore of all steps pooled at each of the thresholds; None where no one threshold decides.

    The draws are those of `scoring.metrics.step_labels`: at a threshold the band of one run is the interval told there.
    """
    if not isinstance(evaluation.rule, Rule):
        return None
    judged = step_contributions(evaluation, facts)[:, COUNTS.index("judged")] > 0
    taken = np.flatnonzero(rows & judged)
    counts = counts_at(evaluation, taken, thresholds, facts)
    sums = dict(zip(OF_STEPS, counts.sum(axis=0)[:, None], strict=True))
    if seed is None:
        return Bands((PRMSCORE,), thresholds, Tally(sums))
    # How many steps are right or wrong does not depend on the threshold: what is drawn is which are judged wrong.
    right, wrong = (counts[:, first : first + 2, :1].sum(axis=(1, 2)) for first in (0, 2))
    parts = np.column_stack([counts[:, 1], counts[:, 3], right, wrong]).astype(np.float64)
    everything = np.zeros(taken.size, dtype=np.int64)
    drawn = resample_problems(parts, everything, 1, evaluation.gold.problems[taken], seed)
    size = thresholds.size
    fn, tn, rights, wrongs = np.split(drawn, [size, 2 * size, 2 * size + 1], axis=-1)
    draws = {"tp": rights - fn, "fn": fn, "fp": wrongs - tn, "tn": tn}
    return Bands((PRMSCORE,), thresholds, Tally(sums, draws))


def counts_at(evaluation: Evaluation, rows: Ints, thresholds: Floats, facts: StepLabelled) -> Ints:
    """Count OF_STEPS of each of some cases (row ids, shape (m,)) at each threshold, shape (m, 4, t)."""
    moved = _moved_by_rule(evaluation, asked_by_redundancy(evaluation, facts))
    as_decided = step_contributions(evaluation, facts)[rows, : len(OF_STEPS), None].astype(np.int64)
    counts = np.repeat(as_decided, thresholds.size, axis=2)
    order = np.argsort(thresholds, kind="stable")
    here = np.flatnonzero(moved[rows])
    place = np.full(moved.size, -1)
    place[rows[here]] = here
    moved_counts = _moved_counts(evaluation, place, thresholds[order])[here]
    counts[here[:, None, None], np.arange(len(OF_STEPS))[:, None], order] = moved_counts
    return counts


def _moved_counts(evaluation: Evaluation, place: Ints, thresholds: Floats) -> Ints:
    """The counts of the cases that a threshold decides, by `place` (n,), -1 for others; thresholds ascend."""
    compared, rule = evaluation.compared_values, evaluation.rule
    assert isinstance(rule, Rule)  # noqa: S101  # whoever asks has seen to it
    lengths = np.diff(compared.offsets)
    row = np.repeat(place, lengths)
    labels = evaluation.gold.step_labels[np.repeat(lengths == evaluation.gold.n_steps, evaluation.gold.n_steps)]
    kept = (row >= 0) & (labels != UNKNOWN_STEP)
    row, wrong = row[kept], (labels == WRONG_STEP)[kept]
    # A step is judged wrong at every threshold from this one on.
    first = np.searchsorted(thresholds, compared.values[kept], side="right" if rule.comparison == "<" else "left")
    size, n = thresholds.size, int(place.max(initial=-1)) + 1
    counts = np.zeros((n, len(OF_STEPS), size), dtype=np.int64)
    for gold in (False, True):
        own = wrong == gold
        flat = (row * (size + 1) + first)[own]
        judged_wrong = np.bincount(flat, minlength=n * (size + 1)).reshape(n, size + 1)[:, :size].cumsum(axis=1)
        total = np.bincount(row[own], minlength=n)[:, None]
        counts[:, 2 * gold], counts[:, 2 * gold + 1] = total - judged_wrong, judged_wrong
    return counts


# -- what a move between two thresholds turns over: cases as SQL conditions, and single steps.
#
# Conditions speak of the columns `lowest_compared`, `lowest_to_gold` and `lowest_before_gold` of a scorer
# (`scoring.evaluation.scorer_columns`), which no threshold changes. Cases that no threshold decides are in none of
# them, and a dev case is not while it is left out.


Flip = Literal["right", "wrong", "other"]
_UNDER: dict[Comparison, tuple[str, str]] = {"<": ("<", ">="), "<=": ("<=", ">")}
"""How SQL says that a number is under the threshold, and that it is not."""


class AtThreshold:
    """Conditions on the outcomes of one scorer at one threshold.

    `under` and `over` say of each of the three columns, by its name without `lowest_`, that it is under the threshold,
    and that it is not.
    """

    def __init__(self, scorer: str, threshold: float, comparison: Comparison) -> None:
        cut = literal(float(threshold))
        for_under, for_over = _UNDER[comparison]
        names = {side: named(f"{scorer}.lowest_{side}") for side in ("compared", "to_gold", "before_gold")}
        self.under = {side: f"{name} {for_under} {cut}" for side, name in names.items()}
        self.over = {side: f"{name} {for_over} {cut}" for side, name in names.items()}

    @property
    def exact(self) -> str:
        """The earliest error is named."""
        return f"earliest_error >= 0 AND {self.under['to_gold']} AND {self.over['before_gold']}"

    @property
    def early(self) -> str:
        """An earlier step is."""
        return f"earliest_error >= 0 AND {self.under['before_gold']}"

    @property
    def late(self) -> str:
        """A later step is."""
        return f"earliest_error >= 0 AND {self.under['compared']} AND {self.over['to_gold']}"

    @property
    def missed(self) -> str:
        """There is an error and no step is named."""
        return f"earliest_error >= 0 AND {self.over['compared']}"

    @property
    def clean(self) -> str:
        """There is no error and no step is named."""
        return f"earliest_error = -1 AND {self.over['compared']}"

    @property
    def false_alarm(self) -> str:
        """There is no error and a step is named."""
        return f"earliest_error = -1 AND {self.under['compared']}"

    @property
    def right(self) -> str:
        """Exact or clean."""
        return f"({self.exact} OR {self.clean})"

    @property
    def wrong(self) -> str:
        """Early, late, missed or a false alarm."""
        return f"({self.early} OR {self.late} OR {self.missed} OR {self.false_alarm})"


def flip_conditions(before: Evaluation, after: Evaluation) -> dict[Flip, str] | None:
    """Return which cases become right, wrong, or wrong in another way, from one threshold of a scorer to another.

    A higher threshold names steps earlier, or names one where it named none: what it turns right are errors that were
    missed or found late, and what it turns wrong are errors that were found and clean cases; a lower one does the
    opposite.

    None where no such condition says it: the two are not decided by one threshold each under one rule, or dev cases are
    left out of one of them.

    Args:
        before: decided at the first threshold.
        after: the same cases and rewards at the second.
    """
    old, new = before.rule, after.rule
    if not isinstance(old, Rule) or not isinstance(new, Rule) or old.at(0.0, "") != new.at(0.0, ""):
        return None
    if before.coverage.left_out or after.coverage.left_out:
        return None
    low, high = sorted((old.threshold, new.threshold))
    at_low, at_high = (AtThreshold(before.scorer.name, cut, old.comparison) for cut in (low, high))
    gained = (
        f"earliest_error >= 0 AND {at_low.over['to_gold']} AND {at_high.under['to_gold']}"
        f" AND {at_high.over['before_gold']}"
    )
    between = {side: f"{at_low.over[side]} AND {at_high.under[side]}" for side in ("before_gold", "compared")}
    lost = (
        f"(earliest_error >= 0 AND {at_low.under['to_gold']} AND {between['before_gold']}"
        f" OR earliest_error = -1 AND {between['compared']})"
    )
    to_early = f"{at_low.over['to_gold']} AND {at_high.under['before_gold']}"
    missed_or_late = f"{between['compared']} AND {at_high.over['to_gold']}"
    right, wrong = (gained, lost) if old.threshold <= new.threshold else (lost, gained)
    return {"right": right, "wrong": wrong, "other": f"earliest_error >= 0 AND ({to_early} OR {missed_or_late})"}


def step_flips(before: Evaluation, after: Evaluation, rows: Bools, facts: StepLabelled) -> Ints:
    """Count how many labelled steps of each case are judged rightly only after, and only before. Shape (2, n).

    Args:
        before: n cases decided in one way.
        after: the same cases and scorer, decided in another.
        rows: (n,) the cases to count in; those whose steps are not judged both times have 0.
        facts: in which classes redundancy decides.
    """
    by_redundancy = asked_by_redundancy(before, facts)
    judged = [judged_by_redundancy(evaluation, by_redundancy) for evaluation in (before, after)]
    taken = rows & judged[0].rows & judged[1].rows
    labels = judged[0].gold(before.gold)[taken[judged[0].cases]]
    was, is_now = ((judged_steps.wrong[taken[judged_steps.cases]] == (labels == WRONG_STEP)) for judged_steps in judged)
    case, known = judged[0].cases[taken[judged[0].cases]], labels != UNKNOWN_STEP
    flips: Ints = np.stack(
        [np.bincount(case[known & turned], minlength=taken.size) for turned in (~was & is_now, was & ~is_now)]
    )
    return flips
