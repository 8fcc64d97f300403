"""Figures of single steps: by class, by group of classes, pooled over all steps, and as the mean of classes.

PRMBench (arXiv 2501.03124, section 4.2, Tables 3 and 10 to 23) and Socratic-PRMBench (arXiv 2505.23474, Tables 3 and 4,
Figure 3): a step is positive if it is right, so that tp counts right steps judged right and tn wrong ones judged wrong.
PRMScore is the mean of the F1s of positive and of negative steps, each the harmonic mean of its precision and recall.
A class's counts are pooled over its steps; a category's (a pattern's) figure is the plain mean of its classes'; the
overall figure is that of all steps pooled, not a mean of classes.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from scoring.data.schema import Bools, Floats, Ints
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.judged_steps import JudgedSteps
from scoring.evaluation.step_rewards import UNKNOWN_STEP, WRONG_STEP, Gold, StepLabels
from scoring.evaluation.twins import originals_by_run
from scoring.formats.benchmarks.benchmark_registry import step_labelled
from scoring.formats.benchmarks.case_format import StepLabelled
from scoring.metrics.first_error import figure_rows
from scoring.metrics.kernel import Empty, Metric, NumberArray, Ratio, Sums, Tally, harmonic, share, total
from scoring.metrics.likeness import has_empty_labels, likeness_to_originals
from scoring.metrics.resampling import SMALL, figure_over_runs, reason_over_runs, resample_apart, resample_problems

# -- what a case contributes to figures of single steps, where redundancy and labels beyond the last step have their
# say
#
# PRMBench (arXiv 2501.03124; `mr_eval/tasks/prmtest_classified/task.py` of ssmisya/PRMBench): in the classes
# redundency and circular the scorer's redundancy labels, where it has them, take the place of its validity labels;
# where it has numbers instead, a step is redundant iff its number is above the scorer's threshold for them. And the
# toolkit walks through the labels, however many steps there are: a step that is in the list of error steps is wrong,
# any other is right, whether it is there or not.


COUNTS = ("tp", "fn", "fp", "tn", "first_hit", "first_n", "judged", "tried", "likeness", "likeness_n")
"""What is summed over cases: counts of steps, a right step being positive; then of cases; and for similarity a sum with
its count of cases."""
OF_STEPS = COUNTS[:4]


def step_contributions(
    evaluation: Evaluation, facts: StepLabelled, originals: Evaluation | None = None, *, official: bool = False
) -> Floats:
    """Count COUNTS of each case, shape (n, len(COUNTS)); zeros where nothing was tried. Nobody may write to it.

    Steps without a gold label or without a judgement count nowhere, and neither do gold steps beyond the last one; but
    labels beyond it do. `first` is about cases whose earliest wrong step is judged. A case that was tried and has no
    judgement of its steps lowers the validity rate and counts nowhere else.

    Args:
        evaluation: n decided cases; what was counted is kept with it.
        facts: in which classes redundancy decides.
        originals: the same scorer on the unharmed originals, for `likeness`.
        official: count a result with an empty list of labels as PRMBench's toolkit does: as judged, and in `likeness`
            an original with one as if -1 of its steps were judged right.
    """
    kept: dict[tuple[int, int, bool], tuple[object, ...]] = vars(evaluation).setdefault("_step_contributions", {})
    place = (id(facts), id(originals), official)
    if place not in kept:
        # What is kept holds on to what it was made of, so that no other object can have its id.
        kept[place] = (_contributions(evaluation, facts, originals, official=official), facts, originals)
    counts = kept[place][0]
    assert isinstance(counts, np.ndarray)  # noqa: S101
    return counts


def _contributions(
    evaluation: Evaluation, facts: StepLabelled, originals: Evaluation | None, *, official: bool
) -> Floats:
    judged = judged_by_redundancy(evaluation, asked_by_redundancy(evaluation, facts))
    n, gold = judged.rows.size, evaluation.gold
    labels = judged.gold(gold)
    known = labels != UNKNOWN_STEP
    counts = count_steps(judged.cases[known], labels[known] == WRONG_STEP, judged.wrong[known], n)
    inside = judged.rows & gold.known & (gold.earliest >= 0) & (gold.earliest < judged.lengths)
    beyond = labels_past_end(judged, gold)
    hit = beyond.hit.copy()
    hit[inside] = judged.wrong[judged.offsets[:-1][inside] + gold.earliest[inside]]
    tried = judged.rows | (evaluation.coverage.tried & ~evaluation.coverage.answered)
    likeness, alike = likeness_to_originals(evaluation, judged, originals, official=official)
    valid = judged.rows | has_empty_labels(evaluation) if official else judged.rows
    columns = [counts + beyond.counts, hit, inside | beyond.first, valid, tried, likeness, alike]
    contributions = np.column_stack(columns).astype(np.float64)
    contributions.flags.writeable = False
    return contributions


def count_steps(cases: Ints, wrong: Bools, judged_wrong: Bools, n: int) -> Ints:
    """Count OF_STEPS of each of n cases, shape (n, 4); of each step its case, what it is and what it is called."""
    # tp, fn, fp, tn are 0 to 3: twice "the step is wrong" and once "it is judged wrong".
    kind = 2 * wrong.astype(np.int64) + judged_wrong
    return np.bincount(4 * cases + kind, minlength=4 * n).reshape(n, 4)


# -- redundancy


class RedundancyRows(Struct, frozen=True, eq=False):
    """Which of n cases redundancy decides: those with `labels` that the scorer gave, and those with `numbers` alone."""

    labels: Bools
    numbers: Bools


def asked_by_redundancy(evaluation: Evaluation, facts: StepLabelled) -> Bools:
    """Find the cases of the classes in which "not redundant" stands for "right". Shape (n,)."""
    return evaluation.gold.cases["error_type"].is_in(sorted(facts.by_redundancy)).fill_null(value=False).to_numpy()


def redundancy_rows(evaluation: Evaluation, rows: Bools, threshold: float | None) -> RedundancyRows:
    """Find the cases of `rows` (n) that redundancy decides at a threshold; None decides nothing without labels."""
    judged, rewards = evaluation.judged_steps.rows, evaluation.rewards
    labels = rows & judged & rewards.redundant.has_labels
    numbers = rows & judged & rewards.redundancy.present & ~labels
    return RedundancyRows(labels, np.zeros_like(numbers) if threshold is None else numbers)


def judged_by_redundancy(evaluation: Evaluation, by_redundancy: Bools) -> JudgedSteps:
    """Return the steps judged one by one, with "redundant" in the place of "wrong" on the cases of `by_redundancy` (n).

    A case for which the scorer does not tell redundant steps keeps its validity.
    """
    judged, cut = evaluation.judged_steps, evaluation.scorer.redundancy_threshold
    rows = redundancy_rows(evaluation, by_redundancy, cut)
    if rows.labels.any():
        judged = judged.with_labels(rows.labels, evaluation.rewards.redundant)
    if cut is not None and rows.numbers.any():
        numbers = evaluation.rewards.redundancy
        above = StepLabels(numbers.values > cut, numbers.offsets, numbers.present)
        judged = judged.with_labels(rows.numbers, above)
    return judged


def without_redundancy_threshold(evaluation: Evaluation, rows: Bools) -> int:
    """Count the cases of `rows` (n) with redundancy numbers for which no threshold is known."""
    if evaluation.scorer.redundancy_threshold is not None:
        return 0
    return int(redundancy_rows(evaluation, rows, 0.0).numbers.sum())


# -- labels beyond the last step


class PastEndCounts(NamedTuple):
    """What the labels beyond the last steps of n cases add.

    `counts` (n, 4) are OF_STEPS; `first` (n) marks cases whose lowest error step is among them, `hit` (n) those of
    them where it is judged wrong.
    """

    counts: Ints
    hit: Bools
    first: Bools


def labels_past_end(judged: JudgedSteps, gold: Gold) -> PastEndCounts:
    """Count what is beyond. Of a case whose error steps are not listed, and that is not clean, nothing counts."""
    n = judged.rows.size
    beyond_end = PastEndCounts(np.zeros((n, 4), np.int64), np.zeros(n, np.bool_), np.zeros(n, np.bool_))
    beyond = judged.beyond
    if not beyond.cases.size:
        return beyond_end
    rows, errors = gold.listed_errors
    width = 1 + max(int(beyond.steps.max()), int(errors.max(initial=0)))
    wrong = np.isin(width * beyond.cases + beyond.steps, width * rows + errors)
    known = (gold.listed | (gold.known & (gold.earliest == -1)))[beyond.cases]
    counts = count_steps(beyond.cases[known], wrong[known], beyond.values[known], n)
    lowest = np.full(n, np.iinfo(np.int64).max)
    np.minimum.at(lowest, rows, errors)
    first = beyond.steps == lowest[beyond.cases]
    beyond_end.first[beyond.cases[first]] = True
    beyond_end.hit[beyond.cases[first & beyond.values]] = True
    return beyond_end._replace(counts=counts)


# -- likeness to the unharmed original


def judged_steps(evaluation: Evaluation, benchmark: str) -> JudgedSteps:
    """Return what is decided of single steps, by redundancy where the benchmark asks for it."""
    facts = step_labelled(benchmark)
    if facts is None:
        return evaluation.judged_steps
    return judged_by_redundancy(evaluation, asked_by_redundancy(evaluation, facts))


OFFICIAL_UNDEFINED = -1.0
"""What the benchmarks' toolkit says where a denominator is empty."""
AVERAGING = (
    "prmscore is the mean of f1_positive and f1_negative, where a right step is positive; `all` pools steps and is the "
    "official overall figure, a category or pattern is the plain mean of its classes, `average` that of all classes"
)
NO_STEP = "no step was scored"
_NO_INTERVAL = "no interval: cases without a result count in it, as in the benchmark's toolkit"


