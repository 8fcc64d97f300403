"""A scoring run in a workspace on object storage: what it saves is sent as it is saved, and others see what it began.

Rewards go there within a second or two, in a thread, and all of them before the end is told. Leases travel beside them:
whoever takes some looks first, and looks again once they are there for others to see. Of two that took the same in one
instant, the one whose file sorts first keeps it. Where a look comes too late both compute a case, both save the same,
and nothing is wrong; nothing else is shared, neither who waits nor how far others are. How old a lease is follows from
the store's own times alone: its newest against that of what this run has just put there.
"""

import json
import os
import threading
import time
from collections.abc import Generator
from contextlib import closing, suppress
from pathlib import Path

from msgspec.structs import replace

from scoring.data.errors import InspectError
from scoring.data.storage.files import write_atomically
from scoring.runs import leases
from scoring.runs.events import End, Event, Notice, Saved, Start
from scoring.workspace.remote import Mirror, kept

SECONDS = 1.0
"""How often at most what was saved is sent."""
_LOOKS = 1.0
"""How often at most it is looked what others have begun, where nothing was taken since."""
_ELSEWHERE = "elsewhere:"
"""What stands before the name of the host in the copy of another machine's lease."""


def sent(mirror: Mirror, events: Generator[Event, None, None]) -> Generator[Event, None, None]:
    """Pass on the events of a run, and send what it saves; the end is told when everything is there.

    What could not be sent stays in the mirror, and goes with the next run. Then the end says that this one failed.
    """
    sender: _Sender | None = None
    last: End | None = None
    with closing(events):
        try:
            for event in events:
                if isinstance(event, Start) and sender is None:
                    sender = _Sender(mirror, Path(event.folder))
                if isinstance(event, Saved) and sender is not None:
                    sender.soon()
                    if notice := sender.problem():
                        yield notice
                if isinstance(event, End):
                    last = event
                else:
                    yield event
        finally:
            failure = sender.finish() if sender is not None else None
    if last is not None:
        if failure is not None and last.status != "failed":
            last = replace(last, status="failed", error=failure.fields)
        yield last


class _Sender:
    """Sends one scorer's folder in a thread, while a run writes to it."""

    def __init__(self, mirror: Mirror, folder: Path) -> None:
        self._mirror, self._under = mirror, folder.relative_to(mirror.root).as_posix()
        self._shared = SharedLeases(mirror, folder)
        self._wake, self._end = threading.Event(), threading.Event()
        self._failure: InspectError | None = None
        self._told: set[str] = set()
        leases.EXCHANGES[folder] = self._shared.exchange
        self._folder = folder
        self._thread = threading.Thread(target=self._run, name="sending", daemon=True)
        self._thread.start()

    def soon(self) -> None:
        """Send what there is, when it is time."""
        self._wake.set()

    def problem(self) -> Notice | None:
        """Return, once, what keeps rows from being sent."""
        failure = self._failure
        if failure is None or failure.sentence in self._told:
            return None
        self._told.add(failure.sentence)
        return Notice(f"{failure.sentence} What is computed is kept on this machine meanwhile.")

    def finish(self) -> InspectError | None:
        """Send the rest; why not, where that cannot be."""
        leases.EXCHANGES.pop(self._folder, None)
        self._end.set()
        self._wake.set()
        while self._thread.is_alive():
            # In short stretches, in which a signal is heard.
            self._thread.join(0.1)
        return self._failure

    def _run(self) -> None:
        while not self._end.is_set():
            self._wake.wait(leases.EXPIRES / 4)
            self._wake.clear()
            self._send()
            self._end.wait(SECONDS)
        self._send()
        self._shared.close()

    def _send(self) -> None:
        try:
            # The last time all of it: what the run wrote elsewhere, as a checkpoint's place in its series.
            unsent = self._mirror.sync("" if self._end.is_set() else self._under, look=False).unsent
            self._failure = None if unsent is None else kept(unsent)
        except InspectError as error:
            self._failure = error
        if not self._end.is_set():
            self._shared.exchange()


