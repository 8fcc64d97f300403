"""`paper`: a paper's tables for what is here, with the printed figures beside, and how the two compare."""

import argparse
from dataclasses import replace

import polars as pl

from inspector.loading import load
from inspector.papers.checking import verdict
from inspector.papers.documents import Source, table_document, tables_document
from inspector.papers.printed import as_printed
from inspector.papers.tables import paper_table, statistics_table
from inspector.request import Request, request_of
from inspector.selection import Selection
from inspector.shell.output import form_of, put, say
from inspector.workspace_place import find_workspace
from scoring.errors import NoWorkspace, UsageError
from scoring.export import Document
from scoring.published.papers import PAPERS, Paper, Table


def run(args: argparse.Namespace) -> int:
    """Print or write the list of tables or one of them; with `--check`, exit code 1 where a figure differs."""
    paper = PAPERS[args.name]
    if args.check and args.table is None:
        raise UsageError(
            "--check needs a table.", f"For example: prm-inspect paper {paper.name} {paper.tables[1].number}"
        )
    table = None if args.table is None else _table(paper, args.table)
    selection = _selection(as_printed(request_of(args), paper.name), paper.name)
    source = Source(paper, selection, args.all)
    problems = [] if selection is None else list(selection.problems)
    if table is None:
        document = tables_document(source, form_of(args))
        _put(document, args, [*problems, *([] if form_of(args) else document.provenance["notes"])], None)
        return 0
    document = table_document(source, table, form_of(args))
    if selection is None:
        problems.append(f"No case of {paper.name} is here: this is the paper alone.")
    if table.cells and not form_of(args):
        problems += document.provenance["notes"]
    _put(document, args, problems, _wide(document.rows, table))
    if not args.check:
        return 0
    code, lines = verdict(document.rows)
    say(lines, args)
    return code


def _put(document: Document, args: argparse.Namespace, problems: list[str], table: pl.DataFrame | None) -> None:
    if args.raw:
        facts = {**document.provenance, "command": f"{document.provenance['command']} --raw"}
        document = Document(document.rows, facts, raw=True)
    put(document, args, problems, table)


def _wide(rows: pl.DataFrame, table: Table) -> pl.DataFrame:
    return statistics_table(rows) if table.kind == "statistics" else paper_table(rows)


def _table(paper: Paper, asked: str) -> Table:
    """The table of that number.

    Raises:
        UsageError: the paper has none that is known here.
    """
    for table in paper.tables:
        if asked.strip().lower().removeprefix("table").strip() == str(table.number):
            return table
    numbers = ", ".join(str(table.number) for table in paper.tables)
    raise UsageError(f"no table {asked!r} of {paper.title} is known.", f"There are: {numbers}.")


def _selection(request: Request, benchmark: str) -> Selection | None:
    """The cases of the paper's benchmark; None where none were imported.

    Raises:
        UsageError: another benchmark is asked for.
        NoWorkspace: the workspace that was named is none.
    """
    if set(request.benchmarks) - {benchmark}:
        raise UsageError(f"the paper is of {benchmark}.", "Leave --benchmark out.")
    try:
        workspace = find_workspace(request.workspace)
    except NoWorkspace:
        if request.workspace is not None:
            raise
        return None
    if benchmark not in workspace.benchmarks():
        return None
    return replace(load(replace(request, benchmarks=(benchmark,))), request=replace(request, benchmarks=()))
