"""`thresholds`: what every way to choose a threshold gives, and which cases it turns over."""

import argparse

import polars as pl

from inspector.flips import PRESENT, flip_counts, flips_document
from inspector.selection import load
from inspector.shell.output import form_of, put
from inspector.shell.requests import request_of
from inspector.threshold_rows import thresholds_document
from scoring.errors import UsageError
from scoring.export import Document


def run(args: argparse.Namespace) -> int:
    """Print or write the rows; with `--flips` the cases, which a terminal shows as counts."""
    pair = _pair(args.flips)
    selection = load(request_of(args))
    if pair is None:
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
    return 0


def _pair(asked: list[str] | None) -> tuple[str, str] | None:
    """The two thresholds of `--flips`; without any the default and the present one. None = not asked for."""
    if asked is None:
        return None
    if len(asked) not in {0, 2}:
        raise UsageError(f"--flips compares two thresholds, not {len(asked)}.", "Give two, or none.")
    return (asked[0], asked[1]) if asked else ("default", PRESENT)


def wide_thresholds(rows: pl.DataFrame) -> pl.DataFrame:
    """A column a subset with its value in percent, `*` where it is optimistic, and its threshold where they differ.

    `metric` is told as soon as one is not F1, `reason` where a way comes to nothing.
    """
    index = ["scorer", "benchmark", *(["metric"] if (rows["metric"] != "f1").any() else []), "kind"]
    one = pl.col("threshold").n_unique() == 1
    shared = rows.group_by(index, maintain_order=True).agg(
        pl.when(one).then(pl.col("threshold").first()).alias("shared"),
        pl.col("threshold").drop_nulls().len().alias("n"),
        pl.when(pl.col("value").count() == 0).then(pl.col("reason").first()).alias("reason"),
    )
    joined = rows.join(shared.drop("reason"), on=index, how="left", maintain_order="left")
    cells = joined.with_columns(
        pl.struct("value", "threshold", "shared", "optimistic", "reason").map_elements(_cell, pl.String).alias("cell")
    )
    words = pl.when(pl.col("n") == 0).then(pl.lit("-")).otherwise(pl.lit("by subset"))
    listed = shared.select(
        *index,
        pl.coalesce(pl.col("shared").map_elements(lambda cut: f"{cut:.4g}", pl.String), words).alias("threshold"),
    )
    by_subset = cells.pivot("subset", index=index, values="cell", sort_columns=False)
    wide = listed.join(by_subset, on=index, how="left", maintain_order="left")
    if not shared["reason"].count():
        return wide
    # Where a way comes to nothing, one sentence at the end says why, and no cell repeats it.
    nothing = shared["reason"].is_not_null()
    subsets = pl.exclude(*index, "threshold")
    return wide.with_columns(pl.when(nothing).then(None).otherwise(subsets).name.keep(), shared["reason"])


def _cell(row: dict[str, object]) -> str:
    value = row["value"]
    if not isinstance(value, float):
        return f"- ({row['reason']})"
    own = row["threshold"] if row["shared"] is None else None
    at = f" at {own:.4g}" if isinstance(own, float) else ""
    return f"{100 * value:.1f}{'*' if row['optimistic'] else ''}{at}"