@dataclass(frozen=True)
class StepF1(Metric):
    """The F1 of right steps, or of wrong ones: of steps that are `word`, `hits` are judged so, `missed` are not.

    In a resample the F1 of steps that are there and are never found counts as 0; in official figures an empty
    denominator is -1 and counts on as -1, and the mean is -1 only where its two parts sum to 0.
    """

    name: str
    title: str
    word: str
    hits: str
    missed: str
    alarms: str
    needs_errors: bool = False
    counts = OF_STEPS

    def score(self, sums: Sums, empty: Empty = np.nan) -> Floats:
        """Take the harmonic mean of precision and recall."""
        hits, missed, alarms = (sums[name] for name in (self.hits, self.missed, self.alarms))
        if empty == "resampled":
            twice = share(2 * hits, 2 * hits + missed + alarms)
            return np.where(hits + missed > 0, twice, np.nan)
        mean = harmonic(share(hits, hits + alarms, empty), share(hits, hits + missed, empty))
        # Adding zero turns the -0.0 of a precision of -1 and a recall of 0 into 0.0.
        f1: Floats = np.where(np.isnan(mean), empty, mean) + 0.0
        return f1

    def size(self, sums: Sums) -> NumberArray:
        """Count the steps."""
        return total(sums, OF_STEPS)

    def why(self, sums: Sums) -> str:
        """Return the reason: there are no such steps, none is called so, or none of them is."""
        hits, missed, alarms = (sums[name] for name in (self.hits, self.missed, self.alarms))
        if not self.size(sums):
            return NO_STEP
        if hits + missed == 0:
            return f"no {self.word} step was scored"
        if hits + alarms == 0:
            return f"no step was judged {self.word}"
        return "" if hits else f"no {self.word} step was judged {self.word}"


