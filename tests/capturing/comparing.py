"""Two outputs of one command: where they differ, by key and number or by line."""

import csv
import io
import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from fnmatch import fnmatchcase
from itertools import zip_longest
from typing import Any

CLOSE = 1e-9
MISSING = "(missing)"
_TIMES = re.compile(r"\b\d+(\.\d+)? ?(ms|s|seconds?)\b")


@dataclass(frozen=True)
class Difference:
    """`path` says where ("rows[3].low", "line 7", "exit code"), `old` and `new` what stands there."""

    path: str
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.path}: {self.old} -> {self.new}"


@dataclass(frozen=True)
class Renaming:
    """What is called otherwise now: a regular expression over what the old version says, and what takes its place.

    `since` is the version after which it was renamed.
    """

    pattern: str
    now: str
    since: str = "0.1"

    def applied(self, text: str) -> str:
        return re.sub(self.pattern, self.now, text)


@dataclass
class Intended:
    """A difference that is meant to be: a name, why, and which (globs over the command and over the path).

    `old` and `new` are regular expressions that what stands there must match, where they are given; `since` is the
    version after which it came about; `count` how many differences it covered.
    """

    name: str
    reason: str
    commands: str
    paths: str = "*"
    old: str = ""
    new: str = ""
    since: str = "0.1"
    count: int = 0

    def covers(self, command: str, difference: Difference) -> bool:
        return (
            fnmatchcase(command, self.commands)
            and fnmatchcase(difference.path, self.paths)
            and (not self.old or re.search(self.old, difference.old) is not None)
            and (not self.new or re.search(self.new, difference.new) is not None)
        )


@dataclass(frozen=True)
class Said:
    """What a command said: its exit code, and its two streams as text."""

    code: int
    out: str
    err: str


def differences(old: Said, new: Said, renamings: Sequence[Renaming] = ()) -> Iterator[Difference]:
    """Everything in which two outputs differ."""
    if old.code != new.code:
        yield Difference("exit code", str(old.code), str(new.code))
    yield from of_output(old.out, new.out, renamings)
    yield from of_text(old.err, new.err, renamings, "message")


def of_output(old: str, new: str, renamings: Sequence[Renaming]) -> Iterator[Difference]:
    """Of documents by key, of tables of comma-separated values by cell, of anything else by line."""
    documents = document(old), document(new)
    if None not in documents:
        yield from of_values(*documents, "", renamings)
        return
    tables = table(old), table(new)
    if None not in tables:
        yield from of_values(*tables, "rows", renamings)
        return
    yield from of_text(old, new, renamings, "line")


def document(text: str) -> Any:
    """JSON, or one JSON value a line, as plain values; None where it is neither."""
    if not text.startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except ValueError:
        pass
    try:
        return {"rows": [json.loads(line) for line in text.splitlines()]}
    except ValueError:
        return None


def table(text: str) -> list[dict[str, Any]] | None:
    """Comma-separated values with a header, numbers as numbers; None where it is something else."""
    rows = list(csv.reader(io.StringIO(text)))
    if len(rows) < 2 or len(rows[0]) < 2 or any(len(row) != len(rows[0]) for row in rows):
        return None
    return [dict(zip(rows[0], map(_cell, row), strict=True)) for row in rows[1:]]


def _cell(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text


def of_values(old: Any, new: Any, path: str, renamings: Sequence[Renaming] = ()) -> Iterator[Difference]:
    """By key and place; numbers are equal within CLOSE, relative or absolute."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(key for key in new if key not in old)]:
            there = f"{path}.{key}" if path else key
            if key not in new:
                yield Difference(there, _shown(old[key]), MISSING)
            elif key not in old:
                yield Difference(there, MISSING, _shown(new[key]))
            else:
                yield from of_values(old[key], new[key], there, renamings)
        if old.keys() == new.keys() and list(old) != list(new):
            yield Difference(f"{path}.(order of keys)", _shown(list(old)), _shown(list(new)))
    elif isinstance(old, list) and isinstance(new, list):
        yield from _of_lists(old, new, path, renamings)
    elif not _same(_renamed(old, renamings), new):
        yield Difference(path, _shown(old), _shown(new))


def _of_lists(old: list[Any], new: list[Any], path: str, renamings: Sequence[Renaming]) -> Iterator[Difference]:
    called = _called(old, new)
    if len(old) != len(new):
        yield Difference(f"{path}.(length)", str(len(old)), str(len(new)))
    # As many as there were may be others: one more here, one less there.
    if called is not None and called[0].keys() != called[1].keys():
        yield from _of_called(*called, path, renamings)
        return
    for place, (one, other) in enumerate(zip(old, new, strict=False)):
        yield from of_values(one, other, f"{path}[{place}]", renamings)


def _called(old: list[Any], new: list[Any]) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """Rows by what stands in the fewest first columns that tell all of them apart; None where none do."""
    if not all(isinstance(row, dict) and row for row in (*old, *new)):
        return None
    widest = min(map(len, (*old, *new)), default=0)
    for width in range(1, widest):
        before, after = ({_name(row, width): row for row in rows} for rows in (old, new))
        if len(before) == len(old) and len(after) == len(new):
            return before, after
    return None


def _name(row: dict[str, Any], width: int) -> str:
    return ", ".join(map(str, list(row.values())[:width]))


def _of_called(
    old: dict[str, Any], new: dict[str, Any], path: str, renamings: Sequence[Renaming]
) -> Iterator[Difference]:
    """Row by row by their names, so that one more does not shift all that follow."""
    before, after = [name for name in old if name in new], [name for name in new if name in old]
    if before != after:
        yield Difference(f"{path}.(order)", _shown(before), _shown(after))
    for name in dict.fromkeys([*old, *new]):
        there = f"{path}[{name}]"
        if name not in new:
            yield Difference(there, _shown(old[name]), MISSING)
        elif name not in old:
            yield Difference(there, MISSING, _shown(new[name]))
        else:
            yield from of_values(old[name], new[name], there, renamings)


def _renamed(value: Any, renamings: Sequence[Renaming]) -> Any:
    if isinstance(value, str):
        for renaming in renamings:
            value = renaming.applied(value)
    return value


def _same(old: Any, new: Any) -> bool:
    if isinstance(old, bool) or isinstance(new, bool):
        return old is new
    if isinstance(old, int | float) and isinstance(new, int | float):
        return math.isclose(old, new, rel_tol=CLOSE, abs_tol=CLOSE) or (math.isnan(old) and math.isnan(new))
    return bool(old == new)


def of_text(old: str, new: str, renamings: Sequence[Renaming], what: str) -> Iterator[Difference]:
    """By line, after the renamings; how long something took is no difference."""
    before, after = (_TIMES.sub("(time)", text).splitlines() for text in (_renamed(old, renamings), new))
    for kind, begin, end, begins, ends in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind != "equal":
            pairs = zip_longest(before[begin:end], after[begins:ends], fillvalue=MISSING)
            yield from (Difference(f"{what} {begin + place}", *pair) for place, pair in enumerate(pairs, 1))


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False) if not isinstance(value, str) else value
    return text if len(text) <= 100 else f"{text[:99]}…"
