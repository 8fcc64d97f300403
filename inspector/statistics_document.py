"""The document of a benchmark's statistics, which no scorer has a part in."""

from typing import Any

import polars as pl

from inspector.label_set import published_note
from inspector.provenance import provenance
from inspector.selection import Selection
from scoring.export import Document
from scoring.metrics.statistics import PROBLEM_CHARACTERS, statistics_rows
from scoring.published.statistics import beside

STATISTICS = {
    "benchmark": pl.String(),
    "subset": pl.String(),
    "group": pl.String(),
    "statistic": pl.String(),
    "value": pl.Float64(),
    "n": pl.Int64(),
    "reason": pl.String(),
}


def described_cases(selection: Selection) -> pl.DataFrame:
    """The shown cases in file order, with the lengths of their problems."""
    problems = selection.texts.frame(["problem"])["problem"]
    lengths = problems.str.len_chars().alias(PROBLEM_CHARACTERS)
    return selection.cases.with_columns(lengths).filter(pl.Series(selection.mask))


def statistics_document(selection: Selection, form: str = "") -> Document:
    """Statistics of the shown cases by subset, without scorers; `published` and `source` are what the papers print."""
    shown = described_cases(selection)
    frame = beside(pl.DataFrame(list(statistics_rows(shown)), schema=STATISTICS, orient="row", strict=False))
    notes = published_note(selection.adjudicated) if frame["published"].null_count() < frame.height else ()
    facts = provenance(selection, selection.request.command("stats", form=form), tuple(notes), decides=False)
    told = ("command", "version", "data", "labels", "filter", "notes")
    kept: dict[str, Any] = {name: facts[name] for name in told if name in facts}
    return Document(frame, kept)
