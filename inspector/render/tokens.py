"""Tokens as lines of a terminal, and as the blocks that stand for them on a page."""

from collections.abc import Iterator

from rich.cells import cell_len

from inspector.render.blocks import Block, Facts, Note, Token, Tokens
from inspector.render.lines import Piece, PieceRow
from inspector.render.table_blocks import Cell, Kind, table, text
from inspector.render.texts.text import cell
from inspector.render.texts.token_text import joint, visible, window
from inspector.render.texts.wrap import hung

INDENT = 10
"""Cells before tokens, in which names of facts stand."""
PAGE = 100
"""Cells of the tokens around one of them where a line has no end."""
_SLOT, _APART = 20, 1
"""Cells of a place in the list of tokens, and how many at least are between two tokens."""


def token_rows(block: Tokens, width: int, *, ascii_only: bool) -> Iterator[PieceRow]:
    """Lay the tokens out in so many cells."""
    title = visible(block.title, ascii_only=ascii_only)
    if title.strip():
        yield (Piece(_cut(title, width, ascii_only=ascii_only), "strong"),)
    if block.at is None:
        yield from _listed(block, width, ascii_only=ascii_only)
    else:
        yield from _around(block, block.at, width, ascii_only=ascii_only)
    for name, value in block.facts:
        for label, line in hung(name, value, width, INDENT):
            yield Piece(label, "dim"), Piece(line)


def page_blocks(block: Tokens) -> Iterator[Block]:
    """Lay the tokens out in blocks that every page has."""
    if block.at is None:
        heads = ("place", "id", "text", "read")
        rows = [
            (
                Cell(token.place, Kind.COUNT),
                text(str(token.id)),
                text(visible(token.text)),
                text("*" if token.read else ""),
            )
            for token in block.tokens
        ]
        yield table(block.title, heads, rows)
        return
    around, _, _ = window([visible(token.text) for token in block.tokens], block.at, PAGE)
    if block.title.strip():
        yield Note(visible(block.title), "lead")
    read = ((block.words.partition(": ")[0], block.words.partition(": ")[2]),) if block.words else ()
    yield Facts((("tokens", around), *read, *block.facts))


def _around(block: Tokens, at: int, width: int, *, ascii_only: bool) -> Iterator[PieceRow]:
    """The tokens around one of them, and below it a mark and what is to be said of it."""
    texts = [visible(token.text, ascii_only=ascii_only) for token in block.tokens]
    line, start, size = window(texts, at, width - INDENT, ascii_only=ascii_only)
    yield (Piece(" " * INDENT + line),)
    if not block.words:
        return
    mark, left = "^" * max(1, size), INDENT + start
    if left + len(mark) + 1 + len(block.words) <= width:
        yield (Piece(f"{' ' * left}{mark} {block.words}", "strong"),)
    elif len(block.words) + 1 <= left:
        yield (Piece(f"{block.words.rjust(left - 1)} {mark}", "strong"),)
    else:
        yield (Piece(" " * left + mark, "strong"),)
        yield from ((Piece(label + rest, "strong"),) for label, rest in hung("", block.words, width, 0))


def _listed(block: Tokens, width: int, *, ascii_only: bool) -> Iterator[PieceRow]:
    """Every token with its place, id and text, those that are read with a star, as many beside each other as fit."""
    places, ids = (max((len(str(n)) for n in some), default=1) for some in _numbers(block.tokens))
    bar = joint(ascii_only)
    row: list[Piece] = []
    used = 0
    for token in block.tokens:
        entry = f"{'*' if token.read else ' '}{token.place:>{places}} {token.id:>{ids}} {bar}"
        entry += _cut(visible(token.text, ascii_only=ascii_only), width - len(entry) - 1, ascii_only=ascii_only) + bar
        # Longer ones take the room of two or more.
        size = -(-(cell_len(entry) + _APART) // _SLOT) * _SLOT
        if row and used + cell_len(entry) > width:
            yield tuple(row)
            row, used = [], 0
        style = "strong" if token.read else "dim" if token.layout else ""
        row += [Piece(entry, style), Piece(" " * (size - cell_len(entry)))]
        used += size
    if row:
        yield tuple(row)


def _numbers(tokens: tuple[Token, ...]) -> tuple[list[int], list[int]]:
    return [token.place for token in tokens], [token.id for token in tokens]


def _cut(line: str, width: int, *, ascii_only: bool) -> str:
    """A line's text in at most `width` cells; what is cut off is marked."""
    if cell_len(line) <= width:
        return line
    return f"{cell(line, width - 2)[:-1].rstrip()}..." if ascii_only else cell(line, width).rstrip()
