"""Workers that are processes of this machine, one a device, spoken to through their standard input and output.

`python -m scoring worker` is one: the first message that it reads says which PRM it opens, each of the others is a
block. It ends when its standard input does, so that none outlives the run, however that one ended.
"""

import os
import queue
import signal
import struct
import subprocess
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import BinaryIO

from msgspec.structs import replace

from scoring.data.errors import EngineError
from scoring.data.python_child import start_python
from scoring.runs.prm_worker import Worker
from scoring.runs.workers import (
    HELD,
    WorkBlock,
    WorkerFailed,
    WorkerGone,
    WorkerPrm,
    WorkerReply,
    decode_block,
    decode_prm,
    decode_reply,
    encode_message,
)

_LENGTH = struct.Struct(">I")
"""Before each message."""
_PATIENCE = 5
"""Seconds that a process may take to end before it is killed."""

News = tuple[int, WorkerReply | WorkerGone]


class LocalWorkers:
    """A worker for each of the `devices`, as `--device` names them; see `scoring.runs.workers.Workers`."""

    name = "workers of this machine"

    def __init__(self, devices: Sequence[str], prm: WorkerPrm) -> None:
        self._devices, self._prm = tuple(devices), prm
        self._processes: dict[int, subprocess.Popen[bytes]] = {}
        self._news: queue.SimpleQueue[News] = queue.SimpleQueue()

    def wanted(self) -> int:
        """Return one a device."""
        return len(self._devices)

    def label(self, number: int) -> str:
        """Name the worker by its device, and by its number where several have the same."""
        device = self._devices[number]
        return f"the worker on {device}" + (f" (number {number + 1})" if self._devices.count(device) > 1 else "")

    def start(self, number: int) -> None:
        """Start a process, and listen to it.

        Raises:
            EngineError: the system has no room for one.
        """
        try:
            process = _started(self._environment())
        except OSError as error:
            raise EngineError(
                f"no process could be started ({error.strerror or error}).", "Close others, or name fewer devices."
            ) from None
        self._processes[number] = process
        device = self._devices[number]
        self._write(process, encode_message(replace(self._prm, running=replace(self._prm.running, device=device))))
        threading.Thread(target=self._listen, args=(number, process), daemon=True).start()

    def give(self, number: int, block: WorkBlock) -> None:
        """Write a block to a process; whether it has ended is told by `news`."""
        self._write(self._processes[number], encode_message(block))

    def news(self, seconds: float) -> Sequence[News]:
        """Return what processes said."""
        with suppress(queue.Empty):
            news = [self._news.get(timeout=seconds) if seconds else self._news.get_nowait()]
            with suppress(queue.Empty):
                while True:
                    news.append(self._news.get_nowait())
            return news
        return ()

    def close(self) -> None:
        """End all processes."""
        for process in self._processes.values():
            with suppress(OSError):
                process.stdin.close()  # type: ignore[union-attr]  # it is a pipe
        for process in self._processes.values():
            try:
                process.wait(_PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _environment(self) -> dict[str, str]:
        """A CPU's cores shared among the processes that run on it."""
        on_cpu = self._devices.count("cpu")
        if not on_cpu:
            return {**os.environ}
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        return {"OMP_NUM_THREADS": str(max(1, cores // on_cpu)), **os.environ}

    def _listen(self, number: int, process: subprocess.Popen[bytes]) -> None:
        for message in messages(process.stdout):  # type: ignore[arg-type]  # it is a pipe
            self._news.put((number, decode_reply(message)))
        self._news.put((number, WorkerGone(_ended(process.wait()))))

    @staticmethod
    def _write(process: subprocess.Popen[bytes], message: bytes) -> None:
        with suppress(OSError):
            write_message(process.stdin, message)  # type: ignore[arg-type]  # it is a pipe


def _started(environment: dict[str, str]) -> "subprocess.Popen[bytes]":
    return start_python(
        "scoring",
        "worker",
        environment=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        # A group of its own: Ctrl+C is the run's business, which ends its workers.
        start_new_session=True,
    )


def _ended(code: int) -> str:
    if code >= 0:
        return f"ended without a word (exit code {code})"
    try:
        return f"was killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"was killed by signal {-code}"


def serve(requests: BinaryIO, replies: BinaryIO) -> None:
    """Be a worker until `requests` end, which ends the process there and then."""
    incoming = messages(requests)
    first = next(incoming, None)
    if first is None:
        return
    worker, writing = Worker(decode_prm(first)), threading.Lock()

    def answer(work: Callable[[], WorkerReply]) -> None:
        try:
            reply = work()
            with writing, suppress(OSError):
                write_message(replies, encode_message(reply))
            if not isinstance(reply, WorkerFailed):
                return
        except BaseException:  # noqa: BLE001  # a bug, whose trace is in the log; the run hears that the worker ended
            traceback.print_exc()
        # There is nothing more that it could compute.
        os._exit(1)

    with ThreadPoolExecutor(HELD) as threads:
        threads.submit(answer, worker.open)
        for message in incoming:
            threads.submit(answer, partial(worker.compute, decode_block(message)))
        os._exit(0)


def messages(stream: BinaryIO) -> Iterator[bytes]:
    """Yield every message of a stream, each with its length before it, until the stream ends or breaks off."""
    with suppress(OSError, ValueError):
        while len(head := stream.read(_LENGTH.size)) == _LENGTH.size:
            (size,) = _LENGTH.unpack(head)
            if len(body := stream.read(size)) < size:
                return
            yield body


def write_message(stream: BinaryIO, message: bytes) -> None:
    """Write a message with its length before it. Raises OSError where nobody reads."""
    stream.write(_LENGTH.pack(len(message)) + message)
    stream.flush()
