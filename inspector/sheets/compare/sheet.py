"""The sheets of the compare screen: two scorers, one asked before the other, all of them, who is right together."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from inspector.best_scorer import best_scorer
from inspector.comparison import compare_document
from inspector.inspection import Inspection
from inspector.paint import Brush
from inspector.protocol_card.incomparable import incomparable
from inspector.protocol_card.settings import not_recorded, settings_that_differ
from inspector.sheets.compare.cascade import Cascades, cascade_lines, cascades
from inspector.sheets.compare.flips import Moved, MovedFigures, flip_lines, moved_figures
from inspector.sheets.compare.pair import Pair, pair_lines, settings_lines, together_lines, unlike_lines
from inspector.sheets.compare.sets import agreement_lines, set_lines
from inspector.sheets.compare.standings import Field, standing_lines
from inspector.sheets.layout import heading, paragraph
from inspector.sheets.sheet import Row, Sheet
from inspector.subject import covering, subject
from scoring.export import Document
from scoring.metrics.complements import agreement_rows, covered_rows, oracle_rows
from scoring.metrics.lineup import Lineup, line_up
from scoring.remembered import Remembered

PAIR, CASCADE, FIELD, SETS, FLIPS = "pair", "cascade", "all", "sets", "flips"
_FIELDS = Remembered(4)
"""Lineups of all scorers, with who is right together, while a threshold rests."""


@dataclass(frozen=True, eq=False)
class Comparisons:
    """What takes longer; of another page than the open one it is None.

    `pair` and `every` are documents of `compare`, `together` and `agreement` rows of `scoring.metrics.complements`.
    """

    pair: Document | None = None
    every: Document | None = None
    together: Sequence[Mapping[str, Any]] | None = None
    agreement: Sequence[Mapping[str, Any]] | None = None
    cascades: Cascades | None = None
    moved: MovedFigures | None = None


def comparisons(inspection: Inspection, other: str | None, page: str) -> Comparisons:
    """Compute what a page shows; of `pair` and `all` it takes as long as the command.

    Raises:
        UsageError: the two are one.
    """
    seed, focus = inspection.selection.request.seed, str(inspection.scorer)
    if page == FIELD:
        return Comparisons(every=compare_document(subject(inspection, covering(inspection))))
    if page == SETS:
        return Comparisons(agreement=list(agreement_rows(_lineup(inspection, covering(inspection)))))
    if page == FLIPS or other is None:
        return Comparisons(moved=_moved_figures(inspection, seed))
    lineup = _lineup(inspection, (focus, other))
    if page == CASCADE:
        return Comparisons(cascades=cascades(inspection.selection, lineup))
    pair = compare_document(subject(inspection, (focus, other)))
    return Comparisons(pair, together=[*oracle_rows(lineup, seed), *covered_rows(lineup)])


def _moved_figures(inspection: Inspection, seed: int) -> MovedFigures | None:
    moved = Moved.of(inspection)
    return None if moved is None else moved_figures(moved, inspection.slice, inspection.unparsed, seed)


def usual_other(inspection: Inspection) -> str | None:
    """The scorer that one is compared with until another is chosen: the best other one; None where there is none."""
    names = [name for name in covering(inspection) if name != inspection.scorer]
    return best_scorer(inspection, names)


def compare_sheet(
    inspection: Inspection, other: str | None, page: str, found: Comparisons | None, brush: Brush, size: tuple[int, int]
) -> Sheet:
    """The sheet of a page for a pane of `size` cells and lines.

    `found` is None while it is computed; the counts stand there before.
    """
    lines = tuple(_lines(inspection, other, page, found, brush, size))
    able = inspection.scorer is not None and (other is not None or page == FLIPS)
    return Sheet(lines, "Computing." if found is None and able else "")


def _lines(
    inspection: Inspection, other: str | None, page: str, found: Comparisons | None, brush: Brush, size: tuple[int, int]
) -> Iterator[Row]:
    width, height = size
    if page == FLIPS:
        yield from flip_lines(inspection, Moved.of(inspection), found.moved if found else None, brush, width)
        return
    if inspection.scorer is None or other is None:
        yield heading("Nothing to compare yet")
        yield from paragraph(
            f"Comparing needs two scorers with verdicts on {inspection.benchmark}. In a shell: prm-inspect score "
            f"{inspection.benchmark} --model DIR runs another one, prm-inspect import PATH reads results.",
            width,
        )
        return
    names = (inspection.scorer, other)
    if page in {FIELD, SETS}:
        field = _field(inspection, names)
        cells = _by_scorer(found.every.rows) if found and found.every else None
        if page == FIELD:
            facts = found.every.provenance if found and found.every else {}
            yield from standing_lines(field, cells, facts, brush, width)
            return
        yield from set_lines(field, brush, width)
        yield from agreement_lines(field, found.agreement if found else None, brush, width)
        return
    if page == CASCADE:
        made = found.cascades if found else None
        yield from cascade_lines(names, made, waiting=found is None, brush=brush, width=width, height=height)
        return
    pair = Pair(*names, _lineup(inspection, names))
    document = found.pair if found else None
    told = document.provenance if document else {}
    yield from pair_lines(pair, _by_metric(document.rows) if document else None, told, brush, width)
    yield from together_lines(pair, found.together if found else None, brush)
    left, right = (inspection.selection.evaluation(name).scorer for name in names)
    yield from settings_lines(settings_that_differ(left, right), not_recorded((left, right)), width)
    reasons = incomparable(inspection.selection, names, inspection.benchmark, inspection.slice)
    yield from unlike_lines([str(one) for one in reasons if one.why != "cases"], width)


def _lineup(inspection: Inspection, names: Sequence[str]) -> Lineup:
    evaluations = [inspection.selection.evaluation(name) for name in names]
    return line_up(evaluations, inspection.slice, inspection.unparsed)


def _field(inspection: Inspection, focus: tuple[str, str]) -> Field:
    names = covering(inspection)
    owners = tuple(inspection.selection.evaluation(name) for name in names)
    key = (inspection.slice.tobytes(), inspection.unparsed, focus)
    return _FIELDS.of(key, owners, lambda: Field(_lineup(inspection, names), focus))


def _by_metric(rows: pl.DataFrame) -> dict[tuple[str, str], dict[str, Any]]:
    """The rows with two scorers."""
    both = pl.col("scorer").is_not_null() & pl.col("other").is_not_null() & (pl.col("metric") != "f1_behind_best")
    return {(row["subset"], row["metric"]): row for row in rows.filter(both).iter_rows(named=True)}


def _by_scorer(rows: pl.DataFrame) -> dict[tuple[str, str], dict[str, Any]]:
    """The rows about one scorer and all."""
    alone = rows.filter(pl.col("metric").is_in(["f1", "f1_behind_best", "tied_with_best"]))
    return {(row["scorer"], row["metric"]): row for row in alone.iter_rows(named=True)}
