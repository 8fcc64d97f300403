"""Which cases are like a case, in text or in rewards."""

from collections.abc import Iterator, Sequence

import polars as pl

from inspector.analyses import Option, Params, analysis
from inspector.analyses.show import row_of
from inspector.provenance import provenance
from inspector.render.lines import CaseLink
from inspector.render.view import Block, Cell, Column, Kind, Note, Section, View, table, text
from inspector.selection import Selection
from inspector.sentences import WORDS
from scoring.filters import Facet
from scoring.remembered import Remembered
from scoring.similar import Alike, TextIndex, nearest_courses
from scoring.verdicts import OUTCOMES

MOST = 10
"""Cases of each kind."""
SIMILAR = {
    "case": pl.String(),
    "like": pl.String(),
    "likeness": pl.Float64(),
    "shared": pl.List(pl.String),
    "outcome": pl.String(),
    "tags": pl.List(pl.String),
}
"""Columns: `like` is `text`, or the scorer whose rewards are alike; `outcome` is that of this scorer or the first."""
NOTES = (
    "texts: cosine of TF-IDF over the words, numbers and formulas of problem and steps; `shared` adds most to it",
    "rewards: 1 less the mean distance at 16 points along the solution, as a share of the scorer's range",
    "among the cases that the filter keeps; no model is asked",
)
_indexes = Remembered(1)


@analysis(
    "Similar cases",
    options=(Option("case", "the case: its name, its id or a part of it", positional=True, required=True),),
    whose="focus",
    needs="Cases are like a case of {benchmark}: name one.",
    help="Which cases are like this one: in their words and formulas, and in the course of its rewards; with why.",
    examples=(
        "prm-inspect similar algebra-012 --benchmark demo --scorer blend",
        'prm-inspect similar algebra-012 --benchmark demo --where "n_steps > 8" --json',
    ),
    slow=True,
)
def similar(results: Selection, params: Params, intervals: bool) -> View:  # noqa: ARG001  # nothing here is resampled
    """Give the cases nearest to a case, in text and in the rewards of the chosen scorers."""
    row = row_of(results, params.get("case"))
    found = list(alike(results, row))
    rows = pl.DataFrame([_row(results, *one) for one in found], schema=SIMILAR, orient="row")
    case = results.cases["case"][row]
    command = results.request.command("similar", case, form=params.form)
    return View(
        rows,
        provenance(results, command, NOTES),
        title=f"Like {case}",
        lay_out=lambda: (Section(f"Like {case}", "similar", tuple(_blocks(results, found))),),
        empty="" if rows.height else f"No other case that the filter keeps is like {case}.",
    )


def alike(results: Selection, row: int) -> Iterator[tuple[str, Alike]]:
    """Give the nearest cases in text (`text`), and in rewards of each chosen scorer that has some (its name)."""
    for one in index_of(results).nearest(row, results.mask, MOST):
        yield "text", one
    for evaluation in results.chosen_evaluations:
        for one in nearest_courses(evaluation, row, results.mask, MOST):
            yield evaluation.scorer.name, one


def index_of(results: Selection) -> TextIndex:
    """Give the index of all texts, made once: half a second for three thousand cases."""
    return _indexes.of("texts", (results.texts,), lambda: TextIndex.of(results.texts))


def _row(results: Selection, like: str, one: Alike) -> dict[str, object]:
    case = results.cases["case"][one.row]
    return {
        "case": case,
        "like": like,
        "likeness": one.likeness,
        "shared": list(one.shared),
        "outcome": outcome_of(results, like, one.row),
        "tags": list(tags_of(results, case)),
    }


def outcome_of(results: Selection, like: str, row: int) -> str | None:
    """What the scorer makes of a case: the one whose rewards are alike, else the first one chosen; None = no scorer."""
    names = [one.scorer.name for one in results.chosen_evaluations]
    if not names:
        return None
    outcome: str = OUTCOMES[results.evaluation(like if like in names else names[0]).codes[row]]
    return outcome


def tags_of(results: Selection, case: str) -> Sequence[str]:
    """Give what people tagged a case with, and the categories that they put it into."""
    if results.journal is None:
        return ()
    triage = results.journal.triage
    return (*triage.tags.get(case, ()), *dict.fromkeys(triage.categories.get(case, {}).values()))


def _blocks(results: Selection, found: Sequence[tuple[str, Alike]]) -> Iterator[Block]:
    for like in dict.fromkeys(like for like, _ in found):
        title = "In text" if like == "text" else f"In the rewards of {like}"
        lines = []
        for one in (one for kind, one in found if kind == like):
            case = results.cases["case"][one.row]
            outcome = outcome_of(results, like, one.row)
            link = CaseLink((Facet("case", (case,)).sql,), 1, case)
            lines.append(
                [
                    text(case, link=link),
                    Cell(one.likeness, Kind.SHARE),
                    text(WORDS.get(outcome, outcome) if outcome else ""),
                    text(", ".join(tags_of(results, case))),
                    text(" ".join(one.shared)),
                ]
            )
        columns: list[str | Column] = ["case", "alike", "outcome", "tags", Column("shared", wraps=True)]
        yield table(title, columns, lines)
    yield Note("Likeness in percent; `shared` is what adds most to it.", "quiet")
