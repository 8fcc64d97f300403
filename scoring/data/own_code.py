"""Python of the user's own: one file that is named by its path, or what an installed package has as an entry point.

Nothing of it is imported before it is asked for by name. Whatever it raises becomes one sentence with file and line.
"""

import importlib.abc
import importlib.util
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import EntryPoint, entry_points
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any

from msgspec import Struct

from scoring.data.errors import InspectError, PluginError
from scoring.data.storage.files import expand_home, read_plain

ENDING = ".py"
_PREFIX = "prm_inspect_own_"


class OwnCode(Struct, frozen=True, eq=False):
    """An imported module of the user's own.

    `name` is what people call it, `digest` the hex sha256 of its source ("" where it has none), `package` name and
    version of what brought it ("" for a file).
    """

    name: str
    module: ModuleType
    path: Path
    digest: str
    package: str = ""

    @property
    def words(self) -> str:
        """Where it comes from: file, package and digest of its source."""
        digest = f"sha256 {self.digest}" if self.digest else "without a source"
        return ", ".join(part for part in (self.path.name, self.package, digest) if part)

    @contextmanager
    def told(self, doing: str) -> Iterator[None]:
        """Whatever the code raises within, but for expected errors, becomes one sentence; `doing` says what it did.

        Raises:
            PluginError: with file, line and the error in words.
        """
        with _told(self.path, doing):
            yield


def is_file(name: str) -> bool:
    """Return whether a name is the path of a Python file rather than the name of something installed."""
    return name.endswith(ENDING)


def from_file(path: Path) -> OwnCode:
    """Import one file. What is digested is what runs: it is read once, and nothing is written beside it.

    Raises:
        PluginError: it cannot be read, or raises while it is imported.
    """
    place = expand_home(str(path))
    try:
        source = read_plain(place)
    except OSError as error:
        raise PluginError(f"{path} cannot be read: {error.strerror or error}.", "Give the path of one file.") from None
    digest = sha256(source).hexdigest()
    # Dataclasses look their module up by name, so it must have one that no other file has.
    name = f"{_PREFIX}{digest[:16]}"
    spec = importlib.util.spec_from_loader(name, _Source(place, source), origin=str(place))
    if spec is None or spec.loader is None:
        raise PluginError(f"{path} is not a Python file.", "Give the path of one file.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        with _told(place, "while it was imported"):
            spec.loader.exec_module(module)
    except PluginError:
        del sys.modules[name]
        raise
    return OwnCode(place.stem, module, place, digest)


def installed(group: str) -> dict[str, EntryPoint]:
    """Return the entry points of a group by name, the first of equal ones; none of them is imported."""
    return dict(_installed_in(tuple(map(_folder, sys.path)), group))


def _folder(path: str) -> tuple[str, int]:
    """A folder that packages are installed in, and when one last came or went."""
    try:
        return path, Path(path).stat().st_mtime_ns
    except OSError:
        return path, 0


@lru_cache(maxsize=32)
def _installed_in(_folders: tuple[tuple[str, int], ...], group: str) -> dict[str, EntryPoint]:
    """Listing them reads what every package says: as long as importing a small file takes, and an import asks twice."""
    by_name: dict[str, EntryPoint] = {}
    for entry in sorted(entry_points(group=group), key=lambda entry: (entry.name, entry.value)):
        by_name.setdefault(entry.name, entry)
    return by_name


def package_of(entry: EntryPoint) -> str:
    """Name and version of the package that has an entry point."""
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist is not None else "an unknown package"


def from_entry_point(entry: EntryPoint) -> tuple[OwnCode, Any]:
    """Import an entry point: its module, and the object that it names.

    Raises:
        PluginError: it cannot be imported.
    """
    package = package_of(entry)
    place = _place(entry.module)
    with _told(place, f"named by the package {package}, while it was imported"):
        target = entry.load()
    module = sys.modules[entry.module]
    digest = sha256(place.read_bytes()).hexdigest() if place.is_file() else ""
    return OwnCode(entry.name, module, place, digest, package), target


def _place(module: str) -> Path:
    """The file of a module that is not imported yet; its name where none is found."""
    with suppress(Exception):
        spec = importlib.util.find_spec(module)
        if spec is not None and spec.origin:
            return Path(spec.origin)
    return Path(module)


class _Source(importlib.abc.SourceLoader):
    """Loads source that has been read already. No time of change is known, so no compiled file is looked for."""

    def __init__(self, path: Path, source: bytes) -> None:
        self._path, self._source = str(path), source

    def get_filename(self, _fullname: str) -> str:
        return self._path

    def get_data(self, path: str) -> bytes:
        if path != self._path:
            raise FileNotFoundError(path)
        return self._source


SLOW = 10.0
"""Seconds after which people are told that they wait for code of their own."""
NoticeListener = Callable[[str], None]


class _Waits:
    """What is running of the user's own code; one thread says of each what has been running for SLOW seconds."""

    def __init__(self) -> None:
        self.listeners: list[NoticeListener] = []
        self._since: dict[int, tuple[float, str]] = {}
        self._numbers = count()
        self._watching = False

    def begin(self, what: str) -> int:
        number = next(self._numbers)
        self._since[number] = time.monotonic(), what
        if self.listeners and not self._watching:
            self._watching = True
            threading.Thread(target=self._watch, daemon=True, name="own-code").start()
        return number

    def end(self, number: int) -> None:
        del self._since[number]

    def _watch(self) -> None:
        warned: set[int] = set()
        while True:
            time.sleep(SLOW / 10)
            now = time.monotonic()
            for number, (since, what) in list(self._since.items()):
                if number not in warned and now - since >= SLOW:
                    warned.add(number)
                    for listener in self.listeners:
                        listener(f"{what}: it has been running for {SLOW:g} s, and what depends on it waits.")


_WAITS = _Waits()


def listen(listener: NoticeListener) -> None:
    """Notify a listener from now on, in a thread of its own, of code that has been running for SLOW seconds."""
    _WAITS.listeners.append(listener)


def stop_listening(listener: NoticeListener) -> None:
    """Stop notifying it."""
    _WAITS.listeners.remove(listener)


@contextmanager
def _told(path: Path, doing: str) -> Iterator[None]:
    number = _WAITS.begin(f"{path}, {doing}")
    try:
        yield
    except InspectError:
        raise
    # Code that ends the program must not end ours.
    except (Exception, SystemExit) as error:
        line = _line(error, path)
        where = f"{path}, line {line}," if line else f"{path},"
        raise PluginError(f"{where} {doing}: {_words(error)}.", "Correct it, or leave it out.") from error
    finally:
        _WAITS.end(number)


def _line(error: BaseException, path: Path) -> int | None:
    """The last line of the file that the error passed through, 1-based."""
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return error.lineno
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    return lines[-1] if lines else None


def _words(error: BaseException) -> str:
    reason = (error.msg if isinstance(error, SyntaxError) else str(error)).strip()
    name = type(error).__name__
    return f"{name}: {reason.splitlines()[0].rstrip('.')}" if reason else name
