"""A scorer's own figures for the cells of a paper's table, by the paper's conventions."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from statistics import stdev
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from scoring.data.schema import Bools, Floats
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.step_rewards import RIGHT_STEP, UNKNOWN_STEP, StepNumbers
from scoring.evaluation.twins import originals_by_run
from scoring.evaluation.verdicts import DEV, NO_VERDICT, ProvidedVerdicts
from scoring.formats.benchmarks import grben, mrmath_redundant, prmbench, processbench, socratic
from scoring.formats.benchmarks.case_format import StepLabelled
from scoring.metrics.benchmark_figures import figures_of_its_own
from scoring.metrics.first_error import METRICS as FIRST_ERROR_METRICS
from scoring.metrics.first_error import NAMES as FIRST_ERROR_NAMES
from scoring.metrics.kernel import Decided, Unparsed
from scoring.metrics.own import own_rows
from scoring.metrics.published.papers import NO_SCORERS, PrintedTable, TableKind, figures, model_of
from scoring.metrics.resampling import reason_over_runs
from scoring.metrics.shares import error_type_shares
from scoring.metrics.step_labels import (
    F1_POSITIVE,
    METRICS,
    NAMES,
    OF_STEPS,
    OFFICIAL_UNDEFINED,
    PRMSCORE,
    judged_by_redundancy,
    step_contributions,
    sums_of,
    why_nothing,
)
from scoring.metrics.threshold_curves import case_curve

# -- reasonEval's own figures: macro F1 and AUC of solutions and of single steps
#
# Xia et al., "Evaluating Mathematical Reasoning Beyond Accuracy", arXiv 2404.05692; `mr-math_eval.py` of GAIR-
# NLP/ReasonEval. A solution's number is the lowest of its steps', or the one that is given for the whole. On the
# redundant set the numbers of a scorer that judges redundancy are its redundancies with a minus, the threshold too.
#
# - A step is judged right iff its number is above the threshold, whatever the rule says of one that equals it. A
# solution whose number equals the threshold is judged neither right nor wrong, and so is counted as a mistake. - F1
# of what is right and of what is wrong are averaged. AUC is the chance that something right has a higher number than
# something wrong, ties counting one half; none is made of a critic's answers. - On the invalid set steps after the
# first error are not labelled. A critic's answer judges the steps up to the one that it names; those after it are
# judged neither right nor wrong. Of an answer that cannot be read or names no step, every step counts as judged
# right.


REASONEVAL_METRICS = ("solution_f1", "step_f1", "solution_auc", "step_auc")
"""The figures, by their names in documents."""

JudgedCodes = npt.NDArray[np.int8]
"""What is judged: RIGHT, WRONG, or NEITHER, which is a mistake whatever the label."""
RIGHT, WRONG, NEITHER = 1, 0, -1

NO_AUC_OF_ANSWERS = "a critic's answers have no AUC"
NO_STEPS = "one number a solution judges no step"
NO_THRESHOLD = "no threshold is known for its redundancy numbers"


class PaperFigure(NamedTuple):
    """A fraction, None with a reason where it is undefined; `n` counts the solutions or steps that it is of."""

    value: float | None
    n: int
    reason: str | None = None


class _Solution(NamedTuple):
    """What a scorer made of one case: `judged` and `number` of the whole, the same of each step, None = of none.

    A number is NaN where there is none.
    """

    row: int
    judged: int
    number: float
    steps: JudgedCodes | None
    numbers: Floats | None


def reasoneval_figures(
    evaluation: Evaluation, within: Bools, *, redundancy: bool, unparsed: Unparsed = "wrong"
) -> dict[str, PaperFigure]:
    """Return the REASONEVAL_METRICS of one scorer.

    Args:
        evaluation: the scorer on n cases.
        within: (n,) the cases that count; those without a gold label, and those that the scorer does not judge, do not.
        redundancy: whether the labels mark redundant steps.
        unparsed: whether answers that cannot be read count as mistakes, as in ReasonEval, or are left out.
    """
    gold = evaluation.gold
    starts = np.cumsum(gold.n_steps) - gold.n_steps
    solutions = [solution for solution in _solutions(evaluation, redundancy, unparsed) if within[solution.row]]
    whole = [solution for solution in solutions if gold.known[solution.row]]
    right = np.array([gold.earliest[solution.row] == -1 for solution in whole], dtype=np.bool_)
    labels, judged, numbers = [], [], []
    for solution in solutions:
        if solution.steps is not None:
            own = gold.step_labels[starts[solution.row] : starts[solution.row] + gold.n_steps[solution.row]]
            known = own != UNKNOWN_STEP
            labels.append(own[known] == RIGHT_STEP)
            judged.append(solution.steps[known])
            numbers.append((np.full(own.size, np.nan) if solution.numbers is None else solution.numbers)[known])
    step_right = np.concatenate([np.zeros(0, np.bool_), *labels])
    figures = {
        "solution_f1": macro_f1(right, np.array([solution.judged for solution in whole], dtype=np.int8), "solution"),
        "step_f1": macro_f1(step_right, np.concatenate([np.zeros(0, np.int8), *judged]), "step"),
        "solution_auc": auc(right, np.array([solution.number for solution in whole], dtype=np.float64), "solution"),
        "step_auc": auc(step_right, np.concatenate([np.zeros(0), *numbers]), "step"),
    }
    return _with_reasons(evaluation, figures, solutions, redundancy=redundancy)


def macro_f1(right: Bools, judged: JudgedCodes, what: str) -> PaperFigure:
    """Compute the mean of the F1 of what is right and that of what is wrong.

    Args:
        right: (k,) whether each is labelled right.
        judged: (k,) RIGHT, WRONG or NEITHER.
        what: what each of them is, in a word.
    """
    n_right, n_wrong = int(right.sum()), int((~right).sum())
    hits = int((right & (judged == RIGHT)).sum()), int((~right & (judged == WRONG)).sum())
    if (reason := _one_sided(n_right, n_wrong, what)) is not None:
        return PaperFigure(None, right.size, reason)
    for word, count in zip(("right", "wrong"), hits, strict=True):
        if not count:
            return PaperFigure(None, right.size, f"no {word} {what} was judged {word}")
    mistakes = n_right + n_wrong - sum(hits)
    return PaperFigure(sum(2 * count / (2 * count + mistakes) for count in hits) / 2, right.size)


def auc(right: Bools, numbers: Floats, what: str) -> PaperFigure:
    """Compute the area under the ROC curve: the share of pairs, right and wrong, in which what is right has the higher
    number.

    Args:
        right: (k,) whether each is labelled right.
        numbers: (k,) finite, or NaN where there is none, which gives no figure.
        what: what each of them is, in a word.
    """
    n_right, n_wrong = int(right.sum()), int((~right).sum())
    if (reason := _one_sided(n_right, n_wrong, what)) is not None:
        return PaperFigure(None, right.size, reason)
    if np.isnan(numbers).any():
        return PaperFigure(None, right.size, f"not every {what} has a number")
    _, places, counts = np.unique(numbers, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[places]
    above = float(ranks[right].sum()) - n_right * (n_right + 1) / 2
    return PaperFigure(above / (n_right * n_wrong), right.size)


def _one_sided(n_right: int, n_wrong: int, what: str) -> str | None:
    if n_right and n_wrong:
        return None
    return f"no {what} labelled {'wrong' if n_right else 'right'} was scored"


def _with_reasons(
    evaluation: Evaluation, figures: dict[str, PaperFigure], solutions: list[_Solution], *, redundancy: bool
) -> dict[str, PaperFigure]:
    """The figures, those that the scorer cannot have with the reason for it."""
    reasons = dict[str, str]()
    if evaluation.scorer.kind == "critic":
        reasons |= dict.fromkeys(("solution_auc", "step_auc"), NO_AUC_OF_ANSWERS)
    if solutions and all(solution.steps is None for solution in solutions):
        reasons |= dict.fromkeys(("step_f1", "step_auc"), NO_STEPS)
    if redundancy and _redundancies(evaluation) is not None and evaluation.scorer.redundancy_threshold is None:
        reasons |= dict.fromkeys(("solution_f1", "step_f1"), NO_THRESHOLD)
    return {
        name: figure._replace(value=None, reason=reasons[name]) if name in reasons else figure
        for name, figure in figures.items()
    }


def _redundancies(evaluation: Evaluation) -> StepNumbers | None:
    """A second number a step, of scorers that judge redundancy."""
    numbers = evaluation.rewards.redundancy
    return numbers if (numbers.present & evaluation.fixed_verdicts.by_threshold).any() else None


def _solutions(evaluation: Evaluation, redundancy: bool, unparsed: Unparsed) -> Iterator[_Solution]:
    """What is judged of every case that the scorer judges, in the order of the cases."""
    decided, gold = evaluation.fixed_verdicts, evaluation.gold
    values, offsets, rows = evaluation.compared_values.values, evaluation.rewards.offsets, decided.by_threshold
    rule = evaluation.rule
    cut = evaluation.scorer.threshold if isinstance(rule, ProvidedVerdicts) else rule.cut
    if redundancy and (second := _redundancies(evaluation)) is not None:
        values, offsets, rows = -second.values, second.offsets, second.present & decided.by_threshold
        # What a missing threshold would decide is no figure.
        cut = -(evaluation.scorer.redundancy_threshold or 0.0)
    cuts = np.broadcast_to(np.asarray(cut, dtype=np.float64), rows.shape)
    labelled = decided.by_label
    by_label = judged_by_redundancy(evaluation, labelled & redundancy) if labelled.any() else None
    solutions = evaluation.rewards.solutions
    for row in range(rows.size):
        if rows[row]:
            numbers = values[offsets[row] : offsets[row + 1]]
            steps = np.where(numbers > cuts[row], RIGHT, WRONG).astype(np.int8)
            lowest = float(numbers.min()) if numbers.size else np.nan
            yield _Solution(row, _judged(lowest, float(cuts[row])), lowest, steps, numbers)
        elif by_label is not None and labelled[row]:
            steps = _steps_by_label(by_label.of(row, int(gold.n_steps[row])) or [])
            yield _Solution(row, WRONG if (steps == WRONG).any() else RIGHT, np.nan, steps, None)
        elif decided.verdicts[row] != NO_VERDICT:
            verdict = int(decided.verdicts[row])
            steps = _steps_by_verdict(verdict, int(gold.n_steps[row]), redundancy=redundancy)
            yield _Solution(row, RIGHT if verdict == -1 else WRONG, np.nan, steps, None)
        elif evaluation.votes is not None and evaluation.votes.answered[row] and decided.missing[row] != DEV:
            if unparsed == "wrong":
                yield _Solution(row, NEITHER, np.nan, np.full(gold.n_steps[row], RIGHT, dtype=np.int8), None)
        elif np.isfinite(solutions[row]) and decided.missing[row] != DEV:
            number = float(solutions[row])
            yield _Solution(row, _judged(number, evaluation.scorer.threshold), number, None, None)


def _judged(number: float, cut: float) -> int:
    if number == cut or np.isnan(number):
        return NEITHER
    return RIGHT if number > cut else WRONG


def _steps_by_label(wrong: list[bool | None]) -> JudgedCodes:
    return np.array(
        [NEITHER if is_wrong is None else WRONG if is_wrong else RIGHT for is_wrong in wrong], dtype=np.int8
    )


def _steps_by_verdict(verdict: int, n_steps: int, *, redundancy: bool) -> JudgedCodes:
    """The steps of an answer that names at most one; on the redundant set all others are judged needed."""
    steps = np.full(n_steps, RIGHT, dtype=np.int8)
    if 0 <= verdict < n_steps:
        steps[verdict] = WRONG
        if not redundancy:
            steps[verdict + 1 :] = NEITHER
    return steps


ELSEWHERE = "ProcessBench's average, which is not a figure of this benchmark: see paper processbench 3"


class ComputedCell(Struct, frozen=True):
    """One figure: a fraction, null with a reason where undefined; `n` is the size of its denominator.

    Of several `runs` it is the mean, `sd` their sample standard deviation (n-1) and `n` that of the first.
    """

    value: float | None
    n: int
    reason: str | None = None
    sd: float | None = None
    runs: int = 1


CellPlace = tuple[str, str]
"""Subset and metric of a printed figure, by their names here."""
Values = dict[CellPlace, ComputedCell]


class TableScope(Struct, frozen=True, eq=False):
    """What a table is computed from: the cases shown, (n,), of one benchmark; `twins` is the scorer on the originals.

    `unparsed` is what becomes of cases without a readable verdict.
    """

    benchmark: str
    table: PrintedTable
    within: Bools
    unparsed: Unparsed
    twins: Evaluation | None = None

    @property
    def subsets(self) -> tuple[str, ...]:
        """Return the official subsets that the table is about."""
        return subsets_of(self.benchmark, self.table.domain)


def values_of(evaluation: Evaluation, scope: TableScope, wanted: Iterable[CellPlace]) -> Values | None:
    """Compute the wanted cells of a scorer; None for tables whose figures need more than these cases."""
    make = _BY_KIND.get(scope.table.kind)
    if make is None:
        return None
    beside = originals_by_run(evaluation, scope.twins)
    values = _over_runs(
        [make(run, replace(scope, twins=twins)) for run, twins in zip(evaluation.runs, beside, strict=True)]
    )
    missing = ComputedCell(None, 0, evaluation.coverage.nothing or "no case of this is here")
    return {
        cell: ComputedCell(None, 0, ELSEWHERE) if cell[0] == "processbench" else values.get(cell, missing)
        for cell in wanted
    }


def _over_runs(runs: Sequence[Values]) -> Values:
    """The mean of each cell over the runs; undefined as soon as it is so in one."""
    if len(runs) == 1:
        return runs[0]
    return {cell: _of_runs([run[cell] for run in runs]) for cell in runs[0]}


def _of_runs(parts: Sequence[ComputedCell]) -> ComputedCell:
    values = [part.value for part in parts if part.value is not None]
    reason = reason_over_runs([part.reason for part in parts])
    if len(values) < len(parts):
        return ComputedCell(None, parts[0].n, reason, None, len(parts))
    return ComputedCell(sum(values) / len(values), parts[0].n, reason, stdev(values), len(parts))


# -- the first error


def _first_errors(evaluation: Evaluation, scope: TableScope) -> Values:
    values: Values = {}
    for subset in scope.subsets:
        values |= _counted(evaluation, scope, subset)
    return values | _averages(values, scope.subsets)


def _best_thresholds(evaluation: Evaluation, scope: TableScope) -> Values:
    """The same, each subset at the threshold that is best there."""
    values: Values = {}
    for subset in scope.subsets:
        rows = scope.within & _in_subset(evaluation, subset)
        curve = case_curve(evaluation, rows, np.zeros(rows.size, dtype=np.int64), scope.unparsed)
        best = None if curve is None else curve.best
        if best is None:
            why = (
                "F1 is undefined at every threshold"
                if evaluation.rule.is_movable
                else f"no threshold: {evaluation.rule.source}"
            )
            values |= {(subset, metric): ComputedCell(None, 0, why) for metric in FIRST_ERROR_NAMES}
        else:
            values |= _counted(evaluation.at(best[0]), scope, subset)
    return values


def _in_subset(evaluation: Evaluation, subset: str) -> Bools:
    cases = evaluation.gold.cases
    return (cases["subset"] == subset).fill_null(value=False).to_numpy()


def _counted(evaluation: Evaluation, scope: TableScope, subset: str) -> Values:
    rows = scope.within & _in_subset(evaluation, subset)
    decided = Decided(evaluation, scope.unparsed)
    counts = decided.sums(decided.outcomes(rows, np.zeros(rows.size, dtype=np.int64), 1))
    sums = {name: counted[0] for name, counted in counts.items()}
    values = {}
    for metric in FIRST_ERROR_METRICS:
        reason = metric.why(sums) or None
        value = None if reason else float(metric.score(sums))
        values[subset, metric.name] = ComputedCell(value, int(metric.size(sums)), reason)
    return values


def _averages(values: Values, subsets: Sequence[str]) -> Values:
    """The plain means over all of the paper's subsets; undefined as soon as one is."""
    return {
        ("average", metric): _mean([values[subset, metric] for subset in subsets], subsets)
        for metric in FIRST_ERROR_NAMES
    }


