"""The list of cases as a document: the rows on screen, in their order."""

import polars as pl

from inspector.column_names import columns_table
from inspector.documents import provenance
from inspector.run_notes import first_run_notes
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
    frame = _columns_of_cases(selection)
    command = selection.request.command("cases", form=form)
    notes = ("margin is null in JSON where no threshold makes the case right; CSV says -inf",)
    return Document(frame[selection.shown], provenance(selection, command, (*notes, *first_run_notes(selection))))


def _columns_of_cases(selection: Selection) -> pl.DataFrame:
    """The columns that were asked for, of all cases; else the labels and what each scorer chosen made of the case."""
    if selection.request.columns:
        return columns_table(selection, selection.request.columns)
    return pl.concat(
        [selection.cases.select(CASE_COLUMNS), *(one.columns for one in selection.chosen_evaluations)], how="horizontal"
    )
