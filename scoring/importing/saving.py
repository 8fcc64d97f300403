"""What an import leaves in the workspace: a scorer's results with their sources, and which files need no reading again.

`imports.json` in the scorer's folder remembers a digest and the parts of every source, so that the same file again
changes nothing, a newer state of it takes the place of the old one, and another file is added beside it. The names of
parts are in it before the parts are written and until they are removed, with a digest that fits nothing: whatever a
process that died left behind is found and replaced by the next import of that file.

`sources.json` in the workspace remembers, for each file, a digest of its bytes, one of how it was read, and what was in
the workspace afterwards. Where all of that is as it was, reading the file again would give what is there. Whatever is
missing or cannot be read is no reason to stop: the file is read.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt
import polars as pl
from msgspec import Struct
from msgspec.structs import asdict, replace

from scoring import __version__
from scoring.data.errors import DamagedWorkspace, FrameError, InspectError, ScorerConflict
from scoring.data.own_code import installed, package_of
from scoring.data.rules import when_wrong
from scoring.data.scorer import FILE as SCORER
from scoring.data.scorer import NOWHERE, Scorer, TrainingPoint
from scoring.data.storage.files import locked, open_plain, unwritable, write_atomically
from scoring.formats.benchmarks.own import GROUP
from scoring.formats.reading.answer_forms import ANSWER_RULES
from scoring.formats.reading.math_verify import math_verify_version
from scoring.formats.results.result_format import ExternalResults
from scoring.importing.join import JoinedResults
from scoring.importing.local_files import LocalFile
from scoring.importing.source_locations import HUB, place
from scoring.workspace.workspace import Workspace

if TYPE_CHECKING:
    from scoring.workspace.cache import Parts

FILE = "imports.json"
LEDGER = "sources.json"
FORMAT = 1
READING = 4
"""Whoever changes what a file is read as counts it up, so that files of before are read again."""
LEFT_OUT = "left out"
# Settings that say which cases results are of, and not what made them.
_OF_THE_CASES = ("task_name", "benchmark")
# Which checkpoint of a run a scorer is, changes nothing that was given.
_LABELS = ("series", "at")
# A file that is read the other way round takes the place of what it gave before; `_as_known` refuses a mixture.
_NOT_IDENTITY = ("reported", "sources", "higher_is", *_OF_THE_CASES)
_UNFINISHED = ""
_AT_ONCE = 65_536
"""Rows whose values are together in a digest: as many as that, whatever is in memory at once."""


_NO_HASHES: npt.NDArray[np.uint64] = np.empty(0, dtype=np.uint64)
_PIECE = 4 * 1024 * 1024
"""Bytes that are hashed together: `hashlib.file_digest` stops whoever reads the file sixteen times as often."""


class _Import(msgspec.Struct, frozen=True):
    """What `imports.json` holds of a source."""

    digest: str
    parts: list[Annotated[str, msgspec.Meta(pattern=r"^(part|votes)-[0-9a-f]{32}\.parquet$")]]


class _Known(msgspec.Struct, frozen=True):
    """What `sources.json` holds of a file: digests of its bytes, of how it was read and of the scorers' lists."""

    file: str
    how: str
    generations: dict[str, str]
    scorers: dict[str, str]
    held: str
    grave: bool
    benchmarks: tuple[str, ...] = ()


T = TypeVar("T")


class _Document(msgspec.Struct, Generic[T]):
    format: int
    sources: dict[str, T]


def _write(path: Path, sources: Mapping[str, Any]) -> None:
    document = {"format": FORMAT, "sources": msgspec.to_builtins(sources)}
    write_atomically(path, json.dumps(document, ensure_ascii=False, indent=1).encode(errors="replace"))


_UNSOUND = (OSError, ValueError, RecursionError, msgspec.MsgspecError)


@dataclass(frozen=True)
class SavedResults:
    """What saving one file's results did: `new`, `changed` (the file was imported before), `unchanged` or `LEFT_OUT`.

    `why` is a sentence about what a person should look at; empty = nothing. `folder` is the name of the scorer's,
    `training` which checkpoint of a run it is now. `gone` counts the contents that this file gave results before, and
    gives none now, `otherwise` those that it gives another result now.
    """

    scorer: str
    state: str
    why: str = ""
    folder: str = field(default="", compare=False)
    training: TrainingPoint = field(default=NOWHERE, compare=False)
    gone: int = 0
    otherwise: int = 0


