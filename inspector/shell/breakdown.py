"""`breakdown`: a request is loaded and one document comes out."""

import argparse

import polars as pl

from inspector.breakdown import View, breakdown_document
from inspector.loading import load
from inspector.request import request_of
from inspector.shell.output import form_of, put, say
from scoring.export import Document
from scoring.metrics.resampling import SMALL

TOLD = (
    *("cases", "error_acc", "correct_acc", "f1", "fp", "late", "missed", "step_accuracy"),
    *("count", "share", "acc", "positive_acc", "negative_acc", "prmscore", "mean_reward"),
    *("share_right", "ece", "auroc"),
)
"""The metrics of a breakdown that a terminal shows; files have all."""
COUNTS = ("cases", "count")
BARE = ("fp", "late", "missed")
"""Those shown without their interval."""
REWARDS = ("mean_reward",)
"""In the units of the scorer's rewards, which are no shares."""


def run(args: argparse.Namespace) -> int:
    """Print or write the document of `args.command`."""
    selection = load(request_of(args))
    view = View(args.of, args.rows, args.cols, args.preset, args.errors, args.difference)
    document, wide = breakdown_document(selection, view, form_of(args)), wide_breakdown
    if args.raw:
        facts = {**document.provenance, "command": f"{document.provenance['command']} --raw"}
        document = Document(document.rows, facts, raw=True)
    problems = list(selection.problems)
    if not document.rows.height:
        problems.append("No scorer has rewards for these cases yet." if not selection.chosen else "No case is shown.")
    if args.of == "rewards":
        wide = wide_rewards
    put(document, args, problems, wide(document.rows))
    if not form_of(args) and document.rows["small"].any():
        say([f"~ few: {SMALL - 1} cases or less"], args)
    return 0


def wide_breakdown(rows: pl.DataFrame) -> pl.DataFrame:
    """A column a metric: counts whole, fractions in percent with their intervals, `~` where they rest on few cases.

    `reason` says why a line has no value at all.
    """
    # A value may be called as the total is: only the condition tells them apart.
    index = [name for name in rows.columns if name not in {"metric", *_FIGURE}]
    told = rows.filter(pl.col("metric").is_in(TOLD))
    cells = [_cell(*values) for values in told.select("metric", *_SHOWN).iter_rows()]
    long = told.select(*index, "metric").with_columns(pl.Series("cell", cells, dtype=pl.String))
    wide = long.pivot("metric", index=index, values="cell", sort_columns=False)
    silent = told.group_by(index).agg(pl.col("reason").first(), none=pl.col("value").count() == 0).filter("none")
    why = silent.select(*index, "reason")
    if silent.height:
        wide = wide.join(why, on=index, how="left", nulls_equal=True, maintain_order="left")
    return wide.drop("where")


def wide_rewards(rows: pl.DataFrame) -> pl.DataFrame:
    """A line a bin with a column a gold class, counts of cases and then of steps; and how well these are told apart."""
    index = ["scorer", "benchmark", "unit"]
    bins = [*index, "reward_from", "reward_to"]
    counts = rows.filter(pl.col("metric") == "count").with_columns(pl.col("value").cast(pl.Int64))
    wide = counts.pivot("side", index=bins, values="value", sort_columns=False)
    # Who has no rewards at all has one line, which says so.
    none = counts.group_by(index, maintain_order=True).agg(
        pl.col("value").count() == 0, pl.col("reason").first().alias("why")
    )
    silent = none.filter("value").select(*index, pl.col("why").alias("reason"))
    told = wide.join(silent, on=index, how="anti", maintain_order="left")
    apart = rows.filter(pl.col("metric") == "auroc").join(silent, on=index, how="anti", maintain_order="left")
    figures = [
        _cell(*values) or f"- ({reason})" for *values, reason in apart.select("metric", *_SHOWN, "reason").rows()
    ]
    lines = apart.select(*index, pl.Series("auroc", figures, dtype=pl.String))
    made = pl.concat([told, lines, silent], how="diagonal")
    names = rows.select(index).unique(maintain_order=True).with_row_index("place")
    made = made.join(names, on=index, how="left", maintain_order="left").sort("place", maintain_order=True)
    return made.select(*bins, pl.exclude(*bins, "place")) if silent.height else made.drop("place")


_FIGURE = ("value", "low", "high", "n", "small", "reason")
_SHOWN = ("value", "low", "high", "small")


def _cell(metric: str, value: float | None, low: float | None, high: float | None, small: bool) -> str | None:
    if value is None:
        return None
    if metric in COUNTS:
        return f"{value:,.0f}"
    mark = " ~" if small else ""
    if metric in REWARDS:
        within = "" if low is None or high is None else f"  [{low:.3f}, {high:.3f}]"
        return f"{value:.3f}{within}{mark}"
    if low is None or high is None or metric in BARE:
        return f"{100 * value:.1f}{mark}"
    return f"{100 * value:5.1f}  [{100 * low:.1f}, {100 * high:.1f}]{mark}"
