"""`show CASE --explain`: the tokens that a PRM sees of a case, whose they are, which are read and what came of it."""

import argparse
from collections.abc import Mapping
from typing import Any

import polars as pl

from inspector.prm_job import ask, prm_words
from inspector.provenance import program_version
from inspector.selection import Selection
from inspector.shell.output import form_of, put, say, say_facts
from inspector.shell.page import print_page, width_of
from inspector.shell.xray_page import XrayPage
from inspector.weights_place import other_settings, place_of
from inspector.xray import problems
from scoring.errors import UsageError
from scoring.export import Document
from scoring.names import match_name
from scoring.scorer import Scorer

TOKENS = {
    "sequence": pl.Int32(),
    "index": pl.Int32(),
    "id": pl.Int32(),
    "token": pl.String(),
    "part": pl.String(),
    "step": pl.Int32(),
    "read": pl.Boolean(),
    "logits": pl.List(pl.Float64()),
    "values": pl.List(pl.Float64()),
    "reward": pl.Float64(),
    "redundancy": pl.Float64(),
    "warning": pl.String(),
}
PIPED = 100
"""Cells of a line where there is no terminal."""


def explain(selection: Selection, row: int, args: argparse.Namespace) -> int:
    """Print or write the X-ray of the case in this row of the selection."""
    case = selection.cases["case"][row]
    scorer = _scorer(selection, args)
    if args.model is None:
        args.model, args.revision, args.dtype = place_of(scorer, selection.workspace.root)
    words = [*prm_words(args), *(["--tokens-only"] if args.tokens_only else [])]
    root = selection.workspace.root
    where = [*(["--workspace", str(root)] if root else []), f"--benchmark={selection.cases['benchmark'][row]}"]
    code, answer = ask(["explain", case, *where, *words])
    if answer is None:
        return code or 2
    whole = ["--all-tokens"] if args.all_tokens else []
    command = selection.request.command("show", case, "--explain", *whole, *words, form=form_of(args))
    document = _document(answer, command, raw=args.raw)
    said = [*answer["notes"], *other_settings(scorer, answer)]
    if form_of(args):
        put(document, args, [*said, *problems(answer)])
        return 0
    say(said, args)
    steps = selection.texts.row(row)["steps"]
    page = XrayPage(answer, steps, width_of(PIPED), ascii_only=args.ascii, whole=args.all_tokens)
    print_page(page.lines(), page.width, pager=not args.quiet)
    say_facts(document.provenance, args)
    return 0


def _document(answer: Mapping[str, Any], command: str, *, raw: bool) -> Document:
    rows = [{**token, "token": token["text"]} for token in answer["tokens"]]
    told = (
        "case",
        "model",
        "family",
        "settings",
        "range",
        "rule",
        "outputs",
        "engine",
        "refused",
        "steps",
        "warnings",
        "notes",
    )
    provenance = {"command": f"{command} --raw" if raw else command, "version": program_version()}
    frame = pl.DataFrame(rows, schema=TOKENS, orient="row")
    return Document(frame, provenance | {name: answer[name] for name in told}, raw=raw)


def _scorer(selection: Selection, args: argparse.Namespace) -> Scorer | None:
    """The one scorer that is named, if any."""
    if not args.scorer:
        return None
    names = [one.scorer.name for one in selection.evaluations]
    found = {match_name(word, names, "scorer") for word in args.scorer}
    if len(found) > 1:
        raise UsageError("--explain is about one scorer, and several are named.", "Name one.")
    return selection.evaluation(found.pop()).scorer
