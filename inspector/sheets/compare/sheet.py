"""The sheet of the compare screen: two scorers in full, then all of them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from inspector.comparison import compare_document
from inspector.inspection import Inspection
from inspector.paint import Brush
from inspector.sheets.compare.pair import Pair, pair_lines
from inspector.sheets.compare.standings import standing_lines
from inspector.sheets.layout import heading, paragraph
from inspector.sheets.sheet import Row, Sheet
from inspector.subject import covering, subject
from scoring.export import Document
from scoring.metrics.lineup import line_up


@dataclass(frozen=True, eq=False)
class Comparisons:
    """The documents of `compare`: of the two scorers, and of all of them, None where there are no others."""

    pair: Document
    every: Document | None


def comparisons(inspection: Inspection, other: str) -> Comparisons:
    """Compute both; it takes as long as the command.

    Raises:
        UsageError: the two are one.
    """
    names = covering(inspection)
    pair = compare_document(subject(inspection, (str(inspection.scorer), other)))
    return Comparisons(pair, compare_document(subject(inspection, names)) if len(names) > 2 else None)


def usual_other(inspection: Inspection) -> str | None:
    """The scorer that one is compared with until another is chosen: the next one; None where there is no other."""
    names = [name for name in covering(inspection) if name != inspection.scorer]
    return names[0] if names else None


def compare_sheet(
    inspection: Inspection, other: str | None, found: Comparisons | None, brush: Brush, width: int
) -> Sheet:
    """The sheet; `found` is None while it is computed, and the counts stand there before."""
    return Sheet(tuple(_lines(inspection, other, found, brush, width)), "" if found or not other else "Computing.")


def _lines(
    inspection: Inspection, other: str | None, found: Comparisons | None, brush: Brush, width: int
) -> Iterator[Row]:
    if inspection.scorer is None or other is None:
        yield heading("Nothing to compare yet")
        yield from paragraph(
            f"Comparing needs two scorers with verdicts on {inspection.benchmark}. In a shell: prm-inspect score "
            f"{inspection.benchmark} --model DIR runs another one, prm-inspect import PATH reads results.",
            width,
        )
        return
    selection, unparsed = inspection.selection, inspection.unparsed
    left, right = selection.evaluation(inspection.scorer), selection.evaluation(other)
    pair = Pair.of(left, right, inspection.slice, unparsed)
    facts: Mapping[str, Any] = found.pair.provenance if found else {}
    yield from pair_lines(pair, _by_metric(found.pair.rows) if found else None, facts, brush, width)
    names = covering(inspection)
    if len(names) > 2:
        yield ()
        every = found.every.rows if found and found.every else None
        lineup = line_up([selection.evaluation(name) for name in names], inspection.slice, unparsed)
        cells = None if every is None else _by_scorer(every)
        yield from standing_lines(lineup, unparsed, cells, (inspection.scorer, other), brush, width)


def _by_metric(rows: pl.DataFrame) -> dict[tuple[str, str], dict[str, Any]]:
    """The rows with two scorers."""
    both = rows.filter(
        pl.col("scorer").is_not_null() & pl.col("other").is_not_null() & (pl.col("metric") != "f1_behind_best")
    )
    return {(row["subset"], row["metric"]): row for row in both.iter_rows(named=True)}


def _by_scorer(rows: pl.DataFrame) -> dict[tuple[str, str], dict[str, Any]]:
    """The rows about one scorer and all."""
    alone = rows.filter(pl.col("metric").is_in(["f1", "f1_behind_best", "tied_with_best"]))
    return {(row["scorer"], row["metric"]): row for row in alone.iter_rows(named=True)}
