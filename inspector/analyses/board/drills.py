"""The cases behind a number of the board, and the conditions that leave exactly these.

A share opens the cases of its denominator, a count those that it counts, a difference those that both scorers have.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from inspector.analyses.board.board_rows import BoardSlice, subset_facet
from inspector.analyses.board.cells import NOBODY, PUBLISHED
from inspector.render.lines import CaseLink
from inspector.render.texts.sentences import WORDS
from scoring.data.schema import Bools
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.gold import UNKNOWN_STEP
from scoring.evaluation.verdicts import DEV, OUTCOMES, REFUSED, UNPARSED, UNSCORED
from scoring.formats.benchmarks.case_format import StepLabelled
from scoring.metrics.benchmark_metrics import metrics_of
from scoring.metrics.kernel import CasesOf, Decided, Metric
from scoring.metrics.own import own_metrics
from scoring.metrics.step_contributions import judged_steps
from scoring.metrics.step_labels import counted_cases
from scoring.metrics.step_metrics import NEGATIVE_ACC, POSITIVE_ACC, PRMSCORE
from scoring.selection.result_set import ResultSet
from scoring.workspace.filtering.filters import Facet
from scoring.workspace.filtering.sql_words import literal, named

NO_NUMBER = "There is no number in this cell with cases behind it."
PRINTED = "This figure is printed in a paper: none of its cases is here."
FEW_NAMES = 400
"""Cases that conditions name one by one at most, where no other condition leaves exactly the right ones."""
COMPARED = frozenset({"score", "interval", "on_wrong", "on_right"})
"""Columns that are told as differences to a reference."""
_SIDES = {
    **dict.fromkeys(("score", "interval", "n", "sd", "runs", "bias"), ""),
    **dict.fromkeys(("on_wrong", "fp", "fn"), "wrong"),
    "on_right": "right",
}
"""Columns and what their denominators hold: erroneous or clean cases (wrong or right steps), "" for both."""
_OF_SCORE = frozenset({"score", "interval", "n", "sd", "runs"})
"""Columns that speak of the cases of the score."""
_GOLD = {"wrong": "earliest_error >= 0", "right": "earliest_error = -1", "": "earliest_error IS NOT NULL"}
_STEPS: dict[str, Metric] = {"wrong": NEGATIVE_ACC, "right": POSITIVE_ACC, "": PRMSCORE}


class CellCases(NamedTuple):
    """The cases (n,) behind a cell, what they are in words, and conditions of which some leave exactly these."""

    rows: Bools
    words: str
    tries: tuple[tuple[str, ...], ...]


def board_drill(
    results: ResultSet, piece: BoardSlice, row: Mapping[str, Any], column: str, against: str = ""
) -> CaseLink | str:
    """Return what a cell opens, or why it opens nothing.

    Args:
        results: what the board shows.
        piece: the cases of the row.
        row: one of `board_frame`.
        column: a key of `inspector.analyses.board.arrangement.MEANINGS`.
        against: the scorer that scores are told as differences to, "" for none.
    """
    if row["kind"] == PUBLISHED:
        return PRINTED
    if row["kind"] == NOBODY:
        return NO_NUMBER
    behind = _behind(piece, results.evaluation(row["scorer"]), column, results)
    if behind is None or row.get(column, 0) is None:
        return NO_NUMBER
    others: tuple[str, ...] = ()
    if column in COMPARED and against not in {"", row["scorer"]} and against in _names(results):
        also = _behind(piece, results.evaluation(against), column, results)
        behind, others = _both(behind, also or behind, against), (against,)
    n = int(behind.rows.sum())
    if not n:
        return f"There are no {behind.words}."
    where = _exact(results, piece, behind)
    if where is None:
        return f"No short condition leaves exactly the {n:,} {behind.words}."
    subset = () if piece.subset is None else (subset_facet(piece.subset).sql,)
    return CaseLink((*subset, *where), n, behind.words, row["scorer"], others, piece.benchmark)


def _names(results: ResultSet) -> set[str]:
    return {evaluation.scorer.name for evaluation in results.evaluations}


def _both(own: CellCases, other: CellCases, against: str) -> CellCases:
    tries = tuple(dict.fromkeys((*first, *second) for first in own.tries for second in other.tries))
    return CellCases(own.rows & other.rows, f"{own.words}, of this scorer and of {against}", tries)


def _behind(piece: BoardSlice, evaluation: Evaluation, column: str, results: ResultSet) -> CellCases | None:
    """What is behind a column's cell of a scorer; None where that is no number."""
    codes, outcome = evaluation.codes, f"{evaluation.scorer.name}.outcome"
    if column in OUTCOMES:
        rows = piece.rows & (codes == OUTCOMES.index(column))
        return CellCases(rows, f"cases with the outcome {WORDS[column]}", ((Facet(outcome, (column,)).sql,),))
    if column == "cases":
        return CellCases(piece.rows, "cases", ((),))
    if column in {"coverage", "threshold"}:
        without = (UNPARSED, REFUSED, UNSCORED, DEV)
        scored = piece.rows & ~np.isin(codes, without)
        if not scored.any():
            return CellCases(piece.rows, "cases without a verdict", ((),))
        return CellCases(scored, "cases with a verdict", tuple(_by_outcome(evaluation, scored)))
    own = next((made.cases for made in own_metrics() if made.name == column), None)
    if own is not None:
        return _of_own(own, piece, evaluation, results)
    return _of_figure(piece, evaluation, column, results) if column in _SIDES else None


