"""What each benchmark reports: the metric that leads, those beside it, and how its figures are made.

Three families report differently: F1 of first errors, PRMScore of single steps, and metrics that a benchmark has to
itself. `metrics_of` decides between them; everything else asks the object that it returns.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module

import numpy as np

from scoring.data.schema import Bools, Floats, Ints, RowDict
from scoring.data.storage.remembered import IdentityCache
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.verdicts import Rule
from scoring.formats.benchmarks.benchmark_registry import STEP_LABELLED, step_labelled
from scoring.formats.benchmarks.case_format import StepLabelled
from scoring.metrics.aligned import AlignedSums, align_own, align_steps, with_labelled_step
from scoring.metrics.curve_bands import Bands, case_bands, own_bands, step_bands
from scoring.metrics.first_error import F1_SCORE, first_error_rows
from scoring.metrics.headline import (
    Headline,
    first_error_headline,
    first_error_headlines,
    first_error_score,
    own_headline,
    own_headlines,
    own_score,
    step_headline,
    step_headlines,
    step_score,
)
from scoring.metrics.kernel import Unparsed
from scoring.metrics.official_protocols import Protocol
from scoring.metrics.own import MEMBERS, CasesOf, OwnMetric, own_metrics
from scoring.metrics.own_figures import own_rows
from scoring.metrics.step_labels import step_rows
from scoring.metrics.step_metrics import PRMSCORE
from scoring.metrics.threshold_curves import ThresholdCurve, case_curve, own_curve, step_curve
from scoring.workspace.filtering.sql_words import named

OWN_METRICS = {
    "deltabench": "scoring.metrics.sections",
    "hard2verify": "scoring.metrics.balanced",
    "agentprocessbench": "scoring.metrics.agent_steps",
    "trajectories": "scoring.metrics.agent_steps",
}
"""Benchmark -> module whose FIGURES, metrics of whole cases, stand before those that all benchmarks have.

