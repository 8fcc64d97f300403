"""The metrics that each benchmark reports, and the functions that compute them.

There are three families: F1 of first errors, PRMScore of single steps, and metrics of one benchmark. `metrics_of`
chooses between them; everything else asks the object that it returns.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from importlib import import_module
from typing import Literal

import numpy as np
from msgspec import Struct

from scoring.data.schema import Bools, Floats, RowDict
from scoring.data.storage.remembered import IdentityCache
from scoring.evaluation.evaluation import Evaluation
from scoring.formats.benchmarks.benchmark_registry import STEP_LABELLED, step_labelled
from scoring.formats.benchmarks.case_format import StepLabelled
from scoring.metrics.aligned import AlignedSums, align_own, align_steps
from scoring.metrics.curve_bands import Bands, metric_bands
from scoring.metrics.first_error import F1_SCORE
from scoring.metrics.first_error_family import FIRST_ERRORS
from scoring.metrics.headline import (
    Headline,
    headline_of,
    headlines_of,
    score_of,
    step_headline,
    step_headlines,
    step_score,
)
from scoring.metrics.kernel import CasesOf, Metric, Unparsed, WholeRow
from scoring.metrics.metric_family import MetricFamily
from scoring.metrics.metrics_by_subset import metric_rows
from scoring.metrics.official_protocols import Protocol
from scoring.metrics.outcome_conditions import MEMBERS
from scoring.metrics.own import OwnMetric, own_metrics
from scoring.metrics.own_family import family_of
from scoring.metrics.step_family import JUDGED, step_family
from scoring.metrics.step_labels import step_rows
from scoring.metrics.step_metrics import PRMSCORE
from scoring.metrics.threshold_curves import ThresholdCurve, metric_curve

OWN_METRICS = {
    "deltabench": "scoring.metrics.sections",
    "hard2verify": "scoring.metrics.balanced",
    "agentprocessbench": "scoring.metrics.agent_steps",
    "trajectories": "scoring.metrics.agent_steps",
}
"""Benchmark -> module with FIGURES, metrics of whole cases that come before those of first errors.

