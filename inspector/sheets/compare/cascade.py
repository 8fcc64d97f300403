"""A first, B where A is not sure: what that costs, and what it gives."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import isnan
from typing import Any

from inspector.charts.axes import Tick
from inspector.charts.curve import Series, curve
from inspector.complementing.answer_costs import answer_costs
from inspector.complementing.cascade_document import POINTS
from inspector.paint import Brush
from inspector.selection import Selection
from inspector.sentences import counted
from inspector.sheets.layout import Cell, heading, paragraph, table
from inspector.sheets.sheet import Drill, Piece, Row
from inspector.sheets.words import count, percent
from scoring.metrics.cascade import RULE, Cascade, cascade
from scoring.metrics.figure import Figure
from scoring.metrics.lineup import Lineup
from scoring.metrics.lineup_conditions import EVERY, common_of
from scoring.metrics.paired import SharedScores
from scoring.step_rewards import Floats

WIDE = 90
"""Cells from which the accuracies have their intervals beside them."""


@dataclass(frozen=True, eq=False)
class Cascades:
    """A cascade, the cuts (0-based) that are shown, and the scores of A, B and the cascade at each of them.

    `tokens` (of `found.cuts`) is what B's answers cost, NaN with an unknown one; None where none is known.
    """

    found: Cascade
    cuts: tuple[int, ...]
    scores: SharedScores
    tokens: Floats | None = None


def cascades(selection: Selection, lineup: Lineup) -> Cascades | None:
    """Simulate A before B, the two scorers of a lineup; None where A has no distance from a threshold."""
    distances = selection.evaluation(lineup.names[0]).decision_distances[lineup.rows]
    found = cascade(lineup, 0, 1, distances)
    if not found.n or found.cuts.size < 2:
        return None
    cuts = sorted({*found.spread(POINTS).tolist(), *([found.best] if found.best is not None else [])})
    costs, unknown = answer_costs(selection, lineup.names[1])
    tokens = None if unknown else found.spent(costs[found.shared.rows])
    return Cascades(found, tuple(cuts), found.scores(cuts, selection.request.seed), tokens)


def cascade_lines(
    names: tuple[str, str], made: Cascades | None, *, waiting: bool, brush: Brush, width: int, height: int
) -> Iterator[Row]:
    """The page; `waiting` says that it is being computed."""
    yield heading("A first, B where A is not sure")
    if made is None:
        if waiting:
            yield (Piece("...", "dim"),)
            return
        yield from paragraph(
            f"{names[0]} has no threshold, so that nothing says how sure it is. Let the two change places, or take a "
            "PRM as A: a PRM is asked about every case, and a critic about those that are close to its threshold.",
            width,
        )
        return
    yield from paragraph(f"{RULE[:1].upper()}{RULE[1:]}.", width)
    yield ()
    yield from _chart(made, brush, width, max(6, min(12, height - 18)))
    yield ()
    yield from _table(made, brush, wide=width >= WIDE)
    yield ()
    yield from paragraph(
        "b: the best, that is the highest F1 of all cuts, found on these very cases, so that its F1 is optimistic. "
        "Intervals: 95%, bootstrap; each row opens the cases that are sent on to B.",
        width,
    )


def _chart(made: Cascades, brush: Brush, width: int, height: int) -> Iterator[Row]:
    found = made.found
    f1 = found.values[0]
    ticks = (
        [Tick(float(found.shares[found.best]), "b", "best on these cases (optimistic)")]
        if found.best is not None
        else []
    )
    series = [
        Series("F1 of the cascade by the share of cases that B is asked about", "c", "scorer-a", found.shares, f1)
    ]
    known = f1[f1 == f1]  # noqa: PLR0124  # NaN is not equal to itself
    span = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    room = max(0.02, (span[1] - span[0]) * 0.1)
    upward = (max(0.0, span[0] - room), min(1.0, span[1] + room))
    yield from curve(series, width, height, brush, ticks=ticks, across=(0.0, 1.0), upward=upward)


def _table(made: Cascades, brush: Brush, *, wide: bool) -> Iterator[Row]:
    found, scores = made.found, made.scores
    everything = Drill((common_of(found.shared, (0, 1), EVERY),), found.n, "tried by both", *_who(made))
    rows: list[list[Cell]] = [[Piece("A alone"), count(0), Piece(""), *_tokens(made, None), Piece("")]]
    for cut in made.cuts:
        sent = int(found.sent[cut])
        drill = Drill((found.where(cut),), sent, "A is not sure: sent on to B", *_who(made))
        share, best = f"{100 * found.shares[cut]:.0f}%", "b" if cut == found.best else ""
        asked: list[Cell] = [count(sent, drill), Piece(share, "dim"), *_tokens(made, cut), Piece(best, "strong")]
        rows.append([Piece(f"below {found.cuts[cut]:.4g}"), *asked])
    last = found.cuts.size - 1
    rows.append([Piece("B alone"), count(found.n, everything), Piece("100%", "dim"), *_tokens(made, last), Piece("")])
    for column, row in zip((0, *range(2, 2 + len(made.cuts)), 1), rows, strict=True):
        row.extend(_figures(scores, column, brush, wide=wide))
    words = ["distance", "asked B", "share", *(["tokens of B"] if made.tokens is not None else []), ""]
    header = [Piece(word) for word in (*words, "F1", "on erroneous", "on clean")]
    yield from table(header, rows, [False, True, True, made.tokens is not None])
    yield (Piece(f"Of {counted(found.n, 'case')} that both tried.", "dim"),)


def _who(made: Cascades) -> tuple[str, tuple[str, ...]]:
    """Through whose eyes cases are listed, and who stands beside each other."""
    return made.found.shared.names[0], made.found.shared.names


def _tokens(made: Cascades, cut: int | None) -> list[Cell]:
    """What is asked of B costs, where that is known; None: nothing is asked."""
    if made.tokens is None:
        return []
    spent = 0.0 if cut is None else float(made.tokens[cut])
    return [Piece("?" if isnan(spent) else f"{spent:,.0f}", "dim")]


def _figures(scores: SharedScores, column: int, brush: Brush, *, wide: bool) -> Iterator[Row]:
    for metric in ("f1", "error_acc", "correct_acc"):
        shown = percent(_row(scores.estimate(metric, scores.columns[column])), brush)
        yield shown if wide or metric == "f1" else shown[:1]


def _row(figure: Figure) -> dict[str, Any]:
    return {"value": figure.value, "low": figure.low, "high": figure.high, "reason": figure.reason}
