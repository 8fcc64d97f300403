"""A scorer whose results were imported: its folder, and which of its parts came from which file.

`imports.json` in the scorer's folder remembers a digest and the parts of every source, so that the same file again
changes nothing, a newer state of it takes the place of the old one, and another file is added beside it.
"""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import polars as pl

from scoring.cache import RewardParts, VoteParts
from scoring.claim import claim
from scoring.errors import DamagedWorkspace, ScorerConflict
from scoring.files import locked, write_atomically
from scoring.importing.joining import Joined
from scoring.parquet import read_parquet
from scoring.scorer import Scorer
from scoring.workspace import Workspace

FILE = "imports.json"
FORMAT = 1
_NOT_IDENTITY = ("reported", "sources")


@dataclass(frozen=True)
class Saved:
    """What saving one file's results did: `new`, `changed` (the file was imported before) or `unchanged`."""

    scorer: str
    state: str


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
        low=foreign.low,
        high=foreign.high,
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
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder):
        imports = _imports(folder)
        source = _identity(joined.foreign.source)
        digest = _digest(joined)
        old = imports.get(source)
        if old is not None and old["digest"] == digest:
            return Saved(scorer.name, "unchanged")
        try:
            _no_conflict(scorer, folder, joined, {key: value for key, value in imports.items() if key != source})
        except OSError as error:
            raise DamagedWorkspace(f"{folder}: {error}.", "Remove the folder and import again.") from None
        scorer.save(folder)
        parts = [
            cache.append(frame).name
            for cache, frame in ((RewardParts(folder), joined.rewards), (VoteParts(folder), joined.votes))
            if frame.height
        ]
        imports[source] = {"digest": digest, "parts": parts}
        _remember(folder, imports)
        for part in old["parts"] if old else ():
            with suppress(OSError):
                (folder / part).unlink()
    return Saved(scorer.name, "changed" if old else "new")


def _identity(source: str) -> str:
    """The same file is the same source wherever the command was given."""
    return source if source.startswith("hf:") else str(Path(source).absolute())


def _digest(joined: Joined) -> str:
    digest = blake2b(digest_size=16)
    for frame in (joined.rewards, joined.votes):
        digest.update(frame.write_json().encode())
    return digest.hexdigest()


def _no_conflict(scorer: Scorer, folder: Path, joined: Joined, others: dict[str, Any]) -> None:
    """Two files may share a scorer if they speak of different cases, or say the same."""
    for source, one in others.items():
        for cache, mine, values in (
            (RewardParts(folder), joined.rewards, ("rewards", "labels", "solution")),
            (VoteParts(folder), joined.votes, ("ballot", "verdict")),
        ):
            theirs = [read_parquet(folder / part) for part in one["parts"] if part.startswith(cache.kind.prefix)]
            if not theirs or mine.is_empty():
                continue
            both = mine.join(pl.concat(theirs), on=list(cache.kind.identity), how="inner")
            differs = pl.any_horizontal(pl.col(value).ne_missing(pl.col(f"{value}_right")) for value in values)
            if count := both.filter(differs).height:
                raise ScorerConflict(
                    f"{source} gave {scorer.name!r} other results for {count} of the cases of {joined.foreign.source}.",
                    "Give this one another name: --name NAME",
                )


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
    return all(isinstance(part, str) and part == Path(part).name for part in parts)


def _remember(folder: Path, imports: dict[str, Any]) -> None:
    document = {"format": FORMAT, "sources": imports}
    write_atomically(folder / FILE, json.dumps(document, ensure_ascii=False, indent=1).encode(errors="replace"))
