"""The lines of a journal's file, read: each an action, one that this version does not know, or a problem."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from scoring.triage.actions import CHANGES, DEFER, OWN, RATE, REDO, RULE, RULINGS, SKIP, UNDO, Action, rating_of

VERSION = 1
_LARGEST = 1 << 53
"""Counters stay below it, so that every program reads them exactly."""
_TEXT = frozenset({str})
_decode = msgspec.json.Decoder().decode


class _Line(msgspec.Struct, gc=False):
    """A line with everything of its type, which nearly all are; what is amiss with another one is found by looking."""

    v: int
    n: int
    who: str
    machine: str
    action: str
    cases: tuple[str, ...] = ()
    value: str | None = None
    time: str = ""
    batch: int | None = None
    of: int | None = None


_quickly = msgspec.json.Decoder(_Line).decode
_BLANK = object()
"""Stands for a line with nothing on it."""


@dataclass(frozen=True)
class Read:
    """What files hold. `problems` are sentences with file and line, `unknown` counts actions that this version lacks.

    Such lines stay in their files and do nothing here; `last` is the highest counter of all lines, these included.
    """

    actions: tuple[Action, ...] = ()
    problems: tuple[str, ...] = ()
    unknown: Counter[str] = field(default_factory=Counter)
    last: int = 0


def read_file(path: Path) -> Read:
    """The actions of one file; a line that is none is a problem, and the others still count."""
    try:
        data = path.read_bytes()
    except OSError as error:
        return Read(
            problems=(f"{path.name} cannot be read ({error.strerror or error}); its tags and notes are missing",)
        )
    actions, problems, unknown, last = [], [], Counter[str](), 0
    for number, line in enumerate(data.split(b"\n"), 1):
        quick = _quick(line, number)
        if quick is not None:
            actions.append(quick)
            last = max(last, quick.n)
            continue
        value = _value(line)
        found = _action(value, number)
        if type(found) is Action:
            actions.append(found)
            last = max(last, found.n)
        elif type(found) is int:
            unknown[_word(value)] += 1
            last = max(last, found)
        elif found:
            problems.append(f"triage/{path.name}:{number}: {found}; the line does nothing")
    return Read(tuple(actions), tuple(problems), unknown, last)


def _quick(line: bytes, number: int) -> Action | None:
    """The change that a sound line holds; None for every other line."""
    try:
        one = _quickly(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    kind, n, text = one.action, one.n, one.value
    if one.v != VERSION or not 0 < n < _LARGEST or kind not in CHANGES or not one.cases:
        return None
    if text is None or not (text or kind in MAY_BE_EMPTY) or (kind in _WRONG and _WRONG[kind](text) is not None):
        return None
    return Action(
        n, one.who, one.machine, number, kind, one.cases, text, n if one.batch is None else one.batch, one.time
    )


def _value(line: bytes) -> Any:
    """What one line holds, None where that is no JSON; _BLANK where there is nothing on it."""
    try:
        return _decode(line) if line.strip() else _BLANK
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _action(value: Any, number: int) -> Action | int | str:
    """The action of a line; its counter where it is one that this version does not know; else what is wrong."""
    if type(value) is not dict:
        return "" if value is _BLANK else "is no whole JSON object, perhaps because its writing was interrupted"
    known = value.get
    n, who, machine, kind = known("n"), known("who"), known("machine"), known("action")
    if type(n) is not int or not 0 < n < _LARGEST:
        return "has no counter (n)"
    if known("v") != VERSION or type(kind) is not str or kind not in _READERS:
        return n
    if type(who) is not str or type(machine) is not str:
        return "does not say who did it (who, machine)"
    parts = _READERS[kind](value, n)
    if isinstance(parts, str):
        return parts
    return Action(n, who, machine, number, kind, *parts, str(known("time", "")))


def _word(value: dict[str, Any]) -> str:
    """What an action that is not known calls itself."""
    return str(value.get("action")) if value.get("v") == VERSION else f"version {value.get('v')}"


Parts = tuple[tuple[str, ...], str, int]
MAY_BE_EMPTY = OWN | {SKIP, DEFER}
"""Actions whose text may be "": it takes away what was said, or there is nothing to say."""


def _ruling(text: str) -> str | None:
    return None if not text or text in RULINGS else f"rules {text[:40]!r}, which is none of {', '.join(RULINGS)}"


def _rating(text: str) -> str | None:
    try:
        rating_of(text)
    except ValueError:
        return f"rates {text[:40]!r}, which is no step and -1, 0 or 1"
    return None


_WRONG: dict[str, Callable[[str], str | None]] = {RULE: _ruling, RATE: _rating}
"""What is wrong with the text of an action; None: nothing."""


def _change(value: dict[str, Any], n: int) -> Parts | str:
    cases, text, batch = value.get("cases"), value.get("value"), value.get("batch", n)
    if type(cases) is not list or not _TEXT.issuperset(map(type, cases)):
        return "does not name its cases (cases)"
    if type(text) is not str or (not text and value["action"] not in MAY_BE_EMPTY):
        return "has no text (value)"
    check = _WRONG.get(value["action"])
    if check is not None and (wrong := check(text)) is not None:
        return wrong
    if type(batch) is not int:
        return "names no batch (batch)"
    return tuple(cases), text, batch


def _reversal(value: dict[str, Any], n: int) -> Parts | str:
    of = value.get("of")
    return ((), "", of) if type(of) is int and of < n else "does not say what it is of (of)"


_READERS: dict[str, Callable[[dict[str, Any], int], Parts | str]] = {
    **dict.fromkeys(CHANGES, _change),
    UNDO: _reversal,
    REDO: _reversal,
}


def sound(text: str) -> str:
    """Text that can be written as UTF-8, with halves of surrogate pairs replaced."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
