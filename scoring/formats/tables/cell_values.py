"""Cells of a table as values: what lies inside an object, and what a text strictly says.

Each function gives a value of the type that is wanted where the cell holds or says one, and the cell itself where
it does not, so that whoever checks types names it as it is.
"""

import json
import math
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

_WHOLE = re.compile(r"[+-]?[0-9]{1,18}(?:\.0*)?\Z")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?\Z")
_BLANK_LINES = re.compile(r"\r?\n(?:[ \t]*\r?\n)+")
_PRINTED_LIST = re.compile(r"\[\s*(?:['\"]|\]\Z)|\[?array\(")
_PARTS = re.compile(r"\.?[^.\[\]]+|\[[^\]]*\]")
_PATH = re.compile(r"[^.\[\]]+(?:\[(?:-?[0-9]{1,6}|[^=\[\]]+=[^\]]*)?\]|\.[^.\[\]]+)*")
_ROLES = ("role", "from", "type")
_ROLE = re.compile(r"[A-Za-z_-]{1,20}")
_ELEMENTS, _LISTS = 8, 3
"""How many elements of a list, and lists within lists, are looked at for names of columns."""
_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_PRINTED_TRUTH = {"True": True, "False": False}
_MANY_DIGITS = 10**18
PADDING = (None, -100)
"""What pads lists of rewards, besides NaN."""
NO_NAME = "(no name)"
"""What a column without a name is called in sentences: pandas writes its index as one."""


def at(row: Mapping[str, Any], column: str) -> Any:
    """Return the cell under a column's name, else what stands at its path; None if there is neither.

    A path goes through objects (`meta.source`) and lists of them: `sections[].content` is the list of what all
    elements hold (null where one holds nothing), `messages[role=assistant].content` of those elements whose `role` is
    that, `candidates[0].steps` of one element, counted from 0 (-1 = the last). Lists within the list are laid end to
    end, one level deep.
    """
    return _find(row, column)[1]


def single_at(row: Mapping[str, Any], column: str) -> Any:
    """Return the same for a cell that is no list: the one value of a path through a list that leads to one."""
    cell = at(row, column)
    return cell[0] if column not in row and "[" in column and isinstance(cell, list) and len(cell) == 1 else cell


def has(row: Mapping[str, Any], column: str) -> bool:
    """Return whether the row has the column, null in it or not; of a path through a list, whether an element has."""
    return _find(row, column)[0]


def outermost(column: str) -> str:
    """Return the key of a row that a path begins with, as far as the first list."""
    return column.partition("[")[0]


def _find(row: Mapping[str, Any], column: str) -> tuple[bool, Any]:
    if column in row:
        return True, row[column]
    value: Any = row
    for part in column.split("."):
        if not isinstance(value, Mapping) or part not in value:
            break
        value = value[part]
    else:
        return True, value
    path = _parsed(column) if "[" in column else ()
    return _walk(row, path) if path else (False, None)


@lru_cache(maxsize=256)
def _parsed(column: str) -> tuple[tuple[str, str], ...]:
    """The parts of a path as (kind, word), kind one of `key`, `all`, `place`, `where`; () where it is none."""
    parts: list[tuple[str, str]] = []
    for name in _PARTS.findall(column) if _PATH.fullmatch(column) else ():
        if not name.startswith("["):
            parts.append(("key", name.removeprefix(".")))
        elif name == "[]":
            parts.append(("all", ""))
        else:
            parts.append(("where" if "=" in name else "place", name[1:-1]))
    return tuple(parts)


def _walk(value: Any, path: tuple[tuple[str, str], ...]) -> tuple[bool, Any]:
    if not path:
        return True, value
    (kind, word), rest = path[0], path[1:]
    if kind == "key":
        return _walk(value[word], rest) if isinstance(value, Mapping) and word in value else (False, None)
    # The cells of CSV hold lists as texts.
    elements = listed(value)
    return _walk_list(elements, kind, word, rest) if isinstance(elements, list) else (False, None)


def _walk_list(elements: list[Any], kind: str, word: str, rest: tuple[tuple[str, str], ...]) -> tuple[bool, Any]:
    if kind == "place":
        place = int(word)
        return _walk(elements[place], rest) if -len(elements) <= place < len(elements) else (False, None)
    if not elements:
        return True, []
    if kind == "where":
        key, _, wanted = word.partition("=")
        objects = [element for element in elements if isinstance(element, Mapping) and key in element]
        elements = [element for element in objects if _word(element[key]) == wanted]
    reached = [_walk(element, rest) for element in elements]
    if not any(there for there, _ in reached):
        return False, None
    flat: list[Any] = []
    for _, cell in reached:
        flat += cell if isinstance(cell, list) else [cell]
    return True, flat


def _word(cell: Any) -> str:
    """A scalar as it is written in a path."""
    return str(cell).lower() if isinstance(cell, bool) else str(text(cell))


