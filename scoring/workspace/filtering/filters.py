"""Filters: facets and SQL conditions become conditions in one language, so that a screen and a command select alike.

A facet is written as SQL and read back through the same parser as a condition that a person typed; what is on screen
can therefore always be repeated with `--where`.
"""

from collections.abc import Sequence
from functools import lru_cache, partial
from typing import NamedTuple

import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from scoring.data.errors import FilterError
from scoring.workspace.filtering.condition_errors import filter_error, of_a_truth
from scoring.workspace.filtering.condition_expressions import _cost_of, expression_of
from scoring.workspace.filtering.condition_limits import SECONDS, in_time
from scoring.workspace.filtering.sql_words import literal, named


class NumberRange(NamedTuple):
    """Whole numbers from `low` to `high`, both within; None = and above."""

    low: int
    high: int | None

    def sql(self, column: str, *, keep: bool) -> str:
        """Return the condition that a column (as it stands in SQL) is within, or outside."""
        if self.high is None:
            return f"{column} {'>=' if keep else '<'} {self.low}"
        return f"{column} {'' if keep else 'NOT '}BETWEEN {self.low} AND {self.high}"


FacetChoice = str | int | NumberRange | None
"""What a facet keeps or hides: a value of the column's own type (text, boolean, whole number), a span of numbers, or
None, a missing value."""


class Facet(Struct, frozen=True):
    """Keep (or, with `keep` false, hide) the rows whose `column` holds one of `values`.

    Of a column of lists (`listed`) a row has every value that its list holds; one without any has None.
    """

    column: str
    values: tuple[FacetChoice, ...]
    keep: bool = True
    listed: bool = False

    @property
    def sql(self) -> str:
        """The facet as an SQL condition that is never null."""
        tests = self._tests()
        if self.keep:
            return " OR ".join([*tests, *self._missing()]) or "false"
        if None in self.values:
            return " AND ".join([*tests, self._present()])
        # What is missing holds none of the values.
        outside = f"({' AND '.join(tests)})" if len(tests) > 1 else "".join(tests)
        return f"{outside} OR {named(self.column)} IS NULL" if tests else "true"

    def _tests(self) -> list[str]:
        column, negation = named(self.column), "" if self.keep else "NOT "
        plain = [literal(value) for value in self.values if value is not None and not isinstance(value, NumberRange)]
        if self.listed:
            return [f"{negation}ARRAY_CONTAINS({column}, {value})" for value in plain]
        within = [f"{column} {negation}IN ({', '.join(plain)})"] if plain else []
        return within + [value.sql(column, keep=self.keep) for value in self.values if isinstance(value, NumberRange)]

    def _missing(self) -> list[str]:
        if None not in self.values:
            return []
        column = named(self.column)
        return [f"{column} IS NULL", *([f"ARRAY_LENGTH({column}) = 0"] if self.listed else [])]

    def _present(self) -> str:
        column = named(self.column)
        return f"ARRAY_LENGTH({column}) > 0" if self.listed else f"{column} IS NOT NULL"

    def implies(self, other: "Facet") -> bool:
        """Return whether what this keeps is never what `other` hides, so that `other` need not be stated."""
        if not self.keep or other.keep or self.column != other.column or self.listed:
            return False
        return not any(_meet(kept, hidden) for kept in self.values for hidden in other.values)


def _meet(left: FacetChoice, right: FacetChoice) -> bool:
    """Whether a case can have both: the same value, a number within a span, spans that share a number."""
    if not isinstance(left, NumberRange) and not isinstance(right, NumberRange):
        return left == right
    first, second = (NumberRange(value, value) if isinstance(value, int) else value for value in (left, right))
    if not isinstance(first, NumberRange) or not isinstance(second, NumberRange):
        return False
    return (second.high is None or first.low <= second.high) and (first.high is None or second.low <= first.high)


