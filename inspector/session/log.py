"""The log of a session: its lines, its file, how it began, and the place where it can be played again.

    {"v": 1, "time": "...Z", "request": {...}, "root": "/path", "size": [120, 36], ...}     see Start
    {"at": 1.204, "key": "j", "character": "j"}
    {"at": 1.206, "screen": "cases", "command": "triage"}      its id in the table of commands
    {"at": 1.511, "screen": "triage", "title": "..."}          once nothing was under way any more
    {"at": 3.910, "paste": "..."}, {..., "click": [x, y]}, {..., "size": [80, 24]}

`at` is in seconds since the beginning. Keys, texts, clicks and sizes are what is played again; a command says what
a key did, and a title is what is compared.
"""

import json
import os
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct
from textual.css.query import NoMatches

from inspector.commands import COMMANDS, RAIL
from inspector.query import Query
from inspector.result_set import ResultSet
from inspector.widgets.line_view import PhraseLine
from scoring import __version__
from scoring.errors import UnreadableFile
from scoring.triage.journal import Author
from scoring.workspace import TRIAGE, Workspace

if TYPE_CHECKING:
    from inspector.app import InspectApp


# -- the lines of the log: how it began, what came in, what was done of it, and what the screen then said


VERSION = 2
"""Counted up where keys change their meaning."""
INPUTS = ("key", "paste", "click", "size")
"""What of a line came from outside."""


class SessionStart(msgspec.Struct, frozen=True):
    """How a session began.

    `root` is the workspace's folder, None of the demo alone; `data` tells which cases and rewards it held, `journals`
    how many bytes each journal had, `left` is how the workspace was left before (`Left`), `who` is at work.
    """

    v: int
    time: str
    version: str
    query: Query = msgspec.field(name="request")  # as every log so far calls it
    root: str | None
    data: str
    who: str
    size: tuple[int, int]
    ascii_only: bool = False
    journals: dict[str, int] = {}  # msgspec makes a new one for each
    left: dict[str, Any] = {}


class ScreenTitle(msgspec.Struct, frozen=True):
    """What a screen said: its name and the lines of its title."""

    screen: str
    title: str


class LogLine(msgspec.Struct, frozen=True):
    """One line of a log, with its number in the file, 1-based."""

    at: float = 0.0
    key: str | None = None
    character: str | None = None
    paste: str | None = None
    click: tuple[int, int] | None = None
    size: tuple[int, int] | None = None
    screen: str | None = None
    command: str | None = None
    title: str | None = None
    number: int = 0

    @property
    def said(self) -> ScreenTitle | None:
        """What the screen said; None of every other line."""
        return None if self.title is None else ScreenTitle(self.screen or "", self.title)

    @property
    def is_input(self) -> bool:
        """Whether it came from outside."""
        return any(getattr(self, name) is not None for name in INPUTS)


class ReadSession(Struct, frozen=True):
    """A log that was read; a last line that is cut short is left out."""

    start: SessionStart
    lines: tuple[LogLine, ...]


def read_session(path: Path) -> ReadSession:
    """Return the session that a file tells.

    Raises:
        UnreadableFile: it is not there, no log, of a later version, or damaged.
    """
    try:
        first, *rest = path.read_bytes().split(b"\n")
    except OSError as error:
        raise UnreadableFile(f"{path}: {error.strerror or error}.", "Name the log of a session.") from None
    try:
        version = msgspec.json.decode(first, type=dict[str, Any]).get("v")
        if version != VERSION:
            raise UnreadableFile(
                f"{path} is the log of a version with other keys, or none of a session.", "Name another file."
            )
        start = msgspec.json.decode(first, type=SessionStart)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise UnreadableFile(f"{path}:1 does not begin a session's log.", "Name another file.") from None
    return ReadSession(start, tuple(_lines(path, rest)))


def _lines(path: Path, raw: list[bytes]) -> list[LogLine]:
    lines = []
    for number, data in enumerate(raw, 2):
        if not data.strip():
            continue
        try:
            line = msgspec.json.decode(data, type=LogLine)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            if number == len(raw) + 1:
                # It was being written when the session ended.
                break
            raise UnreadableFile(f"{path}:{number} is not a line of a session's log.", "Mend or remove it.") from None
        lines.append(msgspec.structs.replace(line, number=number))
    return lines


def encoded(value: Any) -> bytes:
    """Return a value as one line of UTF-8."""
    return json.dumps(value, ensure_ascii=True, default=msgspec.to_builtins).encode() + b"\n"


FOLDER = "sessions"
KEPT = 20
"""Logs that stay; older ones are deleted."""
GRACE = 0.3
"""Seconds that the last lines have to reach the disk."""


