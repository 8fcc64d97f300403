"""Leases: what other runs of the same scorer have begun, so that no case is computed twice."""

import json
import os
import platform
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from scoring.data.errors import InUse, UnwritableWorkspace
from scoring.data.storage.files import fcntl, locked, uuid7
from scoring.runs.plan import MissingAnswers, RunPlan
from scoring.workspace.cache import Parts

FOLDER = "leases"
EXPIRES = 60.0
"""Seconds after which a lease that was not touched is nobody's: its owner is gone, or stands still."""
_TOUCHED = EXPIRES / 4
_BLOCKS, _SMALLEST, _LARGEST = 16, 64, 1024
"""Into how many blocks work is cut, and how many answers to a content are in one."""
EXCHANGES: dict[Path, Callable[[], None]] = {}
"""By the folder of a scorer what brings the leases of other places, and takes ours there."""
_TRIES, _BETWEEN = 40, 0.05
"""How often, and after how many seconds, a folder is tried again that another looks at just now."""


class Leases:
    """The lease of one run on units of a scorer's work, each named by a text. Nothing is written before the first."""

    def __init__(self, scorer: Path) -> None:
        """`scorer` is the folder of its parts, which need not be there."""
        self._scorer = scorer
        self._folder = scorer / FOLDER
        self._path = self._folder / f"{uuid7()}.json"
        self._host = platform.node()
        self._units: set[str] = set()
        self._descriptor: int | None = None
        self._end = threading.Event()
        self._touching: threading.Thread | None = None

    def take(self, units: Sequence[str]) -> dict[str, str]:
        """Lease what no other run has; give what others have, and whose it is in words.

        Where there can be no leases all of it is free.
        """
        exchange = EXCHANGES.get(self._scorer)
        if exchange is None:
            return self._tried(units)
        exchange()
        held = self._tried(units)
        if len(held) < len(units):
            # Another may have taken the same before either could see it.
            exchange()
            held |= self._tried(units)
        return held

    def _tried(self, units: Sequence[str]) -> dict[str, str]:
        for _ in range(_TRIES):
            try:
                # Whoever was stopped while it held the lock is not waited for.
                with locked(self._folder, make=True, wait=False):
                    return self._take(units)
            except InUse:
                time.sleep(_BETWEEN)
            except (OSError, UnwritableWorkspace):
                break
        return {}

    def drop(self, units: Iterable[str]) -> None:
        """Let go of units, which others see when something is taken again, or at the end."""
        self._units.difference_update(units)

    def close(self) -> None:
        """Let go of everything; no file stays, and no folder that is empty."""
        self._end.set()
        if self._descriptor is not None:
            # Whoever sees it before it is gone finds that nobody holds it.
            os.close(self._descriptor)
            self._descriptor = None
            for leave in (self._path.unlink, self._folder.rmdir, self._folder.parent.rmdir):
                with suppress(OSError):
                    leave()

    def _take(self, units: Sequence[str]) -> dict[str, str]:
        now = self._written()
        others = self._others(now)
        # Of two that have the same, the one whose file sorts first has it.
        held = {
            unit: others[unit][0]
            for unit in units
            if unit in others and (unit not in self._units or others[unit][1] < self._path.name)
        }
        self._units.difference_update(held)
        self._units.update(unit for unit in units if unit not in held)
        self._written()
        return held

    def _written(self) -> float:
        """Write what is leased, as a file of its own again if another took this for a dead one's; its time."""
        if self._descriptor is not None and not self._path.exists():
            os.close(self._descriptor)
            self._descriptor = None
        if self._descriptor is None:
            self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o666)
            _flocked(self._descriptor, "LOCK_EX")
            self._touch_now_and_then()
        document = {"owner": f"process {os.getpid()} on {self._host}", "host": self._host, "units": sorted(self._units)}
        raw = json.dumps(document).encode()
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        os.write(self._descriptor, raw)
        os.ftruncate(self._descriptor, len(raw))
        os.utime(self._path)
        return self._path.stat().st_mtime

    def _touch_now_and_then(self) -> None:
        """A batch, and loading a model, may take longer than a lease lasts."""
        if self._touching is None:
            self._touching = threading.Thread(target=self._touch, name="lease", daemon=True)
            self._touching.start()

    def _touch(self) -> None:
        while not self._end.wait(_TOUCHED):
            with suppress(OSError):
                os.utime(self._path)

    def _others(self, now: float) -> dict[str, tuple[str, str]]:
        """Every unit that another run holds, who does, and by which file; what is nobody's is removed."""
        holders: dict[str, tuple[str, str]] = {}
        for path in self._folder.glob("*.json"):
            if path == self._path:
                continue
            with suppress(OSError):
                host, owner, units = _read(path)
                # Ahead by as much: it was touched before the clock was set back.
                if abs(now - path.stat().st_mtime) > EXPIRES or (host in {None, self._host} and _abandoned(path)):
                    path.unlink()
                else:
                    holders |= dict.fromkeys(units, (owner, path.name))
        return holders


