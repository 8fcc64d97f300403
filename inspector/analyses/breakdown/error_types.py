"""The page of `breakdown` on kinds of errors: what becomes of the erroneous cases of each."""

from collections.abc import Iterable, Iterator, Mapping

import polars as pl
from msgspec.structs import replace

from inspector.analyses import Params
from inspector.analyses._columns import GIVEN_BY, column_title, usual_error_column, value_title
from inspector.analyses.breakdown.breakdown_cells import EVERYTHING, columns_of
from inspector.render.blocks import Block, Note
from inspector.render.lines import CaseLink
from inspector.render.table_blocks import Cell, Column, Kind, bar_column, count, figure, table, text
from scoring.data.schema import Row
from scoring.evaluation.evaluation import Evaluation
from scoring.metrics.outcome_conditions import BY_TYPE, SIDES, tried
from scoring.selection.result_set import ResultSet, within
from scoring.workspace.filtering.filters import Facet

OF_ERRORS = {"fp": "FP", "late": "late", "missed": "missed", "exact": "exact", "unanswered": "no verdict"}
"""What becomes of erroneous cases, each of them one of these."""
DRAWN = frozenset({"missed", "exact"})
"""Kinds whose shares have bars."""


def type_blocks(
    results: ResultSet, evaluation: Evaluation, benchmark: str, rows: pl.DataFrame, params: Params
) -> Iterator[Block]:
    """Lay out how erroneous cases are got wrong, by kind of error."""
    (column,) = columns_of(results, params)
    if not params.get("rows") and not usual_error_column(results, benchmark):
        yield Note(
            f"The cases of {benchmark} have no types of errors ({GIVEN_BY['error_type']} have them). Another column "
            "can be chosen instead."
        )
        return
    lines, by_value = [], rows.partition_by(column, "where", maintain_order=True)
    kinds = [name for name in OF_ERRORS if rows.filter(pl.col("metric") == name)["value"].fill_null(0).sum()]
    for part in by_value:
        figures = {row["metric"]: row for row in part.iter_rows(named=True)}
        n = figures["exact"]["n"]
        if n:
            lines.append(_type_line(results, evaluation, benchmark, column, figures, kinds))
    if not lines:
        yield Note("There are no erroneous cases tried here.")
        return
    heads: list[str | Column] = [column_title(column), "n", "FN %"]
    heads += [head for name in kinds for head in (OF_ERRORS[name], _share_column(name))]
    title = f"How {evaluation.scorer.name} gets erroneous cases wrong, by {column_title(column)}"
    yield table(title, heads, lines)
    yield Note(
        "GR-Ben's definition: of the erroneous cases, FP name a step before the earliest error; FN name a later one or "
        "none, which are told apart here as late and missed.",
        "quiet",
    )


def _share_column(kind: str) -> Column:
    """Return the column of a kind's share; missed and exact have bars."""
    title = f"{OF_ERRORS[kind]} %"
    return bar_column(title) if kind in DRAWN else Column(title)


def _type_line(
    results: ResultSet,
    evaluation: Evaluation,
    benchmark: str,
    column: str,
    figures: Mapping[str, Row],
    kinds: Iterable[str],
) -> list[Cell]:
    row, scorer = figures["exact"], evaluation.scorer.name
    name = value_title(row[column])
    cell = (*within(results, benchmark), SIDES["erroneous"])
    cell = cell if row["where"] == EVERYTHING else (row["where"], SIDES["erroneous"])

    def opens(n: int, words: str, condition: str) -> CaseLink:
        return CaseLink((*cell, condition), n, f"{name}, {words}", scorer, benchmark=benchmark)

    share = replace(figure(figures["fn"]), low=None, high=None, small=False, reason="")
    all_tried = opens(row["n"], "erroneous cases tried", tried(scorer, results.unparsed(benchmark)))
    line = [text(name), replace(count(row["n"], all_tried), small=row["small"]), share]
    for kind in kinds:
        n = round((figures[kind]["value"] or 0) * figures[kind]["n"])
        of_kind = opens(n, OF_ERRORS[kind], Facet(f"{scorer}.outcome", BY_TYPE[kind]).sql)
        line += [count(n, of_kind), Cell(figures[kind]["value"], Kind.SHARE, style="strong" if kind == "fp" else "")]
    return line
