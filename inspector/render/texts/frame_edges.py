"""Edges of frames: a title on the left, a status on the right, a line between them."""

from rich.cells import cell_len

from inspector.render.texts.text import cell

FRAME = "frame"
"""Style of the lines of a frame."""
TWO_COLUMNS, THREE_COLUMNS = 100, 160
"""Least widths of a screen in cells for frames in two and in three columns."""


def fit_edge(title: str, status: str, width: int, line: str) -> tuple[str, str, str]:
    """Return the title, the line and the status, which fill `width` cells together with the blanks between them.

    Args:
        title: on the left, shortened if it is longer than the edge.
        status: on the right, left out if it does not fit next to the title and one cell of line.
        width: cells between the corners.
        line: the character of the line.
    """
    title = cell(title, max(0, width)) if cell_len(title) > width else title
    left = f"{title} " if title else ""
    right = f" {status}" if status else ""
    room = width - cell_len(left) - cell_len(right)
    if room < 1:
        right, room = "", width - cell_len(left)
    if room < 1:
        left, room = title, width - cell_len(title)
    return left, line * max(0, room), right