class SessionLog:
    """Writes line after line, in a thread of its own: a slow disk must not stop the keys.

    Nothing here raises: why nothing more is written stands in `problem`.
    """

    def __init__(self, folder: Path, start: Callable[[], SessionStart]) -> None:
        """Lines are kept until `begin`; `start`, which may take a while, says how the session began."""
        self.problem = ""
        self._lines: SimpleQueue[Mapping[str, Any] | None] = SimpleQueue()
        self._thread = Thread(target=self._work, args=(folder, start), daemon=True, name="prm-inspect-log")

    def begin(self) -> None:
        """Begin a file of its own in the folder, which is made where it is missing; the user alone may read it."""
        self._thread.start()

    def write(self, line: Mapping[str, Any]) -> None:
        """Write one more line."""
        self._lines.put(line)

    def close(self) -> None:
        """Wait a moment until everything is written: nothing more comes."""
        self._lines.put(None)
        if self._thread.is_alive():
            self._thread.join(GRACE)

    def _work(self, folder: Path, start: Callable[[], SessionStart]) -> None:
        path = folder / f"session-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.jsonl"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "wb", buffering=0) as file:
                _forget_old(folder)
                file.write(encoded(start()))
                while (line := self._lines.get()) is not None:
                    file.write(encoded(line))
        except OSError as error:
            self.problem = f"What you do is not logged any more: {path}: {error.strerror or error}"


def logs(folder: Path) -> list[Path]:
    """Return the logs of a folder, the oldest first."""
    return sorted(folder.glob("session-*.jsonl"))


def _forget_old(folder: Path) -> None:
    for old in logs(folder)[:-KEPT]:
        old.unlink(missing_ok=True)


# -- the place where a session is played again: what the workspace held at its beginning, and nothing that it changes


READ = ("benchmarks", "rewards", "converted")
"""Folders of a workspace that the app only reads, but for scoring runs, which are not played again."""
_COPIED = ("slices.json",)


def data_of(workspace: Workspace, benchmarks: Sequence[str]) -> str:
    """Return a hex digest of which cases and rewards there are: the generations of benchmarks, the parts of scorers."""
    parts = sorted(f"{path.parent.name}/{path.name}" for path in map(Path, workspace.reward_files(benchmarks)))
    generations = [f"{name}/{folder}" for name, folder, *_ in workspace.stamps(benchmarks) or ()]
    return blake2b("\n".join([*generations, *parts]).encode("utf-8", "replace"), digest_size=8).hexdigest()


def journals_of(workspace: Workspace) -> dict[str, int]:
    """Return how many bytes each journal has, by the name of its file."""
    if workspace.triage is None:
        return {}
    return {path.name: path.stat().st_size for path in sorted(workspace.triage.glob("*.jsonl"))}


def shadow(workspace: Workspace, at: Path, journals: Mapping[str, int]) -> Path:
    """Make a workspace in folder `at` with the data of another one and with its journals as long as they were.

    Journals only grow: their beginnings are what they held then. Of one without a folder, which knows the demo alone,
    it is one with nothing imported, which knows the demo too.
    """
    Workspace.create(at)
    root = workspace.root
    if root is not None:
        for name in READ:
            if (root / name).is_dir():
                (at / name).symlink_to((root / name).resolve(), target_is_directory=True)
        for name in _COPIED:
            if (root / name).is_file():
                shutil.copyfile(root / name, at / name)
    (at / TRIAGE).mkdir()
    for name, size in journals.items():
        source = (workspace.triage or at) / Path(name).name
        if source.is_file():
            with source.open("rb") as file:
                (at / TRIAGE / source.name).write_bytes(file.read(size))
    return at


# -- what the app says at the moment, for logs of sessions


LINES = ("title", "queue")
"""The lines of a screen that say what it shows."""


def screen_words(app: "InspectApp") -> ScreenTitle | None:
    """Return what the screen on top says, and which it is; None before there is one. For a dialog, what is beneath."""
    front = app.front
    if front is None:
        return None
    title = []
    for name in LINES:
        try:
            line = front.query_one(f"#{name}", PhraseLine)
        except NoMatches:
            continue
        title += [line.line_strip(at).text.rstrip() for at in range(line.line_count)]
    on_top = front.NAME if app.screen is front else type(app.screen).__name__
    return ScreenTitle(on_top, "\n".join(title))


# -- how a session begins, and what its actions are called


def start_of(app: "InspectApp", results: ResultSet) -> Callable[[], SessionStart]:
    """Return how a session begins: what the app was opened on, and how it was left before.

    What is quickly changed is looked at now; the rest when the value is called, in any thread.
    """
    workspace, remembered = results.workspace, app.remembered
    left = {} if remembered is None else msgspec.to_builtins(remembered.left)
    journals, size = journals_of(workspace), (app.size.width, app.size.height)
    time = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    query, ascii_only = app.initial_query, app.ascii_only

    def start() -> SessionStart:
        return SessionStart(
            v=VERSION,
            time=time,
            version=__version__,
            query=query,
            root=None if workspace.root is None else str(workspace.root.resolve()),
            data=data_of(workspace, results.benchmarks),
            who=Author.me().who if results.journal is None else results.journal.author.who,
            size=size,
            ascii_only=ascii_only,
            journals=journals,
            left=left,
        )

    return start


def command_id(action: str, screen: str) -> str | None:
    """Return the id of the command of a screen that this action is; None where it is none of a person's commands."""
    bare = action.removeprefix("screen.").removeprefix("app.")
    commands = (*(command for command in COMMANDS if command.known_on(screen)), *RAIL)
    return next((command.id for command in commands if command.action == bare), None)
