"""Layout of panels on a screen: stacked, in two columns, or with a third column on the right."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from itertools import zip_longest
from typing import NamedTuple

from msgspec.structs import replace
from rich.cells import cell_len

from inspector.render.blocks import Block, Fold, Note, Panel, Place
from inspector.render.chart_blocks import Chart
from inspector.render.lines import Piece, PieceRow
from inspector.render.table_blocks import Table
from inspector.render.terminal import in_ascii
from inspector.render.texts.frame_edges import FRAME, THREE_COLUMNS, TWO_COLUMNS, fit_edge
from inspector.render.texts.text import clean

_ASCII_FRAME = str.maketrans("╭╮╰╯─│", "++++-|")
AROUND = 4
"""Cells of a panel besides its content: two border lines and two blanks."""
UNBOUNDED = 10_000
"""Width at which no line wraps, in cells."""
MEASURED = 40
"""Number of table rows that are measured."""
Draw = Callable[[Panel, int], Sequence[PieceRow]]
"""Draws the content of a panel in a width in cells."""


class DrawnPanel(NamedTuple):
    """A panel, and a function that draws its content in a width in cells."""

    panel: Panel
    draw: Callable[[int], Sequence[PieceRow]]


def framed(blocks: Sequence[Block], title: str, width: int, draw: Draw) -> list[Panel]:
    """Return the panels that a screen draws: those among the blocks, and one for each other table or chart.

    A panel takes the title of its table or chart and also holds the notes after it. Notes before the first table or
    chart are above it, under `title` if it has none. A panel of narrow tables takes half of the width. Method panels
    are left out.
    """
    panels: list[Panel] = []
    named, group = "", list[Block]()

    def close() -> None:
        nonlocal named
        if group:
            panel = _placed(Panel(named or (title if not panels else ""), tuple(group)), width, draw)
            panels.append(_with_short_title(panel, width))
        group.clear()
        named = ""

    for block in blocks:
        begins = isinstance(block, Panel | Fold) or (isinstance(block, Note) and block.level == "lead")
        titled = isinstance(block, Table | Chart) and block.title
        if begins or (titled and any(not isinstance(other, Note) for other in group)):
            close()
        if isinstance(block, Panel):
            panels += [block] if block.place != "method" else []
        elif isinstance(block, Fold):
            panels.append(_with_short_title(_placed(Panel(block.summary, block.blocks), width, draw), width))
        elif begins and isinstance(block, Note):
            named = block.text
        elif titled and not named and isinstance(block, Table | Chart):
            named = block.title
            group.append(replace(block, title=""))
        else:
            group.append(block)
    close()
    return panels


def method_of(blocks: Sequence[Block]) -> tuple[Panel, ...]:
    """Return the panels that explain how figures were computed and tested."""
    return tuple(block for block in blocks if isinstance(block, Panel) and block.place == "method")


def _placed(panel: Panel, width: int, draw: Draw) -> Panel:
    """Return a half panel if all tables fit half of the width, else the panel unchanged."""
    tables = [block for block in panel.blocks if isinstance(block, Table) and not block.heat]
    if not tables or len(tables) + sum(isinstance(block, Note) for block in panel.blocks) < len(panel.blocks):
        return panel
    first = [_first_rows(block) for block in tables]
    widest = _widest(draw(replace(panel, blocks=tuple(first)), UNBOUNDED))
    return replace(panel, place="half") if widest <= width // 2 - AROUND else panel


def _with_short_title(panel: Panel, width: int) -> Panel:
    """Return the panel; if its title is too long, move the text after the colon into a note."""
    room = (width // 2 if panel.place == "half" and width >= TWO_COLUMNS else width) - 2 * AROUND
    head, colon, rest = panel.title.partition(": ")
    if cell_len(clean(panel.title)) <= room or not colon:
        return panel
    sentence = f"{rest[:1].upper()}{rest[1:].rstrip('.')}."
    return replace(panel, title=head, blocks=(Note(sentence, "quiet"), *panel.blocks))


def _first_rows(block: Table) -> Table:
    """Return the first rows of a table, without charts, which adapt to the width."""
    return replace(
        block, rows=block.rows[:MEASURED], columns=tuple(replace(column, chart=None) for column in block.columns)
    )


def drawn_by(draw: Draw, panels: Sequence[Panel]) -> list[DrawnPanel]:
    """Return panels that one function draws."""
    return [DrawnPanel(panel, partial(draw, panel)) for panel in panels]


def lay_out(
    panels: Sequence[DrawnPanel], width: int, height: int, *, ascii_only: bool = False
) -> tuple[list[PieceRow], int]:
    """Draw panels in `width` cells; the last ones extend down to `height` lines.

    Return the lines, and the number of lines without this extension.

    Halves are side by side from TWO_COLUMNS on; one with lines that are too long for a half has a row of its own. From
    THREE_COLUMNS on, side panels have a third of the width on the right; on narrower screens they follow the others.
    """
    numbered = list(enumerate(panels))
    aside = [pair for pair in numbered if pair[1].panel.place == "side"] if width >= THREE_COLUMNS else []
    rest = [pair for pair in numbered if pair not in aside]
    side = width * 7 // 20 if aside and rest else width if aside else 0
    main = width - side
    rest = [(number, _fitted(panel, main)) for number, panel in rest]
    columns = [_Column(_rows(rest, main), main), _Column([[pair] for pair in aside], side)]
    natural = max(column.natural for column in columns)
    left, right = (column.lines(max(height, natural)) for column in columns)
    lines = [_beside(row, main, other) for row, other in zip_longest(left, right, fillvalue=())]
    return [tuple(map(_framed_in_ascii, in_ascii(line))) for line in lines] if ascii_only else lines, natural


def _framed_in_ascii(piece: Piece) -> Piece:
    """Return a piece of a frame in ASCII, and other pieces unchanged."""
    return replace(piece, text=piece.text.translate(_ASCII_FRAME)) if piece.style == FRAME else piece


Numbered = tuple[int, DrawnPanel]


def _fitted(panel: DrawnPanel, width: int) -> DrawnPanel:
    """Return a half whose lines are too long for a half of the width as a panel of the whole width."""
    if panel.panel.place != "half" or width < TWO_COLUMNS:
        return panel
    room, draw = width // 2 - AROUND, cache(panel.draw)
    place: Place = "half" if _widest(draw(room)) <= room else "row"
    return DrawnPanel(replace(panel.panel, place=place), draw)


def _rows(panels: Sequence[Numbered], width: int) -> list[list[Numbered]]:
    """Group panels into rows of one or two."""
    rows: list[list[Numbered]] = []
    for number, panel in panels:
        before = rows[-1] if rows else []
        halves = panel.panel.place != "row" and len(before) == 1 and before[0][1].panel.place != "row"
        if width >= TWO_COLUMNS and halves:
            before.append((number, panel))
        else:
            rows.append([(number, panel)])
    return rows


class _Column:
    """Stacked rows of panels, drawn once in `width` cells for any height."""

    def __init__(self, rows: Sequence[Sequence[Numbered]], width: int) -> None:
        self._rows = [_drawn(row, width) for row in rows]
        self.natural = sum(max(len(content) for _, content, _ in row) + 2 for row in self._rows)

    def lines(self, height: int) -> list[PieceRow]:
        """Return all lines; the last row fills the rest of `height`."""
        lines: list[PieceRow] = []
        for place, row in enumerate(self._rows):
            tall = max(len(content) for _, content, _ in row)
            if place == len(self._rows) - 1:
                tall = max(tall, height - len(lines) - 2)
            boxes = [list(_box(number, panel.panel, content, size, tall)) for (number, panel), content, size in row]
            lines += [tuple(piece for part in parts for piece in part) for parts in zip(*boxes, strict=True)]
        return lines


def _drawn(row: Sequence[Numbered], width: int) -> list[tuple[Numbered, list[PieceRow], int]]:
    """Return the panels of a row with their content and width."""
    sizes = [width // len(row)] * len(row)
    sizes[-1] += width - sum(sizes)
    contents = [list(panel.draw(size - AROUND)) for (_, panel), size in zip(row, sizes, strict=True)]
    # Content that cannot be wrapped widens its frame, and the pane scrolls.
    sizes = [max(size, AROUND + _widest(content)) for size, content in zip(sizes, contents, strict=True)]
    return list(zip(row, contents, sizes, strict=True))


def _box(number: int, panel: Panel, content: Sequence[PieceRow], width: int, tall: int) -> Iterator[PieceRow]:
    """Draw a frame of `width` cells around `tall` lines."""

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
