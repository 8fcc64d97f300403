"""Two scorers: by how much one is better, and who is right where the other is wrong."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspector.paint import Brush
from inspector.sentences import counted
from inspector.sheets.layout import Cell, heading, paragraph, table
from inspector.sheets.sheet import Drill, Piece, Row
from inspector.sheets.words import count, difference, p_value
from inspector.text import squeezed
from scoring.evaluation import Evaluation
from scoring.metrics.agreement import quadrants
from scoring.metrics.comparison_row import sides
from scoring.metrics.first_error import Unparsed
from scoring.metrics.lineup import Lineup, line_up
from scoring.metrics.outcome_conditions import SIDES, pattern, tried
from scoring.step_rewards import Bools

NAME = 26
"""Cells of a scorer's name at most."""
ACCURACIES = {"erroneous": "error_acc", "clean": "correct_acc"}
Cells = Mapping[tuple[str, str], Mapping[str, Any]]
"""Rows of a comparison by subset and metric."""


@dataclass(frozen=True, eq=False)
class Pair:
    """Two scorers on the cases of one benchmark that both tried."""

    left: str
    right: str
    lineup: Lineup
    unparsed: Unparsed

    @classmethod
    def of(cls, left: Evaluation, right: Evaluation, rows: Bools, unparsed: Unparsed) -> "Pair":
        """The pair on a mask (n,) of cases."""
        names = left.scorer.name, right.scorer.name
        return cls(*names, line_up((left, right), rows, unparsed), unparsed)

    def drill(self, side: str, who: Sequence[tuple[str, bool]], n: int, words: str) -> Drill:
        """The cases of a side on which the scorers are right and wrong as `who` says."""
        where = (SIDES[side], *pattern(who, self.unparsed))
        return Drill(where, n, f"{words}, {side}", self.left, (self.left, self.right))

    def common(self, side: str | None, n: int) -> Drill:
        """The cases that both tried, of one side or of both."""
        where = [tried(name, self.unparsed) for name in (self.left, self.right)]
        known = "earliest_error >= -1" if side is None else SIDES[side]
        return Drill(
            (known, *where), n, f"tried by both{'' if side is None else f', {side}'}", self.left, (self.right,)
        )


def pair_lines(pair: Pair, cells: Cells | None, facts: Mapping[str, Any], brush: Brush, width: int) -> Iterator[Row]:
    """The section on two scorers.

    Args:
        pair: the two.
        cells: the rows of their comparison; None while they are computed.
        facts: its provenance, {} while it is computed.
        brush: how it is drawn.
        width: cells there are.
    """
    n = int(pair.lineup.common((0, 1)).sum())
    if not n:
        yield heading(f"{pair.left} against {pair.right}")
        yield from paragraph(
            "They have no case in common that both tried, so that nothing can be compared. Score the same cases with "
            "both, or choose another scorer.",
            width,
        )
        return
    yield from _differences(pair, cells, n, brush)
    yield ()
    yield from _quadrants(pair, cells, width)
    yield ()
    if facts:
        told = [
            facts["test"],
            facts["interval"].get(_only(facts["interval"])),
            facts["family"].get(_only(facts["family"])),
        ]
        seed = f"{facts['resamples']:,} resamples, seed {facts['seed']}"
        yield from paragraph(f"Tests: {'; '.join(one for one in told if one)}; {seed}.", width)


def _only(by_benchmark: Mapping[str, Any]) -> str:
    return next(iter(by_benchmark), "")


def _differences(pair: Pair, cells: Cells | None, n: int, brush: Brush) -> Iterator[Row]:
    """F1 and both accuracies of A less those of B."""
    lineup = pair.lineup
    left_out = lineup.left_out((0, 1))
    said = f"On the {counted(n, 'case')} that both tried" + (f", {left_out:,} left out" if left_out else "")
    yield (Piece("A  ", "scorer-a strong"), Piece(squeezed(pair.left, NAME), "strong"), Piece("  is in focus", "dim"))
    yield (Piece("B  ", "scorer-b strong"), Piece(squeezed(pair.right, NAME), "strong"))
    yield (Piece(said, "dim"),)
    yield ()
    official = ("prmscore",) if cells is not None and ("average", "prmscore_difference") in cells else ()
    rows: list[list[Cell]] = []
    for metric in (*official, "f1", "error_acc", "correct_acc"):
        side = next((side for side, name in ACCURACIES.items() if name == metric), None)
        among = n if side is None else int((lineup.common((0, 1)) & _of_side(lineup, side)).sum())
        row = None if cells is None else cells.get(("average", f"{metric}_difference"))
        if cells is not None and row is None:
            continue
        shown = difference(row, brush, pair.common(side, among))
        rows.append([Piece(_TITLES[metric], "strong" if metric in {"f1", "prmscore"} else ""), shown, _verdict(row)])
    yield from table([Piece("A less B"), Piece("points, 95% interval"), Piece("")], rows)


_TITLES = {
    "f1": "F1",
    "prmscore": "PRMScore",
    "error_acc": "accuracy on erroneous cases",
    "correct_acc": "accuracy on clean cases",
}


def _of_side(lineup: Lineup, side: str) -> Bools:
    return dict(sides(lineup))[side]


def _verdict(row: Mapping[str, Any] | None) -> Piece:
    """What the interval says, in words."""
    if row is None or row["low"] is None or row["high"] is None:
        return Piece("")
    if row["low"] > 0:
        return Piece("A is better", "good")
    if row["high"] < 0:
        return Piece("B is better", "bad")
    return Piece("could be none", "dim")


def _quadrants(pair: Pair, cells: Cells | None, width: int) -> Iterator[Row]:
    rows: list[list[Cell]] = []
    for side, members in sides(pair.lineup):
        found = quadrants(pair.lineup, 0, 1, members)
        a, b = pair.left, pair.right
        test = {} if cells is None else cells.get(("all", f"{side}_mcnemar"), {})
        rows.append(
            [
                Piece(side),
                count(found.both, pair.drill(side, ((a, True), (b, True)), found.both, "both right")),
                count(
                    found.only_left,
                    pair.drill(side, ((a, True), (b, False)), found.only_left, "only A right"),
                    "strong",
                ),
                count(
                    found.only_right,
                    pair.drill(side, ((a, False), (b, True)), found.only_right, "only B right"),
                    "strong",
                ),
                count(found.neither, pair.drill(side, ((a, False), (b, False)), found.neither, "neither right")),
                count(found.n, pair.common(side, found.n), "dim"),
                p_value(test.get("p"), waiting=cells is None),
                p_value(test.get("p_holm"), waiting=cells is None),
            ]
        )
    header = [Piece(word) for word in ("", "both right", "only A", "only B", "neither", "n", "p McNemar", "p Holm")]
    yield heading("Who is right where the other is wrong")
    yield from table(header, rows, [False, *[True] * 7])
    clustered = cells is not None and any(cells.get(("all", f"{side}_mcnemar"), {}).get("note") for side in SIDES)
    if clustered:
        yield from paragraph("Cases share problems, and McNemar's test takes them as independent.", width)
