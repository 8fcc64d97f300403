"""The first frame of what was opened before: it is on screen at once where nothing has changed since.

Polars, the rewards and the decisions take most of a start, and give the same frame as the last time unless a file is
another. So the frame is kept in the person's state folder, one small file for each way of opening something, called by
the settings that it follows from (query, size of the terminal, theme), with the size and time of change of every file
and folder that was read, the program's own among them, and with what was in focus and how the board was arranged. One
difference, and it is not shown.
"""

import json
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec
from rich.errors import StyleSyntaxError
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from inspector.render.texts.text import clean
from scoring.data.errors import InspectError
from scoring.data.storage.files import write_atomically

FOLDER = "frames"
MOST_FRAMES = 32
"""Frames that are kept; the one that was painted longest ago goes first."""
MOST_INPUTS = 5_000
"""Files above which looking at each of them is no longer a moment's work."""
PATIENCE = 0.2
"""Seconds that looking at them may take: on a slow disk reading begins without it."""
_COARSE = 2_000_000_000
"""Nanoseconds by which a file system may be coarser than the clock."""

FOLLOWED = ("benchmark", "scorer", "board_rows", "board_sort", "board_columns", "board_widths")
"""What of how a workspace was left is seen on its first screen; see `inspector.state.remembered.LastView`."""

FileStamp = tuple[int, int] | None
"""A file's time of change (ns) and its size in bytes; None where there is none."""


class KeptFrame(msgspec.Struct, frozen=True):
    """A frame and the files that it follows from, which must be as they were.

    `lines` are its runs of text, from the top, each with the number of one of `styles` (Rich's notation). `left` is
    the file of how the workspace was left ("" = there is none), and what that said.
    """

    left: tuple[str, dict[str, Any]]
    inputs: dict[str, FileStamp]
    styles: list[str]
    lines: list[list[tuple[str, int]]]


def stamp(path: str) -> FileStamp:
    """Return what a file or folder is known by; any path that cannot be looked at counts as not there."""
    try:
        there = os.stat(path)  # noqa: PTH116  # thousands of them: a Path each would take longer than the look
    except (OSError, ValueError):
        return None
    return there.st_mtime_ns, there.st_size


def files_under(folder: Path, *, without: str = "") -> Iterator[str]:
    """Yield a folder, all folders and files in it, and in those, but no folder that is called as `without`."""
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name != without]
        yield place
        yield from (os.path.join(place, name) for name in files)  # noqa: PTH118  # as above


def _followed(left: str) -> dict[str, Any]:
    """What a file of how a workspace was left says of its first screen."""
    try:
        written = json.loads(Path(left).read_bytes()) if left else {}
    except (OSError, ValueError, RecursionError):
        return {}
    return {name: written[name] for name in FOLLOWED if name in written} if isinstance(written, dict) else {}


def keep(place: Path, inputs: Iterable[str], strips: Sequence[Strip], *, before: int, left: str = "") -> None:
    """Keep a frame in a file, unless one of its inputs may have changed after `before` (ns since the epoch).

    `left` is the file of how the workspace was left, "" where there is none.

    Where it cannot be written nothing happens: it only takes longer until something is seen the next time.
    """
    stamps: dict[str, FileStamp] = {}
    for path in inputs:
        stamps[path] = known = stamp(path)
        if len(stamps) > MOST_INPUTS or (known is not None and known[0] > before - _COARSE):
            return
    styles: dict[str, int] = {}
    lines = [
        [(piece.text, styles.setdefault(str(piece.style or ""), len(styles))) for piece in strip.simplify()]
        for strip in strips
    ]
    frame = KeptFrame((left, _followed(left)), stamps, list(styles), lines)
    with suppress(InspectError, OSError):
        write_atomically(place, msgspec.msgpack.encode(frame))
        for old in sorted(place.parent.glob("*.msgpack"), key=lambda path: -path.stat().st_mtime_ns)[MOST_FRAMES:]:
            old.unlink(missing_ok=True)


def recall(place: Path) -> list[Strip]:
    """Return the lines that were kept; none where there are none, or one file they follow from is another now.

    None either where the workspace was left otherwise since, or where any of this cannot be known within PATIENCE.
    """
    end = time.monotonic() + PATIENCE
    try:
        frame = msgspec.msgpack.decode(place.read_bytes(), type=KeptFrame)
        if _followed(frame.left[0]) != frame.left[1]:
            return []
        for path, known in frame.inputs.items():
            if stamp(path) != known or time.monotonic() > end:
                return []
        styles = [Style.parse(style) for style in frame.styles]
        return [Strip([Segment(clean(text), styles[number]) for text, number in line]) for line in frame.lines]
    except (OSError, ValueError, IndexError, msgspec.MsgspecError, StyleSyntaxError):
        return []


def frame_file(state_folder: Path, settings: Sequence[str]) -> Path:
    """Return the file, in the state folder, for what a frame follows from beside files."""
    name = blake2b("\n".join(settings).encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
    return state_folder / FOLDER / f"{name}.msgpack"
