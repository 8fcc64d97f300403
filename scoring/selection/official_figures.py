"""Official metrics of a result set, for `prm-inspect metrics` and the API."""

import polars as pl
from msgspec.structs import replace

from scoring.evaluation.twins import twin_evaluations
from scoring.metrics.benchmark_metrics import metrics_of
from scoring.metrics.official_rows import metrics_frame
from scoring.selection.result_set import ResultSet, shown_benchmarks


def official_figures(results: ResultSet, *, intervals: bool = True) -> pl.DataFrame:
    """Return the official metrics of the chosen scorers on the shown cases, grouped as the query asks.

    They are rows of `scoring.metrics.official_rows.METRICS`.
    """
    chosen, loaded = results.chosen_evaluations, results.loaded
    facts = {name: metrics_of(name).steps for name in shown_benchmarks(results)}
    twins = {
        name: twin_evaluations(loaded.workspace, name, chosen, loaded.folders)
        for name, labelled in facts.items()
        if labelled is not None and labelled.twins
    }
    counting = results.counting if intervals else replace(results.counting, seed=None)
    return metrics_frame(results.evaluated, chosen, results.mask, counting, results.query.by, twins)