class Filter(Struct, frozen=True):
    """Which cases are shown: all facets and all SQL conditions hold.

    A column has at most one facet that keeps and one that hides, and no value is in both; a span may hold a value of
    the other.
    """

    facets: tuple[Facet, ...] = ()
    where: tuple[str, ...] = ()

    @property
    def telling(self) -> tuple[Facet, ...]:
        """The facets less those that follow from another one."""
        return tuple(facet for facet in self.facets if not any(other.implies(facet) for other in self.facets))

    @property
    def conditions(self) -> tuple[str, ...]:
        """Every condition as SQL, facets first."""
        return tuple(facet.sql for facet in self.telling) + self.where

    def facet(self, column: str, *, keep: bool | None = None) -> Facet | None:
        """Return the facet on a column, if there is one; with `keep`, the one that keeps or the one that hides."""
        facets = (facet for facet in self.facets if facet.column == column and keep in {None, facet.keep})
        return next(facets, None)

    def without(self, column: str) -> "Filter":
        """Return the filter without the facets on a column."""
        return Filter(tuple(facet for facet in self.facets if facet.column != column), self.where)

    def toggled(self, column: str, value: FacetChoice, *, keep: bool = True, listed: bool = False) -> "Filter":
        """Return the filter with a value added to the kept (or hidden) values of a column, or taken from them."""
        same = self.facet(column, keep=keep)
        values = same.values if same else ()
        values = tuple(v for v in values if v != value) if value in values else (*values, value)
        other = self.facet(column, keep=not keep)
        if other:
            other = replace(other, values=tuple(v for v in other.values if v != value))
        rest = self.without(column)
        made = [Facet(column, values, keep, listed), *([other] if other else [])]
        return Filter((*rest.facets, *(facet for facet in made if facet.values)), rest.where)

    def only(self, column: str, value: FacetChoice, *, listed: bool = False) -> "Filter":
        """Return the filter with nothing of a column kept but one value."""
        rest = self.without(column)
        return Filter((*rest.facets, Facet(column, (value,), listed=listed)), rest.where)

    def hiding(self, column: str, value: FacetChoice, *, listed: bool = False) -> "Filter":
        """Return the filter with a value hidden, whatever it was before."""
        old = self.facet(column, keep=False)
        return self if old and value in old.values else self.toggled(column, value, keep=False, listed=listed)

    def plus(self, condition: str) -> "Filter":
        """Return the filter with one more SQL condition, as it was typed; the same one is not stated twice."""
        return self if condition in self.where else replace(self, where=(*self.where, condition))

    def less(self, condition: str) -> "Filter":
        """Return the filter without an SQL condition."""
        return replace(self, where=tuple(sql for sql in self.where if sql != condition))

    def rows(self, frame: pl.DataFrame) -> pl.Series:
        """Return which rows of the frame pass, as a Boolean series without nulls.

        Raises:
            FilterError: a condition cannot be read or names a column that is not there.
        """
        return passing(frame, self.conditions)

    def __bool__(self) -> bool:
        return bool(self.facets or self.where)


def passing(frame: pl.DataFrame, conditions: Sequence[str]) -> pl.Series:
    """Return which rows fulfil every SQL condition; a condition that is null on a row is not fulfilled.

    Raises:
        FilterError: with the condition, what is wrong with it and, for a name, what was probably meant.
    """
    passes = pl.Series("passes", [True]).new_from_index(0, frame.height)
    for condition in conditions:
        passes = passes & row_passes(frame, condition, frame.height, frame.columns)
    return passes


def needed_columns(condition: str, columns: Sequence[str]) -> tuple[str, ...]:
    """Return those of the columns that a condition names, each once; all of them where it names them by a pattern.

    Raises:
        FilterError: it cannot be read.
    """
    try:
        roots = _roots(condition)
    except pl.exceptions.PolarsError as error:
        raise filter_error(error, condition, columns) from None
    return tuple(name for name in columns if roots is None or name in roots)


@lru_cache(maxsize=256)
def _roots(condition: str) -> frozenset[str] | None:
    """The columns that a condition names; None where it names them by a pattern. Read once: keys ask again and again.

    Raises what `expression_of` raises.
    """
    expression = expression_of(condition)
    return None if expression.meta.has_multiple_outputs() else frozenset(expression.meta.root_names())


def row_passes(table: pl.DataFrame, condition: str, height: int, columns: Sequence[str]) -> pl.Series:
    """Return which rows fulfil one condition, as a Boolean series without nulls.

    Args:
        table: holds the columns that the condition names, if there are any.
        condition: SQL.
        height: how many rows there are, which a table without columns does not know.
        columns: the names of all columns, for the sentence about a name that is none of them.

    Raises:
        FilterError: as for `passing`.
    """
    if (wrong := of_a_truth(condition, table.schema)) is not None:
        raise wrong
    # A condition may name no column and count rows all the same.
    rows = table if table.width else pl.DataFrame({"\0": pl.Series([None]).new_from_index(0, height)})
    try:
        expression, cost = expression_of(condition), _cost_of(condition)
        cost.check_text(condition, table, height)
        # Beside the columns, so that what has another number of rows than they is refused.
        evaluate = partial(rows.with_columns, expression.alias("passes"))
        result = (in_time(evaluate) if cost.may_be_slow else evaluate())["passes"]
    except TimeoutError:
        fault = f"this takes longer than {SECONDS:.0f} seconds: use a simpler condition."
        raise FilterError(f"in {condition!r}: {fault}", fault=fault) from None
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise filter_error(error, condition, columns) from None
    if result.dtype not in (pl.Boolean(), pl.Null()):
        kind = _kind(result.dtype)
        fault = f"this gives {kind}, not true or false: compare it with something."
        fault_message = f"{condition!r} gives {kind}, not true or false."
        raise FilterError(fault_message, "Compare it with something.", fault=fault)
    return result.cast(pl.Boolean).fill_null(value=False)


def _kind(dtype: pl.DataType) -> str:
    """What a column of this dtype holds, in words."""
    if dtype.is_numeric():
        return "a number"
    return {pl.String: "a text", pl.List: "a list"}.get(dtype.base_type(), str(dtype))
