"""The official metrics of scorers as rows: those that each benchmark reports first, and what else holds for it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import polars as pl
from msgspec import Struct

from scoring.data.schema import Bools, RowDict
from scoring.evaluation.evaluated_cases import EvaluatedCases
from scoring.evaluation.evaluation import Evaluation
from scoring.metrics.benchmark_metrics import metrics_of
from scoring.metrics.case_groups import group_masks, grouped, groups
from scoring.metrics.kernel import Unparsed
from scoring.metrics.metrics_by_subset import metric_rows
from scoring.metrics.official_protocols import protocol_named, protocol_of
from scoring.metrics.own import own_metrics
from scoring.metrics.own_family import family_of


class CountingRules(Struct, frozen=True):
    """How figures count.

    Attributes:
        protocol: The protocol that decides, by name; None = each benchmark's own way of counting.
        unparsed: How refused and unparsed cases count; None = as the protocol does.
        seed: Of the intervals; None = without any.
    """

    protocol: str | None = None
    unparsed: Unparsed | None = None
    seed: int | None = 0

    def unparsed_of(self, benchmark: str) -> Unparsed:
        """Return how the refused and unparsed cases of a benchmark count: as asked, else as the protocol does."""
        protocol = protocol_named(self.protocol) if self.protocol else protocol_of(benchmark)
        return self.unparsed or protocol.unparsed


METRICS = {
    "scorer": pl.String(),
    "benchmark": pl.String(),
    "subset": pl.String(),
    "metric": pl.String(),
    "value": pl.Float64(),
    "low": pl.Float64(),
    "high": pl.Float64(),
    "n": pl.Int64(),
    "reason": pl.String(),
    # Whether few cases say it; the sample standard deviation (n-1) of the runs' values, null for one run; their number.
    "small": pl.Boolean(),
    "sd": pl.Float64(),
    "runs": pl.Int64(),
}
"""Columns of a frame of metrics; values are fractions, null with a reason where undefined."""


def metrics_frame(
    cases: EvaluatedCases,
    chosen: Sequence[Evaluation],
    selected: Bools,
    counting: CountingRules,
    by: tuple[str, ...] = (),
    twins: Mapping[str, Mapping[str, Evaluation]] | None = None,
) -> pl.DataFrame:
    """Official metrics of scorers over the shown cases of every benchmark, by subset or by columns.

    Args:
        cases: n cases.
        chosen: the decided evaluations that are told.
        selected: (n,) which cases take part.
        counting: how it is counted.
        by: columns of `cases` to group by; then only `all` is told of each group.
        twins: benchmark -> scorer -> its evaluation on the unharmed originals, where the benchmark has some.

    Returns:
        The columns of METRICS, and those of `by` as texts.

    Raises:
        UsageError: a column that is asked for is not there.
    """
    rows = list(_rows(cases, chosen, selected, counting, by, twins or {}))
    beside = {name: pl.String() for name in by if name not in METRICS}
    return pl.DataFrame(rows, schema={**METRICS, **beside}, orient="row")


def _rows(
    cases: EvaluatedCases,
    chosen: Sequence[Evaluation],
    selected: Bools,
    counting: CountingRules,
    by: tuple[str, ...],
    twins: Mapping[str, Mapping[str, Evaluation]],
) -> Iterator[RowDict]:
    frame = grouped(cases, by)
    for evaluation in chosen:
        for benchmark, within in group_masks(cases.loaded.cases, ("benchmark",)):
            name = benchmark["benchmark"]
            own = twins.get(name, {}).get(evaluation.scorer.name)
            for group, rows in groups(frame, by, within & selected):
                for row in (
                    *figures_of(evaluation, name, rows, counting, own),
                    *_own(evaluation, name, rows, counting),
                ):
                    if not by or row["subset"] == "all":
                        yield {"scorer": evaluation.scorer.name, **benchmark, **row, **group}


def _own(evaluation: Evaluation, benchmark: str, rows: Bools, counting: CountingRules) -> Iterator[RowDict]:
    for made in own_metrics():
        yield from metric_rows(family_of(made), evaluation, rows, counting.unparsed_of(benchmark), counting.seed)


def figures_of(
    evaluation: Evaluation,
    benchmark: str,
    rows: Bools,
    counting: CountingRules,
    twins: Evaluation | None = None,
    only: str | None = None,
) -> Iterable[RowDict]:
    """Return rows of `subset, metric, value` and so on of the cases `rows` (n) of one benchmark.

    Args:
        evaluation: the decided cases.
        benchmark: that of `rows`.
        rows: (n,) which cases take part.
        counting: how it is counted.
        twins: the same scorer on the unharmed originals, where the benchmark has some.
        only: the metric that is asked for alone; None = all.
    """
    reported, unparsed = metrics_of(benchmark), counting.unparsed_of(benchmark)
    protocol = protocol_named(counting.protocol) if counting.protocol else None
    arguments = evaluation, rows, unparsed, counting.seed, protocol
    figures = list(reported.leading_rows(*arguments, twins, only))
    if only is None or not figures:
        figures += reported.first_error_rows(*arguments)
    return [row for row in figures if only in {None, row["metric"]}]
