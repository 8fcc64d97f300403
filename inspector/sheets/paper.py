"""The sheet of a paper's table: what is here, what is printed, and the difference."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import polars as pl

from inspector.analyses.stats import statistic_link
from inspector.inspection import Inspection
from inspector.paint import Brush
from inspector.papers.checking import verdict
from inspector.papers.documents import Source, table_document
from inspector.papers.printed import as_printed
from inspector.papers.tables import DIFFERENCE, HERE, PAPER, cells_of, paper_table, statistics_table
from inspector.render.lines import CaseLink, LineCell, Piece, Row, Sheet, heading, paragraph, table
from inspector.selection import Selection, decide
from inspector.subject import covering, subject
from inspector.text import squeezed
from scoring.export import Document
from scoring.filters import Facet
from scoring.metrics.outcome_conditions import SIDES, tried
from scoring.published.papers import PAPERS, Paper, Table

NAME = 26
"""Cells of a scorer's name at most."""
STYLES = {HERE: "strong", PAPER: "dim", DIFFERENCE: ""}
CALLED = {HERE: "here", PAPER: "published", DIFFERENCE: "difference"}
_FIRST_ERRORS = {"error_acc": SIDES["erroneous"], "correct_acc": SIDES["clean"], "f1": "earliest_error >= -1"}
"""Metrics of first errors, and the condition on which cases are in their denominators."""


@dataclass(frozen=True, eq=False)
class PaperFigures:
    """One table of a paper as a document, and the selection it is made of."""

    paper: Paper
    table: Table
    document: Document
    selection: Selection


def paper_of(inspection: Inspection) -> Paper | None:
    """The paper of the benchmark in focus, if its tables are known."""
    return PAPERS.get(inspection.benchmark)


def paper_figures(inspection: Inspection, number: int, *, everyone: bool) -> PaperFigures:
    """A table by its number, decided as the printed figures are; it computes all of them.

    Raises:
        UsageError: the benchmark has no paper with such a table.
    """
    paper = PAPERS[inspection.benchmark]
    found = next(one for one in paper.tables if one.number == number)
    selection = printed_selection(inspection)
    return PaperFigures(paper, found, table_document(Source(paper, selection, everyone), found), selection)


def printed_selection(inspection: Inspection) -> Selection:
    """The slice with every scorer of the benchmark, under the boundary of the printed figures."""
    names = covering(inspection)
    whole = subject(inspection, names)
    request = as_printed(whole.request, inspection.benchmark)
    return decide(replace(whole, request=replace(request, scorers=() if _all(whole, names) else names)))


def _all(selection: Selection, names: tuple[str, ...]) -> bool:
    return len(names) == len(selection.evaluations)


def paper_sheet(inspection: Inspection, place: int, found: PaperFigures | None, brush: Brush, width: int) -> Sheet:
    """The sheet; `place` (0-based) is that of the table in its paper, `found` None while it is computed."""
    paper = paper_of(inspection)
    if paper is None:
        lines = (heading("No paper"), *paragraph(_NONE.format(inspection.benchmark, ", ".join(PAPERS)), width))
        return Sheet(lines)
    now = paper.tables[place]
    title = f"Table {now.number} of {paper.title}: {now.title}  ({place + 1} of {len(paper.tables)})"
    head = tuple(paragraph(title, width, "strong"))
    if found is None or found.table != now:
        return Sheet(head, "Computing.")
    return Sheet((*head, (), *_lines(inspection, found, brush, width)))


_NONE = "No tables of a paper on {} are known here. Those known are of {}."


def _lines(inspection: Inspection, found: PaperFigures, brush: Brush, width: int) -> Iterator[Row]:
    rows = found.document.rows
    if rows.is_empty():
        yield from paragraph("The paper prints no number here.", width)
        return
    if found.table.kind == "statistics":
        yield from _statistics(inspection, rows, brush)
    else:
        yield from _figures(inspection, found, brush, width)
    yield ()
    for line in verdict(rows)[1]:
        yield from paragraph(line, width, "dim")
    for note in found.document.provenance["notes"]:
        yield from paragraph(f"{note}.", width)


