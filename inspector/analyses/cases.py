"""The rows of the table on screen."""

from collections.abc import Sequence

import polars as pl
from msgspec.structs import replace

from inspector.analyses import Option, Params, analysis
from inspector.render.blocks import Section
from inspector.render.charts.glyphs import OUTCOME_STYLES
from inspector.render.documents.row_documents import shown
from inspector.render.lines import CaseLink
from inspector.render.table_blocks import Cell, Column, Table, table, text
from inspector.render.view import View
from inspector.state.case_list.case_rows import FOUND_IN, CaseRows
from inspector.state.case_list.catalogue import REWARDS
from inspector.state.figure_notes import first_run_notes, no_case_words
from inspector.state.provenance import provenance
from scoring.data.errors import UsageError
from scoring.data.names import name_choices
from scoring.evaluation.evaluation import columns_of
from scoring.selection.ordering import column_named
from scoring.selection.result_set import ResultSet
from scoring.workspace.filtering.filters import Facet

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


@analysis(
    "Cases",
    examples=(
        'prm-inspect cases --benchmark demo --where "n_steps > 8" --sort n_steps:desc',
        "prm-inspect cases --benchmark demo --scorer blend --sort instructive --csv",
    ),
    options=(
        Option("sort", "COLUMN, COLUMN:desc or instructive", metavar="KEY", of_query=True),
        Option(
            "columns",
            "these columns and no others, in this order; margin, rewards and the like are the one scorer's",
            metavar="A,B,...",
            of_query=True,
        ),
    ),
)
def cases(results: ResultSet, params: Params, intervals: bool) -> View:  # noqa: ARG001  # nothing here is resampled
    """List the shown cases, in their order, as the list on screen does: with every scorer's verdict and outcome."""
    frame = _columns_of_cases(results)[results.shown]
    if results.matches is not None and not results.query.columns:
        # Not at which step: where most cases match that is looked for on screen alone.
        places = [", ".join(results.matches.where(row)) for row in results.shown.tolist()]
        frame = frame.with_columns(pl.Series(FOUND_IN, places, dtype=pl.String))
    command = results.query.command("cases", form=params.form)
    notes = ("margin is null in JSON where no threshold makes the case right; CSV says -inf",)
    facts = provenance(results, command, (*notes, *first_run_notes(results)))
    page = Section("", "cases", (_listed(results, frame),))
    empty = "" if frame.height else no_case_words(results)
    return View(frame, facts, title="Cases", lay_out=lambda: (page,), empty=empty)


def _listed(results: ResultSet, frame: pl.DataFrame) -> Table:
    """A line a case, which its name opens."""
    names = results.cases["case"].gather(results.shown).to_list()
    several = len(results.benchmarks) > 1
    lines = []
    for case, row in zip(names, frame.iter_rows(named=True), strict=True):
        benchmark = case.partition("/")[0] if several else None
        link = CaseLink((Facet("case", (case,)).sql,), 1, case, benchmark=benchmark)
        cells = [_cell(name, shown(value)) for name, value in row.items()]
        lines.append([replace(cells[0], link=link), *cells[1:]])
    return table("", [Column(name, 2) if name == "key" else name for name in frame.columns], lines)


def _cell(name: str, words: str) -> Cell:
    """A cell; an outcome has its colour."""
    return text(words, OUTCOME_STYLES.get(words, "") if name.endswith("outcome") else "")


def _columns_of_cases(results: ResultSet) -> pl.DataFrame:
    """The columns that were asked for, of all cases.

    Else labels, metadata columns, tags and notes, and what each chosen scorer made.
    """
    if results.query.columns:
        return columns_table(results, results.query.columns)
    labels = results.cases.select(CASE_COLUMNS).with_columns(
        results.evaluated.column(name).alias(name) for name in (*metadata_of(results), *_said(results))
    )
    return pl.concat([labels, *map(columns_of, results.chosen_evaluations)], how="horizontal")


def metadata_of(results: ResultSet) -> list[str]:
    """Return the metadata columns of the cases, by name."""
    return [name for name in results.loaded.metadata.schema if results.evaluated.is_metadata(name)]


def _said(results: ResultSet) -> list[str]:
    """What people said and what became of labels, as far as they said it of any case of the workspace."""
    if results.labels.journal is None:
        return []
    triage = results.labels.journal.triage
    statements = {"ruling": triage.rulings, "category": triage.categories, "tags": triage.tags, "note": triage.notes}
    return [*(name for name, statement in statements.items() if statement), *results.evaluated.further]


# -- columns that a person named


def columns_table(results: ResultSet, words: Sequence[str]) -> pl.DataFrame:
    """Return the columns that words name for all cases, each once and called by its full name.

    `rewards` and `margin` and the like are those of the one scorer chosen.

    Raises:
        UsageError: no such column, or several.
    """
    by_name: dict[str, pl.Series] = {}
    for word in words:
        column = _rewards(results, word) if word.endswith(REWARDS) else None
        if column is None:
            column = results.evaluated.column(column_named(results.evaluated, results.chosen_evaluations, word))
        by_name.setdefault(column.name, column)
    return pl.DataFrame(list(by_name.values()))


def _rewards(results: ResultSet, word: str) -> pl.Series | None:
    """The lists of rewards that a word names; None where it names another column."""
    scorer, _, _ = word.rpartition(".")
    if not scorer and word == REWARDS:
        if len(results.chosen) != 1:
            raise UsageError(
                "rewards are those of one scorer.",
                f"Choose it with --scorer: {', '.join(results.chosen)}.",
                instead=name_choices("--scorer", results.chosen, "rewards of"),
            )
        scorer = results.chosen[0]
    if scorer not in {evaluation.scorer.name for evaluation in results.evaluations} or word in results.evaluated.schema:
        return None
    return CaseRows(results, scorer).get_column(REWARDS).alias(f"{scorer}.{REWARDS}")
