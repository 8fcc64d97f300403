"""The official metrics of scorers as rows: those that each benchmark reports first, and what else holds for it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from scoring.benchmarks.registry import step_labelled
from scoring.evaluated_cases import EvaluatedCases
from scoring.evaluation import Evaluation
from scoring.grouping import grouped, groups
from scoring.metrics.first_error import first_error_rows
from scoring.metrics.own import own_metrics, own_rows
from scoring.metrics.step_labels import step_rows
from scoring.parts import parts
from scoring.protocols import Counting, protocol_named
from scoring.step_rewards import Bools

Row = dict[str, Any]

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
    shown: Bools,
    counting: Counting,
    by: tuple[str, ...] = (),
    twins: Mapping[str, Mapping[str, Evaluation]] | None = None,
) -> pl.DataFrame:
    """Official metrics of scorers over the shown cases of every benchmark, by subset or by columns.

    Args:
        cases: n cases.
        chosen: the decided evaluations that are told.
        shown: (n,) which cases take part.
        counting: how it is counted.
        by: columns of `cases` to group by; then only `all` is told of each group.
        twins: benchmark -> scorer -> its evaluation on the unharmed originals, where the benchmark has some.

    Returns:
        The columns of METRICS, and those of `by` as texts.

    Raises:
        UsageError: a column that is asked for is not there.
    """
    rows = list(_rows(cases, chosen, shown, counting, by, twins or {}))
    beside = {name: pl.String() for name in by if name not in METRICS}
    return pl.DataFrame(rows, schema={**METRICS, **beside}, orient="row")


def _rows(
    cases: EvaluatedCases,
    chosen: Sequence[Evaluation],
    shown: Bools,
    counting: Counting,
    by: tuple[str, ...],
    twins: Mapping[str, Mapping[str, Evaluation]],
) -> Iterator[Row]:
    frame = grouped(cases, by)
    for evaluation in chosen:
        for benchmark, within in parts(cases.cases, ("benchmark",)):
            name = benchmark["benchmark"]
            own = twins.get(name, {}).get(evaluation.scorer.name)
            for group, rows in groups(frame, by, within & shown):
                for row in (
                    *figures_of(evaluation, name, rows, counting, own),
                    *_own(evaluation, name, rows, counting),
                ):
                    if not by or row["subset"] == "all":
                        yield {"scorer": evaluation.scorer.name, **benchmark, **row, **group}


def _own(evaluation: Evaluation, benchmark: str, rows: Bools, counting: Counting) -> Iterator[Row]:
    """The metrics of the user's own, beside the official ones."""
    for made in own_metrics():
        yield from own_rows(made, evaluation, rows, counting.unparsed_of(benchmark), counting.seed)


def figures_of(
    evaluation: Evaluation, benchmark: str, rows: Bools, counting: Counting, twins: Evaluation | None = None
) -> Iterable[Row]:
    """Rows of `subset, metric, value` and so on of the cases `rows` (n) of one benchmark.

    Args:
        evaluation: the decided cases.
        benchmark: that of `rows`.
        rows: (n,) which cases take part.
        counting: how it is counted.
        twins: the same scorer on the unharmed originals, where the benchmark has some.
    """
    facts = step_labelled(benchmark)
    undefined = protocol_named(counting.protocol).undefined if counting.protocol else None
    official = undefined if facts is None and undefined is not None and undefined >= 0 else None
    unparsed = counting.unparsed_of(benchmark)
    of_first_errors = first_error_rows(evaluation, rows, unparsed, counting.seed, official)
    if facts is None:
        return of_first_errors
    of_steps = step_rows(evaluation, rows, facts, twins, counting.seed, official=undefined == -1)
    return [*of_steps, *_with_both_sides(list(of_first_errors))]


def _with_both_sides(rows: list[Row]) -> Iterator[Row]:
    """First errors where there are both erroneous and clean cases: most classes of step labels have no clean ones."""
    lacking = {row["subset"] for row in rows if row["metric"] != "f1" and row["value"] is None}
    yield from (row for row in rows if row["subset"] not in lacking)