The first of them leads, with AS_OFFICIAL as without. Where the authors' code has a number that FIGURES leave undefined,
or counts oddly, the module has AS_OFFICIAL, for who asks for the benchmark's protocol by name.
"""
_CURVES = IdentityCache(32)
_REMEMBERED = 150_000
"""Cases of a workspace whose curves are remembered: those of more would take much memory."""


class BenchmarkMetrics:
    """What a benchmark reports.

    Attributes:
        benchmark: Its name.
        name: The metric that leads, as it stands in the column `metric`.
        title: The same for people.
        unit: What the `n` of that metric counts, `cases` or `steps`.
        about: What the metric is, as a part of a sentence.
        whole: The subset that stands for the whole benchmark: `average` or `all`.
        taken_over: What the metric is taken over.
        cases: The cases that the metric counts.
        steps: How figures of single steps are made; None where the benchmark reports none.
        own: The metrics that the benchmark has to itself; () where it has none.
    """

    steps: StepLabelled | None = None
    own: tuple[OwnMetric, ...] = ()

    def __init__(
        self, benchmark: str, name: str, title: str, unit: str, about: str, whole: str, taken_over: str, cases: CasesOf
    ) -> None:
        self.benchmark, self.name, self.title, self.unit = benchmark, name, title, unit
        self.about, self.whole, self.taken_over, self.cases = about, whole, taken_over, cases

    @property
    def leading(self) -> OwnMetric | None:
        """The first of its own metrics, which leads; None without any."""
        return next(iter(self.own), None)

    def headline(self, evaluation: Evaluation, rows: Bools, unparsed: Unparsed, seed: int | None) -> Headline:
        """Return the metric that leads, of the cases `rows` (n), as the benchmark reports it.

        Without a `seed` it has no interval, and nothing is resampled.
        """
        raise NotImplementedError

    def headlines(
        self, evaluation: Evaluation, rows: Bools, unparsed: Unparsed, seed: int | None
    ) -> dict[str, Headline]:
        """Return the same of every subset of which anything was tried, by its name."""
        raise NotImplementedError

    def score(self, evaluation: Evaluation, rows: Bools, unparsed: Unparsed) -> float | None:
        """Return the score of the headline alone, which is faster: many scorers are quickly compared."""
        raise NotImplementedError

    def leading_rows(
        self,
        evaluation: Evaluation,
        rows: Bools,
        unparsed: Unparsed,
        seed: int | None,
        protocol: Protocol | None = None,
        twins: Evaluation | None = None,
        only: str | None = None,
    ) -> Iterable[RowDict]:
        """Return rows of the metrics that stand before those of first errors.

        Args:
            evaluation: the decided cases.
            rows: (n,) which cases take part.
            unparsed: how cases without a verdict count.
            seed: of the intervals; None = without any.
            protocol: the protocol that was asked for by name; None = the benchmark's own way of counting.
            twins: the same scorer on the unharmed originals, where the benchmark has some.
            only: the metric that is asked for alone; None = all.
        """
        raise NotImplementedError

    def first_error_rows(
        self,
        evaluation: Evaluation,
        rows: Bools,
        unparsed: Unparsed,
        seed: int | None,
        protocol: Protocol | None = None,
    ) -> Iterable[RowDict]:
        """Return rows of the metrics of first errors. See `leading_rows` for the arguments."""
        undefined = None if protocol is None else protocol.undefined
        official = undefined if undefined is not None and undefined >= 0 else None
        return first_error_rows(evaluation, rows, unparsed, seed, official)

    def curve(self, evaluation: Evaluation, rows: Bools, unparsed: Unparsed) -> ThresholdCurve | None:
        """Return the metric that leads at every distinct threshold; None where no one threshold decides.

        Args:
            evaluation: gives rewards, gold and the comparison; its threshold does not matter.
            rows: (n,) which cases take part, all of this benchmark.
            unparsed: how cases without a verdict count; PRMScore leaves them out.
        """
        rule = evaluation.rule
        if not isinstance(rule, Rule):
            return None
        if rows.size > _REMEMBERED:
            return self._curve(evaluation, rows, unparsed)
        # All that a curve depends on, which is not where the threshold is.
        made_of = (evaluation.floats, evaluation.fixed_verdicts, evaluation.gold, evaluation.rewards, evaluation.scorer)
        owners = (*made_of, *self.own[:1])
        counted = self.benchmark, self.name, unparsed, np.packbits(rows).tobytes()
        key = (evaluation.scorer.name, rule.comparison, *counted)
        return _CURVES.of(key, owners, lambda: self._curve(evaluation, rows, unparsed))

    def _curve(self, evaluation: Evaluation, rows: Bools, unparsed: Unparsed) -> ThresholdCurve | None:
        raise NotImplementedError

    def dev_curve(self, evaluation: Evaluation, rows: Bools, groups: Ints, unparsed: Unparsed) -> ThresholdCurve | None:
        """Return the curve that a dev set is tuned on: of its cases `rows` (n), in groups (n,) of one subset each.

        Dev sets of benchmarks of steps are not tuned.
        """
        return case_curve(evaluation, rows, groups, unparsed)

    def bands(
        self, evaluation: Evaluation, rows: Bools, thresholds: Floats, unparsed: Unparsed, seed: int | None = 0
    ) -> Bands | None:
        """Return the metric that leads, and the accuracies behind F1, at thresholds; None where no threshold decides.

        The draws are those of `metrics`: at the threshold that decides, the band of one run is the interval there.

        See `curve` for the arguments; `thresholds` (t,) are finite, `seed` is that of the resamples, None = there are
        none, and no intervals.
        """
        raise NotImplementedError

    def aligned(self, evaluations: Sequence[Evaluation], rows: Bools, unparsed: Unparsed) -> AlignedSums | None:
        """Put scorers side by side by what the metric adds up; None where it is of first errors.

        Args:
            evaluations: at least one, all of the same cases.
            rows: mask over these cases, those of the benchmark; cases without a label that counts are left out of it.
            unparsed: whether refused and unparsed cases count as tried and wrong (`wrong`) or as not tried (`drop`).
        """
        raise NotImplementedError


class _FirstErrors(BenchmarkMetrics):
    """F1 of first errors, the plain mean over subsets."""

    def __init__(self, benchmark: str) -> None:
        about = "the harmonic mean of the accuracies on erroneous and on clean cases"
        super().__init__(
            benchmark, F1_SCORE.name, F1_SCORE.title, "cases", about, "average", "mean of subsets", MEMBERS
        )

    def headline(self, evaluation: Evaluation, rows: Bools, unparsed: Unparsed, seed: int | None) -> Headline:
        return first_error_headline(evaluation, rows, unparsed, seed)

    def headlines(
        self, evaluation: Evaluation, rows: Bools, unparsed: Unparsed, seed: int | None
    ) -> dict[str, Headline]:
        return first_error_headlines(evaluation, rows, unparsed, seed)

    def score(self, evaluation: Evaluation, rows: Bools, unparsed: Unparsed) -> float | None:
        return first_error_score(evaluation, rows, unparsed)

    def leading_rows(
        self,
        evaluation: Evaluation,
        rows: Bools,
        unparsed: Unparsed,
        seed: int | None,
        protocol: Protocol | None = None,
        twins: Evaluation | None = None,
        only: str | None = None,
    ) -> Iterable[RowDict]:
        return ()

    def _curve(self, evaluation: Evaluation, rows: Bools, unparsed: Unparsed) -> ThresholdCurve | None:
        return case_curve(evaluation, rows, evaluation.gold.subsets[1], unparsed)

    def bands(
        self, evaluation: Evaluation, rows: Bools, thresholds: Floats, unparsed: Unparsed, seed: int | None = 0
    ) -> Bands | None:
        return case_bands(evaluation, rows, thresholds, unparsed, seed)

    def aligned(self, evaluations: Sequence[Evaluation], rows: Bools, unparsed: Unparsed) -> AlignedSums | None:
        return None


class _Steps(BenchmarkMetrics):
    """PRMScore of all steps pooled, and figures of classes of steps."""

    def __init__(self, benchmark: str, steps: StepLabelled) -> None:
        about = "the mean of the F1s of right and of wrong steps, pooled"
        super().__init__(benchmark, PRMSCORE.name, PRMSCORE.title, "steps", about, "all", "all steps pooled", _JUDGED)
        self.steps = self._steps = steps

    def headline(self, evaluation: Evaluation, rows: Bools, unparsed: Unparsed, seed: int | None) -> Headline:
        return step_headline(self._steps, evaluation, rows, seed)

    def headlines(
        self, evaluation: Evaluation, rows: Bools, unparsed: Unparsed, seed: int | None
    ) -> dict[str, Headline]:
        return step_headlines(self._steps, evaluation, rows, seed)

    def score(self, evaluation: Evaluation, rows: Bools, unparsed: Unparsed) -> float | None:
        return step_score(self._steps, evaluation, rows)

    def leading_rows(
        self,
        evaluation: Evaluation,
        rows: Bools,
        unparsed: Unparsed,
        seed: int | None,
        protocol: Protocol | None = None,
        twins: Evaluation | None = None,
        only: str | None = None,
    ) -> Iterable[RowDict]:
        official = protocol is not None and protocol.undefined == -1
        return step_rows(evaluation, rows, self._steps, twins, seed, official=official, only=only)

    def first_error_rows(
        self,
        evaluation: Evaluation,
        rows: Bools,
        unparsed: Unparsed,
        seed: int | None,
        protocol: Protocol | None = None,
    ) -> Iterator[RowDict]:
        """Return the rows of subsets with both erroneous and clean cases: most classes have no clean ones."""
        figures = list(first_error_rows(evaluation, rows, unparsed, seed))
        lacking = {row["subset"] for row in figures if row["metric"] != F1_SCORE.name and row["value"] is None}
        return (row for row in figures if row["subset"] not in lacking)

    def _curve(self, evaluation: Evaluation, rows: Bools, unparsed: Unparsed) -> ThresholdCurve | None:
        return step_curve(evaluation, rows, self._steps)

    def bands(
        self, evaluation: Evaluation, rows: Bools, thresholds: Floats, unparsed: Unparsed, seed: int | None = 0
    ) -> Bands | None:
        return step_bands(evaluation, rows, thresholds, self._steps, seed)

    def aligned(self, evaluations: Sequence[Evaluation], rows: Bools, unparsed: Unparsed) -> AlignedSums | None:
        return align_steps(evaluations, rows, self._steps)


class _Own(BenchmarkMetrics):
    """Metrics that a benchmark has to itself; the first of them leads, of all cases together."""

    def __init__(self, benchmark: str, own: tuple[OwnMetric, ...], official: tuple[OwnMetric, ...]) -> None:
        first = own[0]
        over = "all steps pooled" if first.unit == "steps" else "all cases together"
        cases = first.cases or MEMBERS
        super().__init__(benchmark, first.name, first.title, first.unit, first.about, "all", over, cases)
        self.own, self._first, self._official = own, first, official

    def headline(self, evaluation: Evaluation, rows: Bools, unparsed: Unparsed, seed: int | None) -> Headline:
        return own_headline(self._first, evaluation, rows, unparsed, seed)

    def headlines(
        self, evaluation: Evaluation, rows: Bools, unparsed: Unparsed, seed: int | None
    ) -> dict[str, Headline]:
        return own_headlines(self._first, evaluation, rows, unparsed, seed)

    def score(self, evaluation: Evaluation, rows: Bools, unparsed: Unparsed) -> float | None:
        return own_score(self._first, evaluation, rows, unparsed)

    def leading_rows(
        self,
        evaluation: Evaluation,
        rows: Bools,
        unparsed: Unparsed,
        seed: int | None,
        protocol: Protocol | None = None,
        twins: Evaluation | None = None,
        only: str | None = None,
    ) -> Iterator[RowDict]:
        metrics = self._official if protocol is not None and protocol.name == self.benchmark else self.own
        for made in metrics:
            if only in {None, made.name}:
                yield from own_rows(made, evaluation, rows, unparsed, seed)

    def _curve(self, evaluation: Evaluation, rows: Bools, unparsed: Unparsed) -> ThresholdCurve | None:
        return own_curve(self._first, evaluation, rows, unparsed)

    def dev_curve(self, evaluation: Evaluation, rows: Bools, groups: Ints, unparsed: Unparsed) -> ThresholdCurve | None:
        return own_curve(self._first, evaluation, rows, unparsed)

    def bands(
        self, evaluation: Evaluation, rows: Bools, thresholds: Floats, unparsed: Unparsed, seed: int | None = 0
    ) -> Bands | None:
        return own_bands(self._first, evaluation, rows, thresholds, unparsed, seed)

    def aligned(self, evaluations: Sequence[Evaluation], rows: Bools, unparsed: Unparsed) -> AlignedSums | None:
        return align_own(self._first, evaluations, rows, unparsed)


_JUDGED = CasesOf(
    lambda decided: with_labelled_step(decided.evaluation) & decided.evaluation.coverage.answered,
    lambda scorer, _: (f"{named(f'{scorer}.step_accuracy')} IS NOT NULL",),
    "cases whose steps the figure counts",
)
"""The cases whose steps are labelled and judged."""


@cache
def metrics_of(benchmark: str) -> BenchmarkMetrics:
    """Return what a benchmark reports, by its name; unknown ones and a user's own report F1 of first errors."""
    steps = step_labelled(benchmark)
    if steps is not None:
        return _Steps(benchmark, steps)
    if benchmark not in OWN_METRICS:
        return _FirstErrors(benchmark)
    module = import_module(OWN_METRICS[benchmark])
    return _Own(benchmark, module.FIGURES, getattr(module, "AS_OFFICIAL", module.FIGURES))


def every_metrics_of(benchmark: str) -> tuple[BenchmarkMetrics, ...]:
    """Return what a benchmark reports, then each metric of the user's own as if the benchmark reported it."""
    return metrics_of(benchmark), *(_Own(benchmark, (made,), (made,)) for made in own_metrics())


def leading_metrics() -> Mapping[str, BenchmarkMetrics]:
    """Return by title what reports each metric that leads somewhere: a title says of one metric alone what it is."""
    every = (*map(metrics_of, (*OWN_METRICS, *STEP_LABELLED)), metrics_of(""))
    return {reported.title: reported for reported in every}


def own_titles() -> dict[str, str]:
    """Return by name the titles of all the metrics that benchmarks have to themselves."""
    return {made.name: made.title for benchmark in OWN_METRICS for made in metrics_of(benchmark).own}