class PRMScore(Metric):
    """The mean of the F1s of right and of wrong steps."""

    name = "prmscore"
    title = "PRMScore"
    counts = OF_STEPS

    def score(self, sums: Sums, empty: Empty = np.nan) -> Floats:
        """Take the mean."""
        return (F1_POSITIVE.score(sums, empty) + F1_NEGATIVE.score(sums, empty)) / 2

    def size(self, sums: Sums) -> NumberArray:
        """Count the steps."""
        return total(sums, OF_STEPS)

    def why(self, sums: Sums) -> str:
        """Return why the first of the two is undefined that is."""
        return F1_POSITIVE.why(sums) or F1_NEGATIVE.why(sums)


@dataclass(frozen=True)
class StepRatio(Ratio):
    """A share of which nothing is known where no step was scored."""

    def why(self, sums: Sums) -> str:
        """Return the reason: no step was scored, or there is nothing to divide by."""
        why = super().why(sums)
        return NO_STEP if why and not total(sums, OF_STEPS) else why


F1_POSITIVE = StepF1("f1_positive", "F1 of right steps", "right", "tp", "fn", "fp")
F1_NEGATIVE = StepF1("f1_negative", "F1 of wrong steps", "wrong", "tn", "fp", "fn", needs_errors=True)
PRMSCORE = PRMScore()
POSITIVE_ACC = StepRatio("positive_acc", "accuracy on right steps", ("tp",), ("tp", "fn"), "no right step was scored")
NEGATIVE_ACC = StepRatio(
    "negative_acc", "accuracy on wrong steps", ("tn",), ("tn", "fp"), "no wrong step was scored", needs_errors=True
)
ACC = StepRatio("acc", "accuracy", ("tp", "tn"), OF_STEPS, NO_STEP)
VALIDITY_RATE = Ratio("validity_rate", "validity rate", ("judged",), ("tried",), "no case was tried", null_at_best=True)
METRICS: tuple[Metric, ...] = (
    PRMSCORE,
    F1_POSITIVE,
    F1_NEGATIVE,
    POSITIVE_ACC,
    NEGATIVE_ACC,
    ACC,
    StepRatio(
        "first",
        "first wrong step found",
        ("first_hit",),
        ("first_n",),
        "no case with a wrong step was scored",
        needs_errors=True,
    ),
    VALIDITY_RATE,
    StepRatio(
        "similarity",
        "similarity",
        ("likeness",),
        ("likeness_n",),
        "no scored case has a scored twin with a step judged right",
    ),
)
"""In the order in which they are reported."""
NAMES = tuple(metric.name for metric in METRICS)


