"""Stacked bars: how many of each class, side by side in one bar, with their counts."""

from collections.abc import Sequence
from dataclasses import dataclass

from inspector.charts.names import legend, name_lines, padded, row_of, whole_width
from inspector.paint import Brush, apportioned
from inspector.render.lines import CaseLink, Piece, Row

_GLYPHS = {False: "█░▓▒", True: "#-=+"}
MOST = 4
"""Classes that can be told apart."""
LEAST = 6
"""Cells of the longest bar for which names make room."""


@dataclass(frozen=True)
class Stack:
    """A named bar: how many there are of each class, and what each count opens; () = nothing."""

    name: str
    counts: Sequence[int]
    drills: Sequence[CaseLink | None] = ()


def stacked_bars(
    stacks: Sequence[Stack], classes: Sequence[tuple[str, str]], width: int, brush: Brush, *, shares: bool = False
) -> list[Row]:
    """Bars in at most `width` cells (40 at least) beside their names and counts, with a legend.

    Cells of a bar are shared among its classes by largest remainders.

    Args:
        stacks: what is shown, from top to bottom; as many counts each as there are classes.
        classes: word and style of each, MOST at most.
        width: cells of a line.
        brush: whether only ASCII is used.
        shares: every bar has the whole width, so that shares are compared, not counts.
    """
    if not stacks:
        return legend([(Piece(""), "There is nothing to draw.")], width)
    texts = [[f"{count:,}" for count in stack.counts] for stack in stacks]
    sizes = [max(map(len, column)) for column in zip(*texts, strict=True)]
    beside = sum(size + 1 for size in sizes) + 1
    stub = min(max(whole_width(stack.name) for stack in stacks), max(2, min(width // 3, width - beside - LEAST)))
    room = max(1, width - stub - beside)
    largest = max(sum(stack.counts) for stack in stacks) or 1
    lines: list[Row] = []
    for stack, counts in zip(stacks, texts, strict=True):
        first, *others = name_lines(stack.name, stub)
        pieces = [Piece(padded(first, stub))]
        drills = [*stack.drills, *[None] * (len(classes) - len(stack.drills))]
        for text, size, drill, (_, style) in zip(counts, sizes, drills, classes, strict=True):
            pieces += [Piece(" " * (1 + size - len(text))), Piece(text, style, drill)]
        length = room if shares else round(room * sum(stack.counts) / largest)
        cells = apportioned(stack.counts, length)
        drawn = zip(_GLYPHS[brush.ascii_only], cells, classes, strict=False)
        pieces += [Piece(" "), *(Piece(glyph * size, style) for glyph, size, (_, style) in drawn)]
        lines += [row_of(pieces), *((Piece(line),) for line in others)]
    glyphs = zip(_GLYPHS[brush.ascii_only], classes, strict=False)
    entries = [(Piece(glyph, style), word) for glyph, (word, style) in glyphs]
    said = "whole width: all of its own" if shares else f"whole width: {largest:,}"
    return [*lines, *legend([*entries, (Piece(""), f"counts in this order; {said}")], width)]
