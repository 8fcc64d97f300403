"""Two bars a row on one scale: how many of each of two classes, in places that are named at the left."""

import math
from collections.abc import Sequence

from msgspec import Struct
from rich.cells import cell_len

from inspector.render.cells import share
from inspector.render.charts.glyphs import Glyphs
from inspector.render.charts.legends import legend, name_lines, padded, row_of, whole_width
from inspector.render.lines import CaseLink, Piece, PieceRow

_FULL = {False: "█▓", True: "#="}


class BarPlace(Struct, frozen=True):
    """A named place with the counts of both classes, and what each opens."""

    name: str
    counts: tuple[int, int]
    drills: tuple[CaseLink | None, CaseLink | None] = (None, None)


def paired_bars(
    places: Sequence[BarPlace],
    classes: tuple[tuple[str, str], tuple[str, str]],
    width: int,
    glyphs: Glyphs,
    *,
    counted: str = "cases",
) -> list[PieceRow]:
    """Draw the bars in at most `width` cells (40 at least), each beside its count, with a legend.

    Their lengths are shares of the class, so that two classes of different size can be compared; both share a scale
    from 0 to a multiple of 5%. Every count above 0 has a visible bar.

    Args:
        places: from top to bottom.
        classes: word and style of each.
        width: cells of a line.
        glyphs: whether only ASCII is used.
        counted: what is counted, in words.
    """
    totals = [sum(place.counts[side] for place in places) for side in (0, 1)]
    if not places or not any(totals):
        return legend([(Piece(""), f"There is nothing to count: no {counted}.")], width)
    stub = min(max(whole_width(place.name) for place in places), max(8, width // 3))
    shares = [[place.counts[side] / (totals[side] or 1) for place in places] for side in (0, 1)]
    top = math.ceil(20 * max(map(max, shares)) - 1e-9) / 20 or 1.0
    sizes = [max(cell_len(classes[side][0]), *(len(f"{place.counts[side]:,}") for place in places)) for side in (0, 1)]
    room = max(2, (width - stub - sum(sizes) - 6) // 2)
    head = [Piece(" " * stub)]
    for side, (word, style) in enumerate(classes):
        head += [Piece("  " + padded(word, sizes[side], right=True), style), Piece(" " * (room + 1))]
    lines = [row_of(head)]
    for at, place in enumerate(places):
        first, *others = name_lines(place.name, stub)
        pieces = [Piece(padded(first, stub))]
        for side, (_, style) in enumerate(classes):
            text, drill = f"{place.counts[side]:,}", place.drills[side] if place.counts[side] else None
            length = max(1, round(shares[side][at] / top * room)) if place.counts[side] else 0
            pieces += [
                Piece(" " * (2 + sizes[side] - len(text))),
                Piece(text, "" if place.counts[side] else "dim", drill),
                Piece(" "),
                Piece(_FULL[glyphs.ascii_only][side] * length, style),
                Piece(" " * (room - length)),
            ]
        lines += [row_of(pieces), *((Piece(line),) for line in others)]
    entries = [
        (Piece(_FULL[glyphs.ascii_only][side], style), f"{word}: {total:,} {counted}")
        for side, ((word, style), total) in enumerate(zip(classes, totals, strict=True))
    ]
    return [*lines, *legend([*entries, (Piece(""), f"bars from 0 to {share(top, 0)}% of each side")], width)]
