"""Figures of single steps of several scorers, on the cases whose steps all of them judged, and their differences.

PRMScore is that of all steps pooled (PRMBench, arXiv 2501.03124, section 4.2; Socratic-PRMBench, arXiv 2505.23474), as
in `scoring.metrics.step_labels`, redundancy and labels beyond the last step included. Intervals are percentile ones of
a paired bootstrap: whole problems are drawn, the same for all scorers.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scoring.benchmarks.registry import StepLabelled
from scoring.evaluation import Evaluation
from scoring.gold import UNKNOWN_STEP
from scoring.metrics.figure import Figure, with_interval
from scoring.metrics.intervals import SMALL
from scoring.metrics.paired import pairs_alike
from scoring.metrics.problem_bootstrap import resampled_sums
from scoring.metrics.step_counts import METRICS, PARTS, case_parts, figures, why_undefined
from scoring.metrics.step_labels import why_nothing
from scoring.step_rewards import Bools, Floats, Ints

COMPARED = ("prmscore", "positive_acc", "negative_acc")
"""The figures that are compared; the accuracies are those on right and on wrong steps."""


@dataclass(frozen=True, eq=False)
class StepLineup:
    """s scorers on n cases with a labelled step, of one step-labelled benchmark.

    `names` and `nothing` have length s; `nothing` says why a scorer judges no step, None where it does. `judged` (n, s)
    says whose steps of which case are judged, `parts` (n, s, len(PARTS)) what they add up from; `problems` (n,) number
    the problem of each case.
    """

    names: tuple[str, ...]
    nothing: tuple[str | None, ...]
    judged: Bools
    parts: Floats
    problems: Ints

    @property
    def judging(self) -> tuple[int, ...]:
        """The places of the scorers that judged the steps of any case."""
        return tuple(np.flatnonzero(self.judged.any(axis=0)).tolist())

    def common(self, columns: Sequence[int]) -> Bools:
        """The cases whose steps every one of these scorers judged. Shape (n,)."""
        return np.asarray(self.judged[:, list(columns)].all(axis=1))

    def left_out(self, columns: Sequence[int]) -> int:
        """How many cases have steps that some of these scorers judged and not all."""
        return int((self.judged[:, list(columns)].any(axis=1) & ~self.common(columns)).sum())


@dataclass(frozen=True, eq=False)
class SharedSteps:
    """Figures of single steps of some scorers on `n` cases that all of them judged, and in resamples that they share.

    `columns` (k) are the scorers' places in the lineup, `sums` (k, len(PARTS)) pool the cases, `draws`
    (r, k, len(METRICS)) hold the figures in r resamples.
    """

    names: tuple[str, ...]
    columns: tuple[int, ...]
    n: int
    sums: Floats
    draws: Floats

    def estimate(self, metric: str, column: int) -> Figure:
        """The figure of one scorer (its place in the lineup), with its interval."""
        draws = self.draws[:, self.columns.index(column), METRICS.index(metric)]
        return self._figure(metric, self._value(metric, column), draws, "value", (column,))

    def difference(self, metric: str, left: int, right: int) -> Figure:
        """The figure of one scorer minus that of another (their places in the lineup)."""
        value = self._value(metric, left) - self._value(metric, right)
        one, other = (self.draws[:, self.columns.index(column), METRICS.index(metric)] for column in (left, right))
        return self._figure(metric, value, one - other, "difference", (left, right))

    def _figure(self, metric: str, value: float, draws: Floats, what: str, columns: tuple[int, ...]) -> Figure:
        if np.isnan(value):
            return Figure(metric, None, None, None, self.n, self._reason(metric, columns))
        few = f"small n: fewer than {SMALL} cases" if self.n < SMALL else None
        return with_interval(metric, value, draws, self.n, what, few)

    def _value(self, metric: str, column: int) -> float:
        return float(figures(self.sums[self.columns.index(column)])[METRICS.index(metric)])

    def _reason(self, metric: str, columns: tuple[int, ...]) -> str:
        """Why a figure of one of these scorers is undefined."""
        if not self.n:
            return "no case in common whose steps are judged"
        column = next(column for column in columns if np.isnan(self._value(metric, column)))
        place = self.columns.index(column)
        return f"{self.names[place]}: {why_undefined(metric, self.sums[place])}"


def labelled(evaluation: Evaluation) -> Bools:
    """The cases of which at least one step has a gold label. Shape (n,)."""
    gold = evaluation.gold
    cases = np.repeat(np.arange(gold.n_steps.size), gold.n_steps)
    return np.bincount(cases[gold.step_labels != UNKNOWN_STEP], minlength=gold.n_steps.size) > 0


def line_up_steps(evaluations: Sequence[Evaluation], rows: Bools, facts: StepLabelled) -> StepLineup:
    """Put scorers side by side, step by step.

    Args:
        evaluations: at least one, all of the same cases.
        rows: mask over these cases, those of one benchmark; cases without a labelled step are left out of it.
        facts: how the benchmark makes its figures.
    """
    taken = np.flatnonzero(rows & labelled(evaluations[0]))
    parts = np.stack([case_parts(one, facts)[taken] for one in evaluations], axis=1)
    return StepLineup(
        names=tuple(one.scorer.name for one in evaluations),
        nothing=tuple(why_nothing(one, rows) for one in evaluations),
        judged=parts[..., PARTS.index("judged")] > 0,
        parts=parts,
        problems=evaluations[0].gold.problems[taken],
    )


def shared_steps(lineup: StepLineup, columns: tuple[int, ...], seed: int = 0) -> SharedSteps:
    """Score and resample some scorers (their places in the lineup) together, on the cases that all of them judged."""
    rows = lineup.common(columns)
    parts = lineup.parts[rows][:, list(columns)]
    n, shape = parts.shape[0], parts.shape[1:]
    beside = parts.reshape(n, shape[0] * shape[1])
    drawn = resampled_sums(beside, np.zeros(n, dtype=np.int64), 1, lineup.problems[rows], seed)
    draws = figures(drawn.reshape(drawn.shape[0], *shape), "resampled")
    return SharedSteps(tuple(lineup.names[column] for column in columns), columns, n, parts.sum(axis=0), draws)


def steps_of_pairs(lineup: StepLineup, seed: int = 0) -> dict[tuple[int, int], SharedSteps]:
    """For every two scorers (left before right in the lineup) the figures on the cases whose steps both judged."""
    found: dict[tuple[int, int], SharedSteps] = {}
    for group, columns in pairs_alike(len(lineup.names), lineup.common):
        found |= dict.fromkeys(group, shared_steps(lineup, columns, seed))
    return {pair: found[pair] for pair in sorted(found)}


def common_prmscores(lineup: StepLineup) -> dict[str, float]:
    """PRMScore of the scorers that judged any step, on the cases that all of them judged; NaN where undefined."""
    columns = lineup.judging
    if not columns:
        return {}
    sums = lineup.parts[lineup.common(columns)].sum(axis=0)[list(columns)]
    values = figures(sums)[:, METRICS.index("prmscore")].tolist()
    return dict(zip((lineup.names[column] for column in columns), values, strict=True))
