"""`show`: one case, its steps and what each scorer made of them."""

import argparse
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from textwrap import indent
from typing import Any

import polars as pl
from rich.console import RenderableType
from rich.text import Text

from inspector.case_pages import CaseDocument, case_document
from inspector.case_table import CaseTable, Judgement
from inspector.critique.kept import described, kept_answers, measures
from inspector.loading import load
from inspector.request import request_of
from inspector.selection import Selection
from inspector.sentences import TRUNCATED
from inspector.shell.explaining import explain
from inspector.shell.output import form_of, put, say, say_facts
from inspector.shell.page import print_page, width_of
from inspector.shell.tables import PIPED, table_lines
from inspector.text import clean, json_text
from scoring.export import footer
from scoring.importing.imported_files import original_row
from scoring.names import match_name

TOLD = ("case", "subset", "generator", "problem", "earliest_error", "label", "error_type", "pattern", "reason_of_gold")
BESIDE = 3
"""Up to so many scorers stand beside the steps' texts; more have tables of their own, by number."""
ACROSS = 5
"""Scorers in one of these: with the words of gold they fill 80 columns."""


def run(args: argparse.Namespace) -> int:
    """Print or write one case, or the row of the file it was made of."""
    selection = load(request_of(args))
    row = _row(selection, args.case)
    if args.row:
        print(json_text(original_row(selection.workspace, selection.cases.row(row, named=True))))
        return 0
    if args.explain:
        return explain(selection, row, args)
    if args.original:
        # The lines are those of the screen.
        from inspector.shell.originals import original

        return original(selection, row, args)
    document = case_document(selection, row, form_of(args))
    if args.answers or not form_of(args):
        document = _with_answers(document, selection, row, texts=args.answers)
    if args.raw:
        facts = {**document.provenance, "command": f"{document.provenance['command']} --raw"}
        document = replace(document, provenance=facts, raw=True)
    if form_of(args):
        put(document, args, selection.problems)
        return 0
    say(selection.problems, args)
    print_page(_page(document), width_of(PIPED) if sys.stdout.isatty() else PIPED, pager=not args.quiet)
    say_facts(document.provenance, args)
    return 0


def _page(document: CaseDocument) -> Iterator[RenderableType]:
    """The case for a person: what is known of it, its steps, what scorers made of them, and what critics answered."""
    facts = {name: document.provenance[name] for name in TOLD if name in document.provenance}
    yield Text(clean("\n".join(footer(facts)), lines=True))
    for table in _tables(document):
        yield Text()
        yield from table_lines(table)
    yield from map(Text, _answers(document))


def _with_answers(document: CaseDocument, selection: Selection, row: int, *, texts: bool) -> CaseDocument:
    """The document with what critics answered, beside its votes; with their texts where asked for."""
    kept = {name: kept_answers(selection, name, row) for name in selection.chosen}
    found = {
        name: described(answers, selection.evaluation(name).scorer, texts=texts)
        for name, answers in kept.items()
        if answers.height
    }
    if not found:
        return document
    facts = {**document.provenance, "answers": found}
    if texts:
        facts["command"] += " --answers"
    return replace(document, provenance=facts)


def _answers(document: CaseDocument) -> Iterator[str]:
    """For a terminal: how each critic's answers voted, a line an answer, and its texts where they are there."""
    for name, answers in document.provenance.get("answers", {}).items():
        votes = document.provenance.get("votes", {}).get(name)
        yield clean(f"\nanswers of {name}" + (f": {votes}" if votes else ""), lines=True)
        several = len({answer["run"] for answer in answers}) > 1
        for answer in answers:
            run = f"run {answer['run']} " if several else ""
            told = [word for word in (answer["said"], measures(answer, answers)) if word]
            yield clean(f"  {run}vote {answer['vote']}  {'  '.join(told)}")
            yield from (indent(clean(f"[{part}]\n{text}", lines=True), "    ") for part, text in _texts(answer))


def _texts(answer: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The texts of an answer and what each is: a talk's call for call, by the step that they are about."""
    for call in answer.get("talk", ()):
        yield call["stage"] if call["step"] is None else f"step {call['step']}, {call['stage']}", call["text"]
    parts = ("reasoning",) if "talk" in answer else ("reasoning", "answer")
    yield from ((part, answer[part]) for part in parts if answer.get(part) is not None)


def _tables(document: CaseDocument) -> Iterator[pl.DataFrame]:
    """The steps with few scorers beside them, or many in tables that follow; at last a line a scorer."""
    table = document.table
    if table is None or not table.columns:
        yield document.rows
        return
    numbered = len(table.columns) > BESIDE
    heads = [str(n) if numbered else column.name for n, column in enumerate(table.columns, 1)]
    if numbered:
        yield document.rows.select("step", "text", "gold")
        for start in range(0, len(heads), ACROSS):
            yield _judged(table, heads, range(start, min(start + ACROSS, len(heads))))
    else:
        beside = _judged(table, heads, range(len(heads)))
        yield beside.insert_column(1, pl.Series("text", [*table.texts, "", ""], dtype=pl.String))
    yield _scorers(table, heads if numbered else None)


def _judged(table: CaseTable, heads: list[str], places: range) -> pl.DataFrame:
    """A line a step with the judgements of the scorers at these places, then their verdicts and step accuracies."""
    columns = {
        "step": [*map(str, range(len(table.texts))), "verdict", "accuracy"],
        "gold": [*table.gold, "", ""],
    }
    for place in places:
        scorer = table.columns[place]
        columns[heads[place]] = [*map(_marked, scorer.judgements), scorer.verdict, scorer.step_accuracy]
    return pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))


def _marked(judgement: Judgement) -> str:
    """A judgement for a terminal: `x` where the step is judged wrong, `<` at the verdict, `t` where it is truncated."""
    marks = ("x" if judgement.wrong else "") + ("<" if judgement.verdict else "")
    marks += TRUNCATED if judgement.truncated else ""
    return f"{judgement.text} {marks}".strip()


def _scorers(table: CaseTable, heads: list[str] | None) -> pl.DataFrame:
    names = [column.name for column in table.columns]
    outcomes = [column.outcome for column in table.columns]
    numbers = {} if heads is None else {"": heads}
    legend = "x judged wrong, < verdict" + (f", {TRUNCATED} truncated" if table.truncated else "")
    return pl.DataFrame({**numbers, "scorer": names, f"outcome ({legend})": outcomes})


def _row(selection: Selection, wanted: str) -> int:
    """The row id of the case called `wanted`, or of the only one whose name contains it."""
    names = selection.cases["case"]
    exact = selection.cases.with_row_index("_row").filter((pl.col("case") == wanted) | (pl.col("id") == wanted))
    if exact.height == 1:
        return int(exact["_row"][0])
    found = match_name(wanted, names.to_list(), "case")
    return int((names == found).arg_max() or 0)
