"""Official metrics of scorers on benchmarks."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from msgspec.structs import replace

from inspector.analyses import Option, Params, analysis
from inspector.render.blocks import Block, Note, Section
from inspector.render.table_blocks import Cell, Column, Kind, Table, count, figure, forest_column, table, text
from inspector.render.view import View
from inspector.state.case_links import figure_link, group_facets
from inspector.state.figure_notes import (
    SMALL_WORDS,
    boundary_notes,
    interval_notes,
    label_notes,
    mean_notes,
    range_notes,
    stem_notes,
    unlike_notes,
    untuned_notes,
)
from inspector.state.kept_answers import unparsed_notes
from inspector.state.provenance import provenance, repeated_solutions
from scoring.data.schema import NO_SUBSET, WHOLE
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.verdicts import REFUSED, UNPARSED
from scoring.metrics.benchmark_metrics import metrics_of, own_titles
from scoring.metrics.case_groups import group_masks, grouped
from scoring.metrics.own import own_metrics
from scoring.metrics.step_metrics import NAMES
from scoring.selection.official_figures import official_figures
from scoring.selection.result_set import ResultSet
from scoring.workspace.filtering.filters import Facet

TITLES = {"f1": "F1", "prmscore": "PRMScore", "acc": "accuracy"}
"""Titles of metrics that are more than their names with blanks."""
NO_METRIC = "No scorer has rewards for these cases yet, so there is no metric. Import results, or score with a PRM."
HEADS = ("prmscore", "f1")
"""The official figures."""
_OF_A_FIGURE = frozenset({"metric", "value", "low", "high", "n", "reason", "small", "sd", "runs"})


@analysis(
    "Official metrics",
    options=(
        Option(
            "by",
            "group by this column (or by steps or position, which are in bins; repeatable)",
            metavar="COL",
            many=True,
            of_query=True,
        ),
    ),
    examples=(
        "prm-inspect metrics --benchmark demo --by n_steps",
        "prm-inspect metrics --benchmark demo --threshold best --json",
    ),
    help="Every official metric of every scorer here, by subset. Each number opens exactly the cases that it is of.",
)
def metrics(results: ResultSet, params: Params, intervals: bool) -> View:
    """Return the official metrics of the chosen scorers over the shown cases, by subset or by the columns asked for."""
    # A column that is not there is an error whether or not there is a scorer.
    grouped(results.evaluated, results.query.by)
    frame = official_figures(results, intervals=intervals)
    notes = [*interval_notes(results), *label_notes(results), *boundary_notes(results), *range_notes(results)]
    if repeated := repeated_solutions(results):
        notes.append(f"{repeated} cases repeat the problem and steps of another: intervals take them as independent")
    notes += [SMALL_WORDS] if frame["small"].any() else []
    notes += [*stem_notes(results), *unlike_notes(results), *mean_notes(results), *unparsed_notes(results)]
    if not results.query.by:
        notes += _partial_averages(results)
    command = results.query.command("metrics", form=params.form)
    facts = provenance(results, command, tuple(notes))
    if not results.chosen:
        return View(frame, facts, title="Metrics", empty=NO_METRIC)
    return View(frame, facts, title="Metrics", lay_out=lambda: metric_sections(results, frame))


def metric_sections(results: ResultSet, frame: pl.DataFrame) -> tuple[Section, ...]:
    """Lay out rows of metrics: a section a benchmark, with what is to be known of them."""
    notes = list(metric_notes(results))
    sections = []
    there = set(results.cases["benchmark"].gather(results.shown))
    for number, (name, rows) in enumerate(_by_benchmark(frame)):
        if there and name not in there:
            continue
        blocks: list[Block] = [metric_table(results, rows, name)]
        blocks += [
            Note(sentence, "quiet") for sentence in notes if f"{name}: " in sentence or f" on {name}: " in sentence
        ]
        sections.append(Section(name, f"metrics-{number}", tuple(blocks)))
    written = {block.text for section in sections for block in section.blocks if isinstance(block, Note)}
    if sections and (others := [Note(sentence, "quiet") for sentence in notes if sentence not in written]):
        sections[-1] = replace(sections[-1], blocks=(*sections[-1].blocks, *others))
    return tuple(sections)


def _by_benchmark(frame: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    for (name,), rows in frame.group_by("benchmark", maintain_order=True):
        yield str(name), rows


def metric_table(results: ResultSet, rows: pl.DataFrame, benchmark: str, title: str = "") -> Table:
    """Lay out the metrics of one benchmark in percent: a line a scorer and subset or group, a column a metric.

    Steps are counted in `n (steps)` where PRMScore is official, and the cases of F1 in `n (cases)`; the figures beside
    PRMScore stand without intervals. Where there are no subsets, the average over them, which equals `all`, is left
    out.
    """
    keys = [name for name in rows.columns if name not in {*_OF_A_FIGURE, "benchmark"}]
    # One that is called by the empty text has no name: beside it, `all` says the same.
    if not results.query.by and rows["subset"].is_in({*WHOLE, ""}).all():
        rows = rows.filter(pl.col("subset") == "all")
    if (rows["subset"] == "all").all():
        keys.remove("subset")
    names = _metric_names(rows, benchmark)
    of_steps = "prmscore" in names
    heads = {*HEADS, metrics_of(benchmark).name}
    columns: list[str | Column] = [
        *keys,
        *(forest_column(metric_title(name), int(name not in heads)) for name in names),
    ]
    columns += ["n (steps)", "n (cases)"] if of_steps else ["n"]
    lines: list[list[Cell]] = []
    for part in rows.partition_by(keys, maintain_order=True):
        cells = {row["metric"]: row for row in part.iter_rows(named=True)}
        first = next(iter(cells.values()))
        evaluation = results.evaluation(first["scorer"])
        groups = _groups(results, benchmark, first)
        line = [text(str(first[name] or (NO_SUBSET if name == "subset" else ""))) for name in keys]
        line += [_figure(results, evaluation, benchmark, name, cells.get(name), groups) for name in names]
        sizes = [cells.get(name, {}).get("n") for name in (HEADS if of_steps else ("f1",))]
        line += [count(size) for size in sizes]
        reasons = dict.fromkeys(row["reason"] for row in cells.values() if row["value"] is None and row["reason"])
        lines.append([*line[:-1], replace(line[-1], remark="; ".join(reasons))])
    return table(title, columns, lines, labels=len(keys), counted="cases")


def _metric_names(rows: pl.DataFrame, benchmark: str) -> list[str]:
    """The metrics of the rows: the benchmark's own or those of steps first, then those of first errors, F1 before its
    parts.
    """
    there = rows["metric"].unique(maintain_order=True).to_list()
    own = [made.name for made in metrics_of(benchmark).own]
    ordered = [name for name in (*own, *NAMES, "f1") if name in there]
    return [*ordered, *(name for name in there if name not in ordered)]


def metric_title(metric: str) -> str:
    """Write a metric's name."""
    own = {**own_titles(), **{made.name: made.title for made in own_metrics()}}
    return own.get(metric) or TITLES.get(metric, metric.replace("_", " "))


