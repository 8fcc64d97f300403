"""Names and legends of charts that break over lines: nothing of them is lost, whatever the width."""

import re
from collections.abc import Iterable, Sequence

from rich.cells import cell_len, get_character_cell_size

from inspector.render.lines import Piece, PieceRow
from inspector.render.texts.text import clean

_CHUNK = re.compile(r"[^\s_/-]*[\s_/-]?")
"""A word with the one sign behind it at which a name may break."""
APART = 3
"""Cells between two entries of a legend."""


def name_lines(name: str, width: int) -> list[str]:
    """Break a name into lines of at most `width` cells (at least 2), behind words, and inside one that is longer."""
    width, lines, line = max(2, width), [], ""
    for chunk in _CHUNK.findall(clean(name)):
        if cell_len((line + chunk).rstrip()) <= width:
            line += chunk
            continue
        if line.strip():
            lines.append(line.rstrip())
        *whole, line = _cut(chunk.lstrip(), width)
        lines += whole
    return [*lines, line.rstrip()] if line.strip() or not lines else lines


def whole_width(name: str) -> int:
    """Count the cells of a name on one line."""
    return cell_len(clean(name))


def longest_word(name: str) -> int:
    """Count the cells of the longest piece of a name that is not broken if there is room."""
    return max((cell_len(chunk.rstrip()) for chunk in _CHUNK.findall(clean(name))), default=0)


def _cut(text: str, width: int) -> list[str]:
    """A text in as few pieces of at most `width` cells as it needs; one at least."""
    pieces, piece, used = [], "", 0
    for character in text:
        size = get_character_cell_size(character)
        if used + size > width and piece:
            pieces.append(piece)
            piece, used = "", 0
        piece, used = piece + character, used + size
    return [*pieces, piece]


def padded(text: str, width: int, *, right: bool = False) -> str:
    """Pad the text to `width` cells, if it has fewer."""
    blank = " " * max(0, width - cell_len(text))
    return blank + text if right else text + blank


def row_of(pieces: Iterable[Piece]) -> PieceRow:
    """Join pieces into a line: neighbours alike are one, those that open cases stay, and blanks at its end go."""
    joined: list[Piece] = []
    for piece in pieces:
        if not piece.text:
            continue
        last = joined[-1] if joined else None
        if last is not None and last.drill is None and piece.drill is None and last.style == piece.style:
            joined[-1] = Piece(last.text + piece.text, last.style)
        else:
            joined.append(piece)
    while joined and joined[-1].drill is None and not joined[-1].style and not joined[-1].text.strip():
        joined.pop()
    return tuple(joined)


def legend(entries: Sequence[tuple[Piece, str]], width: int, style: str = "dim") -> list[PieceRow]:
    """Lay out signs with their words, as many beside each other as have room; words that are too long break."""
    lines: list[PieceRow] = []
    pieces: list[Piece] = []
    used = 0
    for sign, words in entries:
        head = cell_len(sign.text) + (1 if sign.text else 0)
        first, *others = name_lines(words, max(2, width - head))
        size = head + cell_len(first)
        if pieces and (used + APART + size > width or others):
            lines.append(row_of(pieces))
            pieces, used = [], 0
        if pieces:
            pieces.append(Piece(" " * APART))
            used += APART
        pieces += [sign, Piece(" " if sign.text else ""), Piece(first, style)]
        used += size
        if others:
            lines.append(row_of(pieces))
            lines += [row_of((Piece(" " * head), Piece(line, style))) for line in others]
            pieces, used = [], 0
    return [*lines, row_of(pieces)] if pieces else lines
