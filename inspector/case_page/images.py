"""The images that a case names: files beside the one that it was read from, described here and opened outside.

A benchmark over images keeps their names in the metadata column `image`, a line each, relative to the folder of its
file. They are never taken into a workspace. Of a file no more than its beginning is read, to see what it is and how
large; what is shown of it is left to the platform's own program.

The names come from data. So nothing is opened that lies outside the folder of the file, that is not an image by its
bytes and by its name, or that is so large that a program for images may choke on it.
"""

import os
import shutil
import struct
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from inspector.render.texts.text import clean
from inspector.state.programs import ProgramRefused, open_file
from inspector.state.visit import Visit
from scoring.data.errors import DamagedWorkspace
from scoring.data.storage.files import open_plain
from scoring.formats.benchmarks.benchmark_registry import WITH_IMAGES
from scoring.formats.reading.compressed_streams import size_words
from scoring.workspace.workspace import Workspace

Pixels = tuple[int, int] | None
"""Width and height; None = not known."""
COLUMN = "image"
"""The metadata column."""
MOST = 20
"""Images of a case that are looked at; the others are counted."""
LARGEST_FILE = 100 * 1024 * 1024
"""Bytes above which a file is not opened."""
LARGEST_PIXELS = 100_000_000
"""Pixels above which it is not: decoded, they take half a gigabyte."""
SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp")

_HEAD = 256 * 1024
"""Bytes of a file that are read: sizes of JPEGs stand behind what cameras write before them."""
_NO_SIZE = {0xC4, 0xC8, 0xCC}
"""Markers among those of JPEG's frames that are of something else."""


class NamedImage(Struct, frozen=True):
    """An image that a case names.

    Attributes:
        name: As the data have it.
        path: Where it is or should be; None where that is not known.
        words: What it is, or why it cannot be opened.
        sound: Whether it can be opened.
    """

    name: str
    path: Path | None
    words: str
    sound: bool = False


def named_images(workspace: Workspace, case: Mapping[str, Any], metadata: Mapping[str, Any]) -> Iterator[NamedImage]:
    """Yield the images that a case names, the first MOST of them.

    Args:
        workspace: where the case is.
        case: its `benchmark` and `source`.
        metadata: its metadata columns.
    """
    value = metadata.get(COLUMN)
    names = [name for name in value.split("\n") if name.strip()] if isinstance(value, str) else []
    if case["benchmark"] not in WITH_IMAGES:
        # There the column may hold anything.
        names = [name for name in names if name.lower().endswith(SUFFIXES)]
    folder = _folder(workspace, case["benchmark"], case["source"]) if names else None
    yield from (find_image(name, folder) for name in names[:MOST])


@lru_cache(maxsize=64)
def _folder(workspace: Workspace, benchmark: str, source: str | None) -> Path | None:
    """The folder of the file of that name that cases of a benchmark were read from, on this machine."""
    try:
        imports = workspace.imports(benchmark)
    except DamagedWorkspace:
        return None
    places = [imported.get("path") for imported in imports if imported.get("source") == source]
    return next((Path(place).parent for place in places if place and Path(place).is_absolute()), None)


def find_image(name: str, folder: Path | None) -> NamedImage:
    """Look for an image in a folder, and describe it; what cannot be opened says why."""
    if folder is None:
        return NamedImage(name, None, "not looked for: the file that names it is not on this machine")
    try:
        path = (folder / name).resolve()
        if not path.is_relative_to(folder.resolve()):
            return NamedImage(name, path, "not opened: it lies outside the folder of the file that names it")
        if not path.exists():
            return NamedImage(name, path, "missing")
        if not path.is_file():
            return NamedImage(name, path, "not a file")
        status = path.stat()
        kind, pixels = _seen(path, status.st_size, status.st_mtime_ns)
    except (OSError, ValueError, RuntimeError) as error:
        # A name with a NUL, which each Python words otherwise; one that is too long, links in a circle.
        nul = "its name has a NUL" if isinstance(error, ValueError) else ""
        return NamedImage(name, None, f"cannot be read ({nul or getattr(error, 'strerror', None) or error})")
    return NamedImage(name, path, *_described(path, kind, pixels, status.st_size))


@lru_cache(maxsize=256)
def _seen(path: Path, size: int, changed: int) -> tuple[str, Pixels]:  # noqa: ARG001  # what the file was like then
    """What kind of image a file is; it is looked into again once it has changed."""
    with open_plain(path) as file:
        return image_kind(file.read(_HEAD))


