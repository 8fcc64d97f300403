"""Protocol cards as a document: what `card` prints and its screen exports."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import polars as pl

from inspector.protocol_card.card import Card, card
from inspector.protocol_card.difference import differences
from inspector.protocol_card.incomparable import incomparable, remedy_of
from inspector.protocol_card.settings import not_recorded
from inspector.provenance import provenance
from inspector.selection import Selection
from scoring.errors import UsageError
from scoring.export import Document

CARD = {
    "benchmark": pl.String(),
    "group": pl.String(),
    "fact": pl.String(),
    "scorer": pl.String(),
    "value": pl.String(),
    "other": pl.String(),
    "other_value": pl.String(),
    "same": pl.Boolean(),
}
"""A row a fact. Of one card `other`, `other_value` and `same` are null; of two, `same` where neither says it."""


def card_document(selection: Selection, scorer: str, other: str | None = None, form: str = "") -> Document:
    """The card of a scorer, or of two side by side, on every benchmark of the shown cases that either covers.

    Raises:
        UsageError: there is no such benchmark, or both are one scorer.
    """
    if scorer == other:
        raise UsageError(f"{scorer} differs from itself in nothing.", "Name another scorer, or leave it out.")
    names = (scorer,) if other is None else (scorer, other)
    pair = replace(selection, chosen=names)
    benchmarks = shown_benchmarks(pair, names)
    if not benchmarks:
        raise UsageError("there is no case to make a card of.", "Change --where, --subset or --benchmark.")
    cards = {name: tuple(card(pair, one, name) for one in names) for name in benchmarks}
    rows = [row for found in cards.values() for row in _rows(*found)]
    request = replace(pair.request, scorers=(), by=(), sort="")
    command = request.command("card", *names, form=form)
    facts = provenance(replace(pair, request=request), command)
    reasons = {name: incomparable(pair, names, name) for name in benchmarks} if other is not None else {}
    extra: dict[str, Any] = {
        "warnings": {
            f"{one.scorer} on {one.benchmark}": list(one.warnings)
            for found in cards.values()
            for one in found
            if one.warnings
        },
        "not_comparable": {name: [str(one) for one in found] for name, found in reasons.items() if found},
        "not_recorded": not_recorded(pair.evaluation(one).scorer for one in names) if other is not None else "",
        "common_cases": {name: list(remedy_of(found)) for name, found in reasons.items() if remedy_of(found)},
    }
    return Document(pl.DataFrame(rows, schema=CARD, orient="row"), {**facts, **extra})


def shown_benchmarks(selection: Selection, names: tuple[str, ...]) -> list[str]:
    """The benchmarks of the shown cases for which one of the scorers gave anything; all of them where none did."""
    there = selection.cases["benchmark"].gather(selection.shown).unique(maintain_order=True).to_list()
    covered = [name for name in there if any(selection.evaluation(one).covers(name) for one in names)]
    return sorted(covered or there)


def _rows(one: Card, other: Card | None = None) -> Iterator[dict[str, Any]]:
    if other is None:
        for fact in one.facts:
            yield {
                "benchmark": one.benchmark,
                "group": fact.group,
                "fact": fact.name,
                "scorer": one.scorer,
                "value": fact.value,
            }
        return
    for pair in differences(one, other):
        yield {
            "benchmark": one.benchmark,
            "group": pair.group,
            "fact": pair.name,
            "scorer": one.scorer,
            "value": pair.value,
            "other": other.scorer,
            "other_value": pair.other,
            "same": pair.same,
        }
