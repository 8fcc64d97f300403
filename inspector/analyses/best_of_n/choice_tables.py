"""Which response is chosen, as people see it: curves, and tables by scorer and aggregation."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars as pl
from msgspec.structs import replace

from inspector.analyses.best_of_n.scorer_spread import ASSOCIATED, SD
from inspector.render.blocks import Block, Note, Section, quiet_notes
from inspector.render.cells import share as share_text
from inspector.render.chart_blocks import Curve, Series
from inspector.render.table_blocks import Cell, Column, Kind, Table, count, difference_column, figure, table, text
from scoring.data.schema import NO_SUBSET, RowDict
from scoring.metrics.best_of_n import MAJORITY, MEAN, OVER_MEAN, PASS, PRM, PROBLEMS, TIED, WEIGHTED
from scoring.metrics.resampling import SMALL

CHOSEN = (MEAN, MAJORITY, PASS, PRM, WEIGHTED)
"""Accuracies of what is chosen, or of chance."""
BESIDE = (OVER_MEAN, TIED)


def choice_sections(frame: pl.DataFrame, oddities: Sequence[str], by: str | None) -> tuple[Section, ...]:
    """Make a section of each benchmark: its curves, which response is chosen, and the figures over scorers."""
    chosen = frame.filter(pl.col("metric").is_in([*CHOSEN, *BESIDE, PROBLEMS]))
    sections: list[Section] = []
    for rows in chosen.partition_by("benchmark", maintain_order=True):
        benchmark = str(rows["benchmark"][0])
        own = frame.filter(pl.col("benchmark") == benchmark)
        blocks = tuple(_blocks(rows, own, [note for note in oddities if f"{benchmark}: " in note], by))
        sections.append(Section(benchmark, f"best-of-n-{len(sections)}", blocks))
    return tuple(sections)


def _blocks(rows: pl.DataFrame, own: pl.DataFrame, oddities: Sequence[str], by: str | None) -> Iterator[Block]:
    problems = rows.filter(pl.col("metric") == PROBLEMS, pl.col("subset") == "all")
    sizes = ", ".join(f"{n:,} with {of}" for of, n in problems.select("of", "n").iter_rows())
    yield Note(f"{problems['n'].sum():,} problems, {problems['responses'].sum():,} responses ({sizes}).")
    yield from choice_curves(rows, by)
    yield _choice_table(rows.filter(pl.col("metric") != PROBLEMS))
    errors = rows["sampling_error"].drop_nulls().to_list()
    if errors:
        most = share_text(max(errors), 2)
        yield Note(f"{DRAWN} mean over drawn choices of responses: within {most} points of the exact value (95%).")
    if (over := _spread_table(own)).rows:
        yield over
    yield from quiet_notes(oddities)


def _choice_table(rows: pl.DataFrame) -> Table:
    """A line a scorer and aggregation: the accuracy of the best of all responses by subset, then of fewer of them."""
    subsets = rows.filter(pl.col("metric").is_in(CHOSEN))["subset"].unique(maintain_order=True).to_list()
    sizes = rows.filter(pl.col("metric").is_in(CHOSEN), pl.col("subset") == "all")["of"].drop_nulls().unique().sort()
    fewer = sizes.to_list() if sizes.len() > 1 else []
    lines: dict[tuple[str, str], dict[object, RowDict]] = {}
    for row in rows.iter_rows(named=True):
        # What no scorer chooses is told by its metric.
        way = row["aggregation"] or ("" if row["scorer"] else row["metric"])
        key = (row["scorer"] or "(no scorer)", f"votes by {way}" if row["metric"] == WEIGHTED else way)
        line = lines.setdefault(key, {})
        if row["metric"] in CHOSEN:
            # The last rows of a figure are those of most responses.
            line[row["subset"]] = row
            if row["subset"] == "all":
                line[row["of"]] = row
        elif row["subset"] == "all":
            line[row["metric"]] = row
    heads: list[str | Column] = ["scorer", "chosen by", *(Column(name or NO_SUBSET) for name in subsets)]
    heads += [
        *(Column(f"of {size}", 1) for size in fewer),
        difference_column("vs. mean@1"),
        Column("tied", 1),
        "left out",
    ]
    cells = []
    for (scorer, by), line in lines.items():
        whole = line.get("all")
        gone = text(f"{whole['left_out']} of {whole['left_out'] + whole['n']}" if whole and whole["left_out"] else "")
        cells.append(
            [
                text(scorer),
                text(by),
                *(_share(line.get(name)) for name in subsets),
                *(replace(_share(line.get(size)), low=None, high=None) for size in fewer),
                _share(line.get(OVER_MEAN), Kind.POINTS),
                _share(line.get(TIED)),
                gone,
            ]
        )
    return table("Which response is chosen", heads, cells, labels=2, counted="problems")


def _share(row: RowDict | None, kind: Kind = Kind.SHARE) -> Cell:
    if row is None:
        return text("")
    made = figure({**row, "small": row["metric"] in CHOSEN and row["n"] < SMALL}, kind)
    return replace(made, note=DRAWN) if row["sampling_error"] else made


def _spread_table(rows: pl.DataFrame) -> Table:
    """A line a subset and aggregation where two scorers or more have figures: their spread, and Somers' D."""
    lines: dict[tuple[str, str], dict[str, RowDict]] = {}
    for row in rows.filter(pl.col("metric").is_in([SD, *ASSOCIATED])).iter_rows(named=True):
        lines.setdefault((row["subset"], row["aggregation"]), {})[row["metric"]] = row
    cells = [
        [
            text(subset),
            text(by),
            count(line[SD]["n"]),
            Cell(100 * line[SD]["value"], Kind.MEAN),
            *(Cell(line[metric]["value"], Kind.MEAN) if metric in line else text("") for metric in ASSOCIATED),
        ]
        for (subset, by), line in lines.items()
        if line[SD]["value"] is not None
    ]
    heads = ["subset", "chosen by", "scorers", "sd of prm@n, points", *ASSOCIATED.values()]
    return table("Over scorers", heads, cells, labels=2)


