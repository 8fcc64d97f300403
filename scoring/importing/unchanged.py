"""Files that were imported before and would change nothing: they are told by their bytes, and not read again.

`sources.json` in the workspace remembers, for each file, a digest of its bytes, one of how it was read, and what was in
the workspace afterwards. Where all of that is as it was, reading the file again would give what is there. Whatever is
missing or cannot be read is no reason to stop: the file is read.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from scoring.errors import InspectError
from scoring.files import write_atomically
from scoring.importing.bringing import Brought
from scoring.importing.saving import FILE as IMPORTS
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
            how: everything that says how they are read; two that are equal have the same `repr`.
        """
        self._workspace = workspace
        self._how = _digest(f"{_version()} {how!r}".encode(errors="replace"))
        self._sources = {} if workspace is None else _sources(workspace.root)
        self._files: dict[str, str] = {}

    def unchanged(self, brought: Brought) -> Unchanged | None:
        """The file, if it was imported so before and nothing has changed since.

        Raises:
            OSError: it cannot be read.
        """
        known, workspace = self._sources.get(brought.place), self._workspace
        if workspace is None or workspace.root is None or known is None or known.get("how") != self._how:
            return None
        if known.get("generations") != _generations(workspace) or known.get("file") != self._file(brought):
            return None
        rewards = workspace.root / "rewards"
        if not all(_is_there(rewards / name, digest) for name, digest in known["scorers"].items()):
            return None
        return Unchanged(brought.name, known["held"], known["grave"])

    def look(self, brought: Brought) -> None:
        """Take the digest of a file that is read, while it is there."""
        self._file(brought)

    def remember(self, workspace: Workspace, files: Iterable[Remembered]) -> None:
        """Write down what was imported into a workspace."""
        if workspace.root is None:
            return
        generations = _generations(workspace)
        sources = _sources(workspace.root)
        for one in files:
            imports = {name: _imports(workspace.root / "rewards" / name) for name in one.scorers}
            sources[one.brought.place] = {
                "file": self._file(one.brought),
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

    def _file(self, brought: Brought) -> str:
        if brought.place not in self._files:
            with brought.path.open("rb") as file:
                self._files[brought.place] = hashlib.file_digest(file, "blake2b").hexdigest()[:32]
        return self._files[brought.place]


def _generations(workspace: Workspace) -> dict[str, str]:
    """Benchmark -> the generation that is in use: results may join any of them."""
    stamps = workspace.stamps(workspace.benchmarks()) or []
    return {name: generation for name, generation, *_ in stamps}


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