def _mean(parts: Sequence[ComputedCell], names: Sequence[str]) -> ComputedCell:
    n = sum(part.n for part in parts)
    values = [part.value for part in parts if part.value is not None]
    if len(values) == len(parts) > 0:
        return ComputedCell(sum(values) / len(values), n)
    lacking = [name for name, part in zip(names, parts, strict=True) if part.value is None]
    return ComputedCell(None, n, f"undefined on {', '.join(lacking)}")


# -- GR-Ben's table by type of error


def _error_types(evaluation: Evaluation, scope: TableScope) -> Values:
    types = evaluation.gold.cases["error_type"]
    masks = {name: (types == name).fill_null(value=False).to_numpy() for name in grben.ERROR_TYPES}
    masks["all"] = np.ones(types.len(), dtype=np.bool_)
    values: Values = {}
    for share in error_type_shares(evaluation, scope.unparsed):
        for name, mask in masks.items():
            n = int((share.among & scope.within & mask).sum())
            hits = int((share.hits & scope.within & mask).sum())
            values[name, f"{share.name}_rate"] = ComputedCell(hits / n, n) if n else ComputedCell(None, 0, share.empty)
    return values


# -- ReasonEval's figures


def _macro_f1(evaluation: Evaluation, scope: TableScope) -> Values:
    of_redundancy = scope.benchmark == mrmath_redundant.NAME
    by_metric = reasoneval_figures(evaluation, scope.within, redundancy=of_redundancy, unparsed=scope.unparsed)
    return {("all", metric): ComputedCell(*figure) for metric, figure in by_metric.items()}


