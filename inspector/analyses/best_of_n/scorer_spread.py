"""The figures of best-of-N over scorers: their spread, and how they go with the official figure."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from scoring.data.schema import RowDict
from scoring.metrics.benchmark_metrics import metrics_of
from scoring.metrics.best_of_n import FEWEST, PRM, population_sd, somers_d
from scoring.selection.result_set import ResultSet

OFFICIAL = {"prmbench": "prmscore", "processbench": "f1"}
"""Benchmarks whose official figure is held against prm@n, and what that figure is called."""
SD, SOMERS = "prm@n_sd", "prm@n_somers_d"
ASSOCIATED = {f"{SOMERS}_{metric}": f"Somers' D ({metric})" for metric in OFFICIAL.values()}


def official_rows(results: ResultSet) -> Iterator[RowDict]:
    """Compute the official figure of every chosen scorer on PRMBench and ProcessBench, where it has one."""
    for benchmark, metric in OFFICIAL.items():
        within = (results.cases["benchmark"] == benchmark).to_numpy()
        for evaluation in results.chosen_evaluations:
            if (evaluation.coverage.present & within).any():
                value = metrics_of(benchmark).score(evaluation, within, results.unparsed(benchmark))
                yield {
                    "scorer": evaluation.scorer.name,
                    "benchmark": benchmark,
                    "subset": "all" if benchmark == "prmbench" else "average",
                    "metric": metric,
                    "value": value,
                    "n": int((evaluation.coverage.answered & within).sum()),
                    "reason": "undefined here" if value is None else None,
                }


def rows_over_scorers(rows: list[RowDict], official: list[RowDict]) -> Iterator[RowDict]:
    """Compute the spread of prm@n over scorers, and its association with each official figure; and their own spread."""
    groups: dict[tuple[Any, ...], dict[str, float]] = {}
    for row in rows:
        if row["metric"] == PRM and row["aggregation"] is not None:
            key = tuple(row[name] for name in ("benchmark", "subset", "aggregation", "of"))
            group = groups.setdefault(key, {})
            if row["value"] is not None and not row["left_out"]:
                group[row["scorer"]] = row["value"]
    figures = {
        metric: {
            row["scorer"]: row["value"] for row in official if row["metric"] == metric and row["value"] is not None
        }
        for metric in OFFICIAL.values()
    }
    for (benchmark, subset, aggregation, of), values in groups.items():
        about = {"benchmark": benchmark, "subset": subset, "aggregation": aggregation, "of": of}
        yield {**about, "metric": SD, **_spread(values)}
        for metric, x in figures.items():
            yield {**about, "metric": f"{SOMERS}_{metric}", **_association(x, values, metric)}
    for benchmark, metric in OFFICIAL.items():
        if len(figures[metric]) > 1:
            subset = "all" if benchmark == "prmbench" else "average"
            yield {"benchmark": benchmark, "subset": subset, "metric": f"{metric}_sd", **_spread(figures[metric])}


def _spread(values: dict[str, float]) -> RowDict:
    if len(values) < 2:
        return {"n": len(values), "reason": "fewer than two scorers scored every problem"}
    return {"n": len(values), "value": population_sd(np.array(list(values.values())))}


def _association(x: dict[str, float], y: dict[str, float], metric: str) -> RowDict:
    names = [name for name in y if name in x]
    if len(names) < FEWEST:
        why = f"fewer than {FEWEST} scorers have both {PRM} of every problem and {metric}"
        return {"n": len(names), "reason": why}
    value = somers_d(*(np.array([side[name] for name in names]) for side in (x, y)))
    return {"n": len(names), "value": value, "reason": f"{metric} is the same for all" if value is None else None}