def sums_of(parts: Floats) -> dict[str, NumberArray]:
    """Name sums of COUNTS, which lie along the last axis."""
    return dict(zip(COUNTS, np.moveaxis(parts, -1, 0), strict=True))


class StepRun(Struct, frozen=True, eq=False, dict=True):
    """What one run of a scorer contributes on some cases: `parts` (n, len(COUNTS)), and the rows that take part.

    Cases that were not tried never do.
    """

    evaluation: Evaluation
    parts: Floats
    taken: Ints

    @classmethod
    def of(
        cls,
        evaluation: Evaluation,
        rows: Bools,
        facts: StepLabelled,
        originals: Evaluation | None = None,
        *,
        official: bool = False,
    ) -> "StepRun":
        """Count one run on the cases of `rows` (n); `official` as for `step_contributions`."""
        parts = step_contributions(evaluation, facts, originals, official=official)
        return cls(evaluation, parts, np.flatnonzero(rows & (parts[:, COUNTS.index("tried")] > 0)))

    def tally(self, groups: Ints, n_groups: int, seed: int | None, *, apart: bool = False) -> Tally:
        """Sum by group (of each case taken, negative = in none); with a seed, also in resamples of whole problems.

        Problems are drawn from all groups together, for means over them; or, where `apart`, from each group alone.
        """
        parts, inside = self.parts[self.taken], groups >= 0
        sums = np.column_stack([np.bincount(groups[inside], part[inside], n_groups) for part in parts.T])
        tally = Tally(_columns(sums.astype(np.float64)))
        if seed is None:
            return tally
        resample, problems = resample_apart if apart else resample_problems, self.evaluation.gold.problems[self.taken]

        def draw(cases: Bools) -> dict[str, NumberArray]:
            return _columns(resample(parts[cases], groups[cases], n_groups, problems[cases], seed))

        judged = inside & (parts[:, COUNTS.index("judged")] > 0)
        draws = draw(judged)
        if not judged[inside].all():
            # What was tried and has no judged step counts in validity_rate alone.
            draws |= {name: drawn for name, drawn in draw(inside).items() if name in VALIDITY_RATE.counts}
        return replace(tally, draws=draws)

    @cached_property
    def pooled(self) -> Tally:
        """The sums of all steps."""
        return self.drawn(None)

    def drawn(self, seed: int | None) -> Tally:
        """Return the same with draws."""
        return self.tally(np.zeros(self.taken.size, dtype=np.int64), 1, seed)

    def cases(self, metric: Metric) -> Bools:
        """Find the cases taken that have something in the denominator of a metric."""
        there: Bools = metric.size(sums_of(self.parts[self.taken])) > 0
        return there


