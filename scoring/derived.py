"""What can always be made again, kept beside the workspace's data so that a million cases open in a second.

    derived/<16 hex of the cases>/<scorer's folder>-<16 hex of its parts>/     see scoring.packed
                                cases.json      the benchmarks that these cases are of

A scorer's rewards, lined up with the cases and flat, what it gave itself, the three floats a case (`CaseFloats`) and
the outcomes at its default threshold. They are keyed by everything they were made from: the generations of the cases,
the reward and vote parts, and `scorer.json`. Any process may write, read and remove them at any time; where they are
missing or damaged everything is computed from the rewards, and nothing is different but the time it takes.
"""

import json
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from scoring.derived_parts import packed_evaluation, unpacked_evaluation
from scoring.errors import UnwritableWorkspace
from scoring.evaluation import Evaluation
from scoring.files import write_atomically
from scoring.gold import Gold
from scoring.packed import DamagedPack, pack, unpack
from scoring.scorer import FILE, Scorer
from scoring.workspace import Workspace

FOLDER = "derived"
VERSION = 1
"""Of what is kept and how it is computed: whoever changes either counts it up."""
WORTH = 2_000
"""From this number of cases on it is quicker to read than to compute."""
_ABOUT = "cases.json"


@dataclass(frozen=True)
class Derived:
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
        return cls(workspace, names, "" if stamps is None else _digest(VERSION, stamps))

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
            shutil.rmtree(place, ignore_errors=True)
            return None, [f"{place} was damaged ({error}); it was computed again from the rewards"]

    def write(self, evaluation: Evaluation, parts: Path, key: str) -> None:
        """Keep an evaluation as `scoring.evaluation.evaluate` made it of the parts in a folder, if it is worth it.

        Critics are not kept: their votes are few and read quickly. Where nothing can be written, nothing is kept.
        """
        folder, known = self._folder, evaluation.gold.known.size
        if folder is None or known < WORTH or evaluation.votes is not None or evaluation.further:
            return
        with suppress(UnwritableWorkspace):
            if not (folder / _ABOUT).exists():
                write_atomically(folder / _ABOUT, json.dumps(self.benchmarks).encode())
            pack(folder / f"{parts.name}-{key}", key, *packed_evaluation(evaluation))
            self._clean(parts.name, key)

    @property
    def _folder(self) -> Path | None:
        root = self.workspace.root
        return None if root is None or not self.name else root / FOLDER / self.name

    def _clean(self, scorer: str, key: str) -> None:
        """Remove what was made from other parts of a scorer, and from cases that have been imported again."""
        folder = self._folder
        if folder is None:
            return
        for old in folder.iterdir():
            name, _, digest = old.name.rpartition("-")
            if name == scorer and digest != key:
                shutil.rmtree(old, ignore_errors=True)
        for other in folder.parent.iterdir():
            if other != folder and not self._current(other):
                shutil.rmtree(other, ignore_errors=True)

    def _current(self, folder: Path) -> bool:
        """Whether a folder is about cases as they are now."""
        try:
            names = json.loads((folder / _ABOUT).read_bytes())
            return Derived.of(self.workspace, names).name == folder.name
        except (OSError, ValueError, TypeError):
            return False


@dataclass(frozen=True, eq=False)
class Unkept:
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
