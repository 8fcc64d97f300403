"""Panels of a view laid out for a screen: beneath each other, in two columns, or with a third at the right."""

from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest

from rich.cells import cell_len

from inspector.render.blocks import Block, Panel
from inspector.render.lines import Piece, PieceRow
from inspector.render.texts.frame_edges import FRAME, fit_edge
from inspector.render.texts.text import clean

TWO, THREE = 100, 160
"""Cells from which two halves are beside each other, and from which panels of the side have a column."""
AROUND = 4
"""Cells of a panel beside its content: two lines and two blanks."""
Draw = Callable[[Sequence[Block], int], Sequence[PieceRow]]
"""Draws blocks in so many cells."""


def framed(blocks: Sequence[Block], title: str) -> tuple[Panel, ...]:
    """Return the panels among blocks; other blocks are in panels of their own, the first of them under `title`."""
    panels: list[Panel] = []
    loose: list[Block] = []
    for block in blocks:
        if not isinstance(block, Panel):
            loose.append(block)
            continue
        if loose:
            panels.append(Panel(title if not panels else "", tuple(loose)))
            loose = []
        panels.append(block)
    return (*panels, Panel(title if not panels else "", tuple(loose))) if loose or not panels else tuple(panels)


def lay_out(panels: Sequence[Panel], width: int, height: int, draw: Draw) -> list[PieceRow]:
    """Draw panels in `width` cells; the last ones reach down to `height` lines where there are fewer.

    Halves are beside each other from TWO cells on. From THREE on panels of the side have a third of the width at the
    right; in less room they follow the others.
    """
    numbered = list(enumerate(panels))
    aside = [pair for pair in numbered if pair[1].place == "side"] if width >= THREE else []
    rest = [pair for pair in numbered if pair not in aside]
    side = width * 7 // 20 if aside and rest else width if aside else 0
    main = width - side
    left = _stacked(_rows(rest, main), main, height, draw) if rest else []
    right = _stacked([[pair] for pair in aside], side, max(height, len(left)), draw) if aside else []
    if len(right) > len(left) and rest:
        left = _stacked(_rows(rest, main), main, len(right), draw)
    return [_beside(row, main, other) for row, other in zip_longest(left, right, fillvalue=())]


Numbered = tuple[int, Panel]


def _rows(panels: Sequence[Numbered], width: int) -> list[list[Numbered]]:
    """Panels that are beside each other."""
    rows: list[list[Numbered]] = []
    for number, panel in panels:
        before = rows[-1] if rows else []
        fits = width >= TWO and panel.place != "row" and len(before) == 1 and before[0][1].place != "row"
        if fits:
            before.append((number, panel))
        else:
            rows.append([(number, panel)])
    return rows


def _stacked(rows: Sequence[Sequence[Numbered]], width: int, height: int, draw: Draw) -> list[PieceRow]:
    """Rows of panels beneath each other; the last row takes the lines that are left."""
    lines: list[PieceRow] = []
    for place, row in enumerate(rows):
        sizes = [width // len(row)] * len(row)
        sizes[-1] += width - sum(sizes)
        drawn = [list(draw(panel.blocks, size - AROUND)) for (_, panel), size in zip(row, sizes, strict=True)]
        # What is too wide to be wrapped widens its frame, and is scrolled.
        sizes = [max(size, AROUND + _widest(content)) for size, content in zip(sizes, drawn, strict=True)]
        tall = max(map(len, drawn))
        if place == len(rows) - 1:
            tall = max(tall, height - len(lines) - 2)
        boxes = [
            list(_box(number, panel, content, size, tall))
            for (number, panel), content, size in zip(row, drawn, sizes, strict=True)
        ]
        lines += [tuple(piece for part in parts for piece in part) for parts in zip(*boxes, strict=True)]
    return lines


def _box(number: int, panel: Panel, content: Sequence[PieceRow], width: int, tall: int) -> Iterator[PieceRow]:
    """A frame of `width` cells around `tall` lines."""

    def line(text: str, style: str = FRAME) -> Piece:
        return Piece(text, style, panel=number)

    title, edge, status = fit_edge(clean(panel.title), clean(panel.status), width - 6, "─")
    pieces = (line("╭─ " if title else "╭──"), line(title, "strong"), line(edge), line(status, "dim"))
    end = line(" ─╮" if status else "──╮")
    yield (*(piece for piece in pieces if piece.text), end)
    blank = width - AROUND
    for row in (*content, *((),) * (tall - len(content))):
        used = sum(cell_len(piece.text) for piece in row)
        yield (line("│"), Piece(" "), *row, Piece(" " * max(0, blank - used + 1)), line("│"))
    hint = clean(panel.hint) if cell_len(clean(panel.hint)) <= width - 7 else ""
    if hint:
        yield line("╰" + "─" * (width - 5 - cell_len(hint)) + " "), line(hint, "dim"), line(" ─╯")
    else:
        yield (line("╰" + "─" * (width - 2) + "╯"),)


def _widest(rows: Sequence[PieceRow]) -> int:
    return max((sum(cell_len(piece.text) for piece in row) for row in rows), default=0)


def _beside(row: PieceRow, width: int, other: PieceRow) -> PieceRow:
    if not other:
        return row
    blank = width - sum(cell_len(piece.text) for piece in row)
    return (*row, *((Piece(" " * blank),) if blank > 0 else ()), *other)
