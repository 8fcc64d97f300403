"""The breakdown: a benchmark's usual columns as a heat map, and how far verdicts lie from the errors."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from inspector.breakdown import CELLS, View, breakdown_document, usual_columns
from inspector.render.view import Block, Bullets, Cell, Command, Fold, Note, Table, figure, table
from inspector.report.facts import OfBenchmark
from inspector.report.offset_chart import offset_chart
from inspector.sentences import counted
from scoring.errors import UsageError
from scoring.export import Document
from scoring.metrics.breakdown import TOTAL
from scoring.metrics.resampling import SMALL

METRICS = {
    "f1": "F1",
    "error_acc": "share of erroneous cases whose earliest error is found exactly",
    "correct_acc": "share of clean cases with no step judged wrong",
}
"""What a heat map may show, the first that is defined in half of its cells."""
MISSING = "(none)"
Row = Mapping[str, Any]
Place = tuple[str | None, ...]


def breakdown_blocks(of: OfBenchmark) -> Iterator[Block]:
    """A heat map by the usual columns: of one column with a line a scorer, of two a map a scorer."""
    if of.first is None:
        yield Note("No scorer has a verdict on these cases, so there is nothing to break down.")
        return
    columns = usual_columns(of.selection, of.name)
    try:
        document = breakdown_document(of.alone, View(rows=columns[0], cols="".join(columns[1:])))
    except UsageError as error:
        yield Note(f"No breakdown: {error.sentence}")
        return
    names = [one.scorer.name for one in of.scorers if (one.tried & of.rows).any()]
    cells = _cells(document, of.name, columns, names)
    metric = _metric(cells[of.first.scorer.name])
    yield Note(
        f"{METRICS[metric][:1].upper()}{METRICS[metric][1:]}, in percent, by {' and '.join(map(_named, columns))};"
        f" 95% intervals; n counts cases. ~ marks what fewer than {SMALL} cases say (for F1, on"
        " either side)."
    )
    if len(columns) == 1:
        yield _by_one(columns[0], cells, metric)
    else:
        first, *others = names
        yield _by_two(first, columns, cells[first], metric)
        maps = tuple(_by_two(name, columns, cells[name], metric) for name in others)
        if maps:
            yield Fold(f"The same of {counted(len(maps), 'other scorer')}", maps)
    if notes := tuple(note for note in document.provenance["notes"] if note not in CELLS):
        yield Bullets(notes)
    yield Command(document.provenance["command"])


def offset_blocks(of: OfBenchmark) -> Iterator[Block]:
    """A histogram a scorer of how far its verdicts lie from the earliest errors."""
    document = breakdown_document(of.alone, View(of="offset"))
    rows = document.rows.filter(pl.col("benchmark") == of.name)
    charts = []
    for one in of.scorers:
        own = list(rows.filter(pl.col("scorer") == one.scorer.name).iter_rows(named=True))
        if any(row["n"] for row in own):
            charts.append(offset_chart(f"Verdict minus earliest error, {one.scorer.name}", own))
    if not charts:
        yield Note("No scorer has a verdict on an erroneous case.")
        return
    yield charts[0]
    if charts[1:]:
        yield Fold(f"The same of {counted(len(charts) - 1, 'other scorer')}", tuple(charts[1:]))
    yield Command(document.provenance["command"])


def _named(column: str) -> str:
    return column.replace("_", " ")


def _cells(
    document: Document, benchmark: str, columns: Sequence[str], names: Sequence[str]
) -> dict[str, dict[tuple[Place, str], Row]]:
    """By scorer: the rows by the values of the columns, and metric."""
    rows = document.rows.filter(pl.col("benchmark") == benchmark)
    found: dict[str, dict[tuple[Place, str], Row]] = {name: {} for name in names}
    for row in rows.iter_rows(named=True):
        if row["scorer"] in found:
            found[row["scorer"]][tuple(row[name] for name in columns), row["metric"]] = row
    return found


def _metric(cells: Mapping[tuple[Place, str], Row]) -> str:
    """The first of METRICS that half of the cells have."""
    own = {place for place, _ in cells if TOTAL not in place}

    def share(metric: str) -> float:
        defined = sum(cells[place, metric]["value"] is not None for place in own)
        return defined / len(own) if own else 0.0

    return next((metric for metric in METRICS if share(metric) >= 0.5), max(METRICS, key=share))


def _by_one(column: str, cells: Mapping[str, Mapping[tuple[Place, str], Row]], metric: str) -> Table:
    """A line a scorer, a column a value."""
    values = list(dict.fromkeys(place[0] for of_one in cells.values() for place in _told(of_one, metric)))
    heads = ("scorer", *(_value(value) for value in values))
    rows = [
        [Cell(name), *(_cell(of_one.get(((value,), metric))) for value in values)] for name, of_one in cells.items()
    ]
    return table(f"{METRICS[metric]} by {_named(column)}", heads, rows, heat=True)


def _by_two(name: str, columns: Sequence[str], cells: Mapping[tuple[Place, str], Row], metric: str) -> Table:
    """A line a value of the first column, a column a value of the second one."""
    down, across = (list(dict.fromkeys(place[at] for place in _told(cells, metric))) for at in (0, 1))
    down, across = (sorted(values, key=lambda value: value == TOTAL) for values in (down, across))
    heads = (f"{_named(columns[0])} / {_named(columns[1])}", *map(_value, across))
    rows = [[Cell(_value(one)), *(_cell(cells.get(((one, other), metric))) for other in across)] for one in down]
    caption = f"{name}: {METRICS[metric]} by {_named(columns[0])} and {_named(columns[1])}"
    return table(caption, heads, rows, heat=True)


def _told(cells: Mapping[tuple[Place, str], Row], metric: str) -> list[Place]:
    """The places that have the metric; all places where none has."""
    told = [place for (place, name), row in cells.items() if name == metric and row["value"] is not None]
    return told or [place for place, _ in cells]


def _value(value: str | None) -> str:
    return MISSING if value is None else value


def _cell(row: Row | None) -> Cell:
    """A figure over its interval and n; a dash with the reason where it is undefined, nothing where no case is."""
    if row is None:
        return Cell("")
    return replace(figure(row), n=row["n"], shade=row["value"], reason="")
