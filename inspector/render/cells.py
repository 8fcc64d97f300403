"""How the cells of tables are written, once for every renderer."""

import re
from collections.abc import Callable, Iterator, Sequence

from inspector.render.documents.row_documents import p_words
from inspector.render.table_blocks import Cell, Kind, Table
from scoring.metrics.resampling import SMALL

WAITING = "..."
"""Stands for a figure that is being computed."""
TINY = 0.0005
"""Rewards and thresholds below this value would round to 0.000."""
DASH = "–"
"""Stands where there is no value."""
GOLD = {"error": "▲ error", "error step": "△ error step"}
"""What gold says of a step that is wrong, with its glyph."""
_NUMBER = re.compile(r"[-−+<~ ]*\d[\d.,]*( *[\[(].*)?")
"""A number as tables write it, with what follows in brackets."""

_BEHIND_UNITS = re.compile(r"[-−+<~ ]*\d[\d,]*((?:\.\d+)?(?:e[-+]\d+)?\*?)")
"""A number alone, with what stands behind its units: digits, an exponent, the star of one that is optimistic."""


def dash(*, ascii_only: bool = False) -> str:
    """Return what stands where there is no value."""
    return "-" if ascii_only else DASH


def share(value: float, digits: int = 1) -> str:
    """Write a fraction in percent; no sign stands before nothing."""
    return with_minus(f"{100 * value:z.{digits}f}")


def signed(value: float, digits: int = 1, *, ascii_only: bool = False) -> str:
    """Write a difference of fractions in percentage points; no sign stands before nothing."""
    points = round(100 * value, digits)
    text = f"{points:+.{digits}f}" if points else f"{0:.{digits}f}"
    return text if ascii_only else with_minus(text)


def with_minus(text: str) -> str:
    """Write the sign of a negative number as a minus sign, which is as wide as a plus sign."""
    return f"−{text[1:]}" if text.startswith("-") else text


def interval(low: float | None, high: float | None, write: Callable[[float], str] = share) -> str:
    """Write an interval, `(51.0 to 72.3)`; "" if an end is None."""
    return "" if low is None or high is None else f"({write(low)} to {write(high)})"


_WRITTEN: dict[Kind, Callable[[float], str]] = {
    Kind.COUNT: lambda value: f"{value:z,.0f}",
    Kind.SHARE: share,
    Kind.POINTS: signed,
    Kind.P: lambda value: p_words(value) or "",
    Kind.MEAN: lambda value: with_minus(f"{value:z.2f}"),
    Kind.REWARD: lambda value: with_minus(f"{value:.1g}" if 0 < abs(value) < TINY else f"{value:z.3f}"),
    Kind.NUMBER: lambda value: with_minus(f"{value:.4g}"),
}


def value_text(cell: Cell, *, ascii_only: bool = False) -> str:
    """Write the value alone, with the star of one that is optimistic; a dash or "" where there is none."""
    if cell.value is None:
        bare = cell.kind in {Kind.TEXT, Kind.COUNT, Kind.P} and not cell.reason
        return WAITING if cell.waiting else "" if bare else dash(ascii_only=ascii_only)
    text = cell.value if isinstance(cell.value, str) else _WRITTEN[cell.kind](cell.value)
    return f"{text}*" if cell.optimistic else text


def interval_text(cell: Cell) -> str:
    """Write the 95% interval, `(51.0 to 72.3)`; "" if an end is None."""
    return "" if cell.value is None else interval(cell.low, cell.high, _WRITTEN.get(cell.kind, str))


def further_text(cell: Cell, *, intervals: bool = True) -> str:
    """Write what follows a value: its sd over runs, interval, of how many, the mark of few cases, and its note."""
    parts = (
        "" if cell.sd is None else f"sd {share(cell.sd)}",
        interval_text(cell) if intervals else "",
        "" if cell.n is None else f"n={cell.n:,}",
        "~" if cell.small and cell.value is not None else "",
        cell.note,
    )
    return " ".join(part for part in parts if part)


def plain_text(cell: Cell) -> str:
    """Write the whole cell on one line, but for why there is no value."""
    return " ".join(part for part in (value_text(cell), further_text(cell)) if part)


def remark_of(row: Sequence[Cell]) -> str:
    """Write what is to be known of a line, and why it has no value where it has none."""
    reasons = [cell.reason for cell in row if cell.value is None and cell.reason]
    return "; ".join(dict.fromkeys((*reasons, *(cell.remark for cell in row if cell.remark))))


def rights(table: Table) -> tuple[bool, ...]:
    """Return which columns are set to the right: those that hold a number."""
    return tuple(
        _numeric([row[at] for row in table.rows]) if column.right is None else column.right
        for at, column in enumerate(table.columns)
    )


def points(texts: Sequence[str]) -> list[int]:
    """Count how many blanks behind each text put the decimal points of a column of numbers beneath each other."""
    numbers = [_BEHIND_UNITS.fullmatch(text) for text in texts]
    behind = [len(number[1]) if number else None for number in numbers]
    most = max((cells for cells in behind if cells is not None), default=0)
    return [0 if cells is None else most - cells for cells in behind]


def _numeric(cells: list[Cell]) -> bool:
    if any(cell.kind != Kind.TEXT and not isinstance(cell.value, str) for cell in cells):
        return True
    texts = [cell.value for cell in cells if isinstance(cell.value, str) and cell.value]
    return 2 * sum(bool(_NUMBER.fullmatch(words)) for words in texts) > len(texts)


def legend(table: Table) -> Iterator[str]:
    """Explain what the marks in a table mean, of those that are in it."""
    cells = [cell for row in table.rows for cell in row]
    if any(cell.optimistic for cell in cells):
        yield "* optimistic: tuned on cases that the value is of, so that it flatters the scorer"
    if any(cell.small and cell.value is not None for cell in cells):
        yield f"~ fewer than {SMALL} {table.counted}"
