"""Who is right together: a row a set of scorers (as in an UpSet plot), and how far each two agree."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from inspector.charts.heat_map import heat_map
from inspector.charts.mark import Mark
from inspector.paint import Brush
from inspector.sentences import counted
from inspector.sheets.compare.standings import Field, field_head
from inspector.sheets.layout import Cell, heading, paragraph, table
from inspector.sheets.sheet import Drill, Piece, Row
from inspector.sheets.words import count
from inspector.text import squeezed

MOST = 12
"""Sets of one side that are shown; the others are told of in a sentence."""
BAR = 24
"""Cells of the largest set's bar."""


def set_lines(field: Field, brush: Brush, width: int) -> Iterator[Row]:
    """For each side the sets of scorers that are right where all others are wrong, the largest first."""
    yield from field_head(field, width)
    if not field.n:
        return
    order = field.order
    yield from _key(field, order)
    for side in ("erroneous", "clean"):
        found = [one for one in field.sets if one.side == side and one.count]
        total = sum(one.count for one in found)
        yield ()
        yield heading(f"{side.capitalize()}: who is right together, {counted(total, 'case')}")
        largest = max((one.count for one in found), default=1)
        rows: list[list[Cell]] = []
        for one in found[:MOST]:
            who = ", ".join(field.lineup.names[place] for place in one.right) or "nobody"
            drill = field.drill(
                one, f"right: {squeezed(who, 60) if len(one.right) < len(field.columns) else 'all'}; {side}"
            )
            bar = brush.bar(one.count / largest, BAR)[0].rstrip() or ("|" if brush.ascii_only else "▏")
            dots = tuple(_dot(place in one.right, brush) for place in order)
            rows.append(
                [
                    dots,
                    count(one.count, drill),
                    Piece(bar, "exact" if one.right else "missed"),
                    _names(one.right, field),
                ]
            )
        letters = tuple(Piece(f"{_sign(at)} ", "dim") for at in range(len(order)))
        yield from table([letters, Piece("cases"), Piece(""), Piece("right")], rows, [False, True])
        if len(found) > MOST:
            rest = found[MOST:]
            told = f"and {len(rest)} smaller sets of {counted(sum(one.count for one in rest), 'case')} in all"
            yield (Piece(told, "dim"),)


def _sign(at: int) -> str:
    """What a scorer is called in the rows: a small letter, by its place."""
    return chr(ord("a") + at) if at < 26 else "+"


def _key(field: Field, order: Sequence[int]) -> Iterator[Row]:
    for at, place in enumerate(order):
        name = field.lineup.names[place]
        yield (Piece(f"{_sign(at)}  ", "strong"), field.letter(name), Piece(squeezed(name, 40)))


def _dot(there: bool, brush: Brush) -> Piece:  # the one thing that it says
    filled, empty = ("x", ".") if brush.ascii_only else ("●", "·")
    return Piece(f"{filled if there else empty} ", "strong" if there else "dim")


def _names(right: Sequence[int], field: Field) -> Piece:
    if not right:
        return Piece("nobody", "bad")
    if len(right) == len(field.columns):
        return Piece("all", "good")
    if len(right) == 1:
        return Piece(f"{squeezed(field.lineup.names[right[0]], 24)} alone")
    return Piece(f"{len(right)} of {len(field.columns)}", "dim")


def agreement_lines(field: Field, rows: Sequence[Mapping[str, Any]] | None, brush: Brush, width: int) -> Iterator[Row]:
    """How often each two are both right or both wrong; `rows` None while they are computed."""
    if len(field.columns) < 2:
        return
    yield ()
    yield heading("How often two agree: both right or both wrong, of the cases that both tried")
    if rows is None:
        yield (Piece("...", "dim"),)
        return
    order = field.order
    names = [field.lineup.names[place] for place in order]
    found = {}
    for row in rows:
        if row["side"] == "all" and row["metric"] == "both_right_or_wrong":
            words = f"{row['scorer']} and {row['other']} both right or both wrong"
            drill = Drill((row["where"],), row["count"], words, row["scorer"], (row["scorer"], row["other"]))
            found[frozenset((row["scorer"], row["other"]))] = Mark(
                row["value"], row["low"], row["high"], row["n"], drill if row["count"] else None
            )
    marks = [
        [found.get(frozenset((one, other))) if at > place else None for at, other in enumerate(names[1:], 1)]
        for place, one in enumerate(names[:-1])
    ]
    yield from heat_map(names[:-1], names[1:], marks, width, brush)
    yield from paragraph("A number opens the cases on which the two agree.", width)
