"""Which files of a workspace travel between a folder and object storage, and what is to be done about each.

A file is compared in three states: here, there, and as it was when both were equal last.
"""

import json
import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from hashlib import md5
from pathlib import Path, PurePosixPath
from typing import Any

from msgspec import Struct, field

from scoring.data.storage.files import locked, uuid7, write_atomically
from scoring.data.storage.store_address import StoredObject
from scoring.workspace.generation import Generation

# -- what of a workspace travels


_NAME, _HEX = r"(?!\.)[^\x00-\x1f\x7f\\/:]{1,150}", r"[0-9a-f]{32}"
_GENERATION = rf"gen-{_HEX}/(?:cases\.parquet|texts-{_HEX}\.parquet|import\.json)"
_SCORER = rf"(?:scorer\.json|imports\.json|(?:part|votes)-{_NAME}(?<=\.parquet))"
TRAVELS = re.compile(
    rf"(?:workspace|slices)\.json|benchmarks/{_NAME}/{_GENERATION}|(?:variants/)?rewards/{_NAME}/{_SCORER}"
    rf"|triage/{_NAME}(?<=\.jsonl)|variants/{_HEX}\.json|trash/{_HEX}/(?:removed\.json|{_NAME}/(?:{_SCORER}|{_GENERATION}))"
)
MARK, SLICES = "workspace.json", "slices.json"
FOLDERS = ("benchmarks", "rewards", "triage", "variants", "trash")
_SOUND = re.compile(r"(?!\.{1,2}\Z)[^\x00-\x1f\x7f\\]{1,255}")
IMMUTABLE = re.compile(r"trash/|.*\.parquet\Z|benchmarks/.*/import\.json\Z")
WHOLE = re.compile(rf"benchmarks/({_NAME})/(gen-{_HEX})/import\.json")
MADE = re.compile(rf"(?:gen|part|votes)-(?:{_HEX}-)?({_HEX})[./]")
_LAST = {"import.json": 2, "scorer.json": 1, "imports.json": 1}
_LONGEST = 250
"""Bytes of a name that every file system takes."""


def is_sound(path: str) -> bool:
    """Return whether a path names a file below a folder, on every file system."""
    return all(_SOUND.fullmatch(name) and len(name.encode(errors="replace")) <= _LONGEST for name in path.split("/"))


def turn_of(path: str) -> int:
    """Return when a file comes, 0 first: what makes others whole comes after them."""
    return _LAST.get(PurePosixPath(path).name, 0)


class KnownFile(Struct, array_like=True):
    """A file that was equal here and there: its etag, its size and time (nanoseconds) here, and a digest if it may
    change.
    """

    etag: str
    size: int
    time: int
    digest: str = ""

    def is_as_it_was(self, stamp: tuple[int, int]) -> bool:
        """Return whether a file with this size and time is what was synced."""
        return (self.size, self.time) == stamp


class MirrorRecord(Struct):
    """What is written down of a mirror: by its path what was equal on both sides."""

    format: int = 1
    files: dict[str, KnownFile] = field(default_factory=dict)


class MirrorPlan(Struct):
    """What is to be done about the paths of a mirror."""

    local: dict[str, tuple[int, int]]
    stored: Mapping[str, StoredObject]
    fetch: list[str] = field(default_factory=list)
    send: list[str] = field(default_factory=list)
    merge: list[str] = field(default_factory=list)
    drop: list[str] = field(default_factory=list)
    remove: list[str] = field(default_factory=list)
    forget: list[str] = field(default_factory=list)


def todo(
    path: str, known: KnownFile | None, here: tuple[int, int] | None, there: StoredObject | None, *, believed: bool
) -> str:
    """Return what is to be done about a path: the name of a field of `MirrorPlan`, or "" for nothing.

    Args:
        path: the file.
        known: what it was when both sides were equal last.
        here: its size and time here.
        there: what is listed of it there.
        believed: whether a file that is missing here was removed on purpose.
    """
    changed_here = here is not None and (known is None or not known.is_as_it_was(here))
    changed_there = there is not None and (known is None or known.etag != there.etag)
    immutable = bool(IMMUTABLE.match(path))
    if there is None:
        if here is None:
            return "forget" if known else ""
        return "send" if known is None or (changed_here and not immutable) else "drop"
    if here is None:
        return "fetch" if known is None or changed_there or not believed else "remove"
    if known is None:
        return "merge"
    if changed_here and not immutable:
        return "merge" if changed_there else "send"
    # What never changes and yet did, is damaged.
    return "fetch" if changed_there or changed_here else ""


def stamps_under(root: Path, under: str) -> dict[str, tuple[int, int]]:
    """Size and time of the files that may travel, by their path with slashes."""
    places = [root / under] if under else [root / name for name in FOLDERS]
    names = () if under else (MARK, SLICES)
    stamps = {name: stamp for name in names if (stamp := stamp_or_none(root / name))}
    length = len(str(root)) + 1
    for place in places:
        for folder, _, files in os.walk(place):
            for name in files:
                path = f"{folder}/{name}"
                if stamp := stamp_or_none(Path(path)):
                    stamps[Path(path[length:]).as_posix()] = stamp
    return stamps


