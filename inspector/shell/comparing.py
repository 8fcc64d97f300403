"""`compare`: two or more scorers on the cases that they share."""

import argparse
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import polars as pl

from inspector.comparison import best_first, compare_document
from inspector.selection import load
from inspector.shell.output import form_of, put
from inspector.shell.requests import request_of
from inspector.shell.tables import print_table
from inspector.text import clean
from scoring.export import Document
from scoring.metrics.paired import SIDES

LINES = {"all": "f1", "erroneous": "error_acc", "clean": "correct_acc"}
"""The cases that a line of the table of pairs is about, and its metric."""
QUADRANTS = {"both": "both", "only scorer": "only_scorer", "only other": "only_other", "neither": "neither"}
"""Columns of the table of pairs, and what their metrics are called."""
TOGETHER = ("consensus_", "oracle_")
ORDER = ("benchmark", "scorer")
PAIR = ("scorer", "other")
FEW = 3
"""Scorers of which a terminal shows all pairs."""
CASCADE = ("right", "added")


def run(args: argparse.Namespace) -> int:
    """Print or write the rows; a terminal shows the standings and three lines a pair."""
    request = request_of(args)
    selection = load(replace(request, scorers=(*args.scorers, *request.scorers)))
    if not selection.request.scorers:
        able = tuple(name for name in selection.chosen if selection.evaluation(name).coverage)
        selection = best_first(replace(selection, chosen=able))
    document = compare_document(selection, form_of(args))
    if args.raw:
        facts = {**document.provenance, "command": f"{document.provenance['command']} --raw"}
        document = Document(document.rows, facts, raw=True)
    if not form_of(args):
        print_table(wide_standings(document.rows))
        print(clean("\n".join(["", *together(document.rows), ""]), lines=True))
        if (cascade := wide_cascade(document.rows)).height:
            print_table(cascade)
            print()
    pairs = wide_pairs(document.rows)
    if not form_of(args) and (left := pairs.height - (pairs := with_the_best(pairs, document.rows)).height):
        print(f"Pairs with the best; {left // len(LINES)} others are in --csv and --json.\n")
    put(document, args, selection.problems, pairs)
    return 0


