"""Limits on what a condition may cost: its size, the text that it makes, and its time.

polars evaluates a condition inside this process. A text as long as `LPAD(case, 50000000, 'x')` asks for ends it, deep
types overflow the stack of its parser, and nested BETWEENs double the expression at each level. So a condition is
measured before polars sees it. The measures are upper bounds: what passes stays within them.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from math import prod
from typing import TypeVar

import polars as pl
from msgspec import Struct

from scoring.data.errors import FilterError
from scoring.workspace.filtering.sql_words import Word, comments_of

T = TypeVar("T")

LONGEST = 1_000
"""Names and signs of a condition; values in a list are not counted. With three times as many polars takes minutes."""
LARGEST_EXPRESSION = 4 * LONGEST
"""Names and signs after polars has expanded BETWEEN, IN and CASE."""
MOST_NESTED = 48
"""Parentheses, brackets and CASEs inside one another; polars reads no more."""
MOST_BRACKETS = 64
MOST_TEXT = 2 << 30
"""Bytes of text that a condition may make."""
SECONDS = 30.0
"""Seconds that a condition or a search of some texts may take."""
_CELL = 32
"""Maximum bytes of a value other than text when it is formatted."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FUNCTIONS = _words(
    """
    ABS ACOS ACOSD ASIN ASIND ATAN ATAN2 ATAN2D ATAND CBRT CEIL CEILING COS COSD COT COTD DEGREES DIV EXP FLOOR LN LOG
    LOG10 LOG1P LOG2 MOD PI POW POWER RADIANS ROUND SIGN SIN SIND SQRT TAN TAND TRUNC TRUNCATE
    BIT_AND BIT_COUNT BIT_NOT BIT_OR BIT_XOR
    BIT_LENGTH CHAR_LENGTH CHARACTER_LENGTH CONCAT CONCAT_WS ENDS_WITH INITCAP LEFT LENGTH LOWER LPAD LTRIM NORMALIZE
    OCTET_LENGTH POSITION REGEXP_LIKE REPLACE REVERSE RIGHT RPAD RTRIM SPLIT_PART STARTS_WITH STRPOS SUBSTR SUBSTRING
    STRING_TO_ARRAY TRIM UPPER
    DATE DATE_PART DATETIME EXTRACT STRFTIME STRPTIME TIME TIMESTAMP
    COALESCE GREATEST IF IFNULL LEAST NULLIF CAST TRY_CAST
    ARRAY_CONTAINS ARRAY_GET ARRAY_LENGTH ARRAY_LOWER ARRAY_MEAN ARRAY_REVERSE ARRAY_SUM ARRAY_TO_STRING ARRAY_UNIQUE
    ARRAY_UPPER
    AVG CORR COUNT COVAR COVAR_POP COVAR_SAMP FIRST LAST MAX MEDIAN MIN QUANTILE_CONT QUANTILE_DISC STDDEV STDDEV_SAMP
    STDEV STDEV_SAMP SUM VAR VAR_SAMP VARIANCE
    CUME_DIST DENSE_RANK FIRST_VALUE LAG LAST_VALUE LEAD NTH_VALUE PERCENT_RANK RANK ROW_NUMBER
    COLUMNS
    """
)
"""Functions that a condition may call. Excluded are those that create rows or lists of any length, join the texts of
all cases, or replace by a pattern."""
_NO_ARGUMENT = frozenset({"COUNT", "CUME_DIST", "DENSE_RANK", "PERCENT_RANK", "PI", "RANK", "ROW_NUMBER"})
_COPIES = {
    **dict.fromkeys(("AVG", "CORR", "COVAR", "COVAR_POP", "COVAR_SAMP", "NULLIF", "LPAD", "RPAD"), 2),
    **dict.fromkeys(("SUM", "LEFT", "RIGHT", "SUBSTR", "SUBSTRING", "FIRST", "LAST"), 3),
    **dict.fromkeys(("SPLIT_PART", "ARRAY_GET"), 4),
    **dict.fromkeys(("FILTER", "OVER"), 2),
}
"""How often polars copies the argument of a function into its expression, if more than once."""
_BEFORE_PARENTHESIS = _words(
    "ALL AND ANY BETWEEN BY CASE DISTINCT ELSE ESCAPE FILTER FROM ILIKE IN IS LIKE NOT OR ORDER OVER REGEXP RLIKE SOME "
    "THEN WHEN WHERE"
)
"""Keywords that may precede a parenthesis without being functions."""
_TYPES = _words(
    "BIGINT BOOL BOOLEAN BYTEA CHAR DATE DATETIME DOUBLE FLOAT FLOAT4 FLOAT8 INT INT2 INT4 INT8 INTEGER REAL SMALLINT "
    "STRING TEXT TIME TIMESTAMP TINYINT UINT1 UINT2 UINT4 UINT8 VARCHAR"
)
_SIGNS = _words("= <> != < > <= >= + - * / % ( ) [ ] , . | ! & ~ ^ : @")
_PREFIX = _words("B BR E N NQ Q R RB U X")
"""Before a quote they begin a text in which other signs end it."""
_PATTERNS = frozenset({"LIKE", "ILIKE", "RLIKE", "REGEXP"})