The first one leads. If the authors' code has a number where FIGURES are undefined, or counts differently, the module
also has AS_OFFICIAL, which `--protocol` selects by the name of the benchmark.
"""
_CURVES = IdentityCache(32)
_REMEMBERED = 150_000
"""Cases of a workspace whose curves are remembered: those of more would take much memory."""


_Figures = Callable[[Evaluation, Bools, Unparsed, int | None], Headline]
_FiguresBySubset = Callable[[Evaluation, Bools, Unparsed, int | None], dict[str, Headline]]
_FigureRows = Callable[
    [Evaluation, Bools, Unparsed, int | None, Protocol | None, Evaluation | None, str | None], Iterable[RowDict]
]
_Curves = Callable[[Evaluation, Bools, Unparsed], ThresholdCurve | None]
_CurvesWithBands = Callable[[Evaluation, Bools, Floats, Unparsed, int | None], Bands | None]
_Alignments = Callable[[Sequence[Evaluation], Bools, Unparsed], AlignedSums | None]


class BenchmarkMetrics(Struct, frozen=True, eq=False):
    """What a benchmark reports. Functions take an evaluation, its cases `rows` (n,) and the rule for missing verdicts.

    Attributes:
        benchmark: Its name.
        leading: The metric that leads.
        unit: What the `n` of that metric counts.
        about: What the metric is, as a part of a sentence.
        whole: The subset of the row about the whole benchmark.
        taken_over: What the metric is taken over.
        cases: The cases that the metric counts.
        headline: Returns the metric as the benchmark reports it; without a seed it has no interval.
        headlines: Returns the same of every subset of which anything was tried, by name.
        score: Returns the score of the headline alone, which is faster.
        leading_rows: Returns the rows of `metrics` before those of first errors. It also takes the protocol that was
            asked for by name (None = the benchmark's own), the scorer on the unharmed originals, and the one metric
            that is asked for (None = all).
        sweep: Returns the metric at every distinct threshold, None where no one threshold decides.
        bands: Returns the metric, and the accuracies behind F1, at finite thresholds (t,), with the intervals of
            `metrics`; None where no threshold decides.
        aligned: Returns scorers side by side by what the metric adds up; None where it is of first errors.
        first_errors: Returns the rows of first errors that the benchmark shows, of all such rows.
        steps: How figures of single steps are made; None where the benchmark reports none.
        own: The metrics that the benchmark has to itself; () where it has none.
    """

    benchmark: str
    leading: Metric
    unit: Literal["cases", "steps"]
    about: str
    whole: WholeRow
    taken_over: str
    cases: CasesOf
    headline: _Figures
    headlines: _FiguresBySubset
    score: Callable[[Evaluation, Bools, Unparsed], float | None]
    leading_rows: _FigureRows
    sweep: _Curves
    bands: _CurvesWithBands
    aligned: _Alignments
    first_errors: Callable[[list[RowDict]], list[RowDict]] = list
    steps: StepLabelled | None = None
    own: tuple[OwnMetric, ...] = ()

    @property
    def name(self) -> str:
        """The metric that leads, by its name in the column `metric`."""
        return self.leading.name

    @property
    def title(self) -> str:
        """The same for people."""
        return self.leading.title

    def first_error_rows(
        self, evaluation: Evaluation, rows: Bools, unparsed: Unparsed, seed: int | None, protocol: Protocol | None
    ) -> list[RowDict]:
        """Return the rows of the metrics of first errors."""
        # A protocol of steps has a negative number where a figure of steps is undefined.
        undefined = None if protocol is None or self.steps is not None else protocol.undefined
        official = undefined if undefined is not None and undefined >= 0 else None
        return self.first_errors(list(metric_rows(FIRST_ERRORS, evaluation, rows, unparsed, seed, official)))

    def curve(self, evaluation: Evaluation, rows: Bools, unparsed: Unparsed) -> ThresholdCurve | None:
        """Return the metric that leads at every distinct threshold; None where no one threshold decides.

        Args:
            evaluation: gives rewards, gold and the comparison; its threshold does not matter.
            rows: (n,) which cases take part, all of this benchmark.
            unparsed: how cases without a verdict count; PRMScore leaves them out.
        """
        rule = evaluation.rule
        if not rule.is_movable:
            return None
        sweep = partial(self.sweep, evaluation, rows, unparsed)
        if rows.size > _REMEMBERED:
            return sweep()
        # All that a curve depends on, which is not where the threshold is.
        made_of = (evaluation.floats, evaluation.fixed_verdicts, evaluation.gold, evaluation.rewards, evaluation.scorer)
        counted = self.benchmark, self.name, unparsed, np.packbits(rows).tobytes()
        key = (evaluation.scorer.name, rule.comparison, *counted)
        return _CURVES.of(key, (*made_of, *self.own[:1]), sweep)


def _of_first_errors(benchmark: str) -> BenchmarkMetrics:
    """F1 of first errors, the plain mean over subsets."""
    about = "the harmonic mean of the accuracies on erroneous and on clean cases"
    return _of_family(benchmark, FIRST_ERRORS, "average", about, "mean of subsets", lambda *_: ())


def _of_family(
    benchmark: str,
    family: MetricFamily,
    whole: WholeRow,
    about: str,
    taken_over: str,
    leading_rows: _FigureRows,
    aligned: _Alignments = lambda *_: None,
    own: tuple[OwnMetric, ...] = (),
) -> BenchmarkMetrics:
    """The leading metric of a family, as it is computed for all families."""
    return BenchmarkMetrics(
        benchmark,
        family.leading,
        family.unit,
        about,
        whole,
        taken_over,
        family.cases or MEMBERS,
        headline=partial(headline_of, family, whole),
        headlines=partial(headlines_of, family),
        score=partial(score_of, family, whole),
        leading_rows=leading_rows,
        sweep=partial(metric_curve, family, whole=whole),
        bands=partial(metric_bands, family, whole=whole),
        aligned=aligned,
        own=own,
    )


def _of_steps(benchmark: str, steps: StepLabelled) -> BenchmarkMetrics:
    """PRMScore of all steps pooled, and figures of classes of steps."""
    family = step_family(steps)
    return BenchmarkMetrics(
        benchmark,
        PRMSCORE,
        "steps",
        "the mean of the F1s of right and of wrong steps, pooled",
        "all",
        "all steps pooled",
        JUDGED,
        headline=lambda evaluation, rows, _, seed: step_headline(steps, evaluation, rows, seed),
        headlines=lambda evaluation, rows, _, seed: step_headlines(steps, evaluation, rows, seed),
        score=lambda evaluation, rows, _: step_score(steps, evaluation, rows),
        leading_rows=lambda evaluation, rows, _, seed, protocol, twins, only: step_rows(
            evaluation,
            rows,
            steps,
            twins,
            seed,
            official=protocol is not None and protocol.undefined == -1,
            only=only,
        ),
        sweep=partial(metric_curve, family, whole="all"),
        bands=partial(metric_bands, family, whole="all"),
        aligned=lambda evaluations, rows, _: align_steps(evaluations, rows, steps),
        first_errors=_with_both_sides,
        steps=steps,
    )


def _of_own(benchmark: str, own: tuple[OwnMetric, ...], official: tuple[OwnMetric, ...]) -> BenchmarkMetrics:
    """Metrics that a benchmark has to itself; the first of them leads, of all cases together.

    `official` are those of the authors' protocol.
    """
    first = own[0]

    def rows_of(
        evaluation: Evaluation,
        rows: Bools,
        unparsed: Unparsed,
        seed: int | None,
        protocol: Protocol | None,
        _twins: Evaluation | None,
        only: str | None,
    ) -> Iterator[RowDict]:
        for made in official if protocol is not None and protocol.name == benchmark else own:
            if only in {None, made.name}:
                yield from metric_rows(family_of(made), evaluation, rows, unparsed, seed)

    taken_over = "all steps pooled" if first.unit == "steps" else "all cases together"
    align = partial(align_own, first)
    return _of_family(benchmark, family_of(first), "all", first.about, taken_over, rows_of, align, own)


def _with_both_sides(rows: list[RowDict]) -> list[RowDict]:
    """Return the rows of subsets with both erroneous and clean cases: most classes of steps have no clean ones."""
    lacking = {row["subset"] for row in rows if row["metric"] != F1_SCORE.name and row["value"] is None}
    return [row for row in rows if row["subset"] not in lacking]


@cache
def metrics_of(benchmark: str) -> BenchmarkMetrics:
    """Return what a benchmark reports, by its name; unknown ones and a user's own report F1 of first errors."""
    steps = step_labelled(benchmark)
    if steps is not None:
        return _of_steps(benchmark, steps)
    if benchmark not in OWN_METRICS:
        return _of_first_errors(benchmark)
    module = import_module(OWN_METRICS[benchmark])
    return _of_own(benchmark, module.FIGURES, getattr(module, "AS_OFFICIAL", module.FIGURES))


def every_metrics_of(benchmark: str) -> tuple[BenchmarkMetrics, ...]:
    """Return what a benchmark reports, then each metric of the user's own as if the benchmark reported it."""
    return metrics_of(benchmark), *(_of_own(benchmark, (made,), (made,)) for made in own_metrics())


def leading_metrics() -> Mapping[str, BenchmarkMetrics]:
    """Return by title what reports each metric that leads somewhere: a title says of one metric alone what it is."""
    every = (*map(metrics_of, (*OWN_METRICS, *STEP_LABELLED)), metrics_of(""))
    return {reported.title: reported for reported in every}


def own_titles() -> dict[str, str]:
    """Return by name the titles of all the metrics that benchmarks have to themselves."""
    return {made.name: made.title for benchmark in OWN_METRICS for made in metrics_of(benchmark).own}


def own_cases(benchmark: str, metric: str) -> CasesOf | None:
    """Say which cases a figure is of that the benchmark has to itself, or the user; None of any other."""
    every = (*metrics_of(benchmark).own, *own_metrics())
    return next((made.cases for made in every if made.name == metric), None)
