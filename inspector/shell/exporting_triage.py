"""`export triage`: what people said of the shown cases, as a table or as what rows for other programs are made of."""

import argparse
from pathlib import Path

import polars as pl

from inspector.analyses.triage import WHO
from inspector.selection import Selection
from inspector.shell.output import JSON, put_bytes, say
from inspector.triage.annotations import Annotations, annotation_facts, annotation_rows, annotations, gone_words
from scoring.export import Document
from scoring.exporters import annotations_by_case
from scoring.triage.adjudicated import CHANGED, CONFIRMED
from scoring.triage.words import Words

TABLES = ("csv", "jsonl")
"""Formats that hold all words of every person."""
TEXTS = ("problem", "steps")
NOTE = (
    "adjudicated_error: the earliest error after triage (0-based, -1 none), null where it is not decided or the case "
    "is ruled an import problem, which `adjudication` says; without an adjudication it is the case's own"
)


def put_table(selection: Selection, args: argparse.Namespace, path: Path | None) -> int:
    """Write a row a case and person into a file with its provenance beside it, or to stdout."""
    gathered = annotations(selection, args.who)
    asked = [*(WHO.line(gathered.people[0]) if args.who else ()), *(("--raw",) if args.raw else ())]
    command = selection.request.command("export", "triage", "--to", args.to, *asked)
    made = triaged_cases_document(selection, gathered, command)
    document = Document(made.rows, made.provenance, raw=args.raw)
    gone = [gone_words(count)] if (count := document.provenance["gone"]) else []
    if path is None:
        put_bytes(document.render(args.to).encode("utf-8", errors="replace"), json=args.to in JSON)
    else:
        document.write(path, args.to)
    wrote = [] if path is None else [f"Wrote {document.rows.height} rows to {path}"]
    say([*selection.problems, *gone, *wrote], args)
    return 0


def judged_cases(selection: Selection, who: str) -> tuple[pl.DataFrame, tuple[Words, ...], list[str]]:
    """The shown cases that people rule on or rate, with the columns of CASES; their words; and what is to be said.

    Raises:
        UsageError: there is no folder that could hold it, or no person of that name.
    """
    gathered = annotations(selection, who)
    judged = [one.case for one in gathered.shown if one.ruling or one.ratings]
    rows = selection.shown[selection.cases["case"].gather(selection.shown).is_in(judged).to_numpy()]
    cases = pl.concat([selection.cases[rows], selection.texts.gather(rows).frame()], how="horizontal")
    return cases, gathered.shown, [gone_words(gathered.gone_cases)] if gathered.gone_cases else []


def triaged_cases_document(selection: Selection, gathered: Annotations, command: str) -> Document:
    """The rows of `triage` for the shown cases, and beside them gold, the label after triage, problem and steps.

    The label is that of all people who are listened to, the same in every row of a case.
    """
    rows = annotation_rows(selection, gathered.shown)
    annotated = selection.cases["case"].is_in(rows["case"].implode()).arg_true()
    cases = pl.concat(
        [
            selection.cases.select("case", "generator", "n_steps", "earliest_error", "final_answer_correct")[annotated],
            selection.texts.gather(annotated.to_numpy()).frame(list(TEXTS)),
        ],
        how="horizontal",
    )
    after = annotations_by_case(gathered.shown, selection.cases)
    labels = pl.DataFrame(
        [(case, of.adjudication, of.earliest_error) for case, of in after.items() if of.adjudication is not None],
        schema={"case": pl.String(), "adjudication": pl.String(), "_given": cases.schema["earliest_error"]},
        orient="row",
    )
    given = pl.when(pl.col("adjudication").is_in([CHANGED, CONFIRMED])).then("_given")
    own = pl.when(pl.col("adjudication").is_null()).then("earliest_error")
    columns = [*cases.columns[:4], "adjudicated_error", "adjudication", *cases.columns[4:]]
    beside = cases.join(labels, on="case", how="left").with_columns(adjudicated_error=pl.coalesce(given, own))
    joined = rows.join(beside.select(columns), on="case", how="left", maintain_order="left")
    facts = annotation_facts(selection, gathered, gathered.shown, command)
    return Document(joined, {**facts, "notes": [*facts["notes"], NOTE]})