class FunctionCall(Struct, frozen=True):
    """A function that a condition calls, and the words of its arguments."""

    name: Word
    arguments: tuple[tuple[Word, ...], ...]

    @property
    def function(self) -> str:
        """Its name in capitals."""
        return self.name.text.upper()


class ConditionCost(Struct, frozen=True):
    """What a condition may cost.

    Attributes:
        growth: how many times longer its functions may make a text.
        added: bytes that they add to the text of a row.
        joins: texts that it joins.
        pluses: additions, which join texts as well.
        texts: bytes of the texts that are written in it.
        may_be_slow: whether it does more than compare values: it calls functions or matches patterns.
    """

    growth: int
    added: int
    joins: int
    pluses: int
    texts: int
    may_be_slow: bool

    def text_made(self, table: pl.DataFrame, height: int) -> int:
        """Return an upper bound of the bytes of text that are made on a table of `height` rows."""
        has_texts = any(dtype.base_type() in (pl.String, pl.List) for dtype in table.schema.values())
        joins = self.joins + (self.pluses if self.texts or has_texts else 0)
        if self.growth == 1 and not joins and not self.added:
            return 0
        rows = max(1, height)
        columns = max(table.estimated_size(), _CELL * rows * max(1, table.width))
        # Literals count only in a condition that joins texts.
        added = self.added + (self.texts if joins else 0)
        return (1 + joins) * self.growth * (int(columns) + added * rows)

    def check_text(self, condition: str, table: pl.DataFrame, height: int) -> None:
        """Raise FilterError if the condition may make more text of a table than MOST_TEXT."""
        if self.text_made(table, height) > MOST_TEXT:
            fault = f"it would make more than {MOST_TEXT >> 30} GB of text of {height:,} rows: use shorter texts."
            raise _refused(condition, fault)


def check_condition(condition: str, words: Sequence[Word]) -> ConditionCost:
    """Return what a condition costs.

    Raises:
        FilterError: it is too large for polars, or has anything that is not known to be harmless.
    """
    names = sum(map(_counted, words))
    if names > LONGEST:
        fault = f"more than {LONGEST:,} names and signs are too many: put values into a list, as in case IN ('a', 'b')."
        raise FilterError(f"the condition {condition[:40]!r}... is too long: {fault}", fault=fault)
    for word, fault in _forbidden(words):
        raise _refused(condition, fault, word)
    if any("\r" in comment for comment in comments_of(condition)):
        raise _refused(condition, "a comment cannot hold a carriage return.")
    function_calls = calls(words)
    for word, fault in _forbidden_calls(function_calls):
        raise _refused(condition, fault, word)
    if _expanded(words) > LARGEST_EXPRESSION:
        raise _refused(condition, "BETWEEN, IN and CASE are nested too deeply: split it into several conditions.")
    return _cost(words, function_calls)


def _refused(condition: str, fault: str, word: Word | None = None) -> FilterError:
    excerpt = condition if len(condition) <= _SHOWN else f"{condition[:_SHOWN]}..."
    place = (word.start, word.end) if word is not None else None
    where = f"in {excerpt!r}, at character {word.start + 1}" if word is not None else f"in {excerpt!r}"
    return FilterError(f"{where}: {fault}", place=place, fault=fault)


_SHOWN = 200
"""Characters of a condition in a sentence about it."""


def _counted(word: Word) -> bool:
    return word.kind in {"name", "quoted"} or (word.kind == "sign" and word.text not in "(),")


def _forbidden(words: Sequence[Word]) -> Iterator[tuple[Word, str]]:
    """Yield each misplaced word with an explanation."""
    nested = brackets = 0
    for word, after in zip(words, [*words[1:], None], strict=False):
        if word.kind in {"number", "text"} or word.text == ",":
            continue
        upper = word.text.upper() if word.kind == "name" else word.text
        if word.kind == "sign" and word.text not in _SIGNS:
            yield word, f"unexpected {word.text}."
        if after is not None and after.start == word.end:
            if word.text == "/" and after.text == "*":
                yield word, "unexpected /*: write comments as -- up to the end of the line."
            if after.kind in {"text", "quoted"} and (upper in _PREFIX or word.text == "&"):
                yield word, f"unexpected {word.text} before a quote."
        nested += (upper in {"(", "[", "CASE"}) - (upper in {")", "]", "END"})
        brackets += word.text == "["
        if nested > MOST_NESTED or brackets > MOST_BRACKETS:
            yield word, f"parentheses are nested more than {MOST_NESTED} levels deep."
    yield from _forbidden_types(words)


