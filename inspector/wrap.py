"""Wrapping text to a width in cells: at spaces where it can, anywhere where it must, and between CJK characters."""

from collections.abc import Iterator

from rich.cells import cell_len, get_character_cell_size


def wrap(text: str, width: int) -> list[str]:
    """The text as lines of at most `width` cells (but never less than one character a line).

    Line breaks of the text are kept, an empty text is one empty line, and no character is lost but the spaces at which
    a line was broken.
    """
    lines: list[str] = []
    for paragraph in text.split("\n"):
        lines.extend(_paragraph(paragraph, max(1, width)))
    return lines


def _paragraph(text: str, width: int) -> Iterator[str]:
    if cell_len(text) <= width:
        yield text
        return
    line, used = "", 0
    for piece in _pieces(text):
        size = cell_len(piece)
        if used + size <= width:
            line, used = line + piece, used + size
            continue
        if piece.isspace():
            # The break falls here: these spaces are the ones it replaces.
            yield line
            line, used = "", 0
            continue
        if line.strip():
            yield line.rstrip()
            line, used = "", 0
        for part in _cut(piece, width):
            if line:
                yield line
            line, used = part, cell_len(part)
    if line or used:
        yield line


def _pieces(text: str) -> Iterator[str]:
    """Words, runs of spaces, and wide characters one by one."""
    run, kind = "", ""
    for character in text:
        new = "space" if character == " " else "wide" if get_character_cell_size(character) == 2 else "word"
        if run and (new != kind or new == "wide"):
            yield run
            run = ""
        run, kind = run + character, new
    if run:
        yield run


def _cut(word: str, width: int) -> Iterator[str]:
    """A word in parts that fit."""
    part, used = "", 0
    for character in word:
        size = get_character_cell_size(character)
        if part and used + size > width:
            yield part
            part, used = "", 0
        part, used = part + character, used + size
    if part:
        yield part
