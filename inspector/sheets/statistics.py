"""The sheet of a benchmark's statistics, without any scorer; every count opens its cases."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import polars as pl

from inspector.inspection import Inspection
from inspector.label_set import published_note
from inspector.paint import Brush
from inspector.render.lines import CaseLink, LineCell, Piece, Row, Sheet, heading, paragraph, table
from inspector.sentences import counted
from inspector.statistics_document import statistics_document
from inspector.statistics_tables import statistic_text
from inspector.subject import subject
from inspector.text import squeezed
from scoring.export import Document
from scoring.filters import Facet
from scoring.metrics.outcome_conditions import SIDES
from scoring.metrics.statistics import LONG

NAME = 30
"""Cells of a subset's or a generator's name at most."""
PUBLISHED = "  published"


class Place(NamedTuple):
    """A statistic of the document: its group ("" = all cases of the subset) and its name."""

    group: str
    statistic: str


@dataclass(frozen=True)
class Column:
    """One column: its title, and what stands in it."""

    title: str
    place: Place


SECTIONS: Mapping[str, tuple[Column, ...]] = {
    "Cases": (
        Column("cases", Place("", "cases")),
        Column("erroneous", Place("", "erroneous")),
        Column("clean", Place("", "clean")),
        Column("no gold", Place("", "no_gold")),
        Column("distinct", Place("", "distinct_solutions")),
        Column("generators", Place("", "generators")),
        Column("characters", Place("", "mean_question_characters")),
    ),
    "Steps": (
        Column("mean", Place("", "mean_steps")),
        *(Column(f">= {n}", Place("", f"share_steps_ge_{n}")) for n in LONG),
        Column("most", Place("", "max_steps")),
        Column("mean, erroneous", Place("erroneous", "mean_steps")),
        Column("clean", Place("clean", "mean_steps")),
    ),
    "Wrong steps (0-based)": (
        Column("mean first one", Place("", "mean_earliest_error")),
        Column("mean number", Place("", "mean_error_steps")),
        Column("right answer, wrong process", Place("", "process_error_rate")),
    ),
}
"""Title -> the columns of a section that has a row a subset; `characters` are the mean of those of the problems."""
_COUNTED = {
    "cases": (),
    "erroneous": (SIDES["erroneous"],),
    "clean": (SIDES["clean"],),
    "no_gold": ("earliest_error IS NULL",),
    "process_error_rate": ("final_answer_correct = true", SIDES["erroneous"]),
    **{f"share_steps_ge_{n}": (f"n_steps >= {n}",) for n in LONG},
}
_NAMED = {"cases": "generator", "share_error_type": "error_type"}
"""Statistics that are one a value of a column, as in `cases:a-generator`."""
Cells = Mapping[tuple[str, str, str], Mapping[str, Any]]


def statistics_of(inspection: Inspection) -> Document:
    """The document of `stats` about what the inspection speaks of; it reads all problems."""
    return statistics_document(subject(inspection))


def statistics_sheet(inspection: Inspection, found: Document | None, brush: Brush, width: int) -> Sheet:
    """The sheet; `found` is None while it is computed."""
    if found is None:
        return Sheet((heading(f"Statistics of {inspection.benchmark}"),), "Computing.")
    return Sheet(tuple(_lines(inspection, found.rows, brush, width)))


def _lines(inspection: Inspection, rows: pl.DataFrame, brush: Brush, width: int) -> Iterator[Row]:
    rows = rows.filter(pl.col("benchmark") == inspection.benchmark)
    if rows.is_empty():
        yield heading("No case")
        yield from paragraph("No case passes the filter, so that there is nothing to count.", width)
        return
    cells: Cells = {(row["subset"], row["group"], row["statistic"]): row for row in rows.iter_rows(named=True)}
    subsets = _subsets(rows)
    whole = int(inspection.benchmark_rows.sum())
    if int(inspection.slice.sum()) < whole and rows["published"].null_count() < rows.height:
        told = f"Published figures are of the whole benchmark, and {counted(whole, 'case')} are not all shown."
        yield from paragraph(told, width)
    if rows["published"].null_count() < rows.height:
        for note in published_note(inspection.selection.adjudicated):
            yield from paragraph(f"{note[0].upper()}{note[1:]}.", width)
    for title, columns in SECTIONS.items():
        yield heading(title)
        yield from _section(inspection, cells, subsets, columns, brush)
        yield ()
    yield from _kinds(inspection, cells, brush)
    yield from _generators(inspection, cells, brush)
    if rows["source"].null_count() < rows.height:
        yield from paragraph(f"Published: {'; '.join(rows['source'].drop_nulls().unique().sort())}.", width)


def _subsets(rows: pl.DataFrame) -> list[str]:
    """The subsets in their order; one without a name is left out where it is all there is."""
    names: list[str] = rows["subset"].unique(maintain_order=True).to_list()
    return ["all"] if set(names) == {"", "all"} else names


def counted_by(place: Place) -> tuple[str, ...] | None:
    """The conditions that leave the cases that a count or a share is of, within its subset; None: it counts none."""
    side = (SIDES[place.group],) if place.group else ()
    kind, colon, value = place.statistic.partition(":")
    if colon:
        of_errors = (SIDES["erroneous"],) if kind == "share_error_type" else ()
        return (*side, *of_errors, Facet(_NAMED[kind], (value,)).sql) if kind in _NAMED else None
    found = _COUNTED.get(place.statistic)
    return None if found is None else (*side, *found)


def statistic_drill(inspection: Inspection, row: Mapping[str, Any]) -> CaseLink | None:
    """What a statistic opens: the cases that it counts, or is the share of; None where it is a mean or counts none."""
    where = counted_by(Place(row["group"], row["statistic"]))
    if where is None or row["value"] is None:
        return None
    share = row["statistic"].startswith("share_") or row["statistic"] == "process_error_rate"
    n = round(row["value"] * row["n"]) if share else int(row["value"])
    told = " ".join(word for word in (row["group"], row["statistic"].replace("_", " ")) if word)
    words = f"{told}, {row['subset'] or 'no subset'}"
    return (
        CaseLink((*_within(inspection, row["subset"]), *where), n, words, benchmark=inspection.benchmark) if n else None
    )


def _section(
    inspection: Inspection, cells: Cells, subsets: Sequence[str], columns: Sequence[Column], brush: Brush
) -> list[Row]:
    """A row a subset, and a dim one beneath it where a paper prints something of it."""
    used = [column for column in columns if any(_says(cells.get((one, *column.place))) for one in subsets)]
    lines: list[list[LineCell]] = []
    for subset in subsets:
        found = [cells.get((subset, *column.place)) for column in used]
        name = Piece(squeezed(subset or "(none)", NAME), "strong" if subset == "all" else "")
        lines.append([name, *(_cell(inspection, row, brush) for row in found)])
        if any(row and row["published"] is not None for row in found):
            lines.append([Piece(PUBLISHED, "dim"), *(_published(row) for row in found)])
    header = [Piece("subset"), *(Piece(column.title) for column in used)]
    return table(header, lines, [False, *[True] * len(used)])


def _says(row: Mapping[str, Any] | None) -> bool:
    """Whether there is anything to tell; that every case has gold labels goes without saying."""
    if row is None or (row["value"] is None and row["published"] is None):
        return False
    return bool(row["value"]) or row["statistic"] != "no_gold"


def _cell(inspection: Inspection, row: Mapping[str, Any] | None, brush: Brush) -> Piece:
    if row is None or row["value"] is None:
        return Piece("-" if brush.ascii_only else "–", "dim")
    return Piece(
        statistic_text(row["statistic"], row["value"]), "" if row["value"] else "dim", statistic_drill(inspection, row)
    )


def _published(row: Mapping[str, Any] | None) -> Piece:
    value = None if row is None else row["published"]
    return Piece("" if row is None or value is None else statistic_text(row["statistic"], value), "dim")


def _within(inspection: Inspection, subset: str) -> tuple[str, ...]:
    """The condition that leaves the cases of a subset, or of a pattern that joins several."""
    if subset == "all":
        return ()
    here = inspection.cases.filter(pl.Series(inspection.slice))
    column = "subset" if (subset or None) in set(here["subset"].unique()) else "pattern"
    return (Facet(column, (subset or None,)).sql,)


def _kinds(inspection: Inspection, cells: Cells, brush: Brush) -> Iterator[Row]:
    """The error types of all erroneous cases that have one."""
    before = "share_error_type:"
    found = [row for (subset, _, name), row in cells.items() if subset == "all" and name.startswith(before)]
    if not found:
        return
    yield heading("Error types, of the erroneous cases that have one")
    lines: list[list[LineCell]] = []
    for row in sorted(found, key=lambda one: -(one["value"] or 0)):
        name, drill = squeezed(row["statistic"].removeprefix(before), NAME), statistic_drill(inspection, row)
        number = Piece(f"{drill.n if drill else 0:,}", "" if drill else "dim", drill)
        lines.append([Piece(name), number, _cell(inspection, row, brush), _beside(row)])
    yield from table([Piece(word) for word in ("error type", "cases", "share", "")], lines, [False, True, True])
    yield ()


def _generators(inspection: Inspection, cells: Cells, brush: Brush) -> Iterator[Row]:
    """How many solutions of each generator are erroneous and clean."""
    names = dict.fromkeys(
        name.removeprefix("cases:") for subset, _, name in cells if subset == "all" and name.startswith("cases:")
    )
    if not names:
        return
    yield heading("Generators")
    lines: list[list[LineCell]] = []
    for name in names:
        row: list[LineCell] = [Piece(squeezed(name, NAME))]
        for group in SIDES:
            found = cells.get(("all", group, f"cases:{name}"))
            row += [_cell(inspection, found, brush), _beside(found)]
        lines.append(row)
    header = [Piece(word) for word in ("generator", "erroneous", "", "clean", "")]
    yield from table(header, lines, [False, True, False, True])
    yield ()


def _beside(row: Mapping[str, Any] | None) -> Piece:
    told = _published(row).text
    return Piece(f"published {told}" if told else "", "dim")