def columns_of(row: Mapping[str, Any]) -> dict[str, None]:
    """List every name that `at` takes for the row, outer ones before inner ones, as the keys of a dict.

    Of lists only the first elements are looked at; a list of messages is offered by the role of each as well.
    """
    names: dict[str, None] = {}
    ahead: list[tuple[str, Any, int]] = [("", row, 0)]
    for path, value, lists in ahead:
        if path:
            names[path] = None
        if isinstance(value, Mapping):
            ahead += [(f"{path}.{key}" if path else str(key), inner, lists) for key, inner in value.items()]
        elif isinstance(value, list) and path and lists < _LISTS:
            for element in (element for element in value[:_ELEMENTS] if isinstance(element, Mapping)):
                roles = ((key, element.get(key)) for key in _ROLES)
                role = next(
                    (f"{key}={word}" for key, word in roles if isinstance(word, str) and _ROLE.fullmatch(word)), ""
                )
                for key, inner in element.items():
                    ahead.append((f"{path}[].{key}", inner, lists + 1))
                    if role and key not in _ROLES:
                        ahead.append((f"{path}[{role}].{key}", inner, lists + 1))
    return names


def text(cell: Any) -> Any:
    """Read a text; a whole number as its digits; None for a blank text and for NaN, as frames hold where nothing is."""
    if isinstance(cell, float) and math.isnan(cell):
        return None
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < _MANY_DIGITS:
        cell = int(cell)
    if isinstance(cell, int) and not isinstance(cell, bool) and abs(cell) < _MANY_DIGITS:
        return str(cell)
    return None if isinstance(cell, str) and not cell.strip() else cell


def whole(cell: Any) -> Any:
    """Read a whole number, also with an empty fraction or in a text (`3`, `3.0`); None for a blank text and for NaN."""
    if isinstance(cell, float):
        return int(cell) if cell.is_integer() and abs(cell) < _MANY_DIGITS else None if math.isnan(cell) else cell
    if not isinstance(cell, str):
        return cell
    digits = cell.strip()
    return int(digits.partition(".")[0]) if _WHOLE.match(digits) else digits or None


def number(cell: Any) -> Any:
    """Read a number as a float, also one in a text; None for a blank text."""
    if isinstance(cell, str):
        digits = cell.strip()
        return float(digits) if _NUMBER.match(digits) else digits or None
    if isinstance(cell, int) and not isinstance(cell, bool):
        return float(cell) if abs(cell) < 10**300 else math.inf
    return cell


def truth(cell: Any) -> Any:
    """Read a truth value, also 0 or 1 and true, false, yes or no in a text; None for a blank text."""
    if isinstance(cell, str):
        word = cell.strip().lower()
        return _TRUTH.get(word, cell) if word else None
    return bool(cell) if isinstance(cell, int | float) and cell in {0, 1} else cell


def listed(cell: Any) -> Any:
    """Read a list, also one that is written in a text, as JSON or as NumPy prints numbers; None for a blank text."""
    if not isinstance(cell, str) or not cell.strip():
        return cell if not isinstance(cell, str) else None
    try:
        parts = json.loads(cell) if cell.lstrip().startswith("[") else None
    except (ValueError, RecursionError):
        return _printed_numbers(cell)
    return parts if isinstance(parts, list) else cell


def without_padding(cell: list[Any]) -> list[Any]:
    """Return a list of rewards without what pads it at its end: null, NaN and -100, the index that losses ignore."""
    end = len(cell)
    while end and (cell[end - 1] in PADDING or cell[end - 1] != cell[end - 1]):
        end -= 1
    return cell[:end]


def _printed_numbers(cell: str) -> Any:
    """Read `[0.9 0.2]` or `[ True False]`, as NumPy prints an array, and `[True, False]`; any other text as it is."""
    inside = cell.strip().removeprefix("[").removesuffix("]")
    if len(inside) != len(cell.strip()) - 2 or "_" in inside:
        return cell
    parts = inside.split()
    truths = inside.replace(",", " ").split()
    if truths and {*truths} <= _PRINTED_TRUTH.keys():
        return [_PRINTED_TRUTH[part] for part in truths]
    try:
        return [int(part) if part.isdigit() else float(part) for part in parts]
    except ValueError:
        return cell


def steps(cell: Any, separator: str | None = None) -> tuple[Any, bool]:
    """Read a solution as a list of steps, and whether it was one text that had to be split.

    Split is at the separator, or at blank lines; blank parts before the first and after the last step are no steps. A
    text that looks like a list and is no JSON (as `str` of a Python list is none) stays as it is.
    """
    solution = listed(cell)
    if isinstance(solution, list) and all(isinstance(part, str) for part in solution):
        return solution, False
    if not isinstance(cell, str) or _PRINTED_LIST.match(cell.strip()):
        return cell, False
    parts = _BLANK_LINES.split(cell) if separator is None else cell.split(separator)
    inside = [place for place, part in enumerate(parts) if part.strip()]
    return parts[inside[0] : inside[-1] + 1] if inside else [], True
