"""First errors of one scorer by subset, pooled and averaged over subsets; each the mean over the scorer's runs.

Of several runs those count in a line that tried cases in every subset of it, each with its own denominators.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scoring.metrics.accuracies import METRICS, Counted, Decided, figures
from scoring.metrics.run_means import RunMean, over_runs, run_mean
from scoring.step_rewards import Floats, Ints

NO_ERRONEOUS, NO_CLEAN = "no erroneous case was scored", "no clean case was scored"
BOTH_ZERO = "both accuracies are 0"
NOTHING = "no case was scored"
_SIDES = ((0,), (1,), (0, 1))
"""Which sides (erroneous, clean) each of METRICS is of."""


@dataclass(frozen=True, eq=False)
class FirstErrors:
    """METRICS of a scorer; its groups are subsets.

    `official` stands for a figure that is undefined although cases were counted, and averages go on with it; such a
    figure keeps its reason and has no interval. None = it is null.
    """

    decided: Decided | Counted
    seed: int
    official: float | None = None

    @cached_property
    def present(self) -> Ints:
        """The numbers of the subsets in which some run tried a case."""
        return np.flatnonzero(self._totals.sum(axis=(1, 2)))

    @property
    def pooled_runs(self) -> Ints:
        """The numbers (0-based) of the runs that tried a case in every subset: those of pooled figures and averages."""
        return self._trying(self.present)

    def of_subset(self, number: int) -> tuple[RunMean, ...]:
        """METRICS of one subset."""
        runs = self._trying(np.array([number]))
        accuracies, totals = self.decided.accuracies[number][:, runs], self._totals[number][:, runs]
        values = figures(accuracies)
        return self._means(values, figures(self._draws[:, number][..., runs], 0.0), totals, _reasons(values, totals))

    def pooled(self) -> tuple[RunMean, ...]:
        """METRICS of all cases together."""
        runs = self.pooled_runs
        pooled = self.decided.pooled().only(runs)
        if not runs.size:
            return self._without_a_run()
        values, totals = figures(pooled.accuracies)[0], pooled.counts[1][0]
        draws = figures(pooled.drawn(self.seed, whole=self.decided.related)[:, 0], 0.0)
        return self._means(values, draws, totals, _reasons(values, totals))

    def average(self) -> tuple[RunMean, ...]:
        """The plain mean over subsets of each of METRICS; undefined as soon as one subset's value is."""
        if not self.present.size:
            return tuple(RunMean(None, None, None, 0, reason=NOTHING) for _ in METRICS)
        runs = self.pooled_runs
        if not runs.size:
            return self._without_a_run()
        by_subset = figures(self.decided.accuracies)[self.present][..., runs]
        undefined = np.isnan(by_subset).sum(axis=0)
        told = f"undefined in {{}} of {self.present.size} subsets"
        reasons = [[told.format(count) if count else None for count in counts] for counts in undefined]
        draws = figures(self._draws[:, self.present][..., runs], 0.0).mean(axis=1)
        filled = by_subset if self.official is None else np.where(np.isnan(by_subset), self.official, by_subset)
        return self._means(filled.mean(axis=0), draws, self._totals[:, :, runs].sum(axis=0), reasons)

    @property
    def score(self) -> float | None:
        """The average of F1 alone, without an interval."""
        runs = self.pooled_runs
        f1 = figures(self.decided.accuracies)[self.present, 2][:, runs]
        return None if not f1.size or np.isnan(f1).any() else float(f1.mean())

    @cached_property
    def _totals(self) -> Ints:
        return self.decided.counts[1]

    @cached_property
    def _draws(self) -> Floats:
        return self.decided.drawn(self.seed, whole=self.decided.related)

    def _trying(self, subsets: Ints) -> Ints:
        """The runs that tried a case in each of the subsets."""
        return np.flatnonzero((self._totals[subsets].sum(axis=1) > 0).all(axis=0))

    def _without_a_run(self) -> tuple[RunMean, ...]:
        return tuple(RunMean(None, None, None, 0, reason="no run tried cases of every subset") for _ in METRICS)

    def _means(
        self, values: Floats, draws: Floats, totals: Ints, reasons: list[list[str | None]]
    ) -> tuple[RunMean, ...]:
        """A mean for each of METRICS, of (3, r) values, (resamples, 3, r) draws and (2, r) denominators."""
        found = []
        for place, sides in enumerate(_SIDES):
            sizes = totals[list(sides), 0]
            n, fewest, reason = int(sizes.sum()), int(sizes.min()), over_runs(reasons[place])
            # Of nothing at all there is no official figure.
            official = self.official if totals[:, 0].any() else None
            found.append(run_mean(values[place], draws[:, place], n, fewest, reason, official))
        return tuple(found)


def _reasons(values: Floats, totals: Ints) -> list[list[str | None]]:
    """Why each of METRICS is undefined in each run; `values` (3, r), `totals` (2, r)."""
    found: list[list[str | None]] = [[], [], []]
    for run in range(values.shape[1]):
        no_error = None if totals[0, run] else NO_ERRONEOUS
        no_clean = None if totals[1, run] else NO_CLEAN
        zero = BOTH_ZERO if np.isnan(values[2, run]) else None
        for place, reason in enumerate((no_error, no_clean, no_error or no_clean or zero)):
            found[place].append(reason)
    return found
