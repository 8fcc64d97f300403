"""A condition over the figures of a check: SQL over named columns, through the same gate as a filter of cases."""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np
import polars as pl

from inspector.checking.figures import FIGURES, FRACTIONS
from scoring.categories import Categories
from scoring.condition_masks import ConditionMasks
from scoring.condition_reading import columns_read
from scoring.errors import UsageError
from scoring.filters import needed_columns
from scoring.sql_words import Word, words_of

_COMPARISONS = frozenset({"<", "<=", ">", ">=", "=", "<>", "!="})
_ARITHMETIC = frozenset("+-*/%")
_EXAMPLE = "Example: --fail-if 'difference < -0.02'"
KNOWN = f"There are: {', '.join(FIGURES)}."


@dataclass(frozen=True, eq=False)
class FigureRows:
    """The figures of some benchmarks as columns that a condition may name, a row a benchmark."""

    table: pl.DataFrame

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the figures."""
        return tuple(self.table.columns)

    @property
    def height(self) -> int:
        """How many benchmarks there are."""
        return self.table.height

    def column(self, name: str) -> pl.Series:
        """One figure of every benchmark. Raises polars' ColumnNotFoundError."""
        return self.table.get_column(name)

    def owner(self, _name: str) -> object:
        """What a figure was made from."""
        return self.table

    def coded(self, _name: str) -> Categories | None:
        """No figure is kept as numbers of a list."""
        return None


def fulfilled(condition: str, figures: pl.DataFrame) -> list[bool | None]:
    """Whether each row of figures fulfils the condition; None where a figure that it needs is undefined.

    Args:
        condition: SQL over the names of FIGURES.
        figures: columns FIGURES, a row a benchmark.

    Raises:
        FilterError: it cannot be read, or gives no truth.
        UsageError: it names something that is no figure, or none, or compares a fraction with what it never is.
    """
    check_condition(condition)
    rows, masks = FigureRows(figures.select(list(FIGURES))), ConditionMasks()
    yes = masks.passing(rows, [condition])
    # In SQL what is neither so nor not so is unknown. On lines of its own, so that a comment ends before the bracket.
    no = masks.passing(rows, [f"NOT (\n{condition}\n)"])
    known = np.logical_or(yes, no)
    return [bool(holds) if sure else None for holds, sure in zip(yes, known, strict=True)]


def check_condition(condition: str) -> None:
    """Make sure that a condition names figures, before anything is computed.

    Raises:
        FilterError, UsageError: as for `fulfilled`.
    """
    # What cannot be read is told without figures in mind: their names are plain words, and columns of cases are not.
    needed_columns(condition, ())
    names = columns_read(condition)
    unknown = sorted(name for name in names if name not in FIGURES)
    if unknown:
        raise UsageError(f"in --fail-if {condition!r}: there is no figure {unknown[0]!r}{_near(unknown[0])}.", KNOWN)
    empty = FigureRows(pl.DataFrame(schema=FIGURES))
    ConditionMasks().passing(empty, [condition])
    if not names:
        raise UsageError(f"--fail-if {condition!r} names no figure.", f"{_EXAMPLE}. {KNOWN}")
    for name, number in _compared(condition):
        if name in FRACTIONS and abs(number) > 1:
            told = f"{name} is a fraction between -1 and 1, and {number:g} is beyond"
            raise UsageError(f"in --fail-if {condition!r}: {told}.", f"Two percentage points are 0.02. {_EXAMPLE}.")


def undefined_figures(condition: str, figures: pl.DataFrame, row: int) -> list[str]:
    """The figures that a condition names and that are undefined in a row, 0-based."""
    return sorted(name for name in columns_read(condition) if figures[name][row] is None)


def _compared(condition: str) -> Iterator[tuple[str, float]]:
    """Names that are compared, by themselves, with a plain number."""
    words = [Word("sign", "", 0, 0), *words_of(condition), Word("sign", "", 0, 0)]
    for before, name, sign, number, after in zip(words, words[1:], words[2:], words[3:], words[4:], strict=False):
        alone = {before.text, after.text}.isdisjoint(_ARITHMETIC)
        if name.kind in {"name", "quoted"} and sign.text in _COMPARISONS and number.kind == "number" and alone:
            yield name.value, float(number.text)


def _near(name: str) -> str:
    alike = [one for one in FIGURES if name.lower() in one] or get_close_matches(name, list(FIGURES), n=3, cutoff=0.6)
    return f"; did you mean {' or '.join(alike[:3])}" if alike else ""
