"""The numbers of charts: a mark with its value, interval and count, and how they are written."""

from math import isfinite
from typing import Literal

from msgspec import Struct

from inspector.render.cells import with_minus
from inspector.render.lines import CaseLink
from inspector.render.texts.text import number
from scoring.metrics.resampling import SMALL

Form = Literal["percent", "difference", "number", "count"]
"""How numbers are written: shares in percent, signed differences of shares in points, numbers as they are, or whole."""
LONGEST = 7
"""Cells of a figure at most."""


class ChartMark(Struct, frozen=True):
    """A value with its interval, of `n` cases or steps; None or NaN = undefined. `drill` opens the cases behind it.

    `flag` is a sign behind the figure that the caller explains; `few` marks it as one of few cases though `n` is not.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    drill: CaseLink | None = None
    flag: str = ""
    few: bool = False

    @property
    def known(self) -> float | None:
        """The value where there is one; never NaN or infinite."""
        return finite(self.value)

    @property
    def interval(self) -> tuple[float, float] | None:
        """Both ends where there are two."""
        low, high = finite(self.low), finite(self.high)
        return None if low is None or high is None else (low, high)

    @property
    def small(self) -> bool:
        """Whether so few say it that it is marked."""
        return self.few or (self.n is not None and self.n < SMALL)


def finite(value: float | None) -> float | None:
    """Return the number, or None where it is none."""
    return float(value) if value is not None and isfinite(value) else None


def figure(value: float, form: Form) -> str:
    """Write a value: `62.1`, `+3.4`, `−3.4` or `0.621`."""
    if form == "count":
        whole = f"{value:,.0f}"
        return whole if len(whole) <= LONGEST else number(value, 0, LONGEST)
    if form == "number":
        return with_minus(number(value, 3, LONGEST))
    text = number(100 * value, 1, LONGEST, "+" if form == "difference" else "")
    # No sign before nothing.
    return "0.0" if text in {"+0.0", "-0.0"} else with_minus(text)


def interval_text(ends: tuple[float, float], form: Form, *, short: bool = False) -> str:
    """Write an interval: `(51.0 to 72.3)`, or short: `(51 to 72)`."""
    if not short:
        return f"({figure(ends[0], form)} to {figure(ends[1], form)})"
    decimals, factor = (2, 1) if form == "number" else (0, 100)
    first, last = (
        number(factor * end, decimals, LONGEST, "+" if form == "difference" and abs(factor * end) >= 0.5 else "")
        for end in ends
    )
    first, last = ("0" if end == "-0" else with_minus(end) for end in (first, last))
    return f"({first} to {last})"


def count_text(mark: ChartMark) -> str:
    """Write `n=45`, with `~` where these are few; "" where it is not known."""
    return "" if mark.n is None else f"n={mark.n:,}{'~' if mark.small else ''}"


def unit_words(form: Form) -> str:
    """Describe in words what the figures are."""
    return {"percent": "in percent", "difference": "difference in points", "number": "as it is", "count": "cases"}[form]
