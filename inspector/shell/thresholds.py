"""`thresholds`: what every way to choose a threshold gives, and which cases it turns over."""

import argparse
from collections.abc import Iterator
from dataclasses import replace

import polars as pl

from inspector.flips import PRESENT, flip_counts, flips_document
from inspector.loading import load
from inspector.request import Request
from inspector.shell.output import form_of, put, say
from inspector.shell.requests import request_of
from inspector.shell.wide import CASES, FEW, PRMSCORE, STEPS
from inspector.threshold_curve import curve_document
from inspector.threshold_rows import thresholds_document
from scoring.errors import UsageError
from scoring.export import Document

LINES = 20
"""Points of a grid that a terminal shows."""


def run(args: argparse.Namespace) -> int:
    """Print or write the rows; with `--flips` the cases, which a terminal shows as counts, or with `--curve` points."""
    pair = _pair(args.flips)
    selection = load(request_of(args))
    if args.curve is not None:
        document = curve_document(selection, args.curve, form_of(args))
        table = wide_curve(document.rows)
    elif pair is None:
        document = thresholds_document(selection, form_of(args))
        table = wide_thresholds(document.rows)
    else:
        document = flips_document(selection, *pair, form=form_of(args))
        table = flip_counts(document.rows)
    if args.raw:
        facts = {**document.provenance, "command": f"{document.provenance['command']} --raw"}
        document = Document(document.rows, facts, raw=True)
    problems = list(selection.problems)
    if not document.rows.height:
        problems.append("No scorer has a verdict on these cases." if pair is None else "No outcome differs.")
    put(document, args, problems, table)
    if args.curve is not None and not form_of(args):
        say(_curve_marks(document.rows), args)
    elif pair is None and not form_of(args):
        say(_marks(document.rows), args)
    elif not form_of(args):
        say(_opened(document, selection.request), args)
    return 0


def _opened(document: Document, request: Request) -> Iterator[str]:
    """How the flipped cases of a scorer are listed; of several scorers that would be too many words."""
    wheres: dict[str, dict[str, str | None]] = document.provenance["where"]
    told = [one for one in wheres.values() if one]
    for flip, where in told[0].items() if len(told) == 1 else ():
        if where is not None:
            yield f"{flip}: {replace(request, where=(*request.where, where)).command('cases')}"
    if len(told) > 1:
        yield "The conditions that open these cases are in --json."


def _curve_marks(rows: pl.DataFrame) -> Iterator[str]:
    """What the marks mean, and what a terminal leaves out."""
    if rows["optimistic"].any():
        yield "* optimistic: tuned on cases that the value is of"
    if rows["small"].any():
        yield FEW
    yield "All points of the grid, and conditions, are in --csv and --json."


def wide_curve(rows: pl.DataFrame) -> pl.DataFrame:
    """A line a threshold, ascending: what it is called, and each metric with its band; LINES or so of a grid."""
    index = ["scorer", "benchmark", "threshold", "tick"]
    place = pl.int_range(pl.len()).over("scorer", "benchmark", "metric")
    grid = pl.col("tick").is_null()
    step = pl.when(grid).then(place).max().over("scorer", "benchmark") // LINES + 1
    told = rows.filter(~grid | (place % step == 0))
    marked = pl.col("tick") + pl.when("optimistic").then(pl.lit("*")).otherwise(pl.lit(""))
    cells = [_cell({**row, "threshold": None, "shared": None, "optimistic": False}) for row in told.rows(named=True)]
    long = told.with_columns(marked.alias("tick"), pl.Series("cell", cells, dtype=pl.String))
    order = pl.Enum(rows["scorer"].unique(maintain_order=True))
    ordered = long.sort(pl.col("scorer").cast(order), "benchmark", "threshold", maintain_order=True)
    return ordered.pivot("metric", index=index, values="cell", sort_columns=False)


