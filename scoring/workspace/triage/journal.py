"""The journal of triage: who did what to which cases, one append-only file a person and machine.

    triage/<who>-<machine>.jsonl      one JSON object a line

    {"v": 1, "n": 7, "time": "...Z", "who": "ann", "machine": "gpu1", "action": "tag", "cases": [...], "value": "odd"}
    {"v": 1, "n": 8, ..., "action": "undo", "of": 7}

`n` is a Lamport counter, `of` the counter of what is undone or redone, `batch` (where it is another than `n`) that of
the first of the actions done at once, `content` of which text of the case a ruling or a rating was said. The folder is
the union of its files: copies from other machines are merged by putting them into it. No line of a file is ever
changed, and each is on the disk before its action counts as done; a last one that was cut short is no line
(`append_lines`).
"""

import gc
import getpass
import json
import os
import platform
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from hashlib import blake2b
from itertools import islice
from operator import eq
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, field

from scoring.data.errors import UnwritableWorkspace
from scoring.data.storage.files import locked, sync, unwritable
from scoring.workspace.triage.history import (
    CHANGES,
    DEFER,
    NOTE,
    OWN,
    QUEUE,
    RATE,
    REDO,
    REVERSALS,
    RULE,
    RULINGS,
    SKIP,
    TAG,
    UNDO,
    UNTAG,
    Action,
    ActionBatch,
    History,
    JournalChange,
    Queue,
    Triage,
    batch_of,
    rating_of,
)

# -- the lines of a journal's file, read: each an action, one that this version does not know, or a problem


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


# -- lines added to a journal's file: all of them and on the disk, or none


_AT_ONCE = 1 << 16


def append_lines(path: Path, lines: Sequence[str]) -> int:
    """Add lines at the end of a file by one write, on the disk when this returns; by how many bytes it grew.

    A system that ends a process while it writes may cut a line where a page of memory ends. Nobody was told that such a
    last line is there, so that the first new one takes its place; where it only lacks its end, it gets that.

    Raises:
        UnwritableWorkspace: nothing was added.
    """
    data = "".join(f"{line}\n" for line in lines).encode()
    try:
        new = not path.exists()
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o644)
        try:
            size = kept = os.lseek(descriptor, 0, os.SEEK_END)
            last = _unended(descriptor, size)
            if is_whole(last):
                data = b"\n" + data
            elif last:
                kept -= len(last)
                os.ftruncate(descriptor, kept)
            _write(path, descriptor, data, kept)
        finally:
            os.close(descriptor)
        if new:
            sync(path.parent)
    except OSError as error:
        raise unwritable(path, error) from error
    return kept + len(data) - size


def _unended(descriptor: int, size: int) -> bytes:
    """What stands behind the last end of a line; b"" where the file ends with one."""
    rest, start = b"", size
    while start and b"\n" not in rest:
        end, start = start, max(0, start - _AT_ONCE)
        os.lseek(descriptor, start, os.SEEK_SET)
        rest = os.read(descriptor, end - start) + rest
    return rest[rest.rfind(b"\n") + 1 :]


def _write(path: Path, descriptor: int, data: bytes, size: int) -> None:
    """One write and one fsync; a write that is cut short (a full disk) is taken back."""
    try:
        written = os.write(descriptor, data)
        os.fsync(descriptor)
    except OSError:
        os.ftruncate(descriptor, size)
        raise
    if written != len(data):
        os.ftruncate(descriptor, size)
        raise UnwritableWorkspace(f"{path}: the disk is full.", "Nothing was written. Free space and try again.")


ENVIRONMENT = "PRM_INSPECT_USER"
"""The variable that says who is at work, where that is not the name of the account."""
_LONGEST_NAME = 40
_SAFE = re.compile(r"[^A-Za-z0-9_.-]+")


class Author(Struct, frozen=True):
    """Who writes, and where."""

    who: str
    machine: str

    @classmethod
    def me(cls) -> "Author":
        """Return the person at this machine."""
        named = os.environ.get(ENVIRONMENT, "").strip()
        with suppress(OSError, KeyError, ImportError):
            named = named or getpass.getuser()
        return cls(sound(named) or "someone", sound(platform.node()) or "somewhere")

    @property
    def file(self) -> str:
        """The name of the author's file: only letters, digits, `-`, `_` and `.`."""
        return f"{_file_word(self.who)}-{_file_word(self.machine)}.jsonl"


