"""Frames found in the text of a screen: their positions, titles and fill."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len

TOP_LEFT, TOP_RIGHT, LOWER_LEFT, SIDES = "╭┏", "╮┓", "╰┗", "│┃"


@dataclass(frozen=True)
class FrameOnScreen:
    """A frame by its lines and cells (0-based, edges included); `open_below` if its lower edge is not visible."""

    title: str
    top: int
    left: int
    bottom: int
    right: int
    rows: tuple[str, ...]
    focused: bool
    open_below: bool

    @property
    def filled(self) -> float:
        """Share of the rows with content."""
        return sum(bool(row.strip()) for row in self.rows) / max(1, len(self.rows))


def grid_of(line: str) -> list[str]:
    """Return one string per cell; the second cell of a wide character is ""."""
    cells: list[str] = []
    for character in line:
        cells += [character, *[""] * (cell_len(character) - 1)]
    return cells


def frames_of(lines: Sequence[str]) -> Iterator[FrameOnScreen]:
    """Yield the frames of a screen from top to bottom, except those without a visible upper edge."""
    grid = [grid_of(line) for line in lines]
    width = max(map(len, grid), default=0)
    grid = [[*row, *[" "] * (width - len(row))] for row in grid]
    for top, row in enumerate(grid):
        for left, cell in enumerate(row):
            if not cell or cell not in TOP_LEFT:
                continue
            ends = (at for at in range(left + 1, width) if row[at] and row[at] in TOP_RIGHT)
            right = next(ends, width - 1)
            bottom = top + 1
            while bottom < len(grid) and grid[bottom][left] and grid[bottom][left] in SIDES:
                bottom += 1
            closed = bottom < len(grid) and bool(grid[bottom][left]) and grid[bottom][left] in LOWER_LEFT
            inside = tuple("".join(grid[at][left + 1 : right]) for at in range(top + 1, bottom))
            edge = "".join(row[left + 1 : right])
            title = edge.strip("─━ ").split(" ─")[0].split(" ━")[0].strip()
            yield FrameOnScreen(title, top, left, bottom, right, inside, cell == "┏", open_below=not closed)
