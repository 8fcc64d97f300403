"""The edges of frames: a title at the left, a status at the right, a line between them."""

from rich.cells import cell_len

from inspector.render.texts.text import cell

FRAME = "frame"
"""The style of the lines of a frame."""


def fit_edge(title: str, status: str, width: int, line: str) -> tuple[str, str, str]:
    """Return the title, the line and the status that fill `width` cells together, with the blanks between them.

    Args:
        title: at the left, shortened where it is longer than the edge.
        status: at the right; left out where it does not fit beside the title and a cell of line.
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