# -- the figures that a benchmark has to itself


def _of_its_own(evaluation: Evaluation, scope: TableScope) -> Values:
    """Each of the benchmark's FIGURES by subset and of all cases together; never an average over subsets."""
    values: Values = {}
    for made in figures_of_its_own(scope.benchmark):
        for row in own_rows(made, evaluation, scope.within, scope.unparsed, None):
            if row["subset"] != "average":
                values[row["subset"], row["metric"]] = ComputedCell(row["value"], row["n"], row["reason"])
    return values


# -- single steps


class _Sums(Struct, frozen=True, eq=False):
    """What the figures of a benchmark of step labels are summed from: COUNTS a case, (n, len(COUNTS))."""

    parts: Floats
    facts: StepLabelled
    cases: pl.DataFrame
    rows: Bools

    def of(self, error_class: str | None, nothing: str | None) -> Iterator[ComputedCell]:
        """The figures of METRICS of a class (None = all steps), as the official toolkit says them.

        That is -1 and a reason where a denominator is empty, but for the similarity without a scored twin. `nothing`
        says why no step is judged, where none is.
        """
        mask = self.rows
        if error_class is not None:
            mask = mask & (self.cases["error_type"] == error_class).fill_null(value=False).to_numpy()
        sums = {name: counted[mask].sum() for name, counted in sums_of(self.parts).items()}
        alone = error_class in self.facts.without_errors
        judged = any(sums[name] for name in OF_STEPS)
        for metric in METRICS:
            scored = F1_POSITIVE if alone and metric is PRMSCORE else metric
            why = scored.why(sums)
            there = judged and not (why and metric.name == "similarity")
            value = float(scored.score(sums, OFFICIAL_UNDEFINED)) if there else None
            reason = (nothing if not judged and nothing else why) if why else None
            yield ComputedCell(value, int(metric.size(sums)), reason)


