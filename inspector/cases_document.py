"""The list of cases as a document: the rows on screen, in their order."""

import polars as pl

from inspector.case_rows import FOUND_IN
from inspector.column_names import columns_table
from inspector.notes import first_run_notes
from inspector.provenance import provenance
from inspector.selection import Selection
from scoring.export import Document

CASE_COLUMNS = (
    "case",
    "key",
    "id",
    "benchmark",
    "subset",
    "generator",
    "n_steps",
    "earliest_error",
    "error_steps",
    "error_type",
    "error_category",
    "error_kind",
    "pattern",
    "final_answer_correct",
    "subset_group",
    "origin",
    "language",
)


def cases_document(selection: Selection, form: str = "") -> Document:
    """The rows of the table on screen: the shown cases, in their order, with every scorer's verdict and outcome."""
    frame = _columns_of_cases(selection)[selection.shown]
    if selection.found is not None and not selection.request.columns:
        # Not at which step: where most cases match that is looked for on screen alone.
        places = [", ".join(selection.found.where(row)) for row in selection.shown.tolist()]
        frame = frame.with_columns(pl.Series(FOUND_IN, places, dtype=pl.String))
    command = selection.request.command("cases", form=form)
    notes = ("margin is null in JSON where no threshold makes the case right; CSV says -inf",)
    return Document(frame, provenance(selection, command, (*notes, *first_run_notes(selection))))


def _columns_of_cases(selection: Selection) -> pl.DataFrame:
    """The columns that were asked for, of all cases.

    Else labels, metadata columns, tags and notes, and what each chosen scorer made.
    """
    if selection.request.columns:
        return columns_table(selection, selection.request.columns)
    labels = selection.cases.select(CASE_COLUMNS).with_columns(
        selection.column(name).alias(name) for name in (*metadata_of(selection), *_said(selection))
    )
    return pl.concat([labels, *(one.columns for one in selection.chosen_evaluations)], how="horizontal")


def metadata_of(selection: Selection) -> list[str]:
    """The metadata columns of the cases, by name."""
    return [name for name in selection.metadata.schema if selection.is_metadata(name)]


def _said(selection: Selection) -> list[str]:
    """What people said and what became of labels, as far as they said it of any case of the workspace."""
    if selection.journal is None:
        return []
    triage = selection.journal.triage
    said = {"ruling": triage.rulings, "category": triage.categories, "tags": triage.tags, "note": triage.notes}
    return [*(name for name, given in said.items() if given), *selection.further]
