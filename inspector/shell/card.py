"""`card`: how a scorer's number came to be, or in what two differ and whether they may be compared."""

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from inspector.loading import load
from inspector.protocol_card.document import card_document
from inspector.protocol_card.fact import TITLES
from inspector.request import request_of
from inspector.shell.output import form_of, put, say
from inspector.shell.tables import print_table
from inspector.text import clean
from scoring.errors import UsageError
from scoring.export import Document
from scoring.names import match_name

_DIGEST = r"\b([0-9a-f]{12})[0-9a-f]{20,}\b"


def run(args: argparse.Namespace) -> int:
    """Print or write the card, or two beside each other."""
    if args.scorer:
        raise UsageError("card takes its scorers as words.", "Leave --scorer out: prm-inspect card NAME [OTHER].")
    request = request_of(args)
    words = (args.one, *([args.other] if args.other else []))
    selection = load(replace(request, scorers=words))
    names = [one.scorer.name for one in selection.evaluations]
    one, *other = (match_name(word, names, "scorer") for word in words)
    document = card_document(selection, one, other[0] if other else None, form_of(args))
    if args.raw:
        facts = {**document.provenance, "command": f"{document.provenance['command']} --raw"}
        document = Document(document.rows, facts, raw=True)
    if form_of(args):
        put(document, args, selection.problems)
        return 0
    say(selection.problems, args)
    for (benchmark,), rows in document.rows.group_by("benchmark", maintain_order=True):
        print(clean(f"{benchmark}: {' against '.join([one, *other])}"))
        print_table(wide_card(rows.filter(~rows["same"]) if other else rows))
        if other:
            print(clean(f"\nThe same in both: {', '.join(rows.filter(rows['same'])['fact'])}."))
            if unsaid := rows.filter(rows["same"].is_null())["fact"].to_list():
                print(clean(f"Said of neither: {', '.join(unsaid)}."))
        print()
    for line in _told(document.provenance):
        print(clean(line))
    return 0


def wide_card(rows: pl.DataFrame) -> pl.DataFrame:
    """A line a fact under its group's title; of two cards the second beside the first. Digests are shortened."""
    groups = [TITLES[name] for name in rows["group"]]
    first = ["" if at and groups[at - 1] == title else title for at, title in enumerate(groups)]
    columns = [pl.Series("about", first, dtype=pl.String), rows["fact"]]
    for name, value in (("scorer", "value"), ("other", "other_value")):
        if rows[name].null_count() < rows.height:
            shortened = rows[value].str.replace_all(_DIGEST, "$1")
            columns.append(shortened.alias(str(rows[name][0])))
    return pl.DataFrame(columns)


def _told(facts: Mapping[str, Any]) -> Iterator[str]:
    for about, sentences in facts["warnings"].items():
        yield from (f"Warning, {about}: {sentence}." for sentence in sentences)
    for sentences in facts["not_comparable"].values():
        yield from (f"Not comparable as they stand: {sentence}." for sentence in sentences)
    if facts["not_recorded"]:
        yield facts["not_recorded"]