def _step_labels(evaluation: Evaluation, scope: TableScope) -> Values:
    facts, groups = _STEP_LABELLED[scope.benchmark]
    cases, subsets = evaluation.gold.cases, scope.subsets
    rows = scope.within & cases["subset"].is_in(subsets).fill_null(value=False).to_numpy()
    sums = _Sums(step_contributions(evaluation, facts, scope.twins, official=True), facts, cases, rows)
    nothing = why_nothing(evaluation, rows)
    values: Values = {}
    for name in [*(member for members in groups.values() for member in members), None]:
        values |= {(name or "all", metric): ours for metric, ours in zip(NAMES, sums.of(name, nothing), strict=True)}
    for group, members in groups.items():
        here = [name for name in members if not (scope.table.domain and name in facts.without_errors)]
        values[group, "prmscore"] = _mean([values[name, "prmscore"] for name in here], here)
    return values


def _grouped(classes: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for name, group in classes:
        groups.setdefault(group, []).append(name)
    return groups


_STEP_LABELLED: Mapping[str, tuple[StepLabelled, dict[str, list[str]]]] = {
    prmbench.NAME: (
        prmbench.STEP_LABELLED,
        _grouped((name, error_class.category) for name, error_class in prmbench.CLASSES.items()),
    ),
    socratic.NAME: (
        socratic.STEP_LABELLED,
        _grouped((name, pattern_class.pattern) for name, pattern_class in socratic.CLASSES.items()),
    ),
}
_BY_KIND: Mapping[TableKind, Callable[[Evaluation, TableScope], Values]] = {
    "first errors": _first_errors,
    "best thresholds": _best_thresholds,
    "error types": _error_types,
    "step labels": _step_labels,
    "macro f1": _macro_f1,
    "figures of its own": _of_its_own,
}


# -- which printed figures are those of a scorer here, and whether ours may be held against them.
#
# A scorer is known by its name and by how its answers were made. Only where all that a printed figure is of is here and
# scored do the two say the same thing.


_ROUNDING = 1e-9
"""Floats that stand for decimals are off by less."""


def table_figures(paper: str, table: int) -> pl.DataFrame:
    """Return the printed figures of a table, with the columns of `figures`."""
    return figures().filter((pl.col("paper") == paper) & (pl.col("table") == table))


def printed_for(evaluation: Evaluation, table: pl.DataFrame) -> tuple[pl.DataFrame, str | None]:
    """Find the figures that a table prints for a scorer; and, where there is none, why.

    A row of the table that is no scorer's is nobody's, whatever the scorer is called.
    """
    named = table.filter(pl.col("model") == model_name(evaluation), ~pl.col("scorer").is_in(list(NO_SCORERS)))
    if not named.height:
        return named, "the table names no such scorer"
    fitting = [
        setting
        for setting in named["setting"].unique(maintain_order=True)
        if setting is None or fits(evaluation, setting)
    ]
    rows = named.filter(pl.col("setting").is_in(fitting, nulls_equal=True))
    if rows.height:
        return rows, None
    settings = ", ".join(named["setting"].unique(maintain_order=True))
    return (
        rows,
        f"the table prints it for {settings}, and this scorer is {made_how(evaluation) or 'not said to be so'}",
    )


def model_name(evaluation: Evaluation) -> str:
    """Return the scorer's model; a mode of thinking at the end of its name is a setting and no part of the name."""
    mode = thinking(evaluation)
    name = evaluation.scorer.name
    return model_of(name.removesuffix(f"-{mode}") if mode else name)


def fits(evaluation: Evaluation, setting: str) -> bool:
    """Return whether a scorer's answers were made as the paper says; what is not known does not fit.

    A single answer is greedy unless the scorer's settings say a temperature. A threshold can be the best one of each
    subset wherever there is one.
    """
    return evaluation.rule.is_movable if setting == "best threshold" else setting in made_how(evaluation).split(", ")


def made_how(evaluation: Evaluation) -> str:
    """Describe how a scorer's answers were made, in the words of the printed settings; "" where nothing is known."""
    settings = evaluation.scorer.settings
    most = 0 if evaluation.votes is None else evaluation.votes.most
    parts = [
        f"voting@{most}" if most > 1 else "greedy" if most == 1 and not settings.get("temperature") else "",
        thinking(evaluation),
        f"{settings['shots']}-shot" if isinstance(settings.get("shots"), int) else "",
    ]
    return ", ".join(part for part in parts if part)


def thinking(evaluation: Evaluation) -> str:
    """Return the mode of thinking that a critic's settings name (`fast` or `slow`); "" where they name none."""
    return str(evaluation.scorer.settings.get("thinking_mode") or "")


# -- whether ours and a printed figure are of the same


class Wholeness:
    """What of a benchmark is here and scored: only on whole subsets do figures say the same thing as the paper's."""

    def __init__(self, evaluation: Evaluation, scope: TableScope, labels: str = "") -> None:
        """`labels` says why the figures are not of the paper's labels; "" where they are."""
        self._evaluation, self._scope, self._labels = evaluation, scope, labels

    def amiss(self, subset: str, metric: str) -> str:
        """Describe what keeps a figure of a subset from being the paper's; "" where nothing does.

        A class, `average`, `all`, a category or a type of error is made of whatever subsets the table is about. The
        similarity needs the unharmed originals as well.
        """
        lacking = self._labels or self._subsets.get(subset, _together(self._subsets))
        return lacking or (self._twins if metric == "similarity" else "")

    @cached_property
    def _subsets(self) -> dict[str, str]:
        scope, cases = self._scope, self._evaluation.gold.cases
        whole = whole_subsets(cases.filter(pl.Series(scope.within)), scope.benchmark)
        return {name: whole[name] or self._unscored(name) for name in scope.subsets}

    def _unscored(self, subset: str) -> str:
        rows = self._scope.within & (self._evaluation.gold.cases["subset"] == subset).fill_null(value=False).to_numpy()
        tried = np.logical_and.reduce([run.coverage.tried for run in self._evaluation.runs])
        return _scored(int((rows & tried).sum()), int(rows.sum()), "cases")

    @property
    def _twins(self) -> str:
        twins = self._scope.twins
        if twins is None:
            return "no originals"
        tried = np.logical_and.reduce([run.coverage.tried for run in twins.runs])
        return _scored(int(tried.sum()), tried.size, "unharmed originals")


def statistics_amiss(cases: pl.DataFrame, benchmark: str) -> dict[str, str]:
    """Return the same without a scorer, for every subset that statistics are printed of, patterns and `all` too."""
    whole = whole_subsets(cases, benchmark)
    own = {name: whole[name] for name in subsets_of(benchmark)}
    if benchmark == prmbench.NAME:
        rows = prmbench.CLASSES[prmbench.CLEAN_CLASS].rows
        own[prmbench.CLEAN_CLASS] = f"the paper counts {rows} rows, of which {len(prmbench.REPEATED)} repeat an id"
    patterns = {pattern_class.pattern: own[name] for name, pattern_class in socratic.CLASSES.items() if name in own}
    return {**whole, **own, **patterns, "all": _together(own)}


def _together(subsets: Mapping[str, str]) -> str:
    """What is amiss with some of the subsets, in one line."""
    lacking = [name for name, why in subsets.items() if why]
    if len(lacking) > 2:
        return f"{len(lacking)} of {len(subsets)} subsets are not whole here"
    return "; ".join(f"{name}: {subsets[name]}" for name in lacking)


def _scored(tried: int, there: int, what: str) -> str:
    return "" if tried == there else f"{tried:,} of {there:,} {what} are scored"


def agreement(
    ours: float | None, printed: Sequence[float], tolerance: float, amiss: str
) -> tuple[bool | None, str | None]:
    """Return whether a figure rounds to a printed value; None, and why, where it cannot be held against them."""
    if ours is None:
        return None, "there is no figure here"
    if amiss:
        return None, amiss
    return any(abs(ours - value) <= tolerance + _ROUNDING for value in printed), None


# -- which subsets of a benchmark are here whole, so that figures can be held against the printed ones


def subsets_of(benchmark: str, domain: str = "") -> tuple[str, ...]:
    """Return the official subsets of a benchmark, or of PRMBench-STEM's domain, whether or not they are here."""
    if domain:
        return (domain,)
    return _SUBSETS.get(benchmark, ())


def whole_subsets(cases: pl.DataFrame, benchmark: str) -> dict[str, str]:
    """Map every official subset to "" where it has as many cases as published, else to what is amiss.

    PRMBench's are its classes and the domains of PRMBench-STEM.

    Socratic-PRMBench publishes counts of patterns: a class is whole where its pattern is.

    Args:
        cases: with `benchmark, subset, earliest_error`; only the cases that a figure is computed over.
        benchmark: its name; one without a paper here gives nothing.
    """
    own = cases.filter(pl.col("benchmark") == benchmark)
    here = Counter(own["subset"].to_list())
    if benchmark == "processbench":
        return {name: _both_sides(own, name, sides) for name, sides in processbench.OFFICIAL.items()}
    if benchmark == "socratic":
        patterns: Counter[str] = Counter()
        for name, pattern_class in socratic.CLASSES.items():
            patterns[pattern_class.pattern] += here[name]
        amiss = {name: _amiss(patterns[name], (rows,)) for name, rows in socratic.PATTERNS.items()}
        return {name: amiss[pattern_class.pattern] for name, pattern_class in socratic.CLASSES.items()}
    official = {"prmbench": _prmbench(), "grben": grben.OFFICIAL}.get(benchmark, {})
    return {name: _amiss(here[name], wanted) for name, wanted in official.items()}


def _both_sides(own: pl.DataFrame, subset: str, official: tuple[int, int]) -> str:
    gold = own.filter(pl.col("subset") == subset)["earliest_error"]
    here = int((gold >= 0).sum()), int((gold == -1).sum())
    if here == official:
        return ""
    return f"{here[0]:,} erroneous and {here[1]:,} clean cases here, {official[0]:,} and {official[1]:,} in the paper"


def _amiss(count: int, wanted: tuple[int, ...]) -> str:
    return "" if count in wanted else f"{count:,} cases here, {wanted[0]:,} in the paper"


def _prmbench() -> dict[str, tuple[int, ...]]:
    classes = {name: (error_class.rows,) for name, error_class in prmbench.CLASSES.items()}
    # The first row with an id is the case, and of this class five ids stand in two rows.
    classes[prmbench.CLEAN_CLASS] = (prmbench.CLASSES[prmbench.CLEAN_CLASS].rows - len(prmbench.REPEATED),)
    return {**classes, **{domain: (rows,) for domain, rows in prmbench.STEM_ROWS.items()}}


_SUBSETS: dict[str, tuple[str, ...]] = {
    "processbench": tuple(processbench.OFFICIAL),
    "prmbench": tuple(prmbench.CLASSES),
    "socratic": tuple(socratic.CLASSES),
    "grben": tuple(grben.OFFICIAL),
}