def stamp_or_none(file: Path) -> tuple[int, int] | None:
    """Size and time of a file; None where it is not there."""
    with suppress(OSError):
        return stamp_of(file)
    return None


def stamp_of(file: Path) -> tuple[int, int]:
    """Size and time (nanoseconds) of a file, by which it is told whether it was written. Raises OSError."""
    stat = file.stat()
    return stat.st_size, stat.st_mtime_ns


def known_file(file: Path, path: str, etag: str) -> KnownFile:
    """Return what a file is now that it is equal to the object with this etag."""
    stamp = stamp_of(file)
    return KnownFile(etag, *stamp, "" if IMMUTABLE.match(path) else digest_of(file.read_bytes()))


def digest_of(data: bytes) -> str:
    """Compute what most stores take for an etag; it guards nothing."""
    return md5(data, usedforsecurity=False).hexdigest()


def generations_among(paths: Iterable[str]) -> dict[str, list[str]]:
    """Return the generations whose last file is among the paths, by benchmark, oldest first."""
    by_benchmark: dict[str, list[str]] = {}
    for path in sorted(paths):
        if match := WHOLE.fullmatch(path):
            by_benchmark.setdefault(match[1], []).append(match[2])
    return by_benchmark


# -- what becomes of a file that was changed here and on object storage alike: both, as far as its kind allows it
#
# | file | what comes of two states of it | | --- | --- | | a person's journal | the lines of both: theirs in their
# order, then those that only ours has | | `scorer.json` | theirs; the wider of the two ranges, and which checkpoint
# it is where theirs does not say | | `imports.json`, `slices.json` | the entries of both, ours where both have one of
# that name | | a variant of a case | both, ours under a name of its own | | everything else | theirs |
#
# Two generations that were made of the same one become a third, which has the cases of both.


JOURNAL = re.compile(r"triage/[^/]+\.jsonl\Z")
_VARIANT = re.compile(r"variants/[0-9a-f]{32}\.json\Z")


def merged(path: str, ours: bytes, theirs: bytes, root: Path) -> bytes:
    """Return what a changeable file holds of which there are two states; `root` is the folder of the workspace here."""
    if JOURNAL.match(path):
        return _lines_of_both(ours, theirs)
    name = PurePosixPath(path).name
    if _VARIANT.match(path):
        write_atomically(root / "variants" / f"{uuid7()}.json", ours)
        return theirs
    merge = {"scorer.json": _scorer, "imports.json": _entries, "slices.json": _slices}.get(name)
    if merge is None:
        return theirs
    try:
        whole = merge(json.loads(ours), json.loads(theirs))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        # One of them is not what it should be: what others see already stays.
        return theirs
    return json.dumps(whole, ensure_ascii=False, indent=1).encode(errors="replace") + b"\n"


def _lines_of_both(ours: bytes, theirs: bytes) -> bytes:
    known = set(theirs.split(b"\n"))
    more = [line for line in ours.split(b"\n") if line not in known]
    return b"\n".join([*theirs.removesuffix(b"\n").split(b"\n"), *more]).lstrip(b"\n") + b"\n"


def _scorer(ours: dict[str, Any], theirs: dict[str, Any]) -> dict[str, Any]:
    if ours.get("fingerprint") != theirs.get("fingerprint"):
        return theirs
    known = {**ours, **{name: value for name, value in theirs.items() if value is not None}}
    return {**known, "low": min(ours["low"], theirs["low"]), "high": max(ours["high"], theirs["high"])}


def _entries(ours: dict[str, Any], theirs: dict[str, Any]) -> dict[str, Any]:
    return {**theirs, "sources": {**theirs["sources"], **ours["sources"]}}


def _slices(ours: dict[str, Any], theirs: dict[str, Any]) -> dict[str, Any]:
    mine = {entry["name"] for entry in ours["slices"]}
    return {**theirs, "slices": [entry for entry in theirs["slices"] if entry["name"] not in mine] + ours["slices"]}


def merge_generations(home: Path, base: str | None, ours: str, theirs: str) -> None:
    """Make of two generations of a benchmark, each made without knowing the other, one with the cases of both.

    What ours changed since the one that both were made of, None = there was none, counts as imported after theirs.

    Args:
        home: the benchmark's folder.
        base: the name of the generation that both were made of.
        ours: the newest one that was made here.
        theirs: the newest one of the others.

    Raises:
        DamagedWorkspace, UnwritableWorkspace: one of them cannot be read, or the new one not be written.
    """
    with locked(home, make=True):
        mine = Generation.with_reports(home / ours)
        if base is not None and (home / base / "import.json").exists():
            mine = mine.since(Generation.with_reports(home / base))
        whole, _ = Generation.with_reports(home / theirs).merged([mine])
        whole.write(home)
