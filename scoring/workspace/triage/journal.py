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

from msgspec import Struct

from scoring.data.errors import UnwritableWorkspace
from scoring.data.storage.files import locked, sync, unwritable
from scoring.workspace.triage.actions import (
    NOTE,
    QUEUE,
    RATE,
    REDO,
    RULE,
    TAG,
    UNDO,
    UNTAG,
    Action,
    ActionBatch,
    JournalChange,
    batch_of,
)
from scoring.workspace.triage.history import History, Triage
from scoring.workspace.triage.journal_lines import VERSION, is_whole, read_file, sound
from scoring.workspace.triage.queues import Queue

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
