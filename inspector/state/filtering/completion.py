"""A condition while it is typed: what may come next, and whether it can be evaluated."""

from collections.abc import Callable, Sequence

import polars as pl
from msgspec import Struct

from inspector.render.texts.sentences import counted
from inspector.render.texts.text import clean
from inspector.state.filtering.facets import TITLES
from inspector.state.screen_state import ScreenState
from scoring.data.errors import FilterError
from scoring.selection.result_set import ResultSet
from scoring.workspace.filtering.filters import needed_columns, row_passes
from scoring.workspace.filtering.sql_words import Word, literal, named, words_of

MOST_VALUES = 500
"""A column of more values is none whose values are offered."""
OPERATORS = ("=", "<>", ">", "<", ">=", "<=", "IN (", "LIKE", "BETWEEN", "IS NULL", "IS NOT NULL")
OF_TEXTS = ("=", "<>", "IN (", "LIKE", "IS NULL", "IS NOT NULL")
JOINS = ("AND", "OR")
_BEFORE_VALUES = frozenset({"=", "<>", "!=", "IN", "NOT", "LIKE", "ILIKE", "(", ","})
"""Words between a column and its values."""


class Completion(Struct, frozen=True):
    """What the characters from `start` to the cursor may become, the likeliest first."""

    start: int
    choices: tuple[str, ...] = ()

    def taken(self, text: str, at: int, choice: str) -> tuple[str, int]:
        """Return the text with a choice in place of what was typed of it, and where the cursor then stands."""
        rest = text[at:].lstrip(" ")
        before = f"{text[: self.start]}{choice}" + ("" if choice.endswith("(") else " ")
        return before + rest, len(before)


class ConditionVocabulary(Struct, frozen=True):
    """What conditions may speak of: columns with their dtypes, the likeliest first; and the values of some."""

    columns: dict[str, pl.DataType]
    values: Callable[[str], Sequence[str | int | None]]

    def of(self, column: str) -> list[str]:
        """Return the values of a text or Boolean column as SQL; none where they are too many."""
        dtype = self.columns[column]
        if dtype == pl.Boolean():
            return ["true", "false"]
        if dtype != pl.String() and dtype != pl.List(pl.String()):
            return []
        return [literal(value) for value in self.values(column) if isinstance(value, str) and clean(value) == value]


def vocabulary(results: ResultSet, scorer: str | None) -> ConditionVocabulary:
    """List the columns of a result set: those that are facets, the scorer's in focus, then all others.

    Labels that no case has are left out.
    """
    empty = {name for name in results.cases.columns if results.cases[name].null_count() == results.evaluated.height}
    schema = {name: dtype for name, dtype in results.evaluated.schema.items() if name not in empty}
    focused = None if scorer is None else results.evaluation(scorer)
    own = [name for name in schema if focused is not None and results.evaluated.evaluation_of(name) is focused]
    own.sort(key=lambda name: not name.endswith(".outcome"))
    order = dict.fromkeys((*(name for name in TITLES if name in schema), *own, *schema))

    def values(column: str) -> Sequence[str | int | None]:
        if isinstance(schema[column], pl.List):
            return results.evaluated.column(column).explode().drop_nulls().unique().sort().to_list()[:MOST_VALUES]
        coded = results.evaluated.categories(column)
        return coded.values if coded is not None and len(coded.values) <= MOST_VALUES else ()

    # What could act on a terminal is not offered: an input line writes it as it is.
    return ConditionVocabulary({name: schema[name] for name in order if clean(name) == name}, values)


def completion(text: str, at: int, known: ConditionVocabulary) -> Completion:
    """Find what may stand at a place (characters, 0-based) of a text; nothing within a word that is complete."""
    words = list(words_of(text[:at]))
    partial = words.pop() if words and _goes_on(words[-1], at) else None
    start, typed = (partial.start, partial.value) if partial else (at, "")
    column = _column_of_value(words, known)
    if partial is not None and partial.kind == "text" and column is None:
        return Completion(start)
    if column is not None:
        return Completion(start, _matching(typed, known.of(column)))
    last = words[-1] if words else None
    if last is not None and _names_column(last, known):
        texts = known.columns[last.value] == pl.String()
        return Completion(start, _matching(typed, OF_TEXTS if texts else OPERATORS))
    if last is not None and _ends_operand(last):
        return Completion(start, _matching(typed, JOINS))
    return Completion(start, _matching(typed, [named(name) for name in known.columns]))


def _goes_on(word: Word, at: int) -> bool:
    """Whether a word is still being typed where the cursor stands."""
    return word.end == at and (word.open or word.kind == "name")


def _column_of_value(words: Sequence[Word], known: ConditionVocabulary) -> str | None:
    """The column whose value comes next, None where none does."""
    for place in range(len(words) - 1, -1, -1):
        word = words[place]
        if word.text.upper() in _BEFORE_VALUES:
            continue
        between = [word.text for word in words[place + 1 :]]
        if word.kind == "text" and words[-1].text == "," and len(between) == 1:
            return _column_of_value(words[:place], known)
        return word.value if between not in ([], ["("]) and _names_column(word, known) else None
    return None


def _names_column(word: Word, known: ConditionVocabulary) -> bool:
    return word.kind in {"name", "quoted"} and word.value in known.columns


def _ends_operand(word: Word) -> bool:
    """Whether a comparison may end with this word, so that another can follow."""
    closed = word.kind in {"text", "number", "quoted"} and not word.open
    return closed or word.text == ")" or word.text.upper() in {"NULL", "TRUE", "FALSE"}


def _matching(typed: str, choices: Sequence[str]) -> tuple[str, ...]:
    """The choices that hold what was typed: the same word first, then those that begin with it."""
    low = typed.lower()

    def place(choice: str) -> int:
        bare = choice.lower().strip("'\"")
        return 0 if bare == low else 1 if bare.startswith(low) else 2

    return tuple(sorted((choice for choice in choices if low in choice.lower()), key=place))


# -- whether a condition that is being typed can be evaluated, and how many cases it would leave


QUICK = 200_000
"""Cases up to which a condition is answered at every key."""


def left_by(state: ScreenState, condition: str) -> str:
    """Write how many of the cases on screen a condition would leave; "" where counting would hold up the keys."""
    results = state.results
    if results.evaluated.height > QUICK:
        return ""
    try:
        left = int((results.mask & results.evaluated.passing((condition,))).sum())
    except FilterError:
        return ""
    return f"{left:,} of {counted(state.shown.size, 'case')} {'fulfils' if left == 1 else 'fulfil'} it"


def fault_of(results: ResultSet, condition: str) -> FilterError | None:
    """Find what is wrong with a condition without looking at a single case; None where nothing is."""
    try:
        names = needed_columns(condition, results.evaluated.columns)
        empty = pl.DataFrame(schema={name: results.evaluated.schema[name] for name in names})
        row_passes(empty, condition, 0, results.evaluated.columns)
    except FilterError as error:
        return results.evaluated.explained(error)
    return None