def _described(path: Path, kind: str, pixels: Pixels, size: int) -> tuple[str, bool]:
    if not kind:
        return f"not an image: {size_words(size)} that are neither PNG, JPEG, GIF, WebP nor BMP", False
    words = f"{kind}, {size_words(size)}" if pixels is None else f"{pixels[0]} x {pixels[1]} {kind}, {size_words(size)}"
    if path.suffix.lower() not in SUFFIXES:
        return f"not opened: {words}, but its name does not end like an image's", False
    if size > LARGEST_FILE or (pixels is not None and pixels[0] * pixels[1] > LARGEST_PIXELS):
        return f"too large to be opened from here: {words}", False
    return words, True


def image_kind(head: bytes) -> tuple[str, Pixels]:
    """Tell what kind of image begins with these bytes, "" = none, and its width and height in pixels.

    None where these are not said in what there is.
    """
    for kind, marks, at, read in _KINDS:
        if head.startswith(marks) and head[at[0] :].startswith(at[1]):
            try:
                return kind, read(head)
            except struct.error:
                # It ends too early: a program for images would say the same.
                return "", None
    return "", None


def _png(head: bytes) -> tuple[int, int]:
    width, height = struct.unpack(">II", head[16:24])
    return width, height


def _gif(head: bytes) -> tuple[int, int]:
    width, height = struct.unpack("<HH", head[6:10])
    return width, height


def _bmp(head: bytes) -> tuple[int, int]:
    width, height = struct.unpack("<ii", head[18:26])
    return width, abs(height)


def _webp(head: bytes) -> Pixels:
    match head[12:16]:
        case b"VP8X":
            return 1 + int.from_bytes(head[24:27], "little"), 1 + int.from_bytes(head[27:30], "little")
        case b"VP8 ":
            width, height = struct.unpack("<HH", head[26:30])
            return width & 0x3FFF, height & 0x3FFF
        case b"VP8L":
            (bits,) = struct.unpack("<I", head[21:25])
            return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    return None


def _jpeg(head: bytes) -> Pixels:
    """The size in the first frame's header; None where it does not begin in what was read."""
    at = 2
    while at + 9 <= len(head) and head[at] == 0xFF:
        marker = head[at + 1]
        if 0xC0 <= marker <= 0xCF and marker not in _NO_SIZE:
            height, width = struct.unpack(">HH", head[at + 5 : at + 9])
            return width, height
        at += 2 + int.from_bytes(head[at + 2 : at + 4], "big")
    return None


_KINDS: tuple[tuple[str, tuple[bytes, ...], tuple[int, bytes], Callable[[bytes], Pixels]], ...] = (
    ("PNG", (b"\x89PNG\r\n\x1a\n",), (0, b""), _png),
    ("GIF", (b"GIF87a", b"GIF89a"), (0, b""), _gif),
    ("JPEG", (b"\xff\xd8\xff",), (0, b""), _jpeg),
    ("WebP", (b"RIFF",), (8, b"WEBP"), _webp),
    ("BMP", (b"BM",), (14, b"\x28\0\0\0"), _bmp),
)
"""Name, what it begins with, what stands where in it besides, and what reads its size."""


# -- opening


def open_outside(image: NamedImage, visit: Visit) -> tuple[str, bool]:
    """Open an image with the platform's program for it; return what to tell, and whether it is being opened.

    Visitors are told the path of the file instead.
    """
    name = clean(image.name)
    if not image.sound or image.path is None:
        place = f" Its place is {clean(str(image.path))}" if image.path is not None else ""
        return f"{name}: {clean(image.words)}.{place}", False
    opener = _opener()
    if opener is None and not visit.who:
        return f"No program opens images here (over ssh there is none). The file is {clean(str(image.path))}", False
    try:
        open_file(visit, image.path, opener or "")
    except ProgramRefused as refused:
        return f"{refused} The image is on the server: {clean(str(image.path))}", False
    except OSError as error:
        return f"{name} could not be opened ({error.strerror}). The file is {clean(str(image.path))}", False
    return f"Opening {name} outside.", True


def _opener() -> str | None:
    """The program that opens files as a person has set it; "" = the system itself does, None = there is none."""
    if sys.platform == "win32":
        return ""
    if sys.platform == "darwin":
        return shutil.which("open")
    return shutil.which("xdg-open") if os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") else None
