"""Official metrics under the benchmarks' own labels and under adjudicated ones beside: `metrics --labels both`."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
from msgspec.structs import replace

from inspector.analyses.metrics.metrics import NO_METRIC, metric_notes, metric_title, metrics
from inspector.render.blocks import Note, Section
from inspector.render.table_blocks import Cell, Column, Kind, Table, difference_column, figure, table, text
from inspector.render.texts.sentences import counted
from inspector.render.view import View
from scoring.data.errors import UsageError
from scoring.data.schema import WHOLE
from scoring.metrics.official_rows import METRICS
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.selection.result_set import ResultSet

SECOND = ("value", "low", "high", "n", "reason", "small", "sd", "runs")
"""Columns that come a second time, called `adjudicated_value` and so on."""
BOTH = {
    **METRICS,
    **{f"adjudicated_{name}": METRICS[name] for name in SECOND},
    # adjudicated_value less value; null where either is.
    "difference": pl.Float64(),
}
NOT_UNDER = "no such group of cases under these labels"
"""The reason of a figure whose group, by a column that the labels change, is only there under the other labels."""
OTHER_CASES = "the conditions speak of labels and keep other cases under other labels"
_FACTS = ("rule", "threshold", "threshold_source", "coverage", "averaging")
"""What may be another under other labels: thresholds are tuned on them, and conditions speak of them."""


def load_both(query: Query) -> tuple[ResultSet, ResultSet]:
    """Load the result sets under the benchmarks' own labels and under adjudicated ones.

    Raises:
        InspectError: as `load`.
    """
    own = load(replace(query, labels="both"))
    try:
        return own, load(replace(query, labels="adjudicated"))
    except UsageError as error:
        # Under the others it could be done.
        raise UsageError(f"under adjudicated labels {error.sentence}", error.next_step) from error


def both_view(own: ResultSet, adjudicated: ResultSet, form: str = "") -> View:
    """Show the rows of `metrics` under both label sets: a row a figure, the second set's beside the first's.

    Each set has its own thresholds where they are tuned, its own outcomes and its own cases where a condition speaks of
    labels; what differs in how the figures came to be stands in the provenance as `adjudicated_threshold` and so on.
    """
    first, second = metrics.view(own), metrics.view(adjudicated)
    by = {name: pl.String() for name in own.query.by if name not in METRICS}
    frame = pl.DataFrame(list(_rows(first.rows, second.rows)), schema={**BOTH, **by}, orient="row")
    command = own.query.command("metrics", form=form)
    facts = {**first.provenance, "command": command, "labels": f"both: original, and {second.provenance['labels']}"}
    facts |= {
        f"adjudicated_{name}": second.provenance[name]
        for name in _FACTS
        if second.provenance[name] != first.provenance[name]
    }
    notes = [*_of_cases(own, adjudicated), *first.provenance["notes"]]
    notes += [f"adjudicated: {note}" for note in second.provenance["notes"] if note not in notes]
    first_notes = [*metric_notes(own), *(note for note in notes if note.startswith(OTHER_CASES))]
    sections = tuple(
        Section(str(name), f"metrics-{at}", (_table(rows), *(Note(note, "quiet") for note in first_notes if not at)))
        for at, ((name,), rows) in enumerate(frame.group_by("benchmark", maintain_order=True))
    )
    empty = "" if own.chosen else NO_METRIC
    return View(frame, {**facts, "notes": notes}, title="Metrics", lay_out=lambda: sections, empty=empty)


def _table(rows: pl.DataFrame) -> Table:
    """A line a figure with both intervals and the difference; `n` is `a / b` where they are not equally many."""
    keys = [
        name for name in rows.columns if not name.startswith("adjudicated_") and name not in {*SECOND, "difference"}
    ]
    keys = [name for name in keys if name not in {"benchmark", "metric"}]
    if rows["subset"].is_in(WHOLE).all():
        rows = rows.filter(pl.col("subset") != "average")
    lines = []
    for row in rows.iter_rows(named=True):
        other = {name: row[f"adjudicated_{name}"] for name in SECOND}
        sizes = dict.fromkeys(str(n) for n in (row["n"], other["n"]))
        reasons = dict.fromkeys(filter(None, (row["reason"], other["reason"])))
        line = [*(text(row[name]) for name in keys), text(metric_title(row["metric"]))]
        line += [replace(figure(of_one), reason="") for of_one in (row, other)]
        line.append(Cell(row["difference"], Kind.POINTS))
        lines.append([*line, replace(text(" / ".join(sizes)), remark="; ".join(reasons))])
    titles: list[str | Column] = [
        *keys,
        "metric",
        "original",
        "adjudicated",
        difference_column("difference"),
        Column("n", right=True),
    ]
    return table("", titles, lines, labels=len(keys) + 1)


def _rows(first: pl.DataFrame, second: pl.DataFrame) -> Iterator[dict[str, Any]]:
    """Rows of the first with those of the second beside; those that only the second has come last."""
    keys = [name for name in first.columns if name not in SECOND]
    others = {tuple(row[name] for name in keys): row for row in second.iter_rows(named=True)}
    nothing = {**dict.fromkeys(SECOND), "n": 0, "reason": NOT_UNDER, "runs": 1, "small": False}
    for row in first.iter_rows(named=True):
        yield _beside(row, others.pop(tuple(row[name] for name in keys), nothing))
    for row in others.values():
        yield _beside({**row, **nothing}, row)


def _beside(row: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    second = {f"adjudicated_{name}": other[name] for name in SECOND}
    undefined = row["value"] is None or other["value"] is None
    return {**row, **second, "difference": None if undefined else other["value"] - row["value"]}


def _of_cases(own: ResultSet, adjudicated: ResultSet) -> Iterator[str]:
    """What is to be known where the conditions keep other cases under the other labels."""
    kept, others = own.mask, adjudicated.mask
    if not np.array_equal(kept, others):
        alone = (
            f"{counted(int((mask & ~other_mask).sum()), 'case')} under the {name} ones alone"
            for name, mask, other_mask in (("original", kept, others), ("adjudicated", others, kept))
        )
        yield f"{OTHER_CASES}, {' and '.join(alone)}: differences are of these cases too"