def with_the_best(pairs: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """The lines of pairs that the best scorer of a benchmark is in; all lines of a few scorers."""
    if rows["scorer"].drop_nulls().n_unique() <= FEW:
        return pairs
    told = rows.filter(pl.col("metric") == "f1_behind_best").select("benchmark", "other").drop_nulls()
    best = dict(told.iter_rows())
    kept = [best.get(row[0]) in {None, *row[1:]} for row in pairs.select("benchmark", *PAIR).iter_rows()]
    return pairs.filter(pl.Series(kept, dtype=pl.Boolean))


def wide_standings(rows: pl.DataFrame) -> pl.DataFrame:
    """A line a scorer, best first: F1 on the cases that all tried, how far behind the best, how often right alone."""
    rows = rows.filter(pl.col("scorer").is_not_null())
    by_cell = {(row["benchmark"], row["scorer"], row["metric"]): row for row in rows.iter_rows(named=True)}
    ranked = rows.filter(pl.col("metric") == "f1").sort(
        "benchmark", "value", descending=[False, True], nulls_last=True, maintain_order=True
    )
    lines = []
    for row in ranked.iter_rows(named=True):
        about = (row["benchmark"], row["scorer"])
        behind, tied = (by_cell[*about, name] for name in ("f1_behind_best", "tied_with_best"))
        alone = (by_cell.get((*about, f"{side}_lone_right")) for side in ("erroneous", "clean"))
        lines.append(
            {
                "benchmark": row["benchmark"],
                "scorer": row["scorer"],
                "n": row["n"],
                "left out": row["left_out"],
                "f1": f"- ({row['reason']})" if row["value"] is None else f"{100 * row['value']:.1f}",
                "behind the best": "best" if behind["other"] == row["scorer"] else _difference(behind),
                "tied with best": {None: "-", 0.0: "no", 1.0: "yes"}[tied["value"]],
                **dict(zip(("alone right on erroneous", "on clean"), map(_count, alone), strict=True)),
            }
        )
    return pl.DataFrame(lines, infer_schema_length=None)


def together(rows: pl.DataFrame) -> Iterator[str]:
    """Sentences for each benchmark: on how many cases all scorers are right, on how many none; and the consensus."""
    counted = rows.filter(pl.col("metric").str.contains("_unanimous_"), pl.col("value").is_not_null())
    for (benchmark,), part in counted.group_by("benchmark", maintain_order=True):
        cells = {metric: (value, n) for metric, value, n in part.select("metric", "value", "n").iter_rows()}
        for side in ("erroneous", "clean"):
            if f"{side}_unanimous_right" in cells:
                (right, n), (wrong, _) = cells[f"{side}_unanimous_right"], cells[f"{side}_unanimous_wrong"]
                yield f"{benchmark}: of {n} {side} cases all scorers have {right:.0f} right, none has {wrong:.0f}"
        yield from _consensus(benchmark, rows.filter(pl.col("benchmark") == benchmark))


def _consensus(benchmark: str, rows: pl.DataFrame) -> Iterator[str]:
    """What the consensus decides and how good it is, beside the best scorer and whoever is right."""
    cells = {row["metric"]: row for row in rows.iter_rows(named=True) if row["metric"].startswith(TOGETHER)}
    if "consensus_decided" not in cells:
        return
    decided, f1 = cells["consensus_decided"], cells["consensus_f1"]
    yield f"{benchmark}: consensus decides {decided['value']:.0f} of {decided['n']} cases, F1 {_percent(f1)}"
    difference = cells["consensus_f1_difference"]
    if difference["other"]:
        yield f"{benchmark}: {_difference(difference)} against the best, {difference['other']}"
    yield f"{benchmark}: whichever scorer is right (an oracle), F1 {_percent(cells['oracle_f1'])}"


def wide_cascade(rows: pl.DataFrame) -> pl.DataFrame:
    """A line a scorer in the order of the cascade: its weight in the consensus, and how many more cases with it.

    `64 (+3)`: this scorer or one above it has 64 right, 3 of which none above it has.
    """
    by_cell = {(row["benchmark"], row["scorer"], row["metric"]): row for row in rows.iter_rows(named=True)}
    lines = []
    for benchmark, scorer in rows.filter(pl.col("metric") == "erroneous_cascade_right").select(ORDER).iter_rows():
        about = (benchmark, scorer)
        weight = by_cell[*about, "consensus_weight"]["value"]
        lines.append(
            {
                "benchmark": benchmark,
                "any so far": scorer,
                **{side: _so_far(*(by_cell[*about, f"{side}_cascade_{what}"] for what in CASCADE)) for side in SIDES},
                "weight": "-" if weight is None else f"{weight:.2f}",
            }
        )
    return pl.DataFrame(lines, infer_schema_length=None)


def _so_far(right: dict[str, Any], added: dict[str, Any]) -> str:
    """A count of cases, and what was added to it last."""
    return "-" if right["value"] is None else f"{right['value']:.0f} ({added['value']:+.0f})"


def wide_pairs(rows: pl.DataFrame) -> pl.DataFrame:
    """Three lines a pair: the difference of F1, and for each side that of its accuracy, the quadrants and the test."""
    pairs = rows.filter(pl.col("metric") == "f1_difference").select("benchmark", "scorer", "other")
    keys = ("benchmark", "scorer", "other", "metric")
    by_cell = {tuple(row[key] for key in keys): row for row in rows.iter_rows(named=True)}
    lines = []
    for pair in pairs.iter_rows():
        for cases, metric in LINES.items():
            difference, test = by_cell[*pair, f"{metric}_difference"], by_cell.get((*pair, f"{cases}_mcnemar"), {})
            counts = {name: by_cell.get((*pair, f"{cases}_{key}_right")) for name, key in QUADRANTS.items()}
            lines.append(
                {
                    **dict(zip(keys, pair, strict=False)),
                    "cases": cases,
                    "n": difference["n"],
                    "difference": _difference(difference),
                    **{name: _count(row) for name, row in counts.items()},
                    "p": _p(test.get("p")),
                    "p (Holm)": _p(test.get("p_holm")),
                }
            )
    return pl.DataFrame(lines, infer_schema_length=None)


def _percent(row: dict[str, Any]) -> str:
    """A figure in percent with its interval."""
    if row["value"] is None:
        return f"- ({row['reason']})"
    interval = "" if row["low"] is None else f"  [{100 * row['low']:.1f}, {100 * row['high']:.1f}]"
    return f"{100 * row['value']:.1f}{interval}"


def _difference(row: dict[str, Any]) -> str:
    """A difference in percentage points with its interval."""
    if row["value"] is None:
        return f"- ({row['reason']})"
    interval = "" if row["low"] is None else f"  [{100 * row['low']:+.1f}, {100 * row['high']:+.1f}]"
    return f"{100 * row['value']:+.1f}{interval}"


def _count(row: dict[str, Any] | None) -> int | None:
    """A row's count of cases; None where there is no row or no count."""
    return None if row is None or row["value"] is None else int(row["value"])


def _p(p: float | None) -> str | None:
    """A p-value with four digits, or that it is smaller than these can say."""
    return None if p is None else "< 0.0001" if p < 1e-4 else f"{p:.4f}"
