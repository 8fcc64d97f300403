"""Printed figures as rows of a board: what a benchmark's own paper reports, beside what is computed here."""

from collections.abc import Iterable

import polars as pl

from inspector.board import BOARD, SEPARATOR
from inspector.board_cells import PUBLISHED
from inspector.headline import F1, PRMSCORE
from scoring.benchmarks.registry import step_labelled
from scoring.published.papers import NO_SCORERS, PAPERS, figures

WHOLE = {F1: "average", PRMSCORE: "all"}
"""How the papers' tables call the official figure of a whole benchmark."""
_SIDES = {F1: ("error_acc", "correct_acc"), PRMSCORE: ("negative_acc", "positive_acc")}


def published_frame(benchmarks: Iterable[tuple[str, str | None]]) -> pl.DataFrame:
    """Printed figures as rows, each scorer and setting once a benchmark or subset, from the first table that has it.

    Args:
        benchmarks: the benchmarks with their subsets, None for the whole one. A benchmark without a paper has no rows.
    """
    rows = [row for benchmark, subset in benchmarks for row in _rows(benchmark, subset)]
    return pl.DataFrame(rows, schema=BOARD, orient="row")


def _rows(benchmark: str, subset: str | None) -> Iterable[dict[str, object]]:
    if benchmark not in PAPERS:
        return
    metric = F1 if step_labelled(benchmark) is None else PRMSCORE
    name, sides = metric.lower(), _SIDES[metric]
    printed = figures().filter(
        pl.col("paper") == benchmark,
        pl.col("domain").is_null(),
        pl.col("subset") == (WHOLE[metric] if subset is None else subset),
        pl.col("metric").is_in([name, *sides]),
        ~pl.col("scorer").is_in(list(NO_SCORERS)),
        pl.col("value").is_not_null(),
    )
    for (_, setting), cells in printed.group_by("model", "setting", maintain_order=True):
        values = {row["metric"]: row for row in reversed(cells.sort("table").to_dicts())}
        if name not in values:
            continue
        score = values[name]
        told = f", {setting}" if setting else ""
        source = f"{PUBLISHED}, Table {score['table']}{told}"
        elsewhere = f"; the paper also prints {score['elsewhere']}" if score["elsewhere"] else ""
        tables = sorted({values[side]["table"] for side in sides if side in values} - {score["table"]})
        others = f"; its accuracies in Table {', '.join(map(str, tables))}" if tables else ""
        where = f"{PAPERS[benchmark].title}, Table {score['table']}{told}{others}{elsewhere}"
        about = f"Printed in {where}. No case of it is here."
        yield {
            **dict.fromkeys(BOARD),
            "row": SEPARATOR.join((score["scorer"], benchmark, subset or "", PUBLISHED, str(setting or ""))),
            "kind": PUBLISHED,
            "scorer": score["scorer"],
            "benchmark": benchmark,
            "subset": subset,
            "metric": metric,
            "score": score["value"],
            "on_wrong": values[sides[0]]["value"] if sides[0] in values else None,
            "on_right": values[sides[1]]["value"] if sides[1] in values else None,
            "over": "as printed",
            "small": False,
            "threshold_source": source,
            "about": about,
        }
