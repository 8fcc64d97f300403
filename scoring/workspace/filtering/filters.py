"""Filters: facets and SQL conditions become conditions in one language, so that a screen and a command select alike.

A facet is written as SQL and read back through the same parser as a condition that a person typed; what is on screen
can therefore always be repeated with `--where`.
"""

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import lru_cache, partial
from itertools import accumulate
from typing import NamedTuple

import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from scoring.data.errors import CommandEdit, FilterError
from scoring.workspace.filtering.condition_limits import SECONDS, ConditionCost, check_condition, in_time
from scoring.workspace.filtering.sql_words import Word, literal, named, quoted, words_of

# -- an SQL condition becomes a polars expression that speaks of columns and of nothing else.
#
# polars knows subqueries, and in them functions that read a file or an address: it opens them while it reads the SQL.
# A condition may come from a file of saved slices or from somebody's message, so that such a one is refused unread.


_QUERIES = frozenset({"SELECT", "VALUES"})
# Anywhere at all, in quotes or not: the engine may see quotes elsewhere.
_FILES = re.compile(r"\bread_(?:csv|ipc|json|ndjson|parquet)\b", re.IGNORECASE)
_FROM = re.compile(r"\bfrom\b", re.IGNORECASE)


def expression_of(condition: str) -> pl.Expr:
    """Parse the condition into what polars understands.

    Raises:
        FilterError: it asks another table or a file, has anything that `check_condition` refuses, or holds a byte that
            is not UTF-8.
        polars.exceptions.PolarsError: it cannot be read.
    """
    _cost_of(condition)
    try:
        return pl.sql_expr(condition)
    except UnicodeEncodeError:
        raise FilterError(f"{condition!r} holds a byte that is not UTF-8.", "Write it in UTF-8.") from None


@lru_cache(maxsize=512)
def _cost_of(condition: str) -> ConditionCost:
    """What a condition costs. Raises FilterError as `expression_of` does."""
    words = list(words_of(condition))
    if query := _query(condition, words):
        fault = "a condition speaks of the columns of a case: it cannot ask another table or read a file."
        raise FilterError(f"in {condition!r}: {fault}", place=query, fault=fault)
    return check_condition(condition, words)


@lru_cache(maxsize=512)
def columns_read(condition: str) -> frozenset[str]:
    """Return the names of the columns that a condition reads; none where it cannot be read."""
    try:
        return frozenset(expression_of(condition).meta.root_names())
    except (FilterError, pl.exceptions.PolarsError):
        return frozenset()


def _query(condition: str, words: list[Word]) -> tuple[int, int] | None:
    """Where a condition asks anything but columns, as a place in it; None where it does not."""
    queries = (word for word in words if word.kind == "name" and word.text.upper() in _QUERIES)
    if word := next(queries, None):
        return word.start, word.end
    file = _FILES.search(condition)
    return file.span() if file and _FROM.search(condition) else None


# -- what is wrong with a condition, in a sentence that says what to do, and at which place of it


_ADJUDICATION = "adjudication"
_EXAMPLE = "Example: n_steps > 8 AND \"x.outcome\" = 'late'"
_ENDINGS = ("", " 1", " true", " NULL", " IN (1)", " AND 1", " 1 AND 1", " THEN 1 END", " 1 THEN 1 END", " END", "(1)")
"""With one of these, and the parentheses that are open, the beginning of a condition that can be read is one."""
_MOST_WORDS = 300
_LISTS = re.compile(r"series '(.+?)' of dtype: List")
"""What polars says of a column of lists that is compared with one value."""
_EQUAL = frozenset({"=", "<>", "!="})

_PLAIN = re.compile(r"[^\W\d]\w*\Z")

WordPlace = tuple[int, int]
"""Characters of a condition, 0-based, the second not included."""


def filter_error(error: Exception, condition: str, columns: Sequence[str]) -> FilterError:
    """Return the error to raise for a condition that polars refused.

    A name with a dot or a hyphen is no plain word in SQL, so that anything may have failed: where such a column's name
    stands bare in the condition, that is what is said.
    """
    if not condition.strip():
        return FilterError(f"{condition!r} is not a condition.", _EXAMPLE, fault="there is no condition yet.")
    cause = str(error).splitlines()[0]
    explained = _of_a_name(error, condition, columns) or _of_lists(cause, condition) or _of_a_word(condition)
    return explained or FilterError(f"{condition!r} cannot be evaluated: {cause}.", _EXAMPLE, fault=cause)


def of_a_truth(condition: str, schema: Mapping[str, pl.DataType]) -> FilterError | None:
    """Return the error where a column of true and false is compared with a text: for polars no row is equal, in
    silence.
    """
    for column, sign, text in zip(words := list(words_of(condition)), words[1:], words[2:], strict=False):
        named_so = column.kind in {"name", "quoted"} and schema.get(column.value) == pl.Boolean()
        if named_so and sign.text in _EQUAL and text.kind == "text" and text.value.lower() not in {"true", "false"}:
            fault = f"{column.text} is true or false, and no text: write {column.text} = true."
            return FilterError(f"in {condition!r}: {fault}", place=(text.start, text.end), fault=fault)
    return None


