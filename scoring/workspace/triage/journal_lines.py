"""The lines of a journal's file, read: each an action, one that this version does not know, or a problem."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, field

from scoring.workspace.triage.actions import (
    CHANGES,
    DEFER,
    OWN,
    RATE,
    REDO,
    REVERSALS,
    RULE,
    RULINGS,
    SKIP,
    UNDO,
    Action,
    rating_of,
)

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
    content: str = ""


_quickly = msgspec.json.Decoder(_Line)
_TOGETHER = 200_000
"""Bytes that are decoded at once: where that fails, their lines are decoded one by one."""
_BLANK = object()
"""Stands for a line with nothing on it."""
_NOT_WHOLE = "is not a whole JSON object"
_CUT = "was cut short while it was written and does nothing; the next action of its author takes its place"


class ReadJournal(Struct, frozen=True):
    """What files hold. `problems` are sentences with file and line, `unknown` counts actions that this version lacks.

    Such lines stay in their files and do nothing here; `last` is the highest counter of all lines, these included.
    """

    actions: tuple[Action, ...] = ()
    problems: tuple[str, ...] = ()
    unknown: Counter[str] = field(default_factory=Counter)
    last: int = 0


def read_file(path: Path) -> ReadJournal:
    """Read the actions of one file; a line that is none is a problem, and the others still count."""
    try:
        data = path.read_bytes()
    except OSError as error:
        return ReadJournal(
            problems=(f"{path.name} cannot be read ({error.strerror or error}); its tags and notes are missing",)
        )
    actions: list[Action] = []
    problems, unknown, last, number = [], Counter[str](), 0, 1
    unended = 0 if data.endswith(b"\n") else data.count(b"\n") + 1
    for block in _blocks(data.removesuffix(b"\n")):
        parsed_lines = [_sound(line, at) for at, line in enumerate(_decoded(block), number)]
        if not parsed_lines or not all(parsed_lines):
            parsed_lines = []
            for at, line in enumerate(block.split(b"\n"), number):
                action = _read(line, at)
                if type(action) is Action:
                    parsed_lines.append(action)
                elif type(action) is int:
                    unknown[_word(_value(line))] += 1
                    last = max(last, action)
                elif action:
                    fault = _CUT if at == unended and action == _NOT_WHOLE else f"{action}; the line does nothing"
                    problems.append(f"triage/{path.name}:{at}: {fault}")
        actions += (parsed for parsed in parsed_lines if parsed is not None)
        number += block.count(b"\n") + 1
    last = max(last, max((action.n for action in actions), default=0))
    return ReadJournal(tuple(actions), tuple(problems), unknown, last)


def _blocks(data: bytes) -> Iterator[bytes]:
    """Whole lines, many at a time, without the newline at the end of the last."""
    start, end = 0, data.find(b"\n", _TOGETHER)
    while end >= 0:
        yield data[start:end]
        start, end = end + 1, data.find(b"\n", end + 1 + _TOGETHER)
    yield data[start:]


def _decoded(block: bytes) -> Sequence[_Line]:
    """What these lines hold; nothing, unless each is an object with everything of its type.

    Where every line begins and ends as an object does, no newline stands inside one; where there are as many objects as
    lines, each line then holds one.
    """
    newlines = block.count(b"\n")
    if block.startswith(b"{") and block.endswith(b"}") and block.count(b"}\n{") == newlines:
        with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            lines = _quickly.decode_lines(block)
            return lines if len(lines) == newlines + 1 else ()
    return ()


def _read(line: bytes, number: int) -> Action | int | str:
    """The same as `_action`, of a line; most are sound, also beside one that is not."""
    decoded = _line(line)
    quick = None if decoded is None else _sound(decoded, number)
    return _action(_value(line), number) if quick is None else quick


def _line(line: bytes) -> _Line | None:
    try:
        return _quickly.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _sound(line: _Line, number: int) -> Action | None:
    """The action of a line with which all is well; None for every other line."""
    kind, n, text, of = _KINDS.get(line.action), line.n, line.value, line.of
    if kind is None or line.v != VERSION or not 0 < n < _LARGEST:
        return None
    if kind in REVERSALS:
        if of is None or of >= n:
            return None
        return Action(n, line.who, line.machine, number, kind, (), "", of, line.time, line.content)
    if not line.cases or text is None or not (text or kind in MAY_BE_EMPTY):
        return None
    if kind in _WRONG and _WRONG[kind](text) is not None:
        return None
    batch = n if line.batch is None else line.batch
    # Quicker than Action(...), which would go through a function of Python for every line.
    parts = (n, line.who, line.machine, number, kind, line.cases, text, batch, line.time, line.content)
    return tuple.__new__(Action, parts)


def is_whole(line: bytes) -> bool:
    """Return whether a line holds one JSON object, whatever is in it."""
    return type(_value(line)) is dict


def _value(line: bytes) -> Any:
    """What one line holds, None where that is no JSON; _BLANK where there is nothing on it."""
    try:
        return _decode(line) if line.strip() else _BLANK
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _action(value: Any, number: int) -> Action | int | str:
    """The action of a line; its counter where it is one that this version does not know; else what is wrong."""
    if type(value) is not dict:
        return "" if value is _BLANK else _NOT_WHOLE
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
    return Action(n, who, machine, number, kind, *parts, str(known("time", "")), str(known("content", "")))


def _word(value: dict[str, Any]) -> str:
    """What an action that is not known calls itself."""
    return str(value.get("action")) if value.get("v") == VERSION else f"version {value.get('v')}"


ActionParts = tuple[tuple[str, ...], str, int]
MAY_BE_EMPTY = OWN | {SKIP, DEFER}
"""Actions whose text may be "": it takes away what was said, or there is nothing to say."""


def _ruling(text: str) -> str | None:
    return None if not text or text in RULINGS else f"rules {text[:40]!r}, which is none of {', '.join(RULINGS)}"


def _rating(text: str) -> str | None:
    try:
        rating_of(text)
    except ValueError:
        return f"rates {text[:40]!r}, which is not a step and -1, 0 or 1"
    return None


_WRONG: dict[str, Callable[[str], str | None]] = {RULE: _ruling, RATE: _rating}
"""What is wrong with the text of an action; None: nothing."""


def _change(value: dict[str, Any], n: int) -> ActionParts | str:
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


def _reversal(value: dict[str, Any], n: int) -> ActionParts | str:
    of = value.get("of")
    return ((), "", of) if type(of) is int and of < n else "does not say what it is of (of)"


_READERS: dict[str, Callable[[dict[str, Any], int], ActionParts | str]] = {
    **dict.fromkeys(CHANGES, _change),
    UNDO: _reversal,
    REDO: _reversal,
}


_KINDS = {kind: kind for kind in _READERS}
"""Every kind of action is one object, which is quicker to compare."""


def sound(text: str) -> str:
    """Text that can be written as UTF-8, with halves of surrogate pairs replaced."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
