"""`export triage`: what people said of the shown cases, as a table or as what rows for other programs are made of."""

import argparse
from pathlib import Path

import polars as pl

from inspector.selection import Selection
from inspector.shell.output import JSON, put_bytes, say
from inspector.triage.cases_document import triaged_cases_document
from inspector.triage.document import flag
from inspector.triage.said import said
from inspector.triage.tables import gone_words
from scoring.export import Document
from scoring.triage.words import Words

TABLES = ("csv", "jsonl")
"""Formats that hold all words of every person."""


def put_table(selection: Selection, args: argparse.Namespace, path: Path | None) -> int:
    """Write a row a case and person into a file with its provenance beside it, or to stdout."""
    found = said(selection, args.who)
    asked = [*(flag("--who", found.people[0]) if args.who else ()), *(("--raw",) if args.raw else ())]
    command = selection.request.command("export", "triage", "--to", args.to, *asked)
    made = triaged_cases_document(selection, found, command)
    document = Document(made.rows, made.provenance, raw=args.raw)
    gone = [gone_words(count)] if (count := document.provenance["gone"]) else []
    if path is None:
        put_bytes(document.render(args.to).encode("utf-8", errors="replace"), json=args.to in JSON)
    else:
        document.write(path, args.to)
    wrote = [] if path is None else [f"Wrote {document.rows.height} rows to {path}"]
    say([*selection.problems, *gone, *wrote], args)
    return 0


def spoken_cases(selection: Selection, who: str) -> tuple[pl.DataFrame, tuple[Words, ...], list[str]]:
    """The shown cases that people rule on or rate, with the columns of CASES; their words; and what is to be said.

    Raises:
        UsageError: there is no folder that could hold it, or no person of that name.
    """
    found = said(selection, who)
    spoken = [one.case for one in found.shown if one.ruling or one.ratings]
    rows = selection.shown[selection.cases["case"].gather(selection.shown).is_in(spoken).to_numpy()]
    cases = pl.concat([selection.cases[rows], selection.texts.gather(rows).frame()], how="horizontal")
    count = len({one.case for one in found.gone})
    return cases, found.shown, [gone_words(count)] if count else []