class SharedLeases:
    """The leases of one scorer's folder, here and there."""

    def __init__(self, mirror: Mirror, folder: Path) -> None:
        self._mirror, self._folder = mirror, folder / leases.FOLDER
        self._under = folder.relative_to(mirror.root).as_posix()
        self._put: dict[str, tuple[bytes, float]] = {}
        self._lock = threading.Lock()
        self._looked = 0.0

    def exchange(self) -> None:
        """Send what this machine's runs have begun, and bring what others have begun, and saved.

        Not more than once a second where there is nothing new to send. What fails here is a courtesy that is not done.
        """
        with self._lock, suppress(InspectError, OSError):
            changed = self._send()
            if changed or time.monotonic() - self._looked > _LOOKS:
                # What was saved comes before what is free.
                self._mirror.sync(self._under)
                self._bring()
                self._looked = time.monotonic()

    def close(self) -> None:
        """Take back what this machine's runs put there; copies of others' leases go too."""
        with self._lock, suppress(InspectError, OSError):
            self._mirror.store.delete([f"{self._under}/leases/{name}" for name in self._put])
            self._put.clear()
        for path in self._folder.glob("*.json"):
            with suppress(OSError):
                if _is_copy(path):
                    path.unlink()
        with suppress(OSError):
            self._folder.rmdir()

    def _send(self) -> bool:
        """Put own leases there; whether any is new, or has to be touched so that it does not end."""
        now, own = time.monotonic(), {}
        for path in self._folder.glob("*.json"):
            with suppress(OSError):
                if not _is_copy(path):
                    own[path.name] = path.read_bytes()
        gone = self._put.keys() - own.keys()
        due = [
            name
            for name, data in own.items()
            if name not in self._put or self._put[name][0] != data or now - self._put[name][1] > leases.EXPIRES / 4
        ]
        if due or gone:
            # Whoever sees that something is free finds what was saved of it.
            self._mirror.sync(self._under, look=False)
        for name in due:
            self._mirror.store.overwrite(f"{self._under}/leases/{name}", own[name])
            self._put[name] = own[name], now
        if gone:
            self._mirror.store.delete([f"{self._under}/leases/{name}" for name in gone])
            for name in gone:
                del self._put[name]
        return bool(due or gone)

    def _bring(self) -> None:
        """Copy others' leases, each with the age that it has by the store's own times."""
        inside = f"{self._under}/leases/"
        there = {path.removeprefix(inside): lease for path, lease in self._mirror.store.list(inside[:-1]).items()}
        newest = max((lease.modified for lease in there.values()), default=0.0)
        live = {
            name: newest - lease.modified for name, lease in there.items() if newest - lease.modified <= leases.EXPIRES
        }
        dead = there.keys() - live.keys() - self._put.keys()
        if dead:
            self._mirror.store.delete([inside + name for name in dead])
        for name, age in live.items():
            path = self._folder / name
            if name in self._put or not name.endswith(".json") or "/" in name or (path.exists() and not _is_copy(path)):
                continue
            read = self._mirror.store.read(inside + name)
            if read is None:
                # It has just ended; the copy goes the next time.
                continue
            with suppress(ValueError, KeyError, TypeError):
                lease = json.loads(read[0])
                lease["host"] = f"{_ELSEWHERE} {lease['host']}"
                write_atomically(path, json.dumps(lease).encode())
                # Both ages count by the clock of this file system.
                written = path.stat().st_mtime - age
                os.utime(path, (written, written))
        for path in self._folder.glob("*.json"):
            if path.name not in live and _is_copy(path):
                path.unlink()


def _is_copy(path: Path) -> bool:
    with suppress(ValueError, KeyError, TypeError):
        return str(json.loads(path.read_bytes())["host"]).startswith(_ELSEWHERE)
    return False