def _statistics(inspection: Inspection, rows: pl.DataFrame, brush: Brush) -> Iterator[Row]:
    wide = statistics_table(rows)
    known = {(row["group"], row["statistic"], row["subset"]): row for row in rows.iter_rows(named=True)}
    subsets = wide.columns[3:]
    lines: list[list[LineCell]] = []
    for line in wide.iter_rows(named=True):
        of, group = line["of"], line["group"] or ""
        told = " ".join(word for word in (group, line["statistic"].replace("_", " ")) if word)
        cells: list[LineCell] = []
        for subset in subsets:
            row = known.get((group, line["statistic"], subset))
            drill = (
                statistic_link(inspection.selection, inspection.benchmark, row)
                if row is not None and of == HERE
                else None
            )
            cells.append(Piece(_text(line[subset], brush), STYLES[of], drill))
        lines.append([Piece(squeezed(told, NAME)), Piece(CALLED[of], "dim"), *cells])
    header = [Piece(word) for word in ("statistic", "of", *subsets)]
    yield from table(header, lines, [False, False, *[True] * len(subsets)])


def _figures(inspection: Inspection, found: PaperFigures, brush: Brush, width: int) -> Iterator[Row]:
    rows = found.document.rows
    wide, cells = paper_table(rows), cells_of(rows)
    heads = [name for name in wide.columns if name in cells]
    drills = _Drills(inspection, found.selection)
    lines: list[list[LineCell]] = []
    before = ""
    for line in wide.iter_rows(named=True):
        name, of = line["scorer"], line["of"]
        first = name != before
        row: list[LineCell] = [
            Piece(squeezed(name, NAME) if first else "", "strong" if of == HERE else "dim"),
            Piece(squeezed(line["setting"] or "", NAME) if first else "", "dim"),
            Piece(CALLED[of], "dim"),
        ]
        before = name
        for head in heads:
            drill = drills.of(name, *cells[head]) if of == HERE and line[head] not in {"", "-"} else None
            row.append(Piece(_text(line[head], brush), STYLES[of], drill))
        lines.append(row)
    header = [Piece(word) for word in ("scorer", "made how", "", *heads)]
    yield from table(header, lines, [False, False, False, *[True] * len(heads)])
    yield from _missing(rows, {cell: head for head, cell in cells.items()}, brush, width)


def _missing(rows: pl.DataFrame, heads: Mapping[tuple[str, str], str], brush: Brush, width: int) -> Iterator[Row]:
    """What cells without a figure lack, a line a reason."""
    lacking = rows.filter(pl.col("scorer").is_not_null() & pl.col("value").is_null() & pl.col("reason").is_not_null())
    told: dict[str, dict[str, list[str]]] = {}
    for row in lacking.iter_rows(named=True):
        told.setdefault(row["reason"], {}).setdefault(row["scorer"], []).append(heads[row["subset"], row["metric"]])
    for reason, by_scorer in told.items():
        groups: dict[str, list[str]] = {}
        for scorer, columns in by_scorer.items():
            groups.setdefault(", ".join(columns), []).append(scorer)
        who = "; ".join(f"{columns} of {', '.join(scorers)}" for columns, scorers in groups.items())
        yield from paragraph(f"{_text('-', brush)} {reason}: {who}", width)


@dataclass(frozen=True, eq=False)
class _Drills:
    """The cases behind figures of first errors; those of steps are of the cases whose steps were judged."""

    inspection: Inspection
    selection: Selection

    def of(self, scorer: str, subset: str, metric: str) -> CaseLink | None:
        """The cases of a figure; None where no condition says which they are."""
        side = _FIRST_ERRORS.get(metric)
        if side is None or subset not in {"all", "average", *self._subsets()}:
            return None
        within = () if subset in {"all", "average"} else (Facet("subset", (subset,)).sql,)
        where = (*within, side, tried(scorer, self.selection.unparsed(self.inspection.benchmark)))
        n = int((self.inspection.slice & self.inspection.selection.passing(where)).sum())
        return CaseLink(where, n, f"{metric} of {scorer}, {subset}", scorer) if n else None

    def _subsets(self) -> set[str]:
        return set(self.inspection.cases["subset"].drop_nulls().unique())


def _text(text: str, brush: Brush) -> str:
    return ("-" if brush.ascii_only else "–") if text == "-" else text
