"""Which cases are like a case, in text or in rewards."""

from collections.abc import Iterator, Sequence

import polars as pl
from msgspec import Struct

from inspector.analyses import Option, Params, analysis
from inspector.analyses.show.show import load_case, row_of
from inspector.render.blocks import Block, Note, Section
from inspector.render.lines import CaseLink
from inspector.render.table_blocks import Cell, Column, Kind, table, text
from inspector.render.texts.sentences import WORDS
from inspector.render.view import View
from inspector.state.provenance import provenance
from scoring.data.storage.remembered import IdentityCache
from scoring.evaluation.similar import SimilarCase, TextIndex, nearest_courses
from scoring.evaluation.verdicts import OUTCOMES
from scoring.selection.result_set import ResultSet
from scoring.workspace.filtering.filters import Facet

MOST = 10
"""Cases of each kind."""
SIMILAR = {
    "case": pl.String(),
    "scorer": pl.String(),
    "likeness": pl.Float64(),
    "shared": pl.List(pl.String),
    "outcome": pl.String(),
    "tags": pl.List(pl.String),
}
"""Columns: `scorer` is whose rewards are alike, null = their texts; `outcome` is that of this scorer or the first."""
NOTES = (
    "texts: cosine of TF-IDF over the words, numbers and formulas of problem and steps; `shared` adds most to it",
    "rewards: 1 less the mean distance at 16 points along the solution, as a share of the scorer's range",
    "among the cases that the filter keeps; no model is asked",
)
LEAST = 0.1
"""Texts that are less alike share hardly more than common words."""
_indexes = IdentityCache(1)


class TaggedCase(Struct, frozen=True):
    """A case that people tagged, or put into a category, and how like it is to another, in (0, 1]."""

    case: str
    likeness: float
    tags: Sequence[str]


@analysis(
    "Similar cases",
    options=(Option("case", "the case: its name, its id or a part of it", positional=True, required=True),),
    whose="focus",
    loader=load_case,
    needs="Cases are like a case of {benchmark}: name one.",
    help="Which cases are like this one: in their words and formulas, and in the course of its rewards; with why.",
    examples=(
        "prm-inspect similar algebra-012 --benchmark demo --scorer blend",
        'prm-inspect similar algebra-012 --benchmark demo --where "n_steps > 8" --json',
    ),
    slow=True,
)
def similar(results: ResultSet, params: Params, intervals: bool) -> View:  # noqa: ARG001  # nothing here is resampled
    """Return the cases nearest to a case, in text and in the rewards of the chosen scorers."""
    row = row_of(results, params.get("case"))
    cases = list(alike(results, row))
    rows = pl.DataFrame([_row(results, *case) for case in cases], schema=SIMILAR, orient="row")
    name = results.cases["case"][row]
    command = results.query.command("similar", name, form=params.form)
    return View(
        rows,
        provenance(results, command, NOTES),
        title=f"Like {name}",
        lay_out=lambda: (Section(f"Like {name}", "similar", tuple(_blocks(rows))),),
        empty="" if rows.height else f"No other case that the filter keeps is like {name}.",
    )


def alike(results: ResultSet, row: int) -> Iterator[tuple[str | None, SimilarCase]]:
    """Yield the nearest cases: in text, with None, and in the rewards of each chosen scorer that has some, with it."""
    for other in _index(results).nearest(row, results.mask, MOST):
        yield None, other
    for evaluation in results.chosen_evaluations:
        for other in nearest_courses(evaluation, row, results.mask, MOST):
            yield evaluation.scorer.name, other


def tagged_alike(results: ResultSet, row: int, most: int = 3) -> list[TaggedCase]:
    """Return the tagged cases nearest in text to a case, at most `most`; none that shares hardly anything with it."""
    if results.labels.journal is None:
        return []
    triage = results.labels.journal.triage
    tagged = results.cases["case"].is_in([*triage.tags, *triage.categories]).to_numpy()
    neighbours = _index(results).nearest(row, tagged, most)
    cases = results.cases["case"]
    return [
        TaggedCase(cases[neighbour.row], neighbour.likeness, tags_of(results, cases[neighbour.row]))
        for neighbour in neighbours
        if neighbour.likeness >= LEAST
    ]


def _index(results: ResultSet) -> TextIndex:
    return _indexes.of("texts", (results.loaded.texts,), lambda: TextIndex.of(results.loaded.texts))


def outcome_of(results: ResultSet, scorer: str | None, row: int) -> str | None:
    """Return what a scorer (the first chosen, if None) makes of a case; None where there is none."""
    name = scorer or next(iter(results.chosen), None)
    return None if name is None else str(OUTCOMES[results.evaluation(name).codes[row]])


def tags_of(results: ResultSet, case: str) -> Sequence[str]:
    """Return what people tagged a case with, and the categories that they put it into."""
    if results.labels.journal is None:
        return ()
    triage = results.labels.journal.triage
    return (*triage.tags.get(case, ()), *dict.fromkeys(triage.categories.get(case, {}).values()))


def _row(results: ResultSet, scorer: str | None, other: SimilarCase) -> dict[str, object]:
    case = results.cases["case"][other.row]
    return {
        "case": case,
        "scorer": scorer,
        "likeness": other.likeness,
        "shared": list(other.shared),
        "outcome": outcome_of(results, scorer, other.row),
        "tags": list(tags_of(results, case)),
    }


def _blocks(rows: pl.DataFrame) -> Iterator[Block]:
    columns: list[str | Column] = ["case", "alike", "outcome", "tags", Column("shared", wraps=True)]
    for part in rows.partition_by("scorer", maintain_order=True):
        scorer = part["scorer"][0]
        lines = [
            [
                text(row["case"], link=CaseLink((Facet("case", (row["case"],)).sql,), 1, row["case"])),
                Cell(row["likeness"], Kind.SHARE),
                text(WORDS.get(row["outcome"], row["outcome"])),
                text(", ".join(row["tags"])),
                text(" ".join(row["shared"])),
            ]
            for row in part.iter_rows(named=True)
        ]
        yield table("In text" if scorer is None else f"In the rewards of {scorer}", columns, lines)
    yield Note("Likeness in percent; `shared` is what adds most to it.", "quiet")