def _of_a_name(error: Exception, condition: str, columns: Sequence[str]) -> FilterError | None:
    """Where a name is no column, or is one and stands bare."""
    if bare := _bare(condition, columns):
        fault = f"write {named(bare[0])}, in double quotes, because the name is not a plain word."
        quoting = CommandEdit(replaces=((bare[0], named(bare[0])),))
        return FilterError(
            f"in {condition!r}: {fault}", place=bare[1], fault=fault, instead=[(quoting, "the name in double quotes")]
        )
    if not isinstance(error, pl.exceptions.ColumnNotFoundError) or '"' not in str(error):
        return None
    name = str(error).split('"')[1]
    fault = _unknown(name, condition, columns)
    near = () if name == _ADJUDICATION else _near(name, columns)
    # Quotes that stand around the unknown name stay around the other one.
    is_quoted = f'"{name}"' in condition
    changes = [((name, column if is_quoted else named(column)), column) for column in near]
    others = [(CommandEdit(replaces=(change,)), f"column {column}") for change, column in changes]
    if name == _ADJUDICATION:
        others = [(CommandEdit("--labels adjudicated"), "under the labels after triage")]
    place = _where(name, condition)
    return FilterError(f"in {condition!r}: {fault}", place=place, fault=fault, unknown=name, instead=others)


def _of_lists(cause: str, condition: str) -> FilterError | None:
    """Where a column of lists is compared with one value."""
    if (match := _LISTS.search(cause)) is not None:
        name = named(match[1])
        fault = f"{name} holds lists: ARRAY_CONTAINS({name}, VALUE) or ARRAY_LENGTH({name}) asks about them."
        return FilterError(f"in {condition!r}: {fault}", place=_where(match[1], condition), fault=fault)
    if cause.startswith("cannot cast List"):
        fault = "a column that holds lists is asked with ARRAY_CONTAINS(tags, 'x') or ARRAY_LENGTH(tags)."
        return FilterError(f"in {condition!r}: {fault}", fault=fault)
    return None


def _of_a_word(condition: str) -> FilterError | None:
    """Explain which word is misplaced or missing."""
    if (place := _first_unreadable(condition)) is None:
        return None
    fault = _misplaced(condition, place)
    return FilterError(f"in {condition!r}, at character {place[0] + 1}: {fault}", _EXAMPLE, place=place, fault=fault)


def _misplaced(condition: str, place: WordPlace) -> str:
    """What is wrong with a condition that cannot be read, of which this is the first place that makes no sense."""
    word = condition[slice(*place)].strip()
    if not word:
        return "something is missing here."
    if word[0] in "'\"" and (len(word) < 2 or word[-1] != word[0]):
        return f"the closing {word[0]} is missing."
    return f"unexpected {word}."


def _bare(condition: str, columns: Sequence[str]) -> tuple[str, WordPlace] | None:
    """The longest name of a column that needs double quotes and stands without, and where."""
    outside = list(condition)
    for word in words_of(condition):
        if word.kind in {"quoted", "text"}:
            outside[word.start : word.end] = " " * (word.end - word.start)
    text = "".join(outside)
    special = [column for column in columns if column in text and not _plain(column)]
    if not special:
        return None
    column = max(special, key=len)
    return column, (text.index(column), text.index(column) + len(column))


def _plain(column: str) -> bool:
    """Whether a name may stand in a condition without double quotes."""
    return named(column) == column or (_PLAIN.match(column) is not None and columns_read(f"{column} = 1") == {column})


def _where(name: str, condition: str) -> WordPlace | None:
    """Where a name stands first; None where it does not."""
    places = (word for word in words_of(condition) if word.kind in {"name", "quoted"} and word.value == name)
    return next(((word.start, word.end) for word in places), None)


def _near(name: str, columns: Sequence[str]) -> list[str]:
    alike = [column for column in columns if name.lower() in column.lower()]
    return alike[:4] or get_close_matches(name, columns, n=3, cutoff=0.5)


def _unknown(name: str, condition: str, columns: Sequence[str]) -> str:
    """The sentence for an unknown column: the nearest names, or all of them."""
    near = _near(name, columns)
    hint = (
        f"did you mean {' or '.join(map(named, near))}?"
        if near
        else f"there are {', '.join(map(named, columns[:30]))}."
    )
    text = f" A text stands in single quotes: {quoted(name)}." if f'"{name}"' in condition else ""
    if name == _ADJUDICATION:
        # Made where labels are: it is no column beside the benchmark's own.
        hint, text = "it is there with `--labels adjudicated`, which the app takes too.", ""
    return f"there is no column {name!r}; {hint}{text}"


def _first_unreadable(condition: str) -> WordPlace | None:
    """The first word with which nothing that follows could make sense; the end, if something is missing there.

    None where the condition can be read, so that it is no word that is wrong with it, and where it has so many words
    that looking for the first would hold up the keys.
    """
    words = list(words_of(condition))
    if len(words) > _MOST_WORDS or _readable(condition):
        return None
    for word, parentheses in zip(words, _open_parentheses(words), strict=True):
        if word.open:
            return word.start, word.end
        beginning = condition[: word.end]
        if parentheses < 0 or not any(_readable(beginning + more + ")" * parentheses) for more in _ENDINGS):
            return word.start, word.end
    return len(condition.rstrip()), len(condition.rstrip()) + 1


def _open_parentheses(words: Sequence[Word]) -> list[int]:
    """How many parentheses are open behind each word."""
    return list(accumulate((word.text == "(") - (word.text == ")") for word in words))


def _readable(condition: str) -> bool:
    try:
        expression_of(condition)
    except (FilterError, pl.exceptions.PolarsError):
        return False
    return True


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
