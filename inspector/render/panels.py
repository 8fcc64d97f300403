"""Panels of a view laid out for a screen: beneath each other, in two columns, or with a third at the right."""

from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest

from msgspec.structs import replace
from rich.cells import cell_len

from inspector.render.blocks import Block, Fold, Note, Panel
from inspector.render.chart_blocks import Chart
from inspector.render.lines import Piece, PieceRow
from inspector.render.table_blocks import Table
from inspector.render.terminal import in_ascii
from inspector.render.texts.frame_edges import FRAME, fit_edge
from inspector.render.texts.text import clean

TWO, THREE = 100, 160
"""Cells from which two halves are beside each other, and from which panels of the side have a column."""
_ASCII_FRAME = str.maketrans("╭╮╰╯─│", "++++-|")
AROUND = 4
"""Cells of a panel beside its content: two lines and two blanks."""
UNBOUNDED = 10_000
"""Cells of a line that is not wrapped."""
MEASURED = 40
"""Rows of a table that are measured."""
Draw = Callable[[Panel, int], Sequence[PieceRow]]
"""Draws the content of a panel in so many cells."""


def framed(blocks: Sequence[Block], title: str, width: int, draw: Draw) -> list[Panel]:
    """Return the panels that a screen draws: those among the blocks, and one for each other table or chart.

    A table or chart that has a title gives it to its panel, which also holds the sentences after it. Sentences before
    the first one are above it, under `title` where it has none. A panel of tables that need little room is a half.
    Panels of the method are left out.
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
    """Return the panels that say how figures were computed and tested."""
    return tuple(block for block in blocks if isinstance(block, Panel) and block.place == "method")


def _placed(panel: Panel, width: int, draw: Draw) -> Panel:
    """A half where all of its tables have room in half of the width, else the panel as it is."""
    tables = [block for block in panel.blocks if isinstance(block, Table) and not block.heat]
    if not tables or len(tables) + sum(isinstance(block, Note) for block in panel.blocks) < len(panel.blocks):
        return panel
    first = [_first_rows(block) for block in tables]
    widest = _widest(draw(replace(panel, blocks=tuple(first)), UNBOUNDED))
    return replace(panel, place="half") if widest <= width // 2 - AROUND else panel


def _with_short_title(panel: Panel, width: int) -> Panel:
    """The panel; where its frame has no room for the title, what follows a colon in it is a sentence."""
    room = (width // 2 if panel.place == "half" and width >= TWO else width) - 2 * AROUND
    head, colon, rest = panel.title.partition(": ")
    if cell_len(clean(panel.title)) <= room or not colon:
        return panel
    sentence = f"{rest[:1].upper()}{rest[1:].rstrip('.')}."
    return replace(panel, title=head, blocks=(Note(sentence, "quiet"), *panel.blocks))


def _first_rows(block: Table) -> Table:
    """The first rows of a table, without charts: these take the room that there is."""
    return replace(
        block, rows=block.rows[:MEASURED], columns=tuple(replace(column, chart=None) for column in block.columns)
    )


def lay_out(
    panels: Sequence[Panel], width: int, height: int, draw: Draw, *, ascii_only: bool = False
) -> tuple[list[PieceRow], int]:
    """Draw panels in `width` cells; the last ones reach down to `height` lines where there are fewer.

    With the lines, return how many there would be without that.

    Halves are beside each other from TWO cells on. From THREE on panels of the side have a third of the width at the
    right; in less room they follow the others.
    """
    numbered = list(enumerate(panels))
    aside = [pair for pair in numbered if pair[1].place == "side"] if width >= THREE else []
    rest = [pair for pair in numbered if pair not in aside]
    side = width * 7 // 20 if aside and rest else width if aside else 0
    main = width - side
    columns = [_Column(_rows(rest, main), main, draw), _Column([[pair] for pair in aside], side, draw)]
    natural = max(column.natural for column in columns)
    left, right = (column.lines(max(height, natural)) for column in columns)
    lines = [_beside(row, main, other) for row, other in zip_longest(left, right, fillvalue=())]
    return [tuple(map(_framed_in_ascii, in_ascii(line))) for line in lines] if ascii_only else lines, natural


def _framed_in_ascii(piece: Piece) -> Piece:
    """A piece of a frame in ASCII; other pieces as they are."""
    return replace(piece, text=piece.text.translate(_ASCII_FRAME)) if piece.style == FRAME else piece


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


class _Column:
    """Rows of panels beneath each other in `width` cells, drawn once whatever their height."""

    def __init__(self, rows: Sequence[Sequence[Numbered]], width: int, draw: Draw) -> None:
        self._rows = [_drawn(row, width, draw) for row in rows]
        self.natural = sum(max(len(content) for _, content, _ in row) + 2 for row in self._rows)

    def lines(self, height: int) -> list[PieceRow]:
        """All lines; the last row takes those that are left of `height`."""
        lines: list[PieceRow] = []
        for place, row in enumerate(self._rows):
            tall = max(len(content) for _, content, _ in row)
            if place == len(self._rows) - 1:
                tall = max(tall, height - len(lines) - 2)
            boxes = [list(_box(*numbered, content, size, tall)) for numbered, content, size in row]
            lines += [tuple(piece for part in parts for piece in part) for parts in zip(*boxes, strict=True)]
        return lines


def _drawn(row: Sequence[Numbered], width: int, draw: Draw) -> list[tuple[Numbered, list[PieceRow], int]]:
    """The panels of a row with their content and the cells that each has."""
    sizes = [width // len(row)] * len(row)
    sizes[-1] += width - sum(sizes)
    contents = [list(draw(panel, size - AROUND)) for (_, panel), size in zip(row, sizes, strict=True)]
    # What is too wide to be wrapped widens its frame, and is scrolled.
    sizes = [max(size, AROUND + _widest(content)) for size, content in zip(sizes, contents, strict=True)]
    return list(zip(row, contents, sizes, strict=True))


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