def _marks(rows: pl.DataFrame) -> Iterator[str]:
    """What the marks of the table mean, where they are in it, and which of the whole figures are not wholly tuned."""
    if rows["optimistic"].any():
        yield "* optimistic: tuned on cases that the value is of"
    if rows["small"].any():
        yield FEW
    if rows["excluded"].sum():
        yield "excluded: dev cases, which the values leave out"
    told = rows.filter(pl.col("value").is_not_null() & pl.col("reason").is_not_null() & (pl.col("subset") == "all"))
    for scorer, benchmark, kind, reason in told.select("scorer", "benchmark", "kind", "reason").iter_rows():
        yield f"{scorer} on {benchmark}, {kind}: {reason}"


def _pair(asked: list[str] | None) -> tuple[str, str] | None:
    """The two thresholds of `--flips`; without any the default and the present one. None = not asked for."""
    if asked is None:
        return None
    if len(asked) not in {0, 2}:
        raise UsageError(f"--flips compares two thresholds, not {len(asked)}.", "Give two, or none.")
    return (asked[0], asked[1]) if asked else ("default", PRESENT)


def wide_thresholds(rows: pl.DataFrame) -> pl.DataFrame:
    """A column a subset with its value in percent and interval, and its threshold where they differ.

    `*`: optimistic, `~`: of few cases. `n` counts all that the figures are of, and `excluded` the dev cases left out.
    `metric` is told as soon as one is not F1, and then `n` names its unit; `reason` where a way comes to nothing.
    """
    index = ["scorer", "benchmark", *(["metric"] if (rows["metric"] != "f1").any() else []), "kind"]
    one = pl.col("threshold").n_unique() == 1
    shared = rows.group_by(index, maintain_order=True).agg(
        pl.when(one).then(pl.col("threshold").first()).alias("shared"),
        pl.col("threshold").count().alias("cuts"),
        *(pl.col(name).filter(pl.col("subset") == "all").first() for name in ("n", "excluded")),
        pl.when(pl.col("value").count() == 0).then(pl.col("reason").first()).alias("reason"),
    )
    joined = rows.join(shared.select(*index, "shared"), on=index, how="left", maintain_order="left")
    cells = joined.with_columns(
        pl.struct("value", "low", "high", "threshold", "shared", "optimistic", "small", "reason")
        .map_elements(_cell, pl.String)
        .alias("cell")
    )
    words = pl.when(pl.col("cuts") == 0).then(pl.lit("-")).otherwise(pl.lit("by subset"))
    listed = shared.select(
        *index,
        pl.coalesce(pl.col("shared").map_elements(lambda cut: f"{cut:.4g}", pl.String), words).alias("threshold"),
    )
    by_subset = cells.pivot("subset", index=index, values="cell", sort_columns=False)
    counts = shared.select(*index, *_counts(shared))
    wide = listed.join(by_subset, on=index, how="left", maintain_order="left")
    wide = wide.join(counts, on=index, how="left", maintain_order="left")
    if not shared["reason"].count():
        return wide
    # Where a way comes to nothing, one sentence at the end says why, and no cell repeats it.
    nothing = shared["reason"].is_not_null()
    subsets = pl.exclude(*index, "threshold", *counts.columns)
    return wide.with_columns(pl.when(nothing).then(None).otherwise(subsets).name.keep(), shared["reason"])


def _counts(shared: pl.DataFrame) -> Iterator[pl.Expr]:
    """How many cases or steps the figures of a line are of, by what they count, and how many dev cases are left out."""
    of_steps = pl.col("metric") == PRMSCORE if "metric" in shared.columns else pl.lit(value=False)
    if "metric" in shared.columns:
        yield pl.when(of_steps).then(pl.col("n")).alias(STEPS)
    yield pl.when(~of_steps).then(pl.col("n")).alias(CASES if "metric" in shared.columns else "n")
    yield pl.when(pl.col("excluded") > 0).then(pl.col("excluded")).alias("excluded")


def _cell(row: dict[str, object]) -> str:
    value = row["value"]
    if not isinstance(value, float):
        return f"- ({row['reason']})"
    own = row["threshold"] if row["shared"] is None else None
    at = f" at {own:.4g}" if isinstance(own, float) else ""
    low, high = row["low"], row["high"]
    within = f" [{100 * low:.1f}, {100 * high:.1f}]" if isinstance(low, float) and isinstance(high, float) else ""
    return f"{100 * value:.1f}{'*' if row['optimistic'] else ''}{within}{' ~' if row['small'] else ''}{at}"
