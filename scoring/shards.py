"""A scoring run over several devices: one process a device, each with its share of the cases.

A case belongs to a share by its content, so that equal cases are computed once. The processes are runs like any other
and save for themselves: whatever happens to one, or to this process, what they saved is there.
"""

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from msgspec import Struct
from msgspec.structs import fields, replace

from scoring.events import CaseRefused, Doing, End, Event, Notice, Progress, Ready, Saved, Start, Status
from scoring.interrupt import Interrupt, Stopped

_PATIENCE = 10
"""Seconds that a process may take to save what it has before it is killed."""
_TICK = 0.1
_PROGRESS_SECONDS = 0.1
_SUMMED = (
    "scored", "refused", "truncated", "cached", "cached_refused", "left", "saved", "case_tokens", "tokens", "padding",
)  # fmt: skip
_PROGRESSED = ("done", "refused", "tokens", "truncated")
_LATEST = ("seconds", "computing")

Line = tuple[int, dict[str, Any] | None]
"""Which process told an event, 0-based; None when it tells no more."""


def in_share(key: str, number: int, shares: int) -> bool:
    """Whether a content (its key) belongs to share `number` (0-based) of so many."""
    return int(key[:12], 16) % shares == number


def run_shards(
    words: Sequence[str], devices: Sequence[str], interrupt: Interrupt, tell: Callable[[str], object]
) -> Iterator[Event]:
    """The events of a run over several devices, in the words of one.

    Args:
        words: the arguments of `python -m scoring`, which each process gets with a device and a share of its own.
        devices: as `--device` takes them.
        interrupt: a signal that it notes goes to every process, a second one too.
        tell: hears of processes that ended without a word.
    """
    processes = [_started(words, device, at, devices) for at, device in enumerate(devices)]
    try:
        yield from _merged(processes, MergedEvents(tuple(devices), tell), interrupt)
    finally:
        # Also when whoever iterated has left; processes that have ended are none the wiser.
        _stop(processes)


def _merged(
    processes: Sequence[subprocess.Popen[bytes]], merged: "MergedEvents", interrupt: Interrupt
) -> Iterator[Event]:
    told: queue.SimpleQueue[Line] = queue.SimpleQueue()
    for number, process in enumerate(processes):
        threading.Thread(target=_read, args=(number, process.stdout, told), daemon=True).start()
    passed_on = False
    running = len(processes)
    while running:
        try:
            if interrupt.signum is not None and not passed_on:
                passed_on = True
                _signal(processes, interrupt.signum)
            number, event = told.get(timeout=_TICK)
        except queue.Empty:
            continue
        except Stopped as stopped:
            _signal(processes, stopped.signum)
            continue
        if event is None:
            running -= 1
            yield from merged.ended(number, processes[number].wait(), interrupt.signum)
        else:
            yield from merged.take(number, event)
    yield merged.end()


def _started(words: Sequence[str], device: str, number: int, devices: Sequence[str]) -> subprocess.Popen[bytes]:
    root = Path(__file__).resolve().parent.parent
    # Until it listens to signals itself one ends it without Python's trace.
    launch = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); "
        f"sys.path.insert(0, {str(root)!r}); from scoring.__main__ import main; sys.exit(main())"
    )
    # The last of two equal options counts.
    own = [f"--device={device}", f"--shard={number}/{len(devices)}"]
    return subprocess.Popen(
        [sys.executable, "-c", launch, *words, *own],
        stdout=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        env={**_threads(devices), **os.environ},
        # A group of its own: Ctrl+C reaches it once, through this process, and not a second time.
        start_new_session=True,
    )


