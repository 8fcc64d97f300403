"""Lines of pieces, of which some are numbers that open the cases behind them, and how pieces are laid out."""

from collections.abc import Iterator, Sequence

from msgspec import Struct, field
from msgspec.structs import replace
from rich.cells import cell_len

from inspector.render.texts.text import TextPart, clean
from inspector.render.texts.wrap import wrap


class CaseLink(Struct, frozen=True):
    """Exactly the cases behind a number.

    `where` are SQL conditions over the columns of the cases and the scorers; together with those that the whole view
    is under they leave `n` cases, in every one of which the number has a part. `words` say what they are, `scorer`
    through whose eyes a list shows them (None = whoever is in focus), `others` whose verdicts stand beside them.
    `benchmark` is theirs where the view speaks of several. `rewriting` names that of `stress` which is shown beside
    each of them; "" = none.
    """

    where: tuple[str, ...]
    n: int
    words: str
    scorer: str | None = None
    others: tuple[str, ...] = ()
    benchmark: str | None = None
    rewriting: str = ""


def joined_link(links: Sequence[CaseLink], words: str) -> CaseLink:
    """Link to the cases of several links, which have none in common."""
    if len(links) == 1:
        return replace(links[0], words=words)
    each = (" AND ".join(f"({condition})" for condition in link.where) for link in links)
    return replace(
        links[0], where=(" OR ".join(f"({where})" for where in each),), n=sum(link.n for link in links), words=words
    )


class Piece(Struct, frozen=True):
    """A text on a line, the names of its styles (see `widgets.line_scroll`), and what it opens, or None.

    A piece of a panel's frame has the number of the panel.
    """

    text: str
    style: str = ""
    drill: CaseLink | None = None
    panel: int | None = None

    @property
    def part(self) -> TextPart:
        """The piece as it is painted."""
        return self.text, self.style


PieceRow = tuple[Piece, ...]
"""The pieces of one line, from left to right."""


class Sheet(Struct, frozen=True):
    """Lines from top to bottom. `busy` says in words what is still being computed and will be filled in; "" = nothing.

    A sheet is laid out for one width. If its last panel was extended to fill the pane, `natural` is the number of lines
    before that; None = the sheet was not extended.
    """

    lines: Sequence[PieceRow] = field(default_factory=tuple)
    busy: str = ""
    natural: int | None = None

    @property
    def used(self) -> int:
        """Number of lines that the sheet needs."""
        return len(self.lines) if self.natural is None else self.natural

    def drills(self) -> Iterator[tuple[int, int, Piece]]:
        """Yield every piece that opens cases, with its line and its place on it, both 0-based."""
        for number, row in enumerate(self.lines):
            for place, piece in enumerate(row):
                if piece.drill is not None:
                    yield number, place, piece


def text_of(row: PieceRow) -> str:
    """Return a line as it reads."""
    return "".join(piece.text for piece in row)


# -- laying out

GAP = 2
"""Cells between two columns."""
LineCell = Piece | PieceRow
"""What stands in one column of one line."""


def heading(text: str) -> PieceRow:
    """Make a line that begins a section."""
    return (Piece(clean(text), "strong"),)


def paragraph(text: str, width: int, style: str = "dim") -> Iterator[PieceRow]:
    """Break a sentence into lines of at most `width` cells."""
    for line in wrap(clean(text), max(20, width)):
        yield (Piece(line, style),)


def table(
    header: Sequence[LineCell], rows: Sequence[Sequence[LineCell]], right: Sequence[bool] = (), gap: int = GAP
) -> list[PieceRow]:
    """Lay out columns as wide as their widest cell, the header above them.

    Args:
        header: a cell a column; of no cells: there is no header.
        rows: as many cells each; a shorter one leaves its last columns empty.
        right: which columns stand at their right edge; past its end none does.
        gap: cells between columns.
    """
    lines = [[_row(cell) for cell in line] for line in ([header] if header else []) + list(rows)]
    columns = max((len(line) for line in lines), default=0)
    widths = [max((_width(line[at]) for line in lines if at < len(line)), default=0) for at in range(columns)]
    aligned = [*right, *[False] * columns]
    laid_out = []
    for number, line in enumerate(lines):
        pieces: list[Piece] = []
        for at, cell in enumerate(line):
            blank = widths[at] - _width(cell)
            last = at == len(line) - 1
            before, after = (blank, 0) if aligned[at] else (0, 0 if last else blank)
            pieces += [Piece(" " * before)] if before else []
            pieces += [_headed(piece) for piece in cell] if header and not number else cell
            after += 0 if last else gap
            pieces += [Piece(" " * after)] if after else []
        laid_out.append(tuple(pieces))
    return laid_out


def _row(cell: LineCell) -> PieceRow:
    return (cell,) if isinstance(cell, Piece) else cell


def _width(row: PieceRow) -> int:
    return sum(cell_len(piece.text) for piece in row)


def _headed(piece: Piece) -> Piece:
    return Piece(piece.text, piece.style or "dim", piece.drill)
