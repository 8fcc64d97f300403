"""Files that were imported before and would change nothing: they are told by their bytes, and not read again.

`sources.json` in the workspace remembers, for each file, a digest of its bytes, one of how it was read, and what was in
the workspace afterwards. Where all of that is as it was, reading the file again would give what is there. Whatever is
missing or cannot be read is no reason to stop: the file is read.
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from scoring.benchmarks.own import GROUP
from scoring.errors import InspectError
from scoring.files import write_atomically
from scoring.importing.bringing import Brought
from scoring.importing.saving import FILE as IMPORTS
from scoring.own_code import installed, package_of
from scoring.scorer import FILE as SCORER
from scoring.workspace import Workspace

FILE = "sources.json"
FORMAT = 1


@dataclass(frozen=True)
class Unchanged:
    """A file that is in the workspace as it is: what findings call it, what it held, in words, and whether there was
    anything graver than a note.
    """

    source: str
    held: str
    grave: bool


@dataclass(frozen=True)
class Remembered:
    """What is remembered of a file once it is imported: `scorers` are the names of the folders that hold results."""

    brought: Brought
    held: str
    grave: bool
    scorers: tuple[str, ...]


class Ledger:
    """What a workspace remembers of the files that were imported into it."""

    def __init__(self, workspace: Workspace | None, how: object) -> None:
        """Read what is remembered.

        Args:
            workspace: where files are imported into; None = there is none yet.
            how: everything that says how they are read, beside what is installed; two that are equal have the same
                `repr`.
        """
        self._workspace = workspace
        own = [f"{name} {package_of(entry)}" for name, entry in installed(GROUP).items()]
        self._how = _digest(f"{_version()} {own} {how!r}".encode(errors="replace"))
        self._sources = {} if workspace is None else _sources(workspace.root)
        self._generations = {} if workspace is None else _generations(workspace)
        self._stats: dict[str, tuple[int, ...] | None] = {}
        # A digest takes a fifth of the time of reading, and both can be done at once.
        self._hashing = ThreadPoolExecutor(1)
        self._hashed: dict[str, Future[str | None]] = {}
        self._files: dict[str, str | None] = {}

    def unchanged(self, brought: Brought) -> Unchanged | None:
        """The file, if it was imported so before and nothing has changed since; where not, it is about to be read."""
        self._stats[brought.place] = _stat(brought.path)
        hashed = self._hashed[brought.place] = self._hashing.submit(_digest_of, brought.path)
        known, workspace = self._sources.get(brought.place), self._workspace
        if workspace is None or workspace.root is None or known is None or known.get("how") != self._how:
            return None
        generations = _generations(workspace)
        if generations is None or known.get("generations") != generations:
            return None
        if (digest := hashed.result()) is None or known.get("file") != digest:
            return None
        rewards = workspace.root / "rewards"
        if not all(_is_there(rewards / name, digest) for name, digest in known["scorers"].items()):
            return None
        return Unchanged(brought.name, known["held"], known["grave"])

    def look(self, brought: Brought) -> None:
        """Keep the digest of a file that was read; none where the file may be another than was read."""
        digest, before = self._hashed[brought.place].result(), self._stats[brought.place]
        self._files[brought.place] = digest if before is not None and _stat(brought.path) == before else None

    def remember(self, workspace: Workspace, files: Iterable[Remembered], added: Collection[str]) -> None:
        """Write down what was imported into a workspace.

        Args:
            workspace: where to.
            files: what is whole in it now.
            added: the benchmarks whose cases were among it. Where another has changed meanwhile, results may not have
                met its cases, and nothing is remembered.
        """
        generations = _generations(workspace)
        if workspace.root is None or generations is None or self._generations is None:
            return
        before = {**self._generations, **{name: generations[name] for name in added if name in generations}}
        if before != generations:
            return
        sources = _sources(workspace.root)
        for one in files:
            if (digest := self._files.get(one.brought.place)) is None:
                continue
            imports = {name: _imports(workspace.root / "rewards" / name) for name in one.scorers}
            sources[one.brought.place] = {
                "file": digest,
                "how": self._how,
                "generations": generations,
                "scorers": imports,
                "held": one.held,
                "grave": one.grave,
            }
        document = {"format": FORMAT, "sources": sources}
        write_atomically(
            workspace.root / FILE, json.dumps(document, ensure_ascii=False, indent=1).encode(errors="replace")
        )


def _digest_of(path: Path) -> str | None:
    """The digest of a file's bytes; None where it cannot be read, which reading it in earnest says."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "blake2b").hexdigest()[:32]
    except (OSError, ValueError):
        return None


def _stat(path: Path) -> tuple[int, ...] | None:
    """What changes when a file is written."""
    try:
        stat = path.stat()
    except (OSError, ValueError):
        return None
    return stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns


def _generations(workspace: Workspace) -> dict[str, str] | None:
    """Benchmark -> the generation that is in use: results may join any of them. None where that is not known."""
    stamps = workspace.stamps(workspace.benchmarks())
    return None if stamps is None else {name: generation for name, generation, *_ in stamps}


def _is_there(folder: Path, digest: str) -> bool:
    """Whether a scorer's folder is as it was: its list of imports, and every part in it."""
    return (folder / SCORER).is_file() and _imports(folder) == digest and _parts_there(folder)


def _sources(root: Path | None) -> dict[str, Any]:
    try:
        document = {} if root is None else json.loads((root / FILE).read_bytes())
        found = document["sources"] if document.get("format") == FORMAT else {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}
    sound = isinstance(found, dict) and all(
        isinstance(one, Mapping)
        and isinstance(one.get("held"), str)
        and isinstance(one.get("grave"), bool)
        and isinstance(one.get("scorers"), Mapping)
        for one in found.values()
    )
    return found if sound else {}


def _imports(folder: Path) -> str:
    try:
        return _digest((folder / IMPORTS).read_bytes())
    except OSError:
        return ""


def _parts_there(folder: Path) -> bool:
    try:
        sources = json.loads((folder / IMPORTS).read_bytes())["sources"]
        return all((folder / part).is_file() for one in sources.values() for part in one["parts"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, InspectError):
        return False


def _digest(raw: bytes) -> str:
    return hashlib.blake2b(raw, digest_size=16).hexdigest()


def _version() -> str:
    try:
        return version("prm-inspect")
    except PackageNotFoundError:
        return ""
