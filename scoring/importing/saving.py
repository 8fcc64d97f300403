"""Save the results of an import in the workspace, with the sources that they came from.

`imports.json` in the scorer's folder remembers a digest and the parts of every source, so that the same file again
changes nothing, a newer state of it takes the place of the old one, and another file is added beside it. The names of
parts are in it before the parts are written and until they are removed, with a digest that fits nothing: whatever a
process that died left behind is found and replaced by the next import of that file.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Annotated, Any, Generic, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt
import polars as pl
from msgspec.structs import asdict, replace

from scoring.data.errors import DamagedWorkspace, FrameError, ScorerConflict
from scoring.data.rules import when_wrong
from scoring.data.scorer import FILE as SCORER
from scoring.data.scorer import Scorer
from scoring.data.storage.files import locked, unwritable, write_atomically
from scoring.data.training_point import NOWHERE, TrainingPoint
from scoring.formats.results.result_format import ExternalResults
from scoring.importing.join import JoinedResults
from scoring.importing.source_locations import HUB, place
from scoring.workspace.cache import Parts, RewardParts, VoteParts
from scoring.workspace.reservation import as_checkpoint, reserve_scorer
from scoring.workspace.workspace import Workspace

FILE = "imports.json"
FORMAT = 1
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


class _Import(msgspec.Struct, frozen=True):
    """What `imports.json` holds of a source."""

    digest: str
    parts: list[Annotated[str, msgspec.Meta(pattern=r"^(part|votes)-[0-9a-f]{32}\.parquet$")]]


T = TypeVar("T")


class SourcesDocument(msgspec.Struct, Generic[T]):
    """A file with one entry for each source."""

    format: int
    sources: dict[str, T]


def write_sources(path: Path, sources: Mapping[str, Any]) -> None:
    """Write a `SourcesDocument`, whole or not at all."""
    document = {"format": FORMAT, "sources": msgspec.to_builtins(sources)}
    write_atomically(path, json.dumps(document, ensure_ascii=False, indent=1).encode(errors="replace"))


UNSOUND = (OSError, ValueError, RecursionError, msgspec.MsgspecError)
"""Errors of a `SourcesDocument` that cannot be read."""


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

    folder = reserve_scorer(workspace, scorer).folder
    with locked(folder, make=True):
        imports = recorded_imports(folder)
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
    write_sources(folder / FILE, {**imports, source: _Import(_UNFINISHED, [*old, *new])})
    for name, (cache, frame) in new.items():
        cache.append(frame, name)
    for part in old:
        try:
            (folder / part).unlink(missing_ok=True)
        except OSError as error:
            raise unwritable(folder / part, error) from error
    write_sources(folder / FILE, {**imports, source: _Import(digest, list(new))})


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
        imports = recorded_imports(folder)
        ours = [source for source in imports if source == file or source.startswith(f"{file}#")]
        parts = [part for source in ours for part in imports.pop(source).parts]
        if not ours:
            return
        # Whoever dies here is found out by the next import of the file.
        write_sources(folder / FILE, {**imports, ours[0]: _Import(_UNFINISHED, parts)})
        try:
            for name in parts:
                (folder / name).unlink(missing_ok=True)
            if imports or any(folder.glob("*.parquet")):
                write_sources(folder / FILE, imports)
            else:
                (folder / SCORER).unlink(missing_ok=True)
                (folder / FILE).unlink(missing_ok=True)
        except OSError as error:
            raise unwritable(folder, error) from error


def _kinds(folder: Path, joined: JoinedResults) -> Iterator[tuple[Parts, pl.DataFrame]]:
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


def _hashes(cache: Parts, part: str) -> npt.NDArray[np.uint64]:
    """Hashes of the contents that a part of this kind has rows of; none of a part of another kind."""
    path = cache.folder / part
    if not part.startswith(cache.kind.prefix) or not path.exists():
        return _NO_HASHES
    return _read_hashes(cache, path)


# What a part holds never changes.
@lru_cache(maxsize=100_000)
def _read_hashes(cache: Parts, path: Path) -> npt.NDArray[np.uint64]:
    hashes: npt.NDArray[np.uint64] = _given(cache, [path.name])["key"].hash().to_numpy()
    return hashes


def _given(cache: Parts, parts: Sequence[str]) -> pl.DataFrame:
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


def _differs(cache: Parts) -> pl.Expr:
    """Whether two rows that were joined say different things."""
    return pl.any_horizontal(pl.col(name).ne_missing(pl.col(f"{name}_right")) for name in cache.kind.telling)


def _differing(cache: Parts, mine: pl.DataFrame, theirs: pl.DataFrame) -> int:
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


def recorded_imports(folder: Path) -> dict[str, _Import]:
    """Read the sources of a scorer's results; none if the file does not exist.

    Raises:
        DamagedWorkspace: the file is not a list of imports.
    """
    path = folder / FILE
    try:
        document = msgspec.json.decode(path.read_bytes(), type=SourcesDocument[_Import])
        if document.format == FORMAT:
            return document.sources
    except FileNotFoundError:
        return {}
    except UNSOUND:
        pass
    raise DamagedWorkspace(f"{path} is not a list of imports.", f"Remove {folder} and import again.")
