"""`prms`: the PRMs that the program knows, everything about one, and the contract test of an adapter."""

import argparse
from typing import Any

import polars as pl

from inspector.cli.actions.output import form_of, put
from inspector.cli.actions.paging import print_page, width_of
from inspector.cli.actions.prm_pages import check_page, family_page, list_page
from inspector.render.documents.row_documents import Document
from inspector.state.processes.prm_question import ask, prm_words
from scoring import __version__
from scoring.data.errors import NoWorkspace, UsageError
from scoring.data.names import match_name, without
from scoring.data.own_code import installed, is_file, package_of
from scoring.models.prms.about import ABOUT
from scoring.models.prms.family_facts import FamilyFacts, facts_of
from scoring.models.prms.output_labels import OPTION, OPTION_MEANING, orders
from scoring.models.prms.own import GROUP, own_family
from scoring.models.prms.prm_catalogue import ADAPTERS, family
from scoring.selection.query import Query
from scoring.workspace.workspace_place import find_workspace

LISTED = {
    "name": pl.String(),
    "family": pl.String(),
    "checkpoints": pl.List(pl.String()),
    "range": pl.String(),
    "rule": pl.String(),
    "source": pl.String(),
    "options": pl.List(pl.String()),
    "meanings": pl.List(pl.String()),
    "reads": pl.String(),
    "length": pl.String(),
    "thresholds": pl.List(pl.String()),
}
CHECKED = {"check": pl.String(), "status": pl.String(), "reason": pl.String(), "next_step": pl.String()}
LIST_PIPED, PAGE_PIPED = 200, 100
"""Cells of a line where there is no terminal."""


def run(args: argparse.Namespace) -> int:
    """Print the list or one family, or check an adapter: 1 where a check failed."""
    if args.action == "check":
        return _check_adapter(args)
    if args.model or args.cases or args.name:
        others = without("--weights", "--cases", meaning="list the families")
        sentence = "--weights and --cases belong to `prms check NAME`."
        raise UsageError(sentence, "Name the adapter to check.", instead=others)
    return _list(args) if args.action is None else _one(args)


def _list(args: argparse.Namespace) -> int:
    if form_of(args):
        put(listing(form_of(args), raw=args.raw), args)
        return 0
    width = width_of(LIST_PIPED)
    print_page(list_page([*map(_cut, _rows())], width, ascii_only=args.ascii), width, pager=not args.quiet)
    return 0


def _one(args: argparse.Namespace) -> int:
    """Everything about one family, or about an adapter of the user's own."""
    row = _row_of(args.action)
    if form_of(args):
        command = Query().command("prms", row["name"], form=form_of(args))
        rows = pl.DataFrame([row], schema=LISTED, orient="row")
        put(Document(rows, _provenance(command, raw=args.raw), raw=args.raw), args)
        return 0
    width = width_of(PAGE_PIPED)
    about = ABOUT.get(row["name"])
    reference = row["name"] in ADAPTERS and hasattr(family(row["name"]), "reference_model")
    page = family_page(row, width, about.bounds if about else "", reference=reference)
    print_page(page, width, pager=not args.quiet)
    return 0


def _check_adapter(args: argparse.Namespace) -> int:
    if args.name is None:
        raise UsageError("which adapter should be checked?", f"Known are {', '.join(ADAPTERS)}; or give a FILE.py.")
    words = [args.name, *(["--cases", args.cases] if args.cases else []), *prm_words(args, "--weights")]
    code, answer = ask(["check", *words, *_workspace(args)])
    if answer is None:
        return code or 2
    if form_of(args):
        command = Query(workspace=args.workspace).command("prms", "check", *words, form=form_of(args))
        rows = pl.DataFrame(answer["results"], schema=CHECKED, orient="row")
        put(Document(rows, _provenance(command, raw=args.raw), raw=args.raw), args)
        return code
    width = width_of(PAGE_PIPED)
    print_page(check_page(answer, width, ascii_only=args.ascii), width, pager=not args.quiet)
    return code


def listing(form: str = "", *, raw: bool = False) -> Document:
    """Return every adapter by name: the program's own families, then those of installed packages, not imported."""
    command = Query().command("prms", form=form)
    return Document(pl.DataFrame(_rows(), schema=LISTED, orient="row"), _provenance(command, raw=raw), raw=raw)


def _rows() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [_row(name) for name in ADAPTERS]
    for name, entry in installed(GROUP).items():
        # A name of the program's own cannot be taken over.
        if name not in ADAPTERS:
            rows.append({"name": name, "source": f"{entry.value} of the package {package_of(entry)}"})
    return rows


def _row_of(word: str) -> dict[str, Any]:
    """The row of the adapter that is called so, in whole or by a part of its name."""
    rows = {row["name"]: row for row in _rows()}
    if word not in rows and is_file(word):
        own = own_family(word)
        return _facts(word, facts_of(getattr(own, "made", own)))
    return rows[match_name(word, list(rows), "PRM family")]


def _row(name: str) -> dict[str, Any]:
    about = ABOUT[name]
    own = {
        "reads": about.reads,
        "length": about.length,
        "thresholds": [f"{who}: {rule}" for who, rule in about.thresholds],
    }
    row = _facts(name, facts_of(family(name))) | own
    if about.outputs:
        row["options"].append(f"{OPTION}={'|'.join(orders(about.outputs))}")
        row["meanings"].append(f"{OPTION}: {OPTION_MEANING}")
    return row


def _facts(name: str, facts: FamilyFacts) -> dict[str, Any]:
    return {
        "name": name,
        "family": facts.scale.family if facts.scale else name,
        "checkpoints": list(facts.checkpoints),
        "range": facts.range,
        "rule": facts.rule,
        "source": facts.source,
        "options": list(facts.choices),
        "meanings": [f"{option}: {meaning}" for option, meaning in facts.meanings.items()],
    }


def _cut(row: dict[str, Any]) -> dict[str, Any]:
    """A row with its rule in short: how a reward stands to the threshold where its step is wrong."""
    return {**row, "cut": facts_of(family(row["name"])).cut if row["name"] in ADAPTERS else ""}


def _provenance(command: str, *, raw: bool) -> dict[str, str]:
    return {"command": f"{command} --raw" if raw else command, "version": __version__}


def _workspace(args: argparse.Namespace) -> list[str]:
    """Weights that have to be converted are kept in the workspace, where there is one."""
    try:
        root = find_workspace(args.workspace).root
    except NoWorkspace:
        if args.workspace is not None:
            raise
        return []
    return ["--workspace", str(root)] if root else []
