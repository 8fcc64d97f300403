"""A large file of JSON Lines, some megabytes of whole lines at a time."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from scoring.errors import UnreadableFile
from scoring.reading.file_bytes import LONGEST_LINE, printable

SIZE = 32 * 1024 * 1024
"""Bytes of a block. A broken line costs its block the fast way, so blocks are not larger than speed asks for."""

_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, eq=False)
class Block:
    """Whole lines; `line` is the 1-based number of the first."""

    raw: bytes
    line: int


def blocks(path: Path, size: int = SIZE) -> Iterator[Block]:
    """The file's lines in order, each block ending with a line break but perhaps the last.

    Raises:
        UnreadableFile: it cannot be read, or a line is longer than `LONGEST_LINE`.
    """
    line, rest = 1, b""
    try:
        with path.open("rb") as file:
            while chunk := file.read(size):
                if line == 1 and not rest:
                    chunk = chunk.removeprefix(_MARK)
                end = chunk.rfind(b"\n") + 1
                if not end:
                    rest += chunk
                    if len(rest) > LONGEST_LINE:
                        raise UnreadableFile(
                            f"line {line} of {printable(path)} is longer than {LONGEST_LINE // 1024**2:,} MB.",
                            "Put each row on a line of its own.",
                        )
                    continue
                yield Block(rest + chunk[:end], line)
                line += chunk.count(b"\n", 0, end)
                rest = chunk[end:]
    except OSError as error:
        raise UnreadableFile(f"{printable(path)}: {error.strerror}.", "Check the path and its permissions.") from None
    if rest:
        yield Block(rest, line)