def _columns(parts: Floats) -> dict[str, NumberArray]:
    """Sums (..., g, len(COUNTS)) of one column, by name."""
    return {name: counted[..., None] for name, counted in sums_of(parts).items()}


class _Line(Struct, frozen=True, eq=False):
    """One line of a run's table: figures of pooled counts, or plain means over classes; by metric's name.

    `whole` says that it is of all cases together, however a subset is called. `cases` counts the cases in each
    denominator, `reasons` says why a figure, or its interval, is not there.
    """

    subset: str
    whole: bool
    values: Mapping[str, float]
    n: Mapping[str, int]
    cases: Mapping[str, int]
    draws: Mapping[str, Floats]
    reasons: Mapping[str, str]


class _Classes(Struct, frozen=True, eq=False, dict=True):
    """The classes of some cases: which of them hold no wrong step (`alone`), their sums, and the cases behind them.

    The draws of `tally` are for means over classes, those of `apart` for each class.
    `missing` (g,) are cases without a result that count in the denominator of validity_rate and in no draw.
    """

    names: Sequence[str]
    alone: Bools
    tally: Tally
    apart: Tally
    cases: Mapping[str, Ints]
    missing: Ints
    empty: float
    metrics: Sequence[Metric]

    @cached_property
    def _scores(self) -> dict[tuple[str, str], Floats]:
        """What was computed so far: every group of classes asks for its own of the same figures."""
        return {}

    def values(self, metric: Metric, empty: Empty) -> Floats:
        """The figure of every class, shape (g,): of one without a wrong step f1_positive in the place of prmscore."""
        key = metric.name, str(empty)
        if key not in self._scores:
            self._scores[key] = self._without_errors(metric, empty, self.tally.values)[:, 0]
        return self._scores[key]

    def draws(self, metric: Metric, *, apart: bool = False) -> Floats:
        """The same in resamples, (RESAMPLES, g); of none where nothing was drawn."""
        key, tally = (metric.name, f"drawn {apart}"), self.apart if apart else self.tally
        if tally.draws is None:
            return np.zeros((0, len(self.names)))
        if key not in self._scores:
            drawn = self._without_errors(metric, "resampled", lambda sums_metric, _: tally.drawn(sums_metric))
            self._scores[key] = drawn[..., 0]
        return self._scores[key]

    def _without_errors(self, metric: Metric, empty: Empty, score: Any) -> Floats:
        scores: Floats = score(metric, empty)
        if metric is PRMSCORE and self.alone.any():
            scores = np.where(self.alone[:, None], score(F1_POSITIVE, empty), scores)
        return scores

    def lines(self, *, whole: bool = False) -> Iterator[_Line]:
        """A line a class."""
        values = {metric.name: self.values(metric, self.empty) for metric in self.metrics}
        draws = {metric.name: self.draws(metric, apart=True) for metric in self.metrics}
        for place, name in enumerate(self.names):
            sums = {count: counted[place, 0] for count, counted in self.tally.sums.items()}
            empty_reasons = {
                metric.name: (F1_POSITIVE if metric is PRMSCORE and self.alone[place] else metric).why(sums)
                for metric in self.metrics
            }
            reasons = {metric: why for metric, why in empty_reasons.items() if why}
            if self.missing[place]:
                reasons[VALIDITY_RATE.name] = _NO_INTERVAL
            yield _Line(
                name,
                whole,
                {metric: float(each[place]) for metric, each in values.items()},
                {metric.name: int(metric.size(sums)) for metric in self.metrics},
                {metric: int(each[place]) for metric, each in self.cases.items()},
                {metric: each[:, place] for metric, each in draws.items()},
                reasons,
            )

    def mean(self, subset: str, members: Ints, *, whole: bool = False) -> _Line:
        """The plain mean over some of the classes; over those with a wrong step for figures that need one."""
        values, n, cases, draws, reasons = {}, {}, {}, {}, {}
        for metric in self.metrics:
            taken = members[~self.alone[members]] if metric.needs_errors else members
            undefined = int(np.isnan(self.values(metric, np.nan)[taken]).sum())
            values[metric.name], draws[metric.name] = float("nan"), np.zeros(0)
            n[metric.name] = int(metric.size(self.tally.sums)[taken].sum())
            cases[metric.name] = int(self.cases[metric.name][taken].sum())
            if not taken.size:
                why = "no class with a wrong step was scored" if members.size else "no case has a class"
                reasons[metric.name] = why
                continue
            if undefined:
                reasons[metric.name] = f"undefined in {undefined} of {taken.size} classes"
            values[metric.name] = float(self.values(metric, self.empty)[taken].mean())
            draws[metric.name] = self.draws(metric)[:, taken].mean(axis=1)
        if self.missing[members].any():
            reasons[VALIDITY_RATE.name] = _NO_INTERVAL
        return _Line(subset, whole, values, n, cases, draws, reasons)


