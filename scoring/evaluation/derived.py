"""What can always be made again, kept beside the workspace's data so that a million cases open in a second.

    derived/<16 hex of the cases>/<scorer's folder>-<16 hex of its parts>/     a folder of arrays
                                cases.json      the benchmarks that these cases are of

A scorer's rewards, lined up with the cases and flat, what it gave itself, the three floats a case (`CaseBreakpoints`)
and the outcomes at its default threshold. They are keyed by everything they were made from: the generations of the
cases, the reward and vote parts, and `scorer.json`. Any process may write, read and remove them at any time; where they
are missing or damaged everything is computed from the rewards, and nothing is different but the time it takes. What is
removed is renamed first: a reader sees all of it or nothing, and what it has mapped stays until it lets go of it.
"""

import json
import re
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeVar, overload

import numpy as np
from msgspec import Struct
from msgspec.structs import asdict, fields

from scoring.data.errors import UnwritableWorkspace
from scoring.data.scorer import FILE, Scorer
from scoring.data.storage.files import write_atomically
from scoring.evaluation.array_folder import FORMAT, Array, DamagedPack, discard, pack, unpack
from scoring.evaluation.case_breakpoints import CaseBreakpoints
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.fixed_verdicts import FixedVerdicts, decision_of
from scoring.evaluation.gold import Gold
from scoring.evaluation.step_rewards import StepRewards
from scoring.evaluation.verdicts import Rule
from scoring.workspace.workspace import Workspace

Arrays = Mapping[str, Array]
Whole = TypeVar("Whole", bound=Struct)


class RefusalReasons(Sequence[str | None]):
    """Why cases were refused, by row id; None for the others. Length n."""

    def __init__(self, length: int, reasons: Mapping[int, str]) -> None:
        self._length, self._told = length, reasons

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, row: int) -> str | None: ...
    @overload
    def __getitem__(self, row: slice) -> list[str | None]: ...
    def __getitem__(self, row: int | slice) -> str | list[str | None] | None:
        if isinstance(row, slice):
            return [self._told.get(position) for position in range(*row.indices(self._length))]
        if not -self._length <= row < self._length:
            raise IndexError(row)
        return self._told.get(row % self._length)

    def __iter__(self) -> Iterator[str | None]:
        return map(self._told.get, range(self._length))


def packed_evaluation(evaluation: Evaluation) -> tuple[dict[str, Array], dict[str, Any]]:
    """Return the arrays of an evaluation without votes, and the few texts in it."""
    rewards = evaluation.rewards
    arrays = {"codes": evaluation.codes, **_flat(rewards), **_flat(evaluation.fixed_verdicts, "given.")}
    arrays |= _flat(evaluation.floats, "floats.")
    reasons = {str(row): reason for row, reason in enumerate(rewards.reasons) if reason is not None}
    return arrays, {"reasons": reasons, "range": rewards.range}


def _flat(whole: Struct, prefix: str = "") -> dict[str, Array]:
    """The arrays of a struct and of those within it, by their names with dots between them."""
    arrays_by_name: dict[str, Array] = {}
    for name, part in asdict(whole).items():
        if isinstance(part, Struct):
            arrays_by_name |= _flat(part, f"{prefix}{name}.")
        elif isinstance(part, np.ndarray):
            arrays_by_name[prefix + name] = part
    return arrays_by_name


def unpacked_evaluation(gold: Gold, scorer: Scorer, arrays: Arrays, facts: Mapping[str, Any]) -> Evaluation:
    """Return the evaluation at the scorer's own threshold.

    Raises:
        DamagedPack: an array is missing, or is not about as many cases.
    """
    n = gold.known.size
    try:
        reasons = RefusalReasons(n, {int(row): str(reason) for row, reason in facts["reasons"].items()})
        rewards = _built(StepRewards, arrays, reasons=reasons)
        # Going through all values to find the range would read the whole file.
        vars(rewards)["range"] = None if facts["range"] is None else tuple(map(float, facts["range"]))
        decided_by, floats = _built(FixedVerdicts, arrays, "given."), _built(CaseBreakpoints, arrays, "floats.")
        codes = arrays["codes"]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DamagedPack(f"{error} is missing") from None
    if {rewards.offsets.size - 1, codes.size, floats.all.size, decided_by.codes.size} != {n}:
        raise DamagedPack(f"it is not about {n:,} cases")
    rule = Rule(scorer.threshold, scorer.comparison, scorer.threshold_source, scorer.on)
    decision = decision_of(rule, rewards, None, decided_by)
    return Evaluation(scorer, gold, rewards, None, floats, decided_by, decision, codes)


def _built(kind: type[Whole], arrays: Arrays, prefix: str = "", **known: Any) -> Whole:
    """The struct that `_flat` took apart; `known` are its fields that are no arrays."""
    parts = dict(known)
    for field in fields(kind):
        if isinstance(field.type, type) and issubclass(field.type, Struct):
            parts[field.name] = _built(field.type, arrays, f"{prefix}{field.name}.")
        elif field.name not in known:
            parts[field.name] = arrays[prefix + field.name]
    return kind(**parts)