def scorer_of(joined: JoinedResults, name: str | None = None) -> Scorer:
    """Describe the scorer of imported results.

    What made the numbers is not known, so its fingerprint is of the name, the format and the settings that the file
    says.
    """
    results = joined.results
    settings = {**results.settings, "imported_from": results.format}
    stated = {key: value for key, value in settings.items() if key not in _NOT_IDENTITY}
    identity = json.dumps([name or results.name, results.kind, stated], sort_keys=True, default=str)
    return Scorer(
        name=name or results.name,
        fingerprint=blake2b(identity.encode(errors="replace"), digest_size=16).hexdigest(),
        kind=results.kind,
        family=results.family,
        about=results.about or f"imported, {results.format}",
        threshold=results.threshold,
        threshold_source=results.threshold_source,
        comparison=results.comparison,
        on=results.on,
        low=results.low,
        high=results.high,
        redundancy_threshold=results.redundancy_threshold,
        redundancy_threshold_source=results.redundancy_threshold_source,
        settings=settings,
    )


def save(workspace: Workspace, joined: JoinedResults, name: str | None = None) -> SavedResults:
    """Put one file's results into the workspace.

    Raises:
        ScorerConflict: the name is taken by a scorer of other settings, or another file gave it other numbers for the
            same cases.
        NoWorkspace, UnwritableWorkspace, DamagedWorkspace: as for everything that writes there.
    """
    scorer = scorer_of(joined, name)
    from scoring.workspace.reservation import as_checkpoint, reserve_scorer

    folder = reserve_scorer(workspace, scorer).folder
    with locked(folder, make=True):
        imports = _imports(folder)
        source = _identity(joined.results)
        digest = _digest(scorer, joined)
        old = imports.pop(source, None)
        scorer, why = _as_known(scorer, folder) if imports else (scorer, "")
        there = old is not None and all((folder / name).is_file() for name in (SCORER, *old.parts))
        unchanged = old is not None and old.digest == digest and there
        if not unchanged:
            _no_conflict(scorer, folder, joined, imports)
        scorer = as_checkpoint(scorer, folder, joined.results.training)
        guessed = joined.results.training.guessed and scorer.training.same(joined.results.training)
        training = replace(scorer.training, guessed=guessed)
        if unchanged:
            return SavedResults(scorer.name, "unchanged", why, folder.name, training)
        scorer.save(folder)
        gone, otherwise = _compared(folder, joined, old.parts if old else ())
        _replace(folder, imports, source, joined, old.parts if old else (), digest)
    return SavedResults(scorer.name, "changed" if old else "new", why, folder.name, training, gone, otherwise)


def _compared(folder: Path, joined: JoinedResults, old: Sequence[str]) -> tuple[int, int]:
    """How many contents of the old parts of a file have no result in what it gives now, and how many another one."""
    before: set[str] = set()
    now: set[str] = set()
    otherwise: set[str] = set()
    for cache, frame in _kinds(folder, joined):
        mine = frame.filter(cache.kind.success)
        now.update(mine["key"])
        try:
            theirs = _given(cache, old)
        except DamagedWorkspace:
            # What cannot be read is replaced all the same.
            continue
        before.update(theirs["key"])
        both = mine.join(theirs, on=list(cache.kind.identity), how="inner", nulls_equal=True)
        otherwise.update(both.filter(_differs(cache))["key"])
    return len(before - now), len(otherwise)


def _as_known(scorer: Scorer, folder: Path) -> tuple[Scorer, str]:
    """The scorer with the threshold that other files gave it, and the range of all; what to say if this differs."""
    if not (folder / SCORER).is_file():
        return scorer, ""
    known = Scorer.load(folder)
    if known.settings.get("higher_is") != scorer.settings.get("higher_is"):
        ways = ("as they are", "as 1 - value (--higher-is worse)")
        here, before = (ways[read.settings.get("higher_is") == "worse"] for read in (scorer, known))
        raise ScorerConflict(
            f"rewards of {scorer.name!r} would be read {here}; those of the files imported before were read {before}.",
            "Read all of its files the same way, or give this one another name: --name NAME",
        )
    whole = replace(known, settings=scorer.settings, low=min(scorer.low, known.low), high=max(scorer.high, known.high))
    if (known.on, known.comparison, known.threshold) == (scorer.on, scorer.comparison, scorer.threshold):
        return whole, ""
    own, kept = (when_wrong(rule.on, rule.comparison, f"{rule.threshold:g}") for rule in (scorer, known))
    return whole, f"Here {own}; as in the files imported before, it stays {kept.rpartition(' iff ')[2]}."


