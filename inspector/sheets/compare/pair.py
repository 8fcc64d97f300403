"""Two scorers: by how much one is better, and who is right where the other is wrong."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspector.paint import Brush
from inspector.sentences import counted
from inspector.sheets.layout import Cell, heading, paragraph, table
from inspector.sheets.sheet import Drill, Piece, Row
from inspector.sheets.words import count, difference, p_value, percent, tests_words
from inspector.text import squeezed
from scoring.metrics.agreement import quadrants
from scoring.metrics.comparison_row import sides
from scoring.metrics.lineup import Lineup
from scoring.metrics.lineup_conditions import EVERY, OF_SIDE, common_of, conjunction, right_of, wrong_of
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

    def drill(self, side: str, left: bool, right: bool, n: int) -> Drill:
        """The cases of a side on which A (left) and B (right) are right or wrong."""
        each = (
            (right_of if is_right else wrong_of)(self.lineup, place, side)
            for place, is_right in enumerate((left, right))
        )
        words = {(True, True): "both right", (True, False): "only A right", (False, True): "only B right"}
        said = f"{words.get((left, right), 'neither right')}, {side}"
        return Drill((conjunction((OF_SIDE[side], *each)),), n, said, self.left, (self.left, self.right))

    def common(self, side: str, n: int) -> Drill:
        """The cases that both tried, of one side or (EVERY) of both."""
        said = "tried by both" if side == EVERY else f"tried by both, {side}"
        return Drill((common_of(self.lineup, (0, 1), side),), n, said, self.left, (self.left, self.right))


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
        for name, why in zip(pair.lineup.names, pair.lineup.nothing, strict=True):
            if why:
                yield from paragraph(f"{name}: {why}.", width)
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
        yield from paragraph(tests_words(facts), width)


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
        side = next((side for side, name in ACCURACIES.items() if name == metric), EVERY)
        among = n if side == EVERY else int((lineup.common((0, 1)) & _of_side(lineup, side)).sum())
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
        return Piece("A is better", "scorer-a")
    if row["high"] < 0:
        return Piece("B is better", "scorer-b")
    return Piece("could be none", "dim")


def _quadrants(pair: Pair, cells: Cells | None, width: int) -> Iterator[Row]:
    rows: list[list[Cell]] = []
    for side, members in sides(pair.lineup):
        found = quadrants(pair.lineup, 0, 1, members)
        test = {} if cells is None else cells.get(("all", f"{side}_mcnemar"), {})
        rows.append(
            [
                Piece(side),
                count(found.both, pair.drill(side, True, True, found.both)),
                count(found.only_left, pair.drill(side, True, False, found.only_left), "strong"),
                count(found.only_right, pair.drill(side, False, True, found.only_right), "strong"),
                count(found.neither, pair.drill(side, False, False, found.neither)),
                count(found.n, pair.common(side, found.n), "dim"),
                p_value(test.get("p"), waiting=cells is None),
                p_value(test.get("p_holm"), waiting=cells is None),
            ]
        )
    header = [Piece(word) for word in ("", "both right", "only A", "only B", "neither", "n", "p McNemar", "p Holm")]
    yield heading("Who is right where the other is wrong")
    yield from table(header, rows, [False, *[True] * 7])
    clustered = cells is not None and any(cells.get(("all", f"{side}_mcnemar"), {}).get("note") for side in ACCURACIES)
    if clustered:
        yield from paragraph("Cases share problems, and McNemar's test takes them as independent.", width)


def together_lines(pair: Pair, rows: Sequence[Mapping[str, Any]] | None, brush: Brush) -> Iterator[Row]:
    """What both could do together: the oracle's choice, and what each has right of what the other lacks.

    `rows` are those of `scoring.metrics.complements`, None while they are computed.
    """
    if not pair.lineup.common((0, 1)).any():
        return
    yield ()
    yield heading("If whichever is right were taken (an oracle)")
    cells = {(row["scorer"], row["side"], row["metric"]): row for row in rows or ()}
    told: list[list[Cell]] = []
    for metric, title in (
        ("f1", "F1"),
        ("error_acc", "accuracy on erroneous cases"),
        ("correct_acc", "accuracy on clean cases"),
    ):
        side = next((side for side, name in ACCURACIES.items() if name == metric), EVERY)
        own, gain = (cells.get((pair.left, side, f"oracle_{metric}{end}")) for end in ("", "_gain"))
        drill = (
            None
            if own is None
            else Drill((own["where"],), own["n"], f"tried by both, {side}", pair.left, (pair.right,))
        )
        told.append([Piece(title), percent(own, brush, drill), difference(gain, brush)])
    better = next((row["better"] for row in rows or () if row.get("better")), None)
    yield from table(
        [
            Piece(""),
            Piece("95%"),
            Piece(f"more than {_letter(pair, better)}"),
        ],
        told,
    )
    lacking: list[list[Cell]] = []
    for here, there in ((pair.left, pair.right), (pair.right, pair.left)):
        line: list[Cell] = [Piece(f"of what {_letter(pair, here)} has wrong {_letter(pair, there)} has right")]
        for side in ACCURACIES:
            row = cells.get((here, side, "covered"))
            if row is None:
                line.append(Piece("..." if rows is None else "", "dim"))
                continue
            words = f"{there} right and {here} wrong, {side}"
            drill = Drill((row["where"],), row["count"], words, here, (pair.left, pair.right))
            line.append((count(row["count"], drill), Piece(f" of {row['n']:,}", "dim")))
        lacking.append(line)
    yield from table([Piece(""), Piece("erroneous"), Piece("clean")], lacking)


def _letter(pair: Pair, name: str | None) -> str:
    return {pair.left: "A", pair.right: "B"}.get(name or "", "the better")


def settings_lines(differing: Mapping[str, tuple[str, str]], unrecorded: str, width: int) -> Iterator[Row]:
    """In what the two scorers differ; `differing` are both values by the setting's name.

    `unrecorded` says of whose numbers it is not known what made them; "" = of none.
    """
    yield ()
    yield heading("What differs between them")
    if differing:
        room = max(12, (width - max(map(len, differing)) - 4) // 2)
        values = {name: [Piece(squeezed(value, room)) for value in pair] for name, pair in differing.items()}
        yield from table(
            [Piece(""), Piece("A"), Piece("B")], [[Piece(name, "dim"), *row] for name, row in values.items()]
        )
        if unrecorded:
            yield from paragraph(unrecorded, width, "dim")
    elif unrecorded:
        yield from paragraph(f"Nothing that was recorded. {unrecorded}", width, "dim")
    else:
        yield (Piece("Nothing that was recorded: the same settings under two names.", "dim"),)


def unlike_lines(reasons: Sequence[str], width: int) -> Iterator[Row]:
    """Why their figures are not alike, though they are of the same cases."""
    for reason in reasons:
        yield ()
        yield from paragraph(f"Not quite comparable: {reason}.", width, "bad")
