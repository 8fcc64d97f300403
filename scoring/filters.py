"""Filters: facets and SQL conditions become conditions in one language, so that a screen and a command select alike.

A facet is written as SQL and read back through the same parser as a condition that a person typed; what is on screen
can therefore always be repeated with `--where`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

import polars as pl

from scoring.errors import FilterError
from scoring.schema import METADATA

_EXAMPLE = "Example: n_steps > 8 AND \"x.outcome\" = 'late'"
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")


def quoted(text: str) -> str:
    """A text as an SQL string literal."""
    return "'" + text.replace("'", "''") + "'"


def literal(value: str | int) -> str:
    """A value as an SQL literal: `true` and `false` for booleans, digits for whole numbers, quotes around a text."""
    return quoted(value) if isinstance(value, str) else str(value).lower()


def named(column: str) -> str:
    """A column's name as SQL: bare where it is one of the cases', which are no words of SQL; else in double quotes."""
    return column if column in METADATA else '"' + column.replace('"', '""') + '"'


@dataclass(frozen=True)
class Facet:
    """Keep (or, with `keep` false, hide) the rows whose `column` holds one of `values`; None is a missing value.

    Values have the column's own type: text, boolean or whole number.
    """

    column: str
    values: tuple[str | int | None, ...]
    keep: bool = True

    @property
    def sql(self) -> str:
        """The facet as an SQL condition that is never null."""
        column = named(self.column)
        texts = ", ".join(literal(value) for value in self.values if value is not None)
        within = f"{column} IN ({texts})" if texts else ""
        missing = f"{column} IS NULL" if None in self.values else ""
        if self.keep:
            return " OR ".join(part for part in (within, missing) if part) or "false"
        outside = f"{column} NOT IN ({texts})" if texts else ""
        present = f"{column} IS NOT NULL" if None in self.values else ""
        if outside and not present:
            return f"{outside} OR {column} IS NULL"
        return " AND ".join(part for part in (outside, present) if part) or "true"


@dataclass(frozen=True)
class Filter:
    """Which cases are shown: all facets and all SQL conditions hold."""

    facets: tuple[Facet, ...] = ()
    where: tuple[str, ...] = ()

    @property
    def conditions(self) -> tuple[str, ...]:
        """Every condition as SQL, facets first."""
        return tuple(facet.sql for facet in self.facets) + self.where

    def facet(self, column: str) -> Facet | None:
        """The facet on a column, if there is one."""
        return next((facet for facet in self.facets if facet.column == column), None)

    def without(self, column: str) -> "Filter":
        """The filter less the facet on a column."""
        return Filter(tuple(facet for facet in self.facets if facet.column != column), self.where)

    def toggled(self, column: str, value: str | int | None) -> "Filter":
        """The filter with a value added to the kept values of a column, or taken from them."""
        old = self.facet(column)
        values = old.values if old and old.keep else ()
        values = tuple(v for v in values if v != value) if value in values else (*values, value)
        rest = self.without(column)
        return Filter((*rest.facets, Facet(column, values)), rest.where) if values else rest

    def rows(self, frame: pl.DataFrame) -> pl.Series:
        """Which rows of the frame pass, as a Boolean series without nulls.

        Raises:
            FilterError: a condition cannot be read or names a column that is not there.
        """
        return passing(frame, self.conditions)

    def __bool__(self) -> bool:
        return bool(self.facets or self.where)


def passing(frame: pl.DataFrame, conditions: Sequence[str]) -> pl.Series:
    """Which rows fulfil every SQL condition; a condition that is null on a row is not fulfilled.

    Raises:
        FilterError: with the condition, what is wrong with it and, for a name, what was probably meant.
    """
    passes = pl.Series("passes", [True]).new_from_index(0, frame.height)
    for condition in conditions:
        passes = passes & _evaluate(frame, condition)
    return passes


def _evaluate(frame: pl.DataFrame, condition: str) -> pl.Series:
    try:
        result = frame.select(pl.sql_expr(condition).alias("passes"))["passes"]
    except UnicodeEncodeError:
        raise FilterError(f"{condition!r} holds a byte that is not UTF-8.", "Write it in UTF-8.") from None
    except pl.exceptions.PolarsError as error:
        raise FilterError(*_what_is_wrong(error, condition, frame.columns)) from None
    if result.dtype not in (pl.Boolean(), pl.Null()):
        raise FilterError(f"{condition!r} gives {result.dtype}, not true or false.", "Compare it with something.")
    if result.len() == 1 and frame.height != 1:
        result = result.new_from_index(0, frame.height)
    return result.cast(pl.Boolean).fill_null(value=False)


def _what_is_wrong(error: Exception, condition: str, columns: Sequence[str]) -> tuple[str, str]:
    """A sentence about a condition that cannot be evaluated, and what to do.

    A name with a dot or a hyphen is no plain word in SQL, so that anything may have failed: where such a column's name
    stands bare in the condition, that is what is said.
    """
    bare = _QUOTED.sub(" ", condition)
    special = [column for column in columns if named(column) != column and column in bare]
    if special:
        column = max(special, key=len)
        return f"in {condition!r}: write {named(column)}, in double quotes, because the name is no plain word.", ""
    if isinstance(error, pl.exceptions.ColumnNotFoundError) and '"' in str(error):
        name = str(error).split('"')[1]
        return f"in {condition!r}: {_unknown(name, condition, columns)}", ""
    return f"{condition!r} cannot be evaluated: {str(error).splitlines()[0]}.", _EXAMPLE


def _unknown(name: str, condition: str, columns: Sequence[str]) -> str:
    """The sentence for an unknown column: the nearest names, or all of them."""
    alike = [column for column in columns if name.lower() in column.lower()]
    near = alike[:4] or get_close_matches(name, columns, n=3, cutoff=0.5)
    hint = (
        f"did you mean {' or '.join(map(named, near))}?"
        if near
        else f"there are {', '.join(map(named, columns[:30]))}."
    )
    text = f" A text stands in single quotes: {quoted(name)}." if f'"{name}"' in condition else ""
    return f"there is no column {name!r}; {hint}{text}"