def _of_figure(piece: BoardSlice, evaluation: Evaluation, column: str, results: ResultSet) -> CellCases:
    reported = metrics_of(piece.benchmark)
    if reported.steps is not None and column not in {"fp", "fn"}:
        return _of_steps(reported.steps, piece, evaluation, column)
    if reported.own and column in _OF_SCORE:
        return _of_own(reported.cases, piece, evaluation, results)
    return _of_cases(piece, evaluation, _SIDES[column], results)


def _of_own(cases: CasesOf, piece: BoardSlice, evaluation: Evaluation, results: ResultSet) -> CellCases:
    """The cases that a figure of the benchmark's own is of."""
    unparsed = results.unparsed(piece.benchmark)
    there = piece.rows & cases.rows(Decided(evaluation, unparsed))
    tries = (cases.where(evaluation.scorer.name, unparsed), *_by_outcome(evaluation, there))
    return CellCases(there, cases.words or "cases in the denominator", tries)


def _of_cases(piece: BoardSlice, evaluation: Evaluation, side: str, results: ResultSet) -> CellCases:
    """The erroneous or clean cases in the denominators, or both."""
    earliest = evaluation.gold.earliest
    there = piece.rows & Decided(evaluation, results.unparsed(piece.benchmark)).members
    there = there & (earliest >= 0) if side == "wrong" else there & (earliest < 0) if side == "right" else there
    kind = {"wrong": "erroneous cases", "right": "clean cases", "": "cases"}[side]
    tries = [(*conditions, *also) for conditions in _by_outcome(evaluation, there) for also in ((), (_GOLD[side],))]
    return CellCases(there, f"{kind} in the denominator", tuple(tries))


def _of_steps(steps: StepLabelled, piece: BoardSlice, evaluation: Evaluation, column: str) -> CellCases:
    """The cases with a step in the denominator."""
    side = _SIDES[column]
    if column == "bias":
        judged = judged_steps(evaluation, piece.benchmark)
        there = np.zeros(piece.rows.size, dtype=np.bool_)
        there[judged.cases[judged.gold(evaluation.gold) != UNKNOWN_STEP]] = True
        there &= piece.rows
    else:
        there = counted_cases(evaluation, piece.rows, steps, _STEPS[side])
    kind = {"wrong": "a wrong step", "right": "a right step", "": "a labelled step"}[side]
    judged_sql = (f"{named(f'{evaluation.scorer.name}.step_accuracy')} IS NOT NULL",)
    first = [judged_sql, (*judged_sql, _GOLD[side])]
    return CellCases(there, f"cases with {kind} in the denominator", (*first, *_by_outcome(evaluation, there)))


def _by_outcome(evaluation: Evaluation, rows: Bools) -> Iterator[tuple[str, ...]]:
    """The condition that keeps the outcomes that occur among the cases."""
    present = [OUTCOMES[code] for code in np.unique(evaluation.codes[rows])]
    yield (Facet(f"{evaluation.scorer.name}.outcome", tuple(present)).sql,)


def _exact(results: ResultSet, piece: BoardSlice, behind: CellCases) -> tuple[str, ...] | None:
    """Conditions that leave exactly these of the cases of the piece; None where only a long list of names would."""
    wider = []
    for conditions in dict.fromkeys((*behind.tries, ())):
        left = piece.rows & results.evaluated.passing(conditions)
        if np.array_equal(left, behind.rows):
            return conditions
        if not (behind.rows & ~left).any():
            wider.append((int((left & ~behind.rows).sum()), conditions, left))
    more, conditions, left = min(wider, key=lambda attempt: attempt[0])
    if more <= FEW_NAMES:
        return (*conditions, f"case NOT IN ({_listed(results, left & ~behind.rows)})")
    return (f"case IN ({_listed(results, behind.rows)})",) if behind.rows.sum() <= FEW_NAMES else None


def _listed(results: ResultSet, rows: Bools) -> str:
    return ", ".join(literal(name) for name in results.cases["case"].filter(rows))
