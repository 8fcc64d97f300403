"""What a page begins with: what it shows, and by what."""

from collections.abc import Iterator

from rich.cells import cell_len

from inspector.render.lines import Piece, Row, paragraph
from inspector.text import clean


def title(what: str, by: str, width: int) -> Iterator[Row]:
    """`what` strong and `by` behind it; over several lines where there is no room."""
    if cell_len(clean(what + by)) <= width:
        yield (Piece(what[:1].upper() + what[1:], "strong"), Piece(by))
    else:
        yield from paragraph(what[:1].upper() + what[1:] + by, width, "strong")
