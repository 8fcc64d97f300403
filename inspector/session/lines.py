"""The lines of a session's log: how it began, what came in, what was done of it, and what the screen then said.

    {"v": 1, "time": "...Z", "request": {...}, "root": "/path", "size": [120, 36], ...}     see Start
    {"at": 1.204, "key": "j", "character": "j"}
    {"at": 1.206, "screen": "cases", "command": "triage"}      its id in the table of commands
    {"at": 1.511, "screen": "triage", "title": "..."}          once nothing was under way any more
    {"at": 3.910, "paste": "..."}, {..., "click": [x, y]}, {..., "size": [80, 24]}

`at` is in seconds since the beginning. Keys, texts, clicks and sizes are what is played again; a command says what a
key did, and a title is what is compared.
"""

import json
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from inspector.request import Request
from scoring.errors import UnreadableFile

VERSION = 2
"""Counted up where keys change their meaning."""
INPUTS = ("key", "paste", "click", "size")
"""What of a line came from outside."""


class Start(msgspec.Struct, frozen=True):
    """How a session began.

    `root` is the workspace's folder, None of the demo alone; `data` tells which cases and rewards it held, `journals`
    how many bytes each journal had, `left` is how the workspace was left before (`Left`), `who` is at work.
    """

    v: int
    time: str
    version: str
    request: Request
    root: str | None
    data: str
    who: str
    size: tuple[int, int]
    ascii_only: bool = False
    journals: dict[str, int] = {}  # msgspec makes a new one for each
    left: dict[str, Any] = {}


class Said(msgspec.Struct, frozen=True):
    """What a screen said: its name and the lines of its title."""

    screen: str
    title: str


class Line(msgspec.Struct, frozen=True):
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
    def said(self) -> Said | None:
        """What the screen said; None of every other line."""
        return None if self.title is None else Said(self.screen or "", self.title)

    @property
    def is_input(self) -> bool:
        """Whether it came from outside."""
        return any(getattr(self, name) is not None for name in INPUTS)


class Session(Struct, frozen=True):
    """A log that was read; a last line that is cut short is left out."""

    start: Start
    lines: tuple[Line, ...]


def read_session(path: Path) -> Session:
    """The session that a file tells.

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
        start = msgspec.json.decode(first, type=Start)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise UnreadableFile(f"{path}:1 does not begin a session's log.", "Name another file.") from None
    return Session(start, tuple(_lines(path, rest)))


def _lines(path: Path, raw: list[bytes]) -> list[Line]:
    found = []
    for number, data in enumerate(raw, 2):
        if not data.strip():
            continue
        try:
            line = msgspec.json.decode(data, type=Line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            if number == len(raw) + 1:
                # It was being written when the session ended.
                break
            raise UnreadableFile(f"{path}:{number} is no line of a session's log.", "Mend or remove it.") from None
        found.append(msgspec.structs.replace(line, number=number))
    return found


def encoded(value: Any) -> bytes:
    """A value as one line of UTF-8."""
    return json.dumps(value, ensure_ascii=True, default=msgspec.to_builtins).encode() + b"\n"