def _read(path: Path) -> tuple[str | None, str, list[str]]:
    """Host, owner and units of a lease; no host where it was only half written."""
    try:
        document = json.loads(path.read_bytes())
        return str(document["host"]), str(document["owner"]), [str(unit) for unit in document["units"]]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None, "", []


def _flocked(descriptor: int, kind: str) -> bool:
    """Lock a file; whether that could be done, which it cannot where there are no locks."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(descriptor, getattr(fcntl, kind) | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _abandoned(path: Path) -> bool:
    """Whether the file's owner, on this machine, has ended."""
    # Another user's may be read and not written, and on NFS what is not written is given no more than a share.
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return _flocked(descriptor, "LOCK_SH")
    finally:
        os.close(descriptor)


@dataclass
class SharedWork:
    """What of a plan is missing, in blocks that no other run has begun.

    `keys` are the contents of the cases by their row. `lacking` gives what of some missing answers the cache still
    lacks, and how many of the contents it has refused, once other runs have saved something. Without `waits` nothing is
    leased and nothing left to others.

    `gone` and `refused` gather what others have saved meanwhile, `owners` whose leases were met; whoever reads them
    empties them. `left` is what others had begun when it was this run's turn.
    """

    plan: RunPlan
    keys: pl.Series
    parts: Parts
    lacking: Callable[[Sequence[MissingAnswers]], RunPlan]
    known: set[str]
    waits: bool = True
    gone: list[MissingAnswers] = field(default_factory=list)
    refused: int = 0
    owners: set[str] = field(default_factory=set)
    left: list[MissingAnswers] = field(default_factory=list)
    leases: Leases = field(init=False)

    def __post_init__(self) -> None:
        self.leases = Leases(self.parts.folder)

    def unit(self, missing: MissingAnswers) -> str:
        """Return what a lease calls answers to a content in a run."""
        return f"{self.keys[missing.row]}/{missing.run}"

    def blocks(self) -> Iterator[list[MissingAnswers]]:
        """Yield what is missing, a block at a time: first all of it, then what was left; leased when drawn."""
        todo = deque(self.left or self.plan.missing)
        self.left = []
        size = min(_LARGEST, max(_SMALLEST, -(-len(todo) // _BLOCKS)))
        while todo:
            block = [todo.popleft() for _ in range(min(size, len(todo)))]
            held = self._take(block)
            self.left += [missing for missing in block if self.unit(missing) in held]
            block = [missing for missing in block if self.unit(missing) not in held]
            # After the lease: what was saved before it was free is seen now.
            if self._saved_elsewhere():
                block, rest, self.left = self._sifted(block, todo, self.left)
                todo = deque(rest)
            yield block

    def free(self) -> bool:
        """Return whether something of what was left can go on, or all of it has been saved by others."""
        if self._saved_elsewhere():
            (self.left,) = self._sifted(self.left)
        return len(self._take(self.left)) < len(self.left) or not self.left

    def _take(self, block: Sequence[MissingAnswers]) -> dict[str, str]:
        held = self.leases.take([self.unit(missing) for missing in block]) if self.waits else {}
        self.owners.update(held.values())
        return held

    def _saved_elsewhere(self) -> bool:
        """Whether there are parts that this run has not written (or merged) and not seen."""
        names = {part.name for part in self.parts.parts()}
        elsewhere = not names <= self.known
        self.known |= names
        return elsewhere

    def _sifted(self, *lists: Iterable[MissingAnswers]) -> list[list[MissingAnswers]]:
        """The lists without what the cache has by now."""
        before = [list(missing_list) for missing_list in lists]
        every = [missing for missing_list in before for missing in missing_list]
        plan = self.lacking(every)
        still = {(missing.row, missing.run): missing for missing in plan.missing}
        gone = [missing for missing in every if (missing.row, missing.run) not in still]
        self.leases.drop(map(self.unit, gone))
        self.gone += gone
        self.refused += plan.refused
        return [
            [still[at] for missing in missing_list if (at := (missing.row, missing.run)) in still]
            for missing_list in before
        ]
