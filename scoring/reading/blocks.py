"""A large file of JSON Lines, some megabytes of whole lines at a time."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from scoring.errors import UnreadableFile
from scoring.reading.file_bytes import LONGEST_LINE, UTF8_MARK, printable

SIZE = 8 * 1024 * 1024
"""Bytes of a block, or a line more: some blocks are in memory at the same time, in several forms each."""


_BUFFER = 1024 * 1024


@dataclass(frozen=True, eq=False)
class Block:
    """Whole lines with their breaks, which the file's last one may lack; `line` is the 1-based number of the first."""

    lines: list[bytes]
    line: int


def blocks(path: Path, size: int = SIZE, source: str = "") -> Iterator[Block]:
    """The file's lines in order, some at a time. `source` is what the file is called, "" = its path.

    Raises:
        UnreadableFile: it cannot be read, or a line is longer than `LONGEST_LINE`.
    """
    source, number = source or printable(path), 1
    try:
        with path.open("rb", buffering=_BUFFER) as file:
            if file.read(len(UTF8_MARK)) != UTF8_MARK:
                file.seek(0)
            lines: list[bytes] = []
            room = size
            while line := file.readline(LONGEST_LINE + 1):
                if len(line) > LONGEST_LINE and not line.endswith(b"\n"):
                    raise _too_long(number + len(lines), source)
                lines.append(line)
                room -= len(line)
                if room <= 0:
                    yield Block(lines, number)
                    number += len(lines)
                    lines, room = [], size
            if lines:
                yield Block(lines, number)
    except OSError as error:
        raise UnreadableFile(f"{source}: {error.strerror}.", "Check the path and its permissions.") from None


def _too_long(line: int, source: str) -> UnreadableFile:
    return UnreadableFile(
        f"line {line} of {source} is longer than {LONGEST_LINE // 1024**2:,} MB.",
        "Put each row on a line of its own.",
    )