def _threads(devices: Sequence[str]) -> dict[str, str]:
    """A CPU's cores shared among the processes that run on it."""
    on_cpu = sum(device == "cpu" for device in devices)
    if not on_cpu:
        return {}
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return {"OMP_NUM_THREADS": str(max(1, cores // on_cpu))}


def _read(number: int, lines: IO[bytes], told: "queue.SimpleQueue[Line]") -> None:
    with lines:
        for line in lines:
            with suppress(ValueError):
                event = json.loads(line)
                if isinstance(event, dict) and "event" in event:
                    told.put((number, event))
    told.put((number, None))


def _signal(processes: Sequence[subprocess.Popen[bytes]], signum: int) -> None:
    for process in processes:
        if process.poll() is None:
            process.send_signal(signum)


def _stop(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    for process in processes:
        if process.poll() is None:
            process.terminate()
    for process in processes:
        try:
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


# -- what they tell, told as one run


class _Share(Struct):
    """What one process has told."""

    device: str
    start: Mapping[str, Any] | None = None
    progress: Mapping[str, Any] | None = None
    end: End | None = None
    saved: int = 0
    refused: int = 0
    truncated: int = 0


@dataclass
class MergedEvents:
    """What a run over `devices` tells. `take` every event and `ended` every process, then ask for the `end`.

    Counts are sums over the processes, times the longest of them; `ready` comes once for each. `tell` hears in words of
    a process that ended without its own.
    """

    devices: tuple[str, ...]
    tell: Callable[[str], object]
    clock: Callable[[], float] = time.monotonic
    _shares: list[_Share] = field(init=False)
    _held: list[tuple[int, Mapping[str, Any]]] = field(default_factory=list)
    _started: bool = False
    _told: float = float("-inf")
    _total: int = 0

    def __post_init__(self) -> None:
        self._shares = [_Share(device) for device in self.devices]

    def take(self, number: int, event: Mapping[str, Any]) -> Iterator[Event]:
        """What to tell when process `number` (0-based) has told an event (its JSON object)."""
        share = self._shares[number]
        if event["event"] == "start":
            share.start = event
        elif event["event"] == "end":
            share.end = _cut_off(share, event["error"]) if event["error"] else _made(End, event)
        elif event["event"] == "doing":
            yield _made(Doing, event)
        else:
            self._held.append((number, event))
        yield from self._release()

    def ended(self, number: int, code: int, asked: int | None = None) -> Iterator[Event]:
        """What to tell when process `number` has ended with this exit code, negative for a signal that killed it.

        `asked` is the signal that all were sent, if one was: a process that had not begun may have died of it.
        """
        share = self._shares[number]
        if share.end is None and asked is not None and code == -asked:
            share.end = replace(_cut_off(share, {}), status="interrupted", signal=asked, error=None)
        elif share.end is None:
            share.end = _died(share, code)
            error = share.end.error or {}
            self.tell(f"{error['title']}: {error['sentence']} {error['next_step']}")
        yield from self._release()

    def end(self) -> End:
        """The last event, when all have ended."""
        ends = [share.end for share in self._shares if share.end]
        failed = next((end for end in ends if end.error), None)
        stopped = next((end for end in ends if end.signal), None)
        status: Status = "failed" if failed else "interrupted" if stopped else ends[0].status
        return End(
            status,
            **{name: sum(getattr(end, name) for end in ends) for name in _SUMMED},
            **{name: max(getattr(end, name) for end in ends) for name in _LATEST},
            signal=stopped.signal if stopped and not failed else None,
            error=failed.error if failed else None,
        )

    def _release(self) -> Iterator[Event]:
        """What may be told now: nothing before it is known of every process what it has to do."""
        if not self._started:
            if any(share.start is None and share.end is None for share in self._shares):
                return
            self._started = True
            starts = [share.start for share in self._shares if share.start]
            if starts:
                yield _start(starts)
        held, self._held = self._held, []
        for number, event in held:
            yield from self._one(self._shares[number], event)

    def _one(self, share: _Share, event: Mapping[str, Any]) -> Iterator[Event]:
        kind = event["event"]
        if kind == "ready":
            yield _made(Ready, event)
        elif kind == "case_refused":
            share.refused += 1
            share.truncated += event["scored_steps"] > 0
            yield _made(CaseRefused, event)
        elif kind == "notice":
            yield _made(Notice, event)
        elif kind == "saved":
            share.saved += event["rows"]
            self._total += event["rows"]
            yield Saved(event["rows"], self._total, event["part"])
        elif kind == "progress":
            share.progress = event
            if self.clock() - self._told >= _PROGRESS_SECONDS or self._all_done():
                self._told = self.clock()
                yield self._progress()

    def _all_done(self) -> bool:
        return all(share.progress and share.progress["done"] == share.progress["to_do"] for share in self._shares)

    def _progress(self) -> Progress:
        known = [share.progress for share in self._shares if share.progress]
        to_do = sum(share.start["to_do"] for share in self._shares if share.start)
        done, refused, tokens, truncated = (sum(one[name] for one in known) for name in _PROGRESSED)
        seconds, computing = (max(one[name] for one in known) for name in _LATEST)
        return Progress(done, to_do, refused, seconds, computing, tokens, truncated)


def _start(starts: list[Mapping[str, Any]]) -> Start:
    first = starts[0]
    sums = {name: sum(start[name] for start in starts) for name in ("cases", "contents", "cached", "refused", "to_do")}
    notes = dict.fromkeys(note for start in starts for note in start["notes"])
    return Start(first["scorer"], first["fingerprint"], first["folder"], **sums, notes=tuple(notes))


def _died(share: _Share, code: int) -> End:
    """The end of a process that told none."""
    how = f"was killed by {_signal_name(-code)}" if code < 0 else f"ended without a word (exit code {code})"
    end = _cut_off(share, {})
    error = {
        "title": "A scoring process is gone",
        "sentence": f"the one on {share.device} {how}; it saved {end.saved:,} cases, {end.left:,} are left.",
        "next_step": "Run the same again for what is left.",
    }
    return replace(end, error=error)


def _cut_off(share: _Share, error: dict[str, str]) -> End:
    """The end of a process that did not come to it: what it had saved is there, and nothing else."""
    start = share.start or {"to_do": 0, "cached": 0, "refused": 0}
    refused = min(share.refused, share.saved)
    return End(
        "failed",
        scored=share.saved - refused,
        refused=refused,
        truncated=min(share.truncated, refused),
        cached=start["cached"],
        cached_refused=start["refused"],
        left=start["to_do"] - share.saved,
        saved=share.saved,
        error=error,
    )


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _made(kind: Any, event: Mapping[str, Any]) -> Any:
    return kind(**{one.name: event[one.name] for one in fields(kind)})
