"""The rows of a comparison as tables and sentences: what `compare` prints and a report holds."""

from collections.abc import Iterator
from typing import Any

import polars as pl

from scoring.export import p_words
from scoring.metrics.comparison import TO_BEST as F1_TO_BEST
from scoring.metrics.paired import SIDES
from scoring.metrics.paired_steps import COMPARED
from scoring.metrics.step_comparison import TO_BEST as PRMSCORE_TO_BEST

LINES = (
    ("all", "all", "prmscore"),
    ("right steps", "all", "positive_acc"),
    ("wrong steps", "all", "negative_acc"),
    ("all", "average", "f1"),
    ("all", "all", "f1"),
    ("erroneous", "all", "error_acc"),
    ("clean", "all", "correct_acc"),
)
"""What a line of the table of pairs is about: its cases or steps, and the subset and metric of its difference."""
STANDING = {"prmscore": PRMSCORE_TO_BEST, "f1": F1_TO_BEST}
"""The figures that rank scorers, and the metrics that say how far they are behind the best and whether tied."""
QUADRANTS = {"both": "both", "only scorer": "only_scorer", "only other": "only_other", "neither": "neither"}
"""Columns of the table of pairs, and what their metrics are called."""
TOGETHER = ("consensus_", "oracle_")
ORDER = ("benchmark", "scorer")
PAIR = ("scorer", "other")
FEW = 3
"""Scorers of which all pairs are shown."""
CASCADE = ("right", "added")


def n_pairs(lines: pl.DataFrame) -> int:
    """Of how many pairs these are the lines."""
    return lines.select("benchmark", *PAIR).unique().height


def with_the_best(pairs: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """The lines of pairs that the best scorer of a benchmark is in; all lines of a few scorers."""
    if rows["scorer"].drop_nulls().n_unique() <= FEW:
        return pairs
    best = {}
    for benchmark, head in heads(rows).items():
        about = (pl.col("benchmark") == benchmark) & (pl.col("metric") == f"{head}_behind_best")
        best[benchmark] = next(iter(rows.filter(about)["other"].drop_nulls()), None)
    kept = [best.get(row[0]) in {None, *row[1:]} for row in pairs.select("benchmark", *PAIR).iter_rows()]
    return pairs.filter(pl.Series(kept, dtype=pl.Boolean))


def heads(rows: pl.DataFrame) -> dict[str, str]:
    """The official figure of each benchmark, by which scorers are ranked: `prmscore` or `f1`."""
    of_steps = set(rows.filter(pl.col("metric") == "prmscore")["benchmark"])
    names = rows["benchmark"].unique(maintain_order=True)
    return {name: "prmscore" if name in of_steps else "f1" for name in names}


def wide_standings(rows: pl.DataFrame) -> pl.DataFrame:
    """A line a scorer, best first: the official figure on common cases, how far behind the best, how often right alone.

    Where PRMScore is official, `n` counts the cases whose steps all judged, and who is right alone is not told: that is
    about first errors, on the cases that all tried.
    """
    rows = rows.filter(pl.col("scorer").is_not_null())
    by_cell = {(row["benchmark"], row["scorer"], row["metric"]): row for row in rows.iter_rows(named=True)}
    lines = []
    for benchmark, head in heads(rows).items():
        ranked = rows.filter(pl.col("benchmark") == benchmark, pl.col("metric") == head).sort(
            "value", descending=True, nulls_last=True, maintain_order=True
        )
        for row in ranked.iter_rows(named=True):
            about = (benchmark, row["scorer"])
            behind, tied = (by_cell[*about, name] for name in STANDING[head])
            sides = SIDES if head == "f1" else ()
            alone = [by_cell.get((*about, f"{side}_lone_right")) for side in sides] or [None, None]
            figure = _percent(row)
            lines.append(
                {
                    "benchmark": benchmark,
                    "scorer": row["scorer"],
                    "n": row["n"],
                    "left out": row["left_out"],
                    **{name: figure if name == head else None for name in STANDING},
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
    """The lines of every pair: the difference of its official figure, and of what that is made of.

    Of first errors there is a line for F1 and one for each side, with its quadrants and test; each of these counts
    cases of all subsets together, and so does their difference, while that of F1 is of its means over subsets. Where
    no such mean is defined, a line with the F1 of all subsets together follows. `metric` says which it is.
    """
    of_pair: dict[tuple[str, str, str], dict[tuple[str, str], dict[str, Any]]] = {}
    for row in rows.iter_rows(named=True):
        of_pair.setdefault((row["benchmark"], row["scorer"], row["other"]), {})[row["subset"], row["metric"]] = row
    official = heads(rows)
    lines = [
        {"benchmark": benchmark, "scorer": scorer, "other": other, **line}
        for (benchmark, scorer, other), cells in of_pair.items()
        if ("average", "f1_difference") in cells
        for line in _pair_lines(cells, official[benchmark])
    ]
    return pl.DataFrame(lines, infer_schema_length=None)


def _pair_lines(cells: dict[tuple[str, str], dict[str, Any]], head: str) -> Iterator[dict[str, Any]]:
    """The lines of one pair, of its rows by subset and metric."""
    for cases, subset, metric in LINES:
        if not _told(cells, head, subset, metric):
            continue
        difference, test = cells[subset, f"{metric}_difference"], cells.get(("all", f"{cases}_mcnemar"), {})
        counts = {name: _count(cells.get(("all", f"{cases}_{key}_right"))) for name, key in QUADRANTS.items()}
        yield {
            "cases": cases,
            "metric": f"{metric}, {'average' if subset == 'average' else 'pooled'}",
            "n": difference["n"],
            "difference": _difference(difference),
            **counts,
            "p": p_words(test.get("p")),
            "p (Holm)": p_words(test.get("p_holm")),
        }


def _told(cells: dict[tuple[str, str], dict[str, Any]], head: str, subset: str, metric: str) -> bool:
    """Whether a pair has this line: pooled F1 stands in for an undefined mean, first errors beside PRMScore if any."""
    difference = cells.get((subset, f"{metric}_difference"))
    if difference is None:
        return False
    if (subset, metric) == ("all", "f1"):
        return difference["value"] is not None and cells["average", "f1_difference"]["value"] is None
    return head == "f1" or metric in COMPARED or difference["value"] is not None


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