def _forbidden_calls(function_calls: Sequence[FunctionCall]) -> Iterator[tuple[Word, str]]:
    for call in function_calls:
        name = call.function
        if call.name.kind == "quoted" or name not in FUNCTIONS:
            yield call.name, f"no function named {call.name.text!r} in conditions."
        elif not call.arguments and name not in _NO_ARGUMENT:
            yield call.name, f"{call.name.text} needs arguments."
        elif name in _LITERALS and not _literals(call, _LITERALS[name]):
            yield call.name, f"{call.name.text} takes {_KINDS[name]}, written out."


def _forbidden_types(words: Sequence[Word]) -> Iterator[tuple[Word, str]]:
    """Types that are not plain names: polars' parser overflows on deep ones."""
    for before, word, after in zip(words, words[1:], [*words[2:], None], strict=False):
        is_cast = before.text.upper() == "AS" or (before.text == ":" and word.text != ":")
        if is_cast and not (word.kind == "name" and word.text.upper() in _TYPES):
            yield word, f"{word.text} is not a type here: use INT, FLOAT, TEXT, BOOLEAN or DATE."
        elif is_cast and after is not None and after.text in {"[", "("}:
            yield after, f"{word.text} takes no {after.text} here."


def calls(words: Sequence[Word]) -> list[FunctionCall]:
    """Return the calls in a condition, inner ones before outer ones."""
    function_calls: list[FunctionCall] = []
    opened: list[tuple[Word | None, list[list[Word]]]] = []
    for before, word in zip([None, *words], words, strict=False):
        for _, arguments in opened:
            arguments[-1].append(word)
        if word.text == "(":
            opened.append((before if before is not None and _is_callable(before) else None, [[]]))
        elif word.text == ")" and opened:
            name, arguments = opened.pop()
            arguments[-1].pop()
            if name is not None:
                call_arguments = tuple(map(tuple, arguments)) if arguments != [[]] else ()
                function_calls.append(FunctionCall(name, call_arguments))
        elif word.text == "," and opened:
            opened[-1][1][-1].pop()
            opened[-1][1].append([])
    # Unclosed calls count too, because polars may accept them.
    return function_calls + [
        FunctionCall(name, tuple(map(tuple, arguments))) for name, arguments in opened if name is not None
    ]


def _is_callable(word: Word) -> bool:
    return word.kind == "quoted" or (word.kind == "name" and word.text.upper() not in _BEFORE_PARENTHESIS)


# -- how large polars' expression of a condition becomes


class _Level(Struct):
    """A parenthesis that is open: the names within it so far, and how often polars copies them."""

    copies: int = 1
    is_in: bool = False
    total: int = 0
    part: int = 0
    factor: int = 1
    ands: int = 0
    entries: int = 1
    plain: bool = True
    whens: int = 0
    has_operand: bool = False

    def end_part(self) -> None:
        """A part between ORs is copied by itself."""
        self.total += self.part * self.factor
        self.part, self.factor, self.ands = 0, 1, 0


def _expanded(words: Sequence[Word]) -> int:
    """Return an upper bound of the names and signs in polars' expression of a condition.

    `x BETWEEN a AND b` becomes `x >= a AND x <= b`, and `x IN (a, b)` `x = a OR x = b` unless all are values. Each
    doubles the part of the parenthesis around it, up to the next OR, or AND that does not belong to a BETWEEN.
    """
    levels = [_Level()]
    for before, word, after in zip([None, *words], words, [*words[1:], None], strict=False):
        upper = word.text.upper() if word.kind == "name" else word.text
        level = levels[-1]
        level.part += _counted(word)
        if word.kind in {"name", "quoted", "sign"} and upper not in {",", ")", "NULL", "TRUE", "FALSE"}:
            level.plain = False
        if upper == "BETWEEN":
            level.factor *= 2
            level.ands += 1
        elif upper == "AND" and level.ands:
            level.ands -= 1
        elif upper in {"AND", "OR", ",", "THEN", "ELSE", "WHEN"}:
            level.end_part()
            level.entries += upper == ","
            level.whens += upper == "WHEN"
        elif upper in {"(", "[", "CASE"}:
            name = before.text.upper() if before is not None and before.kind == "name" else ""
            copies = _COPIES.get(name, 1) if upper == "(" else 1
            # Without an operand, conditions follow: each is written once.
            has_operand = upper == "CASE" and after is not None and after.text.upper() != "WHEN"
            levels.append(_Level(copies, is_in=upper == "(" and name == "IN", has_operand=has_operand))
        elif upper in {")", "]", "END"} and len(levels) > 1:
            levels.pop()
            _close(level, levels[-1])
        if max(level.total, level.part, level.factor, levels[-1].factor) > LARGEST_EXPRESSION:
            return LARGEST_EXPRESSION + 1
    while len(levels) > 1:
        _close(levels.pop(), levels[-1])
    levels[0].end_part()
    return levels[0].total


