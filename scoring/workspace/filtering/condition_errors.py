"""What is wrong with a condition, at which place of it, and what to do."""

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from itertools import accumulate

import polars as pl

from scoring.data.errors import CommandEdit, FilterError
from scoring.workspace.filtering.condition_expressions import columns_read, expression_of
from scoring.workspace.filtering.sql_words import Word, named, quoted, words_of

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