def _replace(
    folder: Path, imports: dict[str, _Import], source: str, joined: JoinedResults, old: Sequence[str], digest: str
) -> None:
    """Put the new parts in the place of the old ones; whoever reads meanwhile sees both, and the new ones win."""
    new = {cache.new_name(): (cache, frame) for cache, frame in _kinds(folder, joined) if frame.height}
    _write(folder / FILE, {**imports, source: _Import(_UNFINISHED, [*old, *new])})
    for name, (cache, frame) in new.items():
        cache.append(frame, name)
    for part in old:
        try:
            (folder / part).unlink(missing_ok=True)
        except OSError as error:
            raise unwritable(folder / part, error) from error
    _write(folder / FILE, {**imports, source: _Import(digest, list(new))})


def withdraw(workspace: Workspace, folder_name: str, file: str) -> None:
    """Take back what a file gave a scorer, and the scorer where nothing else gave it anything.

    Args:
        workspace: where it was imported into.
        folder_name: the name of the scorer's folder.
        file: the place of the file, as it is stored.

    Raises:
        UnwritableWorkspace: read-only, not allowed.
        DamagedWorkspace: the scorer's list of imports cannot be read.
    """
    if workspace.root is None or not (folder := workspace.root / "rewards" / folder_name).is_dir():
        return
    with locked(folder):
        imports = _imports(folder)
        ours = [source for source in imports if source == file or source.startswith(f"{file}#")]
        parts = [part for source in ours for part in imports.pop(source).parts]
        if not ours:
            return
        # Whoever dies here is found out by the next import of the file.
        _write(folder / FILE, {**imports, ours[0]: _Import(_UNFINISHED, parts)})
        try:
            for name in parts:
                (folder / name).unlink(missing_ok=True)
            if imports or any(folder.glob("*.parquet")):
                _write(folder / FILE, imports)
            else:
                (folder / SCORER).unlink(missing_ok=True)
                (folder / FILE).unlink(missing_ok=True)
        except OSError as error:
            raise unwritable(folder, error) from error


def _kinds(folder: Path, joined: JoinedResults) -> Iterator[tuple["Parts", pl.DataFrame]]:
    from scoring.workspace.cache import RewardParts, VoteParts

    yield RewardParts(folder), joined.rewards
    yield VoteParts(folder), joined.votes


def _identity(results: ExternalResults) -> str:
    """The same file is the same source wherever the command was given; what it holds of each task is one of its own."""
    by_name = results.source if results.source.startswith(HUB) else place(Path(results.source))
    source = results.place or by_name
    return "#".join([source, *(str(results.settings[name]) for name in _OF_THE_CASES if name in results.settings)])


def _digest(scorer: Scorer, joined: JoinedResults) -> str:
    settings = {name: value for name, value in asdict(scorer).items() if name not in _LABELS}
    digest = blake2b(json.dumps(settings, sort_keys=True, default=str).encode(errors="replace"), digest_size=16)
    for frame in (joined.rewards, joined.votes):
        for piece in frame.iter_slices(_AT_ONCE):
            for column in piece:
                digest.update(f"{column.name} {column.len()} ".encode())
                _add_values(digest, column)
    return digest.hexdigest()


def _add_values(digest: blake2b, column: pl.Series) -> None:
    """Add the bytes of a column's values, and of what is null, to a digest.

    They are laid out here, so that they are the same whatever version of polars holds them, and not one by one: this is
    a few times faster than writing them as text.
    """
    there = column.is_not_null()
    digest.update(np.packbits(there.to_numpy()).tobytes())
    values = column.filter(there)
    if isinstance(values.dtype, pl.List):
        digest.update(values.list.len().cast(pl.Int64).to_numpy().tobytes())
        _add_values(digest, values.explode(empty_as_null=False))
    elif values.dtype == pl.String:
        digest.update(values.str.len_bytes().cast(pl.Int64).to_numpy().tobytes())
        digest.update("".join(values.to_list()).encode(errors="replace"))
    elif values.dtype == pl.Boolean:
        digest.update(np.packbits(values.to_numpy()).tobytes())
    else:
        digest.update(np.ascontiguousarray(values.to_numpy()).tobytes())