def _close(level: _Level, outer: _Level) -> None:
    """Count a parenthesis that ends, or a CASE, whose operand is compared once for each WHEN."""
    level.end_part()
    outer.part += level.total * (max(1, level.whens) if level.has_operand else level.copies)
    outer.plain = outer.plain and level.plain
    if level.is_in and not level.plain:
        outer.factor *= level.entries


# -- how much text it makes


_LITERALS: dict[str, tuple[int, ...]] = {
    "LPAD": (1, 2),
    "RPAD": (1, 2),
    "REPLACE": (1, 2),
    "ARRAY_TO_STRING": (1,),
    "STRFTIME": (1,),
}
"""Functions whose text is as long as some of their arguments say, and which arguments (0-based)."""
_KINDS = {
    **dict.fromkeys(("LPAD", "RPAD"), "a width and a character"),
    "REPLACE": "two texts",
    "ARRAY_TO_STRING": "a separator",
    "STRFTIME": "a format",
}
_GROWTH = {"NORMALIZE": 18, "SPLIT_PART": 16, "STRING_TO_ARRAY": 16, "UPPER": 3, "LOWER": 3, "INITCAP": 3}
"""How many times longer than its argument the text of a function may be."""
_FORMATTED = 16
"""Characters that one of a format for dates may write."""


def _literals(call: FunctionCall, positions: Sequence[int]) -> bool:
    """Return whether these arguments, as far as they are given, are values that are written out."""
    literals = [call.arguments[position] for position in positions if position < len(call.arguments)]
    return all(len(words) == 1 and words[0].kind in {"text", "number"} for words in literals)


def _cost(words: Sequence[Word], function_calls: Sequence[FunctionCall]) -> ConditionCost:
    texts = sum(len(word.text.encode("utf-8", "replace")) for word in words if word.kind == "text")
    matches = any(word.kind == "name" and word.text.upper() in _PATTERNS for word in words)
    return ConditionCost(
        growth=prod(map(_growth, function_calls)),
        added=sum(map(_added, function_calls)),
        joins=sum(first.text == second.text == "|" for first, second in pairwise(words))
        + sum(len(call.arguments) for call in function_calls if call.function.startswith("CONCAT")),
        pluses=sum(word.text == "+" for word in words),
        texts=texts,
        may_be_slow=bool(function_calls) or matches or any(word.text == "~" for word in words),
    )


def _growth(call: FunctionCall) -> int:
    literals = [len(words[0].value.encode("utf-8", "replace")) for words in call.arguments[1:] if len(words) == 1]
    match call.function, literals:
        case "REPLACE", [old, new]:
            # An empty text matches before and after each character.
            return 1 + new if not old else max(1, -(-new // old))
        case "ARRAY_TO_STRING", [separator, *_]:
            return 1 + separator
    return _GROWTH.get(call.function, 1)


def _added(call: FunctionCall) -> int:
    """Bytes that a call adds to the text of each row."""
    second = call.arguments[1][0] if len(call.arguments) > 1 and call.arguments[1] else None
    if second is None:
        return 0
    if call.function in {"LPAD", "RPAD"} and second.kind == "number":
        width = float(second.text)
        # The character that is filled in takes four bytes at most.
        return 4 * (int(width) if width < MOST_TEXT else MOST_TEXT)
    return _FORMATTED * len(second.text) if call.function == "STRFTIME" else 0


# -- how long it takes


def in_time(work: Callable[[], T], seconds: float | None = None) -> T:
    """Return what `work` returns, or raise TimeoutError after `seconds` (SECONDS by default).

    polars cannot be interrupted: work that takes too long goes on in its thread, and its result is dropped.
    """
    results: list[T] = []
    errors: list[BaseException] = []
    ended = threading.Event()

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:  # noqa: BLE001  # raised again below, polars' panics among them
            errors.append(error)
        ended.set()

    threading.Thread(target=run, daemon=True, name="prm-inspect-condition").start()
    if not ended.wait(SECONDS if seconds is None else seconds):
        raise TimeoutError
    if errors:
        raise errors[0]
    return results[0]