DRAWN = "≈"
"""Marks a figure over choices of responses that were drawn."""
_LETTERS = {
    "product": "p",
    "shifted_product": "x",
    "min": "i",
    "mean": "e",
    "last": "l",
    "solution": "s",
    WEIGHTED: "w",
    MAJORITY: "m",
    PASS: "a",
}


def choice_curves(rows: pl.DataFrame, by: str | None) -> Iterator[Curve]:
    """Draw accuracy against the number of responses, a chart a scorer: every way to choose, votes, and pass@n.

    Args:
        rows: those of one benchmark, with the columns of BEST_OF_N.
        by: the way to choose that comes first, and has its band; None = the first that the scorer has.
    """
    whole = rows.filter(pl.col("subset") == "all", pl.col("of").is_not_null(), pl.col("value").is_not_null())
    # Of one response, any is right as often as a random one.
    named = {MAJORITY: (MAJORITY,), PASS: (MEAN, PASS)}
    beside = {name: whole.filter(pl.col("metric").is_in(metrics)) for name, metrics in named.items()}
    for (scorer,), own in whole.filter(pl.col("scorer").is_not_null()).group_by("scorer", maintain_order=True):
        ways = own.filter(pl.col("metric") == PRM).partition_by("aggregation", maintain_order=True, as_dict=True)
        parts = {str(name): part for (name,), part in sorted(ways.items(), key=lambda way: way[0][0] != by)}
        votes = own.filter(pl.col("metric") == WEIGHTED)
        weighted = next((name for name in (by, "last", "solution") if name in votes["aggregation"]), None)
        if weighted is not None:
            own_votes = votes.filter(pl.col("aggregation") == weighted)
            mark = f" {DRAWN}" if own_votes["sampling_error"].count() else ""
            parts[f"{WEIGHTED} by {weighted}{mark}"] = own_votes
        parts = {name: part for name, part in {**parts, **beside}.items() if part.height > 1}
        if parts:
            yield _curve(str(scorer), parts)


def _curve(scorer: str, parts: Mapping[str, pl.DataFrame]) -> Curve:
    series = [
        _series(name, part, f"scorer-{'abcdefgh'[at]}", banded=not at) for at, (name, part) in enumerate(parts.items())
    ]
    every = pl.concat(parts.values())
    most = float(max(every["of"].to_list()))
    lowest, highest = (end(every["value"].to_list()) for end in (min, max))
    room = 0.05 * (highest - lowest) or 0.05
    return Curve(
        scorer,
        "responses",
        "right",
        tuple(series),
        across=(1.0, most),
        upward=(max(0.0, lowest - room), min(1.0, highest + room)),
        whole=True,
        doubling=True,
    )


def _series(name: str, rows: pl.DataFrame, style: str, *, banded: bool) -> Series:
    ordered = rows.sort("of")
    xs, ys, low, high = (ordered[column].cast(pl.Float64).to_numpy() for column in ("of", "value", "low", "high"))
    letter = _LETTERS.get(name.partition(" ")[0], "")
    return Series(name, letter, style, xs, ys, *((low, high) if banded and np.isfinite(low).any() else ()))
