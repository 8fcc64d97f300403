"""The comparison: who stands where on common cases, and every pair with the best, as `compare` tells them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import polars as pl

from inspector.comparison import best_first, compare_document
from inspector.comparison_tables import n_pairs, together, wide_cascade, wide_pairs, wide_standings, with_the_best
from inspector.report.blocks import Block, Bullets, Cell, Command, Fold, Sentence, Table, table_of
from inspector.report.facts import OfBenchmark
from inspector.selection import Selection
from scoring.export import Document

MOST_PAIRS = 66
"""All pairs are listed up to so many; of more only those with the best."""
FACTS = ("common_cases", "interval", "family", "cascade", "prmscore")
"""What the provenance of a comparison says by benchmark."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """The document of `compare`, or why there is none."""

    document: Document | None
    reason: str = ""


def comparison_of(selection: Selection) -> Comparison:
    """The chosen scorers that have a verdict on the shown cases, compared; the best first unless some were named."""
    shown = selection.mask
    able = tuple(one.scorer.name for one in selection.chosen_evaluations if (one.answered & shown).any())
    if len(able) < 2:
        return Comparison(None, _alone(able))
    chosen = replace(selection, chosen=able)
    return Comparison(compare_document(chosen if selection.request.scorers else best_first(chosen)))


def _alone(able: Sequence[str]) -> str:
    """Why there is no comparison of the scorers that have a verdict."""
    told = f"{able[0]} is the only scorer with a verdict here" if able else "no scorer has a verdict here"
    return f"No comparison: it needs two scorers, and {told}."


def comparison_blocks(of: OfBenchmark, found: Comparison) -> Iterator[Block]:
    """The standings, what all make of a case together, and the pairs."""
    if found.document is None:
        yield Sentence(found.reason)
        return
    rows = found.document.rows.filter(pl.col("benchmark") == of.name)
    able = [one.scorer.name for one in of.scorers if (one.answered & of.rows).any()]
    if len(able) < 2 or not rows.height:
        yield Sentence(_alone(able))
        return
    yield table_of(wide_standings(rows), "Standings on common cases, in percent", ("benchmark",))
    if said := [line.removeprefix(f"{of.name}: ") for line in together(rows)]:
        yield Bullets(tuple(_upper(line) for line in _joined(said)))
    pairs = wide_pairs(rows)
    shown = with_the_best(pairs, rows) if pairs.height else pairs
    if shown.height:
        yield _pairs_table(shown)
    else:
        yield Sentence("No pair of scorers has common cases.")
    yield Bullets(tuple(_said(found.document.provenance, of.name)))
    if left := n_pairs(pairs) - n_pairs(shown) if pairs.height else 0:
        if n_pairs(pairs) <= MOST_PAIRS:
            yield Fold(f"All {n_pairs(pairs)} pairs", (_pairs_table(pairs),))
        else:
            yield Sentence(f"{left} other pairs are printed by the command below.", "quiet")
    if (cascade := wide_cascade(rows)).height:
        table = table_of(cascade, "How many cases at least one scorer so far has right (+ new ones)", ("benchmark",))
        yield Fold("Any of several scorers right", (table,))
    yield Command(found.document.provenance["command"])


def _pairs_table(pairs: pl.DataFrame) -> Table:
    """The lines of pairs, each pair named once; a scorer that all of them have stands above."""
    caption = "differences in percentage points with 95% intervals, and on how many cases who is right"
    ends = ("scorer", "other")
    alike = next((side for side in ends if pairs[side].n_unique() == 1), None)
    words = {"scorer": "{} less each other", "other": "each less {}"}
    told = "each pair" if alike is None else words[alike].format(pairs[alike][0])
    plain = table_of(pairs, f"{_upper(told) if alike is None else told}: {caption}", ("benchmark", *ends))
    labels = [_pair(scorer, other, alike) for scorer, other in pairs.select(ends).iter_rows()]
    first = [at == 0 or label != labels[at - 1] for at, label in enumerate(labels)]
    lengths = [
        next((number for number in range(1, len(labels) - at) if first[at + number]), len(labels) - at)
        for at in range(len(labels))
    ]
    cells = (
        replace(label, rows=length if new else 0) for label, length, new in zip(labels, lengths, first, strict=True)
    )
    head = {"scorer": "other", "other": "scorer"}.get(alike or "", "pair")
    rows = tuple((cell, *row) for cell, row in zip(cells, plain.rows, strict=True))
    return replace(plain, heads=(head, *plain.heads), rows=rows, right=(False, *plain.right), labels=2)


def _pair(scorer: str, other: str, alike: str | None) -> Cell:
    """How a pair is named where one of its ends is named above, or is not."""
    if alike is None:
        return Cell(scorer, f"less {other}")
    return Cell(other if alike == "scorer" else scorer)


def _upper(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _said(provenance: Mapping[str, Any], benchmark: str) -> Iterator[str]:
    """How the comparison came to be."""
    for name in FACTS:
        told = provenance.get(name) or {}
        if told.get(benchmark):
            yield f"{_upper(name.replace('_', ' '))}: {told[benchmark]}"
    yield f"Test: {provenance['test']}"
    # A note about one benchmark begins with its name.
    others = [f"{name}: " for name in provenance["common_cases"] if name != benchmark]
    notes = (note for note in provenance["notes"] if not note.startswith(tuple(others)))
    yield from (note.removeprefix(f"{benchmark}: ") for note in notes)


def _joined(lines: list[str]) -> Iterator[str]:
    """The sentences, each difference with the figure before it."""
    for line, following in pairwise([*lines, ""]):
        if not line.startswith(("+", "-")):
            yield f"{line}; {following}" if following.startswith(("+", "-")) else line
