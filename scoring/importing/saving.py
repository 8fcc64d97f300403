"""A scorer whose results were imported: its folder, and which of its parts came from which file.

`imports.json` in the scorer's folder remembers a digest and the parts of every source, so that the same file again
changes nothing, a newer state of it takes the place of the old one, and another file is added beside it. The names of
parts are in it before the parts are written and until they are removed, with a digest that fits nothing: whatever a
process that died left behind is found and replaced by the next import of that file.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from scoring.boundary import when_wrong
from scoring.cache import Parts, RewardParts, VoteParts
from scoring.claim import claim
from scoring.errors import DamagedWorkspace, FrameError, ScorerConflict
from scoring.files import locked, unwritable, write_atomically
from scoring.importing.joining import Joined
from scoring.importing.sources import HUB
from scoring.reading.files_in import place
from scoring.results.base import ExternalResults
from scoring.scorer import FILE as SCORER
from scoring.scorer import Scorer
from scoring.workspace import Workspace

FILE = "imports.json"
FORMAT = 1
LEFT_OUT = "left out"
# Settings that say which cases results are of, and not what made them.
_OF_THE_CASES = ("task_name", "benchmark")
_NOT_IDENTITY = ("reported", "sources", *_OF_THE_CASES)
_PART = re.compile(r"(part|votes)-[0-9a-f]{32}\.parquet\Z")
_UNFINISHED = ""
_AT_ONCE = 65_536
"""Rows whose values are together in a digest: as many as that, whatever is in memory at once."""


@dataclass(frozen=True)
class Saved:
    """What saving one file's results did: `new`, `changed` (the file was imported before), `unchanged` or `LEFT_OUT`.

    `why` is a sentence about what a person should look at; empty = nothing. `folder` is the name of the scorer's.
    """

    scorer: str
    state: str
    why: str = ""
    folder: str = field(default="", compare=False)


def scorer_of(joined: Joined, name: str | None = None) -> Scorer:
    """The scorer of imported results.

    What made the numbers is not known, so its fingerprint is of the name, the format and the settings that the file
    says.
    """
    foreign = joined.foreign
    settings = {**foreign.settings, "imported_from": foreign.format}
    told = {key: value for key, value in settings.items() if key not in _NOT_IDENTITY}
    identity = json.dumps([name or foreign.name, foreign.kind, told], sort_keys=True, default=str)
    return Scorer(
        name=name or foreign.name,
        fingerprint=blake2b(identity.encode(errors="replace"), digest_size=16).hexdigest(),
        kind=foreign.kind,
        family=foreign.family,
        about=foreign.about or f"imported, {foreign.format}",
        threshold=foreign.threshold,
        threshold_source=foreign.threshold_source,
        comparison=foreign.comparison,
        on=foreign.on,
        low=foreign.low,
        high=foreign.high,
        redundancy_threshold=foreign.redundancy_threshold,
        redundancy_threshold_source=foreign.redundancy_threshold_source,
        settings=settings,
    )


def save(workspace: Workspace, joined: Joined, name: str | None = None) -> Saved:
    """Put one file's results into the workspace.

    Raises:
        ScorerConflict: the name is taken by a scorer of other settings, or another file gave it other numbers for the
            same cases.
        NoWorkspace, UnwritableWorkspace, DamagedWorkspace: as for everything that writes there.
    """
    scorer = scorer_of(joined, name)
    folder = claim(workspace, scorer).folder
    with locked(folder, make=True):
        imports = _imports(folder)
        source = _identity(joined.foreign)
        digest = _digest(scorer, joined)
        old = imports.pop(source, None)
        scorer, told = _as_known(scorer, folder) if imports else (scorer, "")
        if old is not None and old["digest"] == digest and _all_there(folder, old["parts"]):
            return Saved(scorer.name, "unchanged", told, folder.name)
        _no_conflict(scorer, folder, joined, imports)
        scorer.save(folder)
        _replace(folder, imports, source, joined, old["parts"] if old else (), digest)
    return Saved(scorer.name, "changed" if old else "new", told, folder.name)


def _as_known(scorer: Scorer, folder: Path) -> tuple[Scorer, str]:
    """The scorer with the threshold that other files gave it, and the range of all; what to say if this differs."""
    if not (folder / SCORER).is_file():
        return scorer, ""
    known = Scorer.load(folder)
    whole = replace(known, settings=scorer.settings, low=min(scorer.low, known.low), high=max(scorer.high, known.high))
    if (known.on, known.comparison, known.threshold) == (scorer.on, scorer.comparison, scorer.threshold):
        return whole, ""
    own, kept = (when_wrong(one.on, one.comparison, f"{one.threshold:g}") for one in (scorer, known))
    return whole, f"Here {own}; as in the files imported before, it stays {kept.rpartition(' iff ')[2]}."


def _replace(
    folder: Path, imports: dict[str, Any], source: str, joined: Joined, old: Sequence[str], digest: str
) -> None:
    """Put the new parts in the place of the old ones; whoever reads meanwhile sees both, and the new ones win."""
    new = {cache.new_name(): (cache, frame) for cache, frame in _kinds(folder, joined) if frame.height}
    _remember(folder, {**imports, source: {"digest": _UNFINISHED, "parts": [*old, *new]}})
    for name, (cache, frame) in new.items():
        cache.append(frame, name)
    for part in old:
        try:
            (folder / part).unlink(missing_ok=True)
        except OSError as error:
            raise unwritable(folder / part, error) from error
    _remember(folder, {**imports, source: {"digest": digest, "parts": list(new)}})


def _kinds(folder: Path, joined: Joined) -> Iterator[tuple[Parts, pl.DataFrame]]:
    yield RewardParts(folder), joined.rewards
    yield VoteParts(folder), joined.votes


def _all_there(folder: Path, parts: Sequence[str]) -> bool:
    return all((folder / name).is_file() for name in (SCORER, *parts))


def _identity(foreign: ExternalResults) -> str:
    """The same file is the same source wherever the command was given; what it holds of each task is one of its own."""
    by_name = foreign.source if foreign.source.startswith(HUB) else place(Path(foreign.source))
    source = foreign.place or by_name
    return "#".join([source, *(str(foreign.settings[name]) for name in _OF_THE_CASES if name in foreign.settings)])


def _digest(scorer: Scorer, joined: Joined) -> str:
    digest = blake2b(json.dumps(asdict(scorer), sort_keys=True, default=str).encode(errors="replace"), digest_size=16)
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


def _no_conflict(scorer: Scorer, folder: Path, joined: Joined, others: dict[str, Any]) -> None:
    """Two files may share a scorer if they speak of different cases, or say the same; a refusal says nothing.

    Raises:
        ScorerConflict: they do not.
        DamagedWorkspace: a part cannot be read.
    """
    for source, one in others.items():
        for cache, frame in _kinds(folder, joined):
            theirs = _said(cache, one["parts"])
            if count := _differing(cache, frame.filter(cache.kind.success), theirs):
                raise ScorerConflict(
                    f"{source} gave {scorer.name!r} other results for {count:,} of the cases of "
                    f"{joined.foreign.source}.",
                    "Give this one another name: --name NAME",
                )


def _said(cache: Parts, parts: Sequence[str]) -> pl.DataFrame:
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


def _differing(cache: Parts, mine: pl.DataFrame, theirs: pl.DataFrame) -> int:
    """How many rows contradict: of one case, or one by content and those of its cases, none of which says the same."""
    identity = list(cache.kind.identity)
    differs = pl.any_horizontal(pl.col(name).ne_missing(pl.col(f"{name}_right")) for name in cache.kind.telling)
    count = mine.join(theirs, on=identity, how="inner", nulls_equal=True).filter(differs).height
    content = [name for name in identity if name != "case"]
    for ours, others in ((mine, theirs), (theirs, mine)):
        # Where the others name the case as well, that is compared above.
        named = ours.filter(pl.col("case").is_not_null()).join(others, on=identity, how="anti")
        pairs = named.join(others.filter(pl.col("case").is_null()), on=content, how="inner").with_columns(_no=differs)
        count += pairs.filter(pl.col("_no").all().over(content)).height
    return count


def _imports(folder: Path) -> dict[str, Any]:
    path = folder / FILE
    try:
        document = json.loads(path.read_bytes())
        found: dict[str, Any] = document["sources"]
        sound = document["format"] == FORMAT and all(
            isinstance(one["digest"], str) and _names(one["parts"]) for one in found.values()
        )
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        sound = False
    if not sound:
        raise DamagedWorkspace(f"{path} is no list of imports.", f"Remove {folder} and import again.")
    return found


def _names(parts: Sequence[object]) -> bool:
    return all(isinstance(part, str) and _PART.match(part) for part in parts)


def _remember(folder: Path, imports: dict[str, Any]) -> None:
    document = {"format": FORMAT, "sources": imports}
    write_atomically(folder / FILE, json.dumps(document, ensure_ascii=False, indent=1).encode(errors="replace"))