def _file_word(text: str) -> str:
    """A part of a file's name; where it had to be changed, with a hash, so that no two are taken for one."""
    safe = _SAFE.sub("-", text).strip("-.")[:_LONGEST_NAME]
    return safe if safe == text else f"{safe}-{blake2b(text.encode(), digest_size=3).hexdigest()}".strip("-")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@contextmanager
def _no_collection() -> Iterator[None]:
    """Leave the garbage collector out: among many small objects that all stay, it takes longer than all the rest."""
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()


class Journal:
    """The journals of a folder, and the one in which `author` writes. What was read is in `problems` and `unknown`."""

    def __init__(self, folder: Path, author: Author | None = None, clock: Callable[[], str] = _now) -> None:
        """Read every `*.jsonl` of the folder, which need not be there yet."""
        self.folder = folder
        self.author = author or Author.me()
        self._clock = clock
        self._read()

    def _read(self) -> None:
        self._sizes = self._written()
        with _no_collection():
            files = [read_file(path) for path in sorted(self.folder.glob("*.jsonl"))]
            actions: Iterable[Action] = sorted(action for file in files for action in file.actions)
            # A copy of a file beside it holds the same actions once more.
            if any(map(eq, actions, islice(actions, 1, None))):
                actions = dict.fromkeys(actions)
            self._history = History(actions)
        self.problems = tuple(problem for file in files for problem in file.problems)
        self.unknown = sum((file.unknown for file in files), Counter[str]())
        self._last = max((file.last for file in files), default=0)
        self._stacks: tuple[list[ActionBatch], list[ActionBatch]] | None = None

    @property
    def path(self) -> Path:
        """The author's file."""
        return self.folder / self.author.file

    @property
    def triage(self) -> Triage:
        """What all actions come to; a new value after each."""
        return self._history.triage

    def tag(self, cases: Sequence[str], tags: Sequence[str], without: Sequence[str] = ()) -> None:
        """Put tags on cases and take others away, as one batch.

        Raises:
            UnwritableWorkspace: nothing was done.
        """
        self.do([*((TAG, cases, tag) for tag in tags), *((UNTAG, cases, tag) for tag in without)])

    def note(self, cases: Sequence[str], text: str) -> None:
        """Write the author's note on cases, in the place of the one they had; "" takes it away.

        Raises:
            UnwritableWorkspace: nothing was done.
        """
        self.do([(NOTE, cases, text)])

    def rule(self, cases: Sequence[str], ruling: str) -> None:
        """Rule on cases, one of RULINGS; "" takes the author's ruling away.

        Raises:
            UnwritableWorkspace: nothing was done.
        """
        self.do([(RULE, cases, ruling)])

    def rate(self, case: str, step: int, rating: int | None) -> None:
        """Rate a step (0-based), one of RATINGS; None takes the author's rating away.

        Raises:
            UnwritableWorkspace: nothing was done.
        """
        self.do([(RATE, (case,), f"{step} {'' if rating is None else rating}")])

    def begin(self, words: str, cases: Sequence[str], scorer: str = "") -> None:
        """Begin a queue of cases in this order; `words` say how it was made, `scorer` through which it is gone through.

        One that was begun before, with the same cases, words and scorer, is gone on with.

        Raises:
            UnwritableWorkspace: nothing was done.
        """
        self.do([(QUEUE, cases, words)], scorer)

    @property
    def queue(self) -> Queue | None:
        """The queue that the author is at, at whatever machine, and how far they are."""
        return self._history.queue(self.author.who)

    @property
    def queues(self) -> tuple[Queue, ...]:
        """All queues of the author, the one that they are at last."""
        return self._history.queues(self.author.who)

    @property
    def history(self) -> History:
        """All actions and what they come to; the next one that is written changes it."""
        return self._history

    def of_case(self, case: str) -> tuple[tuple[Action, bool], ...]:
        """Return what everybody did to a case, in order, and whether it holds: an action that was undone does not."""
        return self._history.of_case(case)

    def do(self, changes: Sequence[JournalChange], content: str = "") -> None:
        """Do all of these as one batch; for `content` see `Action`.

        Raises:
            UnwritableWorkspace: nothing was done.
        """
        if not changes:
            return
        entries = [
            {"action": kind, "cases": list(map(sound, cases)), "value": sound(text)}
            | ({"content": sound(content)} if content and kind in {RULE, RATE, QUEUE} else {})
            for kind, cases, text in changes
        ]
        with self._locked():
            batch = batch_of(self._append(entries)[0])
            if self._stacks is not None:
                self._stacks = ([*self._stacks[0], batch], [])

    def undo(self) -> tuple[Action, ...]:
        """Undo the author's last batch that holds; its actions, none where there is nothing to undo.

        Raises:
            UnwritableWorkspace: nothing was undone.
        """
        return self._reverse(UNDO)

    def redo(self) -> tuple[Action, ...]:
        """Do again what was undone last, unless something was done since.

        Raises:
            UnwritableWorkspace: nothing was done.
        """
        return self._reverse(REDO)

    def _reverse(self, kind: str) -> tuple[Action, ...]:
        self.catch_up()
        if not self._stack(kind):
            return ()
        with self._locked():
            stack = self._stack(kind)
            if not stack:
                return ()
            batch = stack[-1]
            self._append([{"action": kind, "of": batch[2]}])
            stack.pop()
            self._stack(REDO if kind == UNDO else UNDO).append(batch)
        return self._history.batch(batch)

    def _stack(self, kind: str) -> list[ActionBatch]:
        """The batches to undo, or to redo; found when they are first asked for, since most people never undo."""
        if self._stacks is None:
            self._stacks = self._history.stacks(self.author.who, self.author.machine)
        return self._stacks[0 if kind == UNDO else 1]

    # -- writing

    def _written(self) -> dict[str, int]:
        """The bytes of each file, by name."""
        sizes = {}
        for path in self.folder.glob("*.jsonl"):
            with suppress(OSError):
                sizes[path.name] = path.stat().st_size
        return sizes

    @property
    def changed(self) -> bool:
        """Whether somebody else has written since the journals were read."""
        return self._written() != self._sizes

    def again(self) -> "Journal":
        """Read the journal again."""
        return Journal(self.folder, self.author, self._clock)

    def _locked(self) -> "_Lock":
        return _Lock(self)

    def catch_up(self) -> None:
        """Read again if somebody else has written meanwhile."""
        if self.changed:
            self._read()

    def _append(self, entries: Sequence[dict[str, Any]]) -> list[Action]:
        """Write lines and take them in; the folder is locked and all that is in the file is known."""
        first, time = self._last + 1, self._clock()
        lines, actions = [], []
        for n, entry in enumerate(entries, first):
            batch = {"batch": first} if n != first and "of" not in entry else {}
            envelope = {"v": VERSION, "n": n, "time": time, "who": self.author.who, "machine": self.author.machine}
            lines.append(json.dumps({**envelope, **entry, **batch}, ensure_ascii=False))
            parts = (tuple(entry.get("cases", ())), entry.get("value", ""), entry.get("of", first))
            actions.append(
                Action(
                    n, self.author.who, self.author.machine, 0, entry["action"], *parts, time, entry.get("content", "")
                )
            )
        added = append_lines(self.path, lines)
        # Where there are no locks somebody may have written just before: then the sizes differ, and it is read again.
        self._sizes[self.path.name] = self._sizes.get(self.path.name, 0) + added
        self._last = actions[-1].n
        with _no_collection():
            for action in actions:
                self._history.add(action)
        return actions


class _Lock:
    """The folder's lock, with everything that the author's file holds known inside."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def __enter__(self) -> None:
        folder = self._journal.folder
        try:
            if not folder.is_dir():
                folder.mkdir(parents=True, exist_ok=True)
                sync(folder.parent)
            self._lock = locked(folder)
            self._lock.__enter__()
        except OSError as error:
            raise unwritable(folder, error) from error
        self._journal.catch_up()

    def __exit__(self, *error: object) -> None:
        self._lock.__exit__(None, None, None)
