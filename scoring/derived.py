"""What can always be made again, kept beside the workspace's data so that a million cases open in a second.

    derived/<16 hex of the cases>/<scorer's folder>-<16 hex of its parts>/     see scoring.packed
                                cases.json      the benchmarks that these cases are of

A scorer's rewards, lined up with the cases and flat, what it gave itself, the three floats a case (`CaseFloats`) and
the outcomes at its default threshold. They are keyed by everything they were made from: the generations of the cases,
the reward and vote parts, and `scorer.json`. Any process may write, read and remove them at any time; where they are
missing or damaged everything is computed from the rewards, and nothing is different but the time it takes. What is
removed is renamed first: a reader sees all of it or nothing, and what it has mapped stays until it lets go of it.
"""

import json
import re
import shutil
import time
from collections.abc import Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any

from msgspec import Struct

from scoring.derived_parts import packed_evaluation, unpacked_evaluation
from scoring.errors import UnwritableWorkspace
from scoring.evaluation import Evaluation
from scoring.files import write_atomically
from scoring.gold import Gold
from scoring.packed import FORMAT, DamagedPack, discard, pack, unpack
from scoring.scorer import FILE, Scorer
from scoring.workspace import Workspace

FOLDER = "derived"
VERSION = 2
"""Of what is kept and how it is computed: whoever changes either counts it up."""
WORTH = 2_000
"""From this number of cases on it is quicker to read than to compute."""
MOST = 32
"""Folders of cases that are kept: each choice of benchmarks has one. Those written to last stay."""
ABANDONED = 24 * 3600.0
"""Seconds after which what is half made is nobody's who is still at work."""
_ABOUT = "cases.json"
_CASES = re.compile(r"[0-9a-f]{16}\Z")
_ENTRY = re.compile(r"(.+)-([0-9a-f]{16})\Z", re.DOTALL)
_HALF_MADE = re.compile(r"\..*(?:-[0-9a-f]{32}|\.tmp)\Z", re.DOTALL)


class Derived(Struct, frozen=True):
    """The place of what is derived for the cases of some `benchmarks` of a workspace, in their order."""

    workspace: Workspace
    benchmarks: tuple[str, ...]
    name: str
    """Hex digest of the generations that the cases are read from; "" where nothing can be kept of them."""

    @classmethod
    def of(cls, workspace: Workspace, benchmarks: Sequence[str]) -> "Derived":
        """The place for the cases as they are now. To be asked before and after they are read: `==` tells a change."""
        names = tuple(dict.fromkeys(benchmarks)) or tuple(workspace.default_benchmarks())
        stamps = workspace.stamps(names)
        return cls(workspace, names, "" if stamps is None else _digest(VERSION, FORMAT, stamps))

    @staticmethod
    def key(parts: Path) -> str:
        """Hex digest of the files of a scorer; to be asked before and after they are read.

        Parts are never written again; `scorer.json` may be, by hand and within one tick of the clock, and is small.
        """
        found: list[tuple[str | int, ...]] = []
        with suppress(OSError):
            found.append((FILE, blake2b((parts / FILE).read_bytes(), digest_size=16).hexdigest()))
        for file in sorted(parts.glob("*.parquet")):
            # One that has just gone makes another key than the one with it.
            with suppress(OSError):
                stat = file.stat()
                found.append((file.name, stat.st_size, stat.st_mtime_ns))
        return _digest(found)

    def read(self, gold: Gold, scorer: Scorer, parts: Path, key: str) -> tuple[Evaluation | None, list[str]]:
        """What is kept of a scorer whose parts are in a folder, decided at its own threshold; and what was wrong.

        None where nothing is kept, or what is kept was made from other parts or is damaged.
        """
        folder = self._folder
        if folder is None:
            return None, []
        place = folder / f"{parts.name}-{key}"
        try:
            found = unpack(place, key)
            return (None if found is None else unpacked_evaluation(gold, scorer, *found)), []
        except DamagedPack as error:
            discard(place)
            return None, [f"{place} was damaged ({error}); it was computed again from the rewards"]

    def write(self, evaluation: Evaluation, parts: Path, key: str) -> None:
        """Keep an evaluation as `scoring.evaluation.evaluate` made it of the parts in a folder, if it is worth it.

        Critics are not kept: their votes are few and read quickly. Where nothing can be written, nothing is kept.
        """
        folder, known = self._folder, evaluation.gold.known.size
        if folder is None or known < WORTH or evaluation.votes is not None or evaluation.further:
            return
        with suppress(UnwritableWorkspace, OSError):
            if not (folder / _ABOUT).exists():
                write_atomically(folder / _ABOUT, json.dumps(self.benchmarks).encode())
            pack(folder / f"{parts.name}-{key}", key, *packed_evaluation(evaluation))
            for old in folder.iterdir():
                entry = _ENTRY.match(old.name)
                if entry and entry[1] == parts.name and entry[2] != key:
                    discard(old)

    def unkept(self, evaluation: Evaluation, parts: Path, key: str) -> "Unkept":
        """What was made of the files in `parts`, which have this key, to be kept when there is time for it."""
        return Unkept(self, evaluation, parts, key)

    @property
    def _folder(self) -> Path | None:
        root = self.workspace.root
        return None if root is None or not self.name else root / FOLDER / self.name


def clean(workspace: Workspace) -> None:
    """Remove what nobody asks for any more.

    That is what was made of cases that were imported again or of scorers that are gone, what a process left half made
    when it was killed, and all but MOST folders of cases. What has a name of another kind is left alone.
    """
    if workspace.root is None:
        return
    root = workspace.root / FOLDER
    with suppress(OSError):
        folders = [folder for folder in root.iterdir() if _CASES.match(folder.name)]
        folders.sort(key=lambda folder: folder.stat().st_mtime_ns, reverse=True)
        current = [folder for folder in folders if _current(workspace, folder)][:MOST]
        for folder in folders:
            if folder in current:
                _clean_entries(folder, workspace.root / "rewards")
            elif (folder / _ABOUT).exists() or _abandoned(folder):
                discard(folder)
        _clean_half_made(root)


def _current(workspace: Workspace, folder: Path) -> bool:
    """Whether a folder is about cases as they are."""
    try:
        names = json.loads((folder / _ABOUT).read_bytes())
        return Derived.of(workspace, names).name == folder.name
    except (OSError, ValueError, TypeError):
        return False


def _clean_entries(folder: Path, rewards: Path) -> None:
    """Remove what was made of scorers that are gone."""
    for entry in folder.iterdir():
        named = _ENTRY.match(entry.name)
        if named and not _HALF_MADE.match(entry.name) and not (rewards / named[1] / FILE).exists():
            discard(entry)
    _clean_half_made(folder)


def _clean_half_made(folder: Path) -> None:
    for path in folder.iterdir():
        if _HALF_MADE.match(path.name) and _abandoned(path):
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)


def _abandoned(path: Path) -> bool:
    return time.time() - path.stat().st_mtime > ABANDONED


class Unkept(Struct, frozen=True, eq=False):
    """An evaluation that was computed and may be kept: `key` is that of the files in `parts` which it was made of."""

    place: Derived
    evaluation: Evaluation
    parts: Path
    key: str

    def keep(self) -> None:
        """Keep it, if it is worth it and can be done. Takes a second for a million cases."""
        self.place.write(self.evaluation, self.parts, self.key)


def _digest(*what: Any) -> str:
    return blake2b(json.dumps(what).encode(), digest_size=8).hexdigest()
