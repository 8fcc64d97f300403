"""What an analysis screen shows: lines of pieces, of which some are numbers that open the cases behind them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from inspector.widgets.line_scroll import Part


@dataclass(frozen=True)
class Drill:
    """Exactly the cases behind a number.

    `where` are SQL conditions over the columns of the cases and the scorers; together with those that the whole sheet
    is under they leave `n` cases, in every one of which the number has a part. `words` say what they are, `scorer`
    through whose eyes a list shows them (None = whoever is in focus), `others` whose verdicts stand beside them.
    `benchmark` is theirs where the sheet speaks of several.
    """

    where: tuple[str, ...]
    n: int
    words: str
    scorer: str | None = None
    others: tuple[str, ...] = ()
    benchmark: str | None = None


@dataclass(frozen=True)
class Piece:
    """A text on a line, the names of its styles (see `widgets.line_scroll`), and what it opens; None = nothing."""

    text: str
    style: str = ""
    drill: Drill | None = None

    @property
    def part(self) -> Part:
        """The piece as it is painted."""
        return self.text, self.style


Row = tuple[Piece, ...]
"""The pieces of one line, from left to right."""


@dataclass(frozen=True)
class Sheet:
    """Lines from top to bottom. `busy` says in words what is still being computed and will be filled in; "" = nothing.

    Laid out for a width: whoever has another asks for another sheet.
    """

    lines: Sequence[Row] = field(default_factory=tuple)
    busy: str = ""

    def drills(self) -> Iterator[tuple[int, int, Piece]]:
        """Every piece that opens cases, with its line and its place on it, both 0-based."""
        for number, row in enumerate(self.lines):
            for place, piece in enumerate(row):
                if piece.drill is not None:
                    yield number, place, piece


def text_of(row: Row) -> str:
    """A line as it reads."""
    return "".join(piece.text for piece in row)