FOLDER = "derived"
VERSION = 5
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


class EvaluationCache(Struct, frozen=True):
    """The place of what is derived for the cases of some `benchmarks` of a workspace, in their order."""

    workspace: Workspace
    benchmarks: tuple[str, ...]
    name: str
    """Hex digest of the generations that the cases are read from; "" where nothing can be kept of them."""

    @classmethod
    def of(cls, workspace: Workspace, benchmarks: Sequence[str]) -> "EvaluationCache":
        """Return the place for the cases as they are now. To be called before and after they are read: `==` tells a
        change.
        """
        names = tuple(dict.fromkeys(benchmarks)) or tuple(workspace.default_benchmarks())
        stamps = workspace.stamps(names)
        return cls(workspace, names, "" if stamps is None else _digest(VERSION, FORMAT, stamps))

    @staticmethod
    def key(parts: Path) -> str:
        """Return the hex digest of the files of a scorer; to be called before and after they are read.

        Parts are never written again; `scorer.json` may be, by hand and within one tick of the clock, and is small.
        """
        file_keys: list[tuple[str | int, ...]] = []
        with suppress(OSError):
            file_keys.append((FILE, blake2b((parts / FILE).read_bytes(), digest_size=16).hexdigest()))
        for file in sorted(parts.glob("*.parquet")):
            # One that has just gone makes another key than the one with it.
            with suppress(OSError):
                stat = file.stat()
                file_keys.append((file.name, stat.st_size, stat.st_mtime_ns))
        return _digest(file_keys)

    def read(self, gold: Gold, scorer: Scorer, parts: Path, key: str) -> tuple[Evaluation | None, list[str]]:
        """Read what is kept of a scorer whose parts are in a folder, decided at its own threshold; and what was wrong.

        None where nothing is kept, or what is kept was made from other parts or is damaged.
        """
        folder = self._folder
        if folder is None:
            return None, []
        place = folder / f"{parts.name}-{key}"
        try:
            unpacked = unpack(place, key)
            return (None if unpacked is None else unpacked_evaluation(gold, scorer, *unpacked)), []
        except DamagedPack as error:
            discard(place)
            return None, [f"{place} was damaged ({error}); it was computed again from the rewards"]

    def write(self, evaluation: Evaluation, parts: Path, key: str) -> None:
        """Keep an evaluation as `scoring.evaluation.evaluation.evaluate` made it of the parts in a folder, if it is
        worth it.

        Critics are not kept: their votes are few and read quickly. Where nothing can be written, nothing is kept.
        """
        folder, known = self._folder, evaluation.gold.known.size
        of_answers = evaluation.votes is not None or evaluation.further or evaluation.unlike
        if folder is None or known < WORTH or of_answers or evaluation.answers is not None:
            return
        with suppress(UnwritableWorkspace, OSError):
            self.name_benchmarks()
            pack(folder / f"{parts.name}-{key}", key, *packed_evaluation(evaluation))
            for old in folder.iterdir():
                entry = _ENTRY.match(old.name)
                if entry and entry[1] == parts.name and entry[2] != key:
                    discard(old)

    def entry(self, parts: Path, key: str) -> Path | None:
        """Return where the entry of a scorer is kept whose parts lie in a folder and have this key; None = nowhere."""
        return None if self._folder is None else self._folder / f"{parts.name}-{key}"

    def name_benchmarks(self) -> None:
        """Write into the folder which benchmarks its cases are of. Raises UnwritableWorkspace."""
        if self._folder is not None and not (self._folder / _ABOUT).exists():
            write_atomically(self._folder / _ABOUT, json.dumps(self.benchmarks).encode())

    def unkept(self, evaluation: Evaluation, parts: Path, key: str) -> "UncachedEvaluation":
        """Return what was made of the files in `parts`, which have this key, to be kept when there is time for it."""
        return UncachedEvaluation(self, evaluation, parts, key)

    @property
    def _folder(self) -> Path | None:
        root = self.workspace.root
        return None if root is None or not self.name else root / FOLDER / self.name


def remove_unasked(workspace: Workspace) -> None:
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
        return EvaluationCache.of(workspace, names).name == folder.name
    except (OSError, ValueError, TypeError):
        return False


def _clean_entries(folder: Path, rewards: Path) -> None:
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


class UncachedEvaluation(Struct, frozen=True, eq=False):
    """An evaluation that was computed and may be kept: `key` is that of the files in `parts` which it was made of."""

    place: EvaluationCache
    evaluation: Evaluation
    parts: Path
    key: str

    def keep(self) -> None:
        """Keep it, if it is worth it and can be done. Takes a second for a million cases."""
        self.place.write(self.evaluation, self.parts, self.key)


def _digest(*what: Any) -> str:
    return blake2b(json.dumps(what).encode(), digest_size=8).hexdigest()