def _groups(results: ResultSet, benchmark: str, row: Mapping[str, Any]) -> tuple[Facet, ...] | None:
    """The facets that tell the cases of a row; None where a column of the grouping is none of conditions."""
    by: Sequence[str] = results.query.by
    if not by:
        return group_facets(results, benchmark, row["subset"])
    if any(name not in results.evaluated.schema or results.evaluated.schema[name] != pl.String for name in by):
        return None
    return tuple(Facet(name, (row[name] or None,)) for name in by)


def _figure(
    results: ResultSet,
    evaluation: Evaluation,
    benchmark: str,
    metric: str,
    row: Mapping[str, Any] | None,
    groups: tuple[Facet, ...] | None,
) -> Cell:
    if row is None:
        return text("")
    known = groups is not None and row["value"] is not None
    link = figure_link(results, evaluation, benchmark, metric, groups or ()) if known else None
    own = next((made for made in own_metrics() if made.name == metric), None)
    kind = Kind.NUMBER if own is not None and own.kind == "number" else Kind.SHARE
    # Whoever wrote a metric may not have said which cases it is of.
    link = None if own is not None and own.cases is None else link
    made = replace(
        figure(row, kind, link, "strong" if metric in {*HEADS, metrics_of(benchmark).name} else ""), reason=""
    )
    return replace(made, low=None, high=None) if metric in NAMES[1:] else made


def metric_notes(results: ResultSet) -> Iterator[str]:
    """Yield what a person who reads a table of metrics has to know; provenance holds it as notes."""
    yield from _without_verdict(results)
    for notes in (stem_notes, untuned_notes, unparsed_notes, unlike_notes, mean_notes, boundary_notes, range_notes):
        yield from notes(results)


def _without_verdict(results: ResultSet) -> Iterator[str]:
    """A sentence where answers could not be read or cases were refused: how they count changes the figures."""
    for part, rows in group_masks(results.cases, ("benchmark",), results.mask):
        counted = (evaluation for evaluation in results.chosen_evaluations if not evaluation.coverage.nothing)
        codes = [evaluation.codes[rows] for evaluation in counted]
        number, name = sum(int(np.isin(of_one, (UNPARSED, REFUSED)).sum()) for of_one in codes), part["benchmark"]
        if number and results.unparsed(name) == "wrong":
            yield f"{name}: {number:,} unparsed or refused cases count as wrong (--unparsed drop leaves them out)."
        elif number:
            yield f"{name}: {number:,} unparsed or refused cases are left out (--unparsed wrong counts them)."


def _partial_averages(results: ResultSet) -> Iterator[str]:
    """A sentence for every average that leaves out a subset, because none of its cases was scored."""
    for evaluation in results.chosen_evaluations:
        groups = evaluation.gold.subsets[1]
        for part, within in group_masks(results.cases, ("benchmark",), results.mask):
            counts = (np.bincount(groups[rows]) for rows in (within & evaluation.coverage.tried, within))
            there, wanted = map(np.count_nonzero, counts)
            if 0 < there < wanted:
                name = f"{evaluation.scorer.name} on {part['benchmark']}"
                yield f"{name}: average over {there} of {wanted} subsets, the others are not scored"