def step_rows(
    evaluation: Evaluation,
    rows: Bools,
    facts: StepLabelled,
    originals: Evaluation | None = None,
    seed: int | None = 0,
    *,
    official: bool = False,
    only: str | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield every figure of every class, every group of classes, `all` steps pooled and the classes' `average`.

    Args:
        evaluation: the decided cases of one benchmark, and perhaps of others.
        rows: (n,) which cases take part. Those that were not tried never do.
        facts: how the benchmark makes its figures.
        originals: the same scorer on the unharmed originals, for `similarity` (1 - the mean difference of rates).
        seed: of the intervals: 95%, whole problems resampled, no strata; None = there are none.
        official: say -1 where the benchmarks' toolkit does, and go on counting with it; and count what has no result
            at all (of cases, and of `originals` in `all`) in the denominator of validity_rate, as the toolkit does,
            unless nothing has one. Such figures have no interval.
        only: the one figure that is asked for; None = all.

    Yields dictionaries with `subset, metric, value, low, high, n, reason, small, sd, runs`: fractions, null with a
    reason where undefined; `small` marks what fewer than SMALL cases say. Of a scorer with several runs, `value` is the
    mean over the `runs` that judged steps of the line, `sd` their sample standard deviation (n-1), and all else that of
    the first of them; others have no `sd`. `n` counts steps, or cases for `first`, `validity_rate` and `similarity`. In
    a class that holds no wrong step `prmscore` is `f1_positive`, as in the benchmark's tables, and means of what needs
    a wrong step leave it out.
    """
    runs, beside = evaluation.runs, originals_by_run(evaluation, originals)
    counted = [StepRun.of(run, rows, facts, other, official=official) for run, other in zip(runs, beside, strict=True)]
    metrics = [
        metric for metric in METRICS if only in {None, metric.name} and (facts.twins or metric.name != "similarity")
    ]
    tables = [
        {(line.subset, line.whole): line for line in _lines(run, rows, facts, other, seed, metrics, official=official)}
        for run, other in zip(counted, beside, strict=True)
    ]
    alike = all(np.array_equal(run.taken, counted[0].taken) for run in counted)
    nothing = why_nothing(evaluation, rows)
    for key, line in tables[0].items():
        same = [table[key] for table in tables if key in table]
        figures = []
        for metric in metrics:
            reason = reason_over_runs([figures.reasons.get(metric.name) for figures in same])
            if reason and nothing and metric is not VALIDITY_RATE:
                reason = nothing
            if reason is None and not alike:
                reason = "no interval: the runs are counted in different cases"
            values = np.array([figures.values[metric.name] for figures in same])
            draws = (
                None if seed is None or reason else np.column_stack([figures.draws[metric.name] for figures in same])
            )
            small = line.cases[metric.name] < SMALL
            n = line.n[metric.name]
            figures.append(figure_over_runs(metric.name, values, draws, n, small=small, reason=reason))
        yield from figure_rows(line.subset, tuple(figures))


def _lines(
    run: StepRun,
    rows: Bools,
    facts: StepLabelled,
    originals: Evaluation | None,
    seed: int | None,
    metrics: Sequence[Metric],
    *,
    official: bool,
) -> Iterator[_Line]:
    gold = run.evaluation.gold
    cases = gold.cases[run.taken]
    without = np.zeros_like(rows)
    if official and run.taken.size:
        without = rows.copy()
        without[run.taken] = False
    there = {metric.name: run.cases(metric) for metric in metrics}

    def classes_of(names: Sequence[str], groups: Ints, alone: Bools, missing: Ints, *, lines: bool = True) -> _Classes:
        tally = run.tally(groups, len(names), seed)
        apart = run.tally(groups, len(names), seed, apart=True) if lines and len(names) > 1 else tally
        sums = {**tally.sums, "tried": tally.sums["tried"] + missing[:, None]}
        inside = groups >= 0
        counted = {name: np.bincount(groups[inside & has], minlength=len(names)) for name, has in there.items()}
        if VALIDITY_RATE.name in counted:
            counted[VALIDITY_RATE.name] = counted[VALIDITY_RATE.name] + missing
        empty = OFFICIAL_UNDEFINED if official else np.nan
        return _Classes(names, alone, replace(tally, sums=sums), apart, counted, missing, empty, metrics)

    def grouped(column: str, taken: Collection[str] | None = None) -> _Classes:
        """The classes in a column; with `taken`, drawn from the cases of these alone."""
        names, groups = _numbered(cases[column])
        if taken is not None:
            groups = np.where(np.isin(groups, [names.index(name) for name in taken]), groups, -1)
        alone = np.array([name in facts.without_errors for name in names], dtype=np.bool_)
        untried = gold.cases[column].filter(pl.Series(without))
        missing = np.array([untried.eq(name).sum() for name in names], dtype=np.int64)
        return classes_of(names, groups, alone, missing, lines=taken is None)

    subsets = grouped("subset")
    # Where the subset is the class, as in PRMBench, there is no need to count twice.
    classes = subsets if cases["subset"].equals(cases["error_type"]) else grouped("error_type")
    beside = _without_result(originals, gold.cases.filter(pl.Series(rows))) if official and run.taken.size else 0
    everything = np.zeros(run.taken.size, dtype=np.int64)
    missing = np.array([int(without.sum()) + beside])
    pooled = classes_of(["all"], everything, np.zeros(1, np.bool_), missing)
    yield from subsets.lines()
    for name, members in _categories(cases, classes.names, facts.group):
        # Where subsets are such groups, one name has one line.
        if name not in subsets.names:
            yield grouped("error_type", [classes.names[number] for number in members]).mean(name, members)
    yield from pooled.lines(whole=True)
    yield subsets.mean("average", np.arange(len(subsets.names)), whole=True)


def _without_result(originals: Evaluation | None, cases: pl.DataFrame) -> int:
    """How many of the originals of these cases have no result at all."""
    if originals is None:
        return 0
    of_these = originals.gold.cases["twin_of"].is_in(cases["case"].implode()).to_numpy()
    return int((of_these & ~originals.coverage.present).sum())


def why_nothing(evaluation: Evaluation, rows: Bools) -> str | None:
    """Return why no step of the cases is judged by itself; None where one is."""
    if (evaluation.judged_steps.rows & rows).any():
        return None
    if evaluation.coverage.nothing:
        return evaluation.coverage.nothing
    judged = (evaluation.coverage.answered & rows).any()
    return "a verdict names one step and says nothing of the others" if judged else "no case was scored"


def _numbered(column: pl.Series) -> tuple[list[str], Ints]:
    """The values in order of appearance, and the number (0-based) of each row's; -1 for null."""
    names = column.drop_nulls().unique(maintain_order=True)
    numbers = column.to_frame("name").join(
        names.to_frame("name").with_row_index("number"), on="name", how="left", maintain_order="left"
    )
    return names.to_list(), numbers["number"].cast(pl.Int64).fill_null(-1).to_numpy()


def _categories(cases: pl.DataFrame, names: Sequence[str], column: str) -> Iterator[tuple[str, Ints]]:
    """Every value of the column, with the places of its classes among `names`."""
    pairs = cases.select(column, "error_type").unique(maintain_order=True).drop_nulls()
    for (category,), part in pairs.group_by(column, maintain_order=True):
        yield str(category), np.array([names.index(name) for name in part["error_type"]], dtype=np.int64)


class PooledSteps(Struct, frozen=True, eq=False):
    """The official overall figures of a scorer: of all steps of some cases pooled, the means over its runs."""

    runs: tuple[StepRun, ...]

    @classmethod
    def of(cls, evaluation: Evaluation, rows: Bools, facts: StepLabelled) -> "PooledSteps":
        """Count every run on the cases of `rows` (n)."""
        return cls(tuple(StepRun.of(run, rows, facts) for run in evaluation.runs))

    def values(self, metric: Metric) -> Floats:
        """Return a figure in each run, shape (r,); NaN where undefined."""
        return np.array([run.pooled.values(metric)[0, 0] for run in self.runs])

    def size(self, metric: Metric) -> int:
        """Count what is in the first run's denominator."""
        return int(metric.size(self.runs[0].pooled.sums)[0, 0])

    def cases(self, metric: Metric) -> int:
        """Count the cases in the first run's denominator."""
        return int(self.runs[0].cases(metric).sum())

    def why(self, metric: Metric) -> str:
        """Return why a figure is undefined in the first run."""
        return metric.why({name: counted[0, 0] for name, counted in self.runs[0].pooled.sums.items()})

    def interval(self, metric: Metric, seed: int) -> tuple[float, float] | None:
        """Return the interval of `step_rows`; None where there is none, or the runs are counted in different cases."""
        first = self.runs[0].taken
        if not all(np.array_equal(run.taken, first) for run in self.runs):
            return None
        draws = np.column_stack([run.drawn(seed).drawn(metric)[:, 0, 0] for run in self.runs])
        values = self.values(metric)
        figure = figure_over_runs(metric.name, values, draws, 0, small=False, reason=None)
        return None if figure.low is None or figure.high is None else (figure.low, figure.high)


def counted_cases(evaluation: Evaluation, rows: Bools, facts: StepLabelled, metric: Metric = PRMSCORE) -> Bools:
    """Find which of the cases `rows` (n) have a step, or are a case, in the denominator of a metric. Shape (n,)."""
    there: Bools = rows & (metric.size(sums_of(step_contributions(evaluation, facts))) > 0)
    return there
