"""Cells of a table as values: what lies inside an object, and what a text strictly says.

Each function gives a value of the type that is wanted where the cell holds or says one, and the cell itself where it
does not, so that whoever checks types names it as it is.
"""

import json
import math
import re
from collections.abc import Mapping
from typing import Any

_WHOLE = re.compile(r"[+-]?[0-9]{1,18}(?:\.0*)?\Z")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?\Z")
_BLANK_LINES = re.compile(r"\r?\n(?:[ \t]*\r?\n)+")
_PRINTED_LIST = re.compile(r"\[\s*(?:['\"]|\]\Z)|\[?array\(")
_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_MANY_DIGITS = 10**18


def at(row: Mapping[str, Any], column: str) -> Any:
    """The cell under a column's name, else the one at its path through objects (`meta.source`); None if neither."""
    return _find(row, column)[1]


def has(row: Mapping[str, Any], column: str) -> bool:
    """Whether the row has the column, be it with null in it."""
    return _find(row, column)[0]


def _find(row: Mapping[str, Any], column: str) -> tuple[bool, Any]:
    if column in row:
        return True, row[column]
    value: Any = row
    for part in column.split("."):
        if not isinstance(value, Mapping) or part not in value:
            return False, None
        value = value[part]
    return True, value


def columns_of(row: Mapping[str, Any]) -> dict[str, None]:
    """Every name that `at` takes for the row, outer ones before inner ones, as the keys of a dict."""
    found: dict[str, None] = {}
    ahead: list[tuple[str, Any]] = [("", row)]
    for path, value in ahead:
        if path:
            found[path] = None
        if isinstance(value, Mapping):
            ahead += [(f"{path}.{key}" if path else str(key), inner) for key, inner in value.items()]
    return found


def text(cell: Any) -> Any:
    """A text; a whole number as its digits; None for a blank text and for NaN, as frames hold where nothing is."""
    if isinstance(cell, float) and math.isnan(cell):
        return None
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < _MANY_DIGITS:
        cell = int(cell)
    if isinstance(cell, int) and not isinstance(cell, bool) and abs(cell) < _MANY_DIGITS:
        return str(cell)
    return None if isinstance(cell, str) and not cell.strip() else cell


def whole(cell: Any) -> Any:
    """A whole number, also one with an empty fraction or in a text (`3`, `3.0`); None for a blank text and for NaN."""
    if isinstance(cell, float):
        return int(cell) if cell.is_integer() and abs(cell) < _MANY_DIGITS else None if math.isnan(cell) else cell
    if not isinstance(cell, str):
        return cell
    said = cell.strip()
    return int(said.partition(".")[0]) if _WHOLE.match(said) else said or None


def number(cell: Any) -> Any:
    """A number as a float, also one in a text; None for a blank text."""
    if isinstance(cell, str):
        said = cell.strip()
        return float(said) if _NUMBER.match(said) else said or None
    if isinstance(cell, int) and not isinstance(cell, bool):
        return float(cell) if abs(cell) < 10**300 else math.inf
    return cell


def truth(cell: Any) -> Any:
    """A truth value, also 0 or 1 and true, false, yes or no in a text; None for a blank text."""
    if isinstance(cell, str):
        said = cell.strip().lower()
        return _TRUTH.get(said, cell) if said else None
    return bool(cell) if isinstance(cell, int | float) and cell in {0, 1} else cell


def listed(cell: Any) -> Any:
    """A list, also one that is written as JSON in a text; None for a blank text."""
    if not isinstance(cell, str) or not cell.strip():
        return cell if not isinstance(cell, str) else None
    try:
        found = json.loads(cell) if cell.lstrip().startswith("[") else None
    except (ValueError, RecursionError):
        return cell
    return found if isinstance(found, list) else cell


def steps(cell: Any, separator: str | None = None) -> tuple[Any, bool]:
    """A solution as a list of steps, and whether it was one text that had to be split.

    Split is at the separator, or at blank lines; blank parts before the first and after the last step are no steps. A
    text that looks like a list and is no JSON (as `str` of a Python list is none) stays as it is.
    """
    found = listed(cell)
    if isinstance(found, list) and all(isinstance(part, str) for part in found):
        return found, False
    if not isinstance(cell, str) or _PRINTED_LIST.match(cell.strip()):
        return cell, False
    parts = _BLANK_LINES.split(cell) if separator is None else cell.split(separator)
    inside = [place for place, part in enumerate(parts) if part.strip()]
    return parts[inside[0] : inside[-1] + 1] if inside else [], True
