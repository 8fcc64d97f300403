"""`export triage`: what people said of the shown cases, as a table or as what rows for other programs are made of."""

import argparse
from pathlib import Path

import polars as pl

from inspector.analyses.triage import WHO
from inspector.cli.actions.output import JSON, put_bytes, say
from inspector.render.documents.row_documents import Document
from inspector.state.triage.annotations import Annotations, annotation_facts, annotation_rows, annotations, gone_words
from scoring.evaluation.triage_exports import annotations_by_case
from scoring.selection.result_set import ResultSet
from scoring.workspace.triage.adjudicated import CHANGED, CONFIRMED
from scoring.workspace.triage.annotations import Annotation

TABLES = ("csv", "jsonl")
"""Formats that hold all words of every person."""
TEXTS = ("problem", "steps")
NOTE = (
    "adjudicated_error: the earliest error after triage (0-based, -1 none), null where it is not decided or the case "
    "is ruled an import problem, which `adjudication` says; without an adjudication it is the case's own"
)


def put_table(results: ResultSet, args: argparse.Namespace, path: Path | None) -> int:
    """Write a row a case and person into a file with its provenance beside it, or to stdout."""
    gathered = annotations(results, args.who)
    flags = [*(WHO.line(gathered.people[0]) if args.who else ()), *(("--raw",) if args.raw else ())]
    command = results.query.command("export", "triage", "--to", args.to, *flags)
    made = triaged_cases_document(results, gathered, command)
    document = Document(made.rows, made.provenance, raw=args.raw)
    gone = [gone_words(count)] if (count := document.provenance["gone"]) else []
    if path is None:
        put_bytes(document.render(args.to).encode("utf-8", errors="replace"), json=args.to in JSON)
    else:
        document.write(path, args.to)
    wrote = [] if path is None else [f"Wrote {document.rows.height} rows to {path}"]
    say([*results.problems, *gone, *wrote], args)
    return 0


def judged_cases(results: ResultSet, who: str) -> tuple[pl.DataFrame, tuple[Annotation, ...], list[str]]:
    """Return the shown cases that people rule on or rate, as CASES; their words; and what is to be said.

    Raises:
        UsageError: there is no folder that could hold it, or no person of that name.
    """
    gathered = annotations(results, who)
    judged = [words.case for words in gathered.shown if words.ruling or words.ratings]
    rows = results.shown[results.cases["case"].gather(results.shown).is_in(judged).to_numpy()]
    cases = pl.concat([results.cases[rows], results.loaded.texts.gather(rows).frame()], how="horizontal")
    return cases, gathered.shown, [gone_words(gathered.gone_cases)] if gathered.gone_cases else []


def triaged_cases_document(results: ResultSet, gathered: Annotations, command: str) -> Document:
    """Return the rows of `triage` for the shown cases; beside them gold, label after triage, problem and steps.

    The label is that of all people who are listened to, the same in every row of a case.
    """
    rows = annotation_rows(results, gathered.shown)
    annotated = results.cases["case"].is_in(rows["case"].implode()).arg_true()
    cases = pl.concat(
        [
            results.cases.select("case", "generator", "n_steps", "earliest_error", "final_answer_correct")[annotated],
            results.loaded.texts.gather(annotated.to_numpy()).frame(list(TEXTS)),
        ],
        how="horizontal",
    )
    after = annotations_by_case(gathered.shown, results.cases)
    labels = pl.DataFrame(
        [(case, of.adjudication, of.earliest_error) for case, of in after.items() if of.adjudication is not None],
        schema={"case": pl.String(), "adjudication": pl.String(), "_given": cases.schema["earliest_error"]},
        orient="row",
    )
    adjudicated = pl.when(pl.col("adjudication").is_in([CHANGED, CONFIRMED])).then("_given")
    own = pl.when(pl.col("adjudication").is_null()).then("earliest_error")
    columns = [*cases.columns[:4], "adjudicated_error", "adjudication", *cases.columns[4:]]
    beside = cases.join(labels, on="case", how="left").with_columns(adjudicated_error=pl.coalesce(adjudicated, own))
    joined = rows.join(beside.select(columns), on="case", how="left", maintain_order="left")
    facts = annotation_facts(results, gathered, gathered.shown, command)
    return Document(joined, {**facts, "notes": [*facts["notes"], NOTE]})
