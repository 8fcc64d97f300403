"""A large file of JSON Lines, some megabytes of whole lines at a time."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from scoring.errors import UnreadableFile
from scoring.reading.file_bytes import LONGEST_LINE, UTF8_MARK, printable

SIZE = 16 * 1024 * 1024
"""Bytes of a block, or a line more: some blocks are in memory at the same time, in several forms each."""
_BUFFER = 1024 * 1024


@dataclass(frozen=True, eq=False)
class Block:
    """Whole lines as bytes, the last one with or without its break; `line` is the 1-based number of the first."""

    raw: bytes
    line: int

    @cached_property
    def height(self) -> int:
        """How many lines there are, at least one."""
        return self.raw.count(b"\n") + (not self.raw.endswith(b"\n"))

    @property
    def first(self) -> bytes:
        """The first line without its break."""
        return self.raw[: self.raw.find(b"\n")] if b"\n" in self.raw else self.raw

    @cached_property
    def lines(self) -> list[bytes]:
        """The lines without their breaks."""
        lines = self.raw.split(b"\n")
        if self.raw.endswith(b"\n"):
            lines.pop()
        return lines


def blocks(path: Path, size: int = SIZE, source: str = "") -> Iterator[Block]:
    """The file's lines in order, some at a time: `size` bytes and what is missing of a line.

    `source` is what the file is called, "" = its path.

    Raises:
        UnreadableFile: it cannot be read, or a line is longer than `LONGEST_LINE`.
    """
    source, number = source or printable(path), 1
    try:
        with path.open("rb", buffering=_BUFFER) as file:
            if file.read(len(UTF8_MARK)) != UTF8_MARK:
                file.seek(0)
            while raw := file.read(size):
                if not raw.endswith(b"\n"):
                    raw += file.readline(LONGEST_LINE + 1)
                block = Block(raw, number)
                if len(raw) > LONGEST_LINE:
                    for place, line in enumerate(block.lines):
                        if len(line) > LONGEST_LINE:
                            raise _too_long(number + place, source)
                yield block
                number += block.height
    except OSError as error:
        raise UnreadableFile(f"{source}: {error.strerror}.", "Check the path and its permissions.") from None


def _too_long(line: int, source: str) -> UnreadableFile:
    return UnreadableFile(
        f"line {line} of {source} is longer than {LONGEST_LINE // 1024**2:,} MB.",
        "Put each row on a line of its own.",
    )