def _no_conflict(scorer: Scorer, folder: Path, joined: JoinedResults, others: dict[str, _Import]) -> None:
    for cache, frame in _kinds(folder, joined):
        mine = frame.filter(cache.kind.success)
        hashes = mine["key"].hash().to_numpy()
        for source, other in others.items():
            if not any(np.isin(hashes, _hashes(cache, part)).any() for part in other.parts):
                # Files of a run are many, and mostly of contents of their own.
                continue
            if count := _differing(cache, mine, _given(cache, other.parts)):
                raise ScorerConflict(
                    f"{source} gave {scorer.name!r} other results for {count:,} of the cases of "
                    f"{joined.results.source}.",
                    "Give this one another name: --name NAME",
                )


def _hashes(cache: "Parts", part: str) -> npt.NDArray[np.uint64]:
    """Hashes of the contents that a part of this kind has rows of; none of a part of another kind."""
    path = cache.folder / part
    if not part.startswith(cache.kind.prefix) or not path.exists():
        return _NO_HASHES
    return _read_hashes(cache, path)


# What a part holds never changes.
@lru_cache(maxsize=100_000)
def _read_hashes(cache: "Parts", path: Path) -> npt.NDArray[np.uint64]:
    hashes: npt.NDArray[np.uint64] = _given(cache, [path.name])["key"].hash().to_numpy()
    return hashes


def _given(cache: "Parts", parts: Sequence[str]) -> pl.DataFrame:
    """What was given in the named parts of this kind; an import that was cut short may not have written them."""
    columns = (*cache.kind.identity, *cache.kind.telling, "reason")
    frames = [pl.DataFrame(schema={name: cache.kind.schema[name] for name in columns})]
    for path in (cache.folder / part for part in parts if part.startswith(cache.kind.prefix)):
        try:
            if path.exists():
                frames.append(cache.part(path, columns))
        except (OSError, FrameError) as error:
            raise DamagedWorkspace(
                f"{path} cannot be read: {error}.", f"Remove {cache.folder} and import again."
            ) from None
    return pl.concat(frames).filter(cache.kind.success)


def _differs(cache: "Parts") -> pl.Expr:
    """Whether two rows that were joined say different things."""
    return pl.any_horizontal(pl.col(name).ne_missing(pl.col(f"{name}_right")) for name in cache.kind.telling)


def _differing(cache: "Parts", mine: pl.DataFrame, theirs: pl.DataFrame) -> int:
    """How many rows contradict: of one case, or one by content and those of its cases, none of which says the same."""
    identity, differs = list(cache.kind.identity), _differs(cache)
    count = mine.join(theirs, on=identity, how="inner", nulls_equal=True).filter(differs).height
    content = [name for name in identity if name != "case"]
    for ours, others in ((mine, theirs), (theirs, mine)):
        # Where the others name the case as well, that is compared above.
        named = ours.filter(pl.col("case").is_not_null()).join(others, on=identity, how="anti")
        pairs = named.join(others.filter(pl.col("case").is_null()), on=content, how="inner").with_columns(_no=differs)
        count += pairs.filter(pl.col("_no").all().over(content)).height
    return count


def _imports(folder: Path) -> dict[str, _Import]:
    path = folder / FILE
    try:
        document = msgspec.json.decode(path.read_bytes(), type=_Document[_Import])
        if document.format == FORMAT:
            return document.sources
    except FileNotFoundError:
        return {}
    except _UNSOUND:
        pass
    raise DamagedWorkspace(f"{path} is not a list of imports.", f"Remove {folder} and import again.")


# -- files that were imported before and would change nothing: told by their bytes, and not read again


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
        _write(workspace.root / LEDGER, sources)


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
        imports = _imports(folder)
        whole = _short_digest((folder / FILE).read_bytes()) == digest
    except (OSError, InspectError):
        return False
    parts = [part for source in imports.values() for part in source.parts]
    return whole and all((folder / name).is_file() for name in (SCORER, *parts))


def _sources(root: Path | None) -> dict[str, _Known]:
    try:
        document = None if root is None else msgspec.json.decode((root / LEDGER).read_bytes(), type=_Document[_Known])
    except _UNSOUND:
        return {}
    return {} if document is None or document.format != FORMAT else document.sources


def _short_digest(raw: bytes) -> str:
    return blake2b(raw, digest_size=16).hexdigest()
