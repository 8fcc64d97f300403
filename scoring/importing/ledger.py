"""The ledger of imported files: files that were imported before and would change nothing are not read again.

`sources.json` in the workspace remembers, for each file, a digest of its bytes, one of how it was read, and what was in
the workspace afterwards. Where all of that is as it was, reading the file again would give what is there. Whatever is
missing or cannot be read is no reason to stop: the file is read.
"""

from collections.abc import Collection, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from hashlib import blake2b
from pathlib import Path

import msgspec
from msgspec import Struct

from scoring import __version__
from scoring.data.errors import InspectError
from scoring.data.own_code import installed, package_of
from scoring.data.scorer import FILE as SCORER
from scoring.data.storage.files import open_plain
from scoring.formats.benchmarks.own import GROUP
from scoring.formats.reading.answer_forms import ANSWER_RULES
from scoring.formats.reading.math_verify import math_verify_version
from scoring.importing.local_files import LocalFile
from scoring.importing.saving import FILE, FORMAT, UNSOUND, SourcesDocument, recorded_imports, write_sources
from scoring.workspace.workspace import Workspace

LEDGER = "sources.json"
READING = 4
"""Whoever changes what a file is read as counts it up, so that files of before are read again."""
_PIECE = 4 * 1024 * 1024
"""Bytes that are hashed together: `hashlib.file_digest` stops whoever reads the file sixteen times as often."""


class _Known(msgspec.Struct, frozen=True):
    """What `sources.json` holds of a file: digests of its bytes, of how it was read and of the scorers' lists."""

    file: str
    how: str
    generations: dict[str, str]
    scorers: dict[str, str]
    held: str
    grave: bool
    benchmarks: tuple[str, ...] = ()


class Unchanged(Struct, frozen=True):
    """A file that is in the workspace as it is: what findings call it, what it held, in words, whether there was
    anything graver than a note, and of which benchmarks that was (empty where nobody noted it).
    """

    source: str
    held: str
    grave: bool
    benchmarks: tuple[str, ...] = ()


class RememberedFile(Struct, frozen=True):
    """What is remembered of a file once it is imported: `scorers` are the names of the folders that hold results."""

    brought: LocalFile
    held: str
    grave: bool
    scorers: tuple[str, ...]
    benchmarks: tuple[str, ...]


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
        # Digests that stand in workspaces were made under the first name of this class.
        words = repr(how).replace("ImportOptions(", "Wish(", 1)
        answers = f"{ANSWER_RULES} {math_verify_version()}"
        self._how = _short_digest(f"{__version__} {READING} {answers} {own} {words}".encode(errors="replace"))
        self._sources = {} if workspace is None else _sources(workspace.root)
        self._generations = {} if workspace is None else _generations(workspace)
        self._stats: dict[str, tuple[int, ...] | None] = {}
        # A digest takes a fifth of the time of reading, and both can be done at once.
        self._hashing = ThreadPoolExecutor(1)
        self._hashed: dict[str, Future[str | None]] = {}
        self._files: dict[str, str | None] = {}

    def unchanged(self, brought: LocalFile) -> Unchanged | None:
        """Return the file, if it was imported so before and nothing has changed; where not, it is about to be read."""
        self._stats[brought.place] = _stat(brought.path)
        hashed = self._hashed[brought.place] = self._hashing.submit(_file_digest, brought.path)
        known, workspace = self._sources.get(brought.place), self._workspace
        if workspace is None or workspace.root is None or known is None or known.how != self._how:
            return None
        if known.generations != _generations(workspace) or known.file != hashed.result():
            return None
        rewards = workspace.root / "rewards"
        if not all(_is_there(rewards / name, digest) for name, digest in known.scorers.items()):
            return None
        return Unchanged(brought.name, known.held, known.grave, known.benchmarks)

    def look(self, brought: LocalFile) -> None:
        """Keep the digest of a file that was read; none where the file may be another than was read."""
        digest, before = self._hashed[brought.place].result(), self._stats[brought.place]
        self._files[brought.place] = digest if before is not None and _stat(brought.path) == before else None

    def remember(self, workspace: Workspace, files: Iterable[RememberedFile], added: Collection[str]) -> None:
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
        for file in files:
            if (digest := self._files.get(file.brought.place)) is None:
                continue
            lists = {name: workspace.root / "rewards" / name / FILE for name in file.scorers}
            scorers = {name: _short_digest(path.read_bytes()) for name, path in lists.items() if path.exists()}
            known = _Known(digest, self._how, generations, scorers, file.held, file.grave, file.benchmarks)
            sources[file.brought.place] = known
        write_sources(workspace.root / LEDGER, sources)


def _file_digest(path: Path) -> str | None:
    """The digest of a file's bytes; None where it cannot be read, which reading it in earnest says."""
    digest, piece = blake2b(), bytearray(_PIECE)
    try:
        with open_plain(path) as file:
            while count := file.readinto(piece):
                digest.update(memoryview(piece)[:count])
            return digest.hexdigest()[:32]
    except (OSError, ValueError):
        return None


def _stat(path: Path) -> tuple[int, ...] | None:
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
    try:
        imports = recorded_imports(folder)
        whole = _short_digest((folder / FILE).read_bytes()) == digest
    except (OSError, InspectError):
        return False
    parts = [part for source in imports.values() for part in source.parts]
    return whole and all((folder / name).is_file() for name in (SCORER, *parts))


def _sources(root: Path | None) -> dict[str, _Known]:
    try:
        document = (
            None if root is None else msgspec.json.decode((root / LEDGER).read_bytes(), type=SourcesDocument[_Known])
        )
    except UNSOUND:
        return {}
    return {} if document is None or document.format != FORMAT else document.sources


def _short_digest(raw: bytes) -> str:
    return blake2b(raw, digest_size=16).hexdigest()
