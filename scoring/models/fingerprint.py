"""The fingerprint of a scorer: a digest of everything that changes its rewards, never of a path.

Local weights count by the sha256 of the files that are read, hub weights by their commit. A digest is remembered in
the workspace for as long as a file's size, inode and times of change stay what they were, so that a resumed run reads
no gigabytes; a checkpoint that was changed in place has other times, another digest, and so another scorer.
"""

import json
import os
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from msgspec import Struct

from scoring.data.errors import CheckpointError, UnwritableWorkspace
from scoring.data.storage.files import open_plain, write_atomically
from scoring.models.checkpoint import Checkpoint, missing_tokenizer

FILE = "fingerprints.json"
FORMAT = 1
SETTLED_NS = 2_000_000_000
"""A file younger than this is not remembered: a change within one tick of its file system's clock would not show."""
_BLOCK, _AT_ONCE = 1 << 22, 4

DigestStamp = tuple[int, int, int, int, int]
"""Device, inode, size in bytes, and the times of change of content and of inode in ns."""


def fingerprint(document: Mapping[str, Any]) -> str:
    """Compute the hex sha256 of a JSON document, the same whatever the order of its keys."""
    return sha256(json.dumps(document, sort_keys=True, ensure_ascii=True).encode()).hexdigest()


class CheckpointDigests(Struct, frozen=True):
    """The files of a checkpoint as they were when their digests were taken. `digests`: file name -> hex sha256."""

    digests: Mapping[str, str]
    stamps: Mapping[Path, DigestStamp]

    def check(self) -> None:
        """Make sure that what has been loaded meanwhile is what was digested.

        Raises:
            CheckpointError: a file has changed since.
        """
        for path, stamp in self.stamps.items():
            if _stamp(path) != stamp:
                raise CheckpointError(f"{path} changed while it was read.", "Wait until it is whole, then run again.")


class Digests(Struct, frozen=True):
    """The remembered digests of a workspace; `memory` None remembers nothing."""

    memory: Path | None

    def of(self, files: Sequence[Path]) -> CheckpointDigests:
        """Return the digests of files, read only where they are not remembered.

        Raises:
            CheckpointError: a file is missing, cannot be read, or changes meanwhile.
        """
        remembered = self._load()
        stamps = {path: _stamp(path) for path in files}
        known = {path: _remembered(remembered.get(str(path.resolve())), stamp) for path, stamp in stamps.items()}
        unknown = [path for path in files if not known[path]]
        by_path = {**known, **dict(zip(unknown, _digests(unknown, stamps), strict=True))}
        now = time.time_ns()
        fresh = {
            str(path.resolve()): {"stamp": list(stamps[path]), "sha256": by_path[path]}
            for path in unknown
            if now - max(stamps[path][3:]) > SETTLED_NS
        }
        if fresh:
            self._save({**self._load(), **fresh})
        return CheckpointDigests({path.name: by_path[path] for path in files}, stamps)

    def folder_of(self, files: Mapping[str, str]) -> Path | None:
        """Find a folder that holds these files (name -> hex sha256) now, as far as is remembered; nothing is read for
        it.
        """
        remembered = self._load()
        for folder in sorted({Path(place).parent for place in remembered}):
            if files and all(self._holds(remembered, folder / name, digest) for name, digest in files.items()):
                return folder
        return None

    @staticmethod
    def _holds(remembered: Mapping[str, Any], path: Path, digest: str) -> bool:
        with suppress(CheckpointError):
            return _remembered(remembered.get(str(path)), _stamp(path)) == digest
        return False

    def _load(self) -> dict[str, Any]:
        """What is remembered; nothing, where the file is not there or not readable: it only saves time."""
        with suppress(OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            document = json.loads(self.memory.read_bytes()) if self.memory else {}
            if document.get("format") == FORMAT and isinstance(document["files"], dict):
                return dict(document["files"])
        return {}

    def _save(self, files: Mapping[str, Any]) -> None:
        if self.memory is None:
            return
        document = {"format": FORMAT, "files": files}
        # A workspace that cannot be written is told of when rewards are to be saved.
        with suppress(UnwritableWorkspace):
            write_atomically(self.memory, json.dumps(document, indent=1).encode() + b"\n")


def weights_of(
    checkpoint: Checkpoint, digests: Digests, also: Sequence[str] = ()
) -> tuple[Mapping[str, Any], CheckpointDigests]:
    """Return what identifies a checkpoint's weights, and the stamps by which to see that they stay as they are.

    A hub checkpoint is identified by name and commit, and none of its files is read for it. `also` names further files
    of its folder that count where they are there.

    Raises:
        CheckpointError: a file is missing, cannot be read, or changes meanwhile.
    """
    if not checkpoint.tokenizer.is_file():
        raise missing_tokenizer(checkpoint.tokenizer)
    files = [*checkpoint.files, *(path for name in also if (path := checkpoint.folder / name).is_file())]
    if checkpoint.commit:
        stamps = {path: _stamp(path) for path in files}
        return {"hub": checkpoint.name, "commit": checkpoint.commit}, CheckpointDigests({}, stamps)
    seen = digests.of(files)
    return {"files": dict(seen.digests)}, seen


def _remembered(entry: object, stamp: DigestStamp) -> str:
    """The digest of an entry that is of this very stamp, else ""."""
    if not isinstance(entry, dict) or entry.get("stamp") != list(stamp):
        return ""
    digest = entry.get("sha256")
    return digest if isinstance(digest, str) else ""


def _stamp(path: Path) -> DigestStamp:
    try:
        status = path.stat()
    except OSError as error:
        raise CheckpointError(f"{path} cannot be read: {error.strerror}.", "Download the checkpoint again.") from None
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _digests(files: Sequence[Path], stamps: Mapping[Path, DigestStamp]) -> list[str]:
    """Hex sha256 of files, a few at a time: one processor reads 1.3 GB a second, and a 7B model is 15 GB in four files.

    A signal or an error ends it after the blocks that are being read.
    """
    from concurrent.futures import ThreadPoolExecutor

    stop = threading.Event()
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        try:
            return list(threads.map(lambda path: _digest(path, stamps[path], stop), files))
        finally:
            stop.set()


def _digest(path: Path, stamp: DigestStamp, stop: threading.Event) -> str:
    """Hex sha256 of a file that is still as stamped when it has been read."""
    digest = sha256()
    try:
        with open_plain(path) as file:
            if hasattr(os, "posix_fadvise"):
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_SEQUENTIAL)
            while not stop.is_set() and (block := file.read(_BLOCK)):
                digest.update(block)
    except OSError as error:
        raise CheckpointError(f"{path} cannot be read: {error.strerror}.", "") from None
    if _stamp(path) != stamp:
        raise CheckpointError(f"{path} changed while it was read.", "Wait until it is whole, then run again.")
    return digest.hexdigest()
