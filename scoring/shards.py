"""A scoring run over several devices: one process a device, each with its share of the cases.

A case belongs to a share by its content, so that equal cases are computed once. The processes are runs like any other
and save for themselves: whatever happens to one, or to this process, what they saved is there.
"""

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from scoring.events import Event
from scoring.interrupt import Interrupt, Stopped
from scoring.merged_events import MergedEvents

_PATIENCE = 10
"""Seconds that a process may take to save what it has before it is killed."""
_TICK = 0.1

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
    processes: Sequence[subprocess.Popen[bytes]], merged: MergedEvents, interrupt: Interrupt
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
