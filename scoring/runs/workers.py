"""Workers: each holds one PRM and computes blocks of cases that are handed to it, wherever it runs.

A run on several of them plans and saves as one without (see `scoring.runs.fleet`). A worker encodes the cases of a
block, runs them and gives their rows back. Those of this machine are processes (`scoring.runs.workers`), those of a
cluster actors (`scoring.runs.ray_workers`). What goes between is MessagePack of the values below, of which nothing is
executed.
"""

import os
import platform
import queue
import signal
import struct
import subprocess
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol

import msgspec
from msgspec import Struct
from msgspec.structs import asdict, replace
from platformdirs import user_cache_path

from scoring import __version__
from scoring.data.errors import CommandEdit, EngineError, InputError, InspectError
from scoring.data.python_child import start_python
from scoring.models.prms.base import Encoder
from scoring.runs.events import Interrupt, Notice
from scoring.runs.plan import MissingAnswers
from scoring.runs.preparation import EngineOptions, PreparedRun, prepare
from scoring.runs.prm_runs import EncodedCase, encoded, read
from scoring.runs.run import RunUsage
from scoring.runs.run_cases import RowsToSave, RunCase
from scoring.workspace.workspace import Workspace

if TYPE_CHECKING:
    from scoring.engines.base import Engine


HELD = 2
"""Blocks that a worker has at a time: it encodes one while it runs the other."""

# -- what goes to a worker and what comes back


class WorkerPrm(Struct, frozen=True):
    """Which PRM a worker opens, and how it runs it. `prm` is what `scoring.runs.preparation.prepare` takes beside
    these.

    What it opens must have this `fingerprint`, since its rows are saved in that scorer's name. `root` is the
    workspace's folder, where the worker sees it too: converted weights and digests of files are there.
    """

    fingerprint: str
    model: str
    prm: dict[str, Any]
    running: EngineOptions
    truncate: bool = False
    root: str | None = None
    version: str = ""


class WorkBlock(Struct, frozen=True):
    """Cases for a worker; its answer has the same number."""

    number: int
    cases: list[tuple[MissingAnswers, RunCase]]


class WorkerReady(Struct, frozen=True, tag=True):
    """A worker's engine is loaded, which took so many seconds; `node` is the machine it runs on."""

    engine: str
    seconds: float
    node: str


class CaseResult(Struct, frozen=True):
    """What came of a case of a block; see `RowsToSave`. `place` is its place in the block, 0-based."""

    place: int
    rows: list[dict[str, Any]]
    reason: str | None = None
    scored_steps: int = 0


class BlockResult(Struct, frozen=True, tag=True):
    """What came of every case of a block."""

    number: int
    results: list[CaseResult]
    spent: RunUsage
    notices: list[str] = []


class WorkerFailed(Struct, frozen=True, tag=True):
    """An error of a worker in words. With `everywhere` no other worker would fare better."""

    title: str
    sentence: str
    next_step: str
    everywhere: bool = False
    instead: tuple[tuple[CommandEdit, str], ...] = ()

    @classmethod
    def of(cls, error: InspectError, *, everywhere: bool) -> "WorkerFailed":
        """Return what to report of an error."""
        return cls(**error.fields, everywhere=everywhere)

    @property
    def error(self) -> InspectError:
        """The error, to be raised where the run is."""
        return InspectError.of(asdict(self))


class WorkerGone(Struct, frozen=True):
    """A worker ended without a word; `how`, as a verb says it. With `preempted` its machine went, and not by its doing.

    Told by whoever started it.
    """

    how: str
    preempted: bool = False


WorkerReply = WorkerReady | BlockResult | WorkerFailed
"""What a worker says."""
encode_message = msgspec.msgpack.Encoder().encode
decode_prm = msgspec.msgpack.Decoder(WorkerPrm).decode
decode_block = msgspec.msgpack.Decoder(WorkBlock).decode
decode_reply = msgspec.msgpack.Decoder(WorkerReply).decode


class Workers(Protocol):
    """Starts workers and carries messages; each has a number, 0-based, which another gets when it has ended."""

    @property
    def name(self) -> str:
        """What they are. Their rows say which engine computed them."""
        ...

    def wanted(self) -> int:
        """Return how many there should be now; it may change while a run goes on."""
        ...

    def label(self, number: int) -> str:
        """Return what to call one."""
        ...

    def start(self, number: int) -> None:
        """Start one, which opens its PRM and says so.

        Raises:
            EngineError: none can be started at all.
        """
        ...

    def give(self, number: int, block: WorkBlock) -> None:
        """Hand over a block. What has ended meanwhile is told by `news`."""
        ...

    def news(self, seconds: float) -> Sequence[tuple[int, WorkerReply | WorkerGone]]:
        """Return what workers said since, in order; waits so long for the first."""
        ...

    def close(self) -> None:
        """End all of them, whatever they do."""
        ...


# -- the worker


class Worker:
    """One PRM, which computes blocks. Several threads may call it: one encodes a block while another runs one."""

    def __init__(self, prm: WorkerPrm) -> None:
        self._asked = prm
        self._encoding, self._computing = Lock(), Lock()
        self._engine: Engine | None = None

    def open(self) -> WorkerReady | WorkerFailed:
        """Load the engine."""
        began = time.monotonic()
        try:
            with self._computing:
                self._engine = self._prepared.engine()
        except InspectError as error:
            return WorkerFailed.of(error, everywhere=False)
        return WorkerReady(self._engine.name, round(time.monotonic() - began, 3), platform.node())

    def compute(self, block: WorkBlock) -> BlockResult | WorkerFailed:
        """Compute the rewards of every case, or why it has none."""
        try:
            with self._encoding:
                window, settled = self._encoded(block)
            return self._computed(block, window, settled)
        except EngineError as error:
            return WorkerFailed.of(error, everywhere=False)
        except InspectError as error:
            # Of the files: weights that are not finite, a tokenizer of another model.
            return WorkerFailed.of(error, everywhere=True)

    @cached_property
    def _prepared(self) -> PreparedRun:
        prm = self._asked
        if prm.version != __version__:
            raise InputError(
                f"{platform.node()} has prm-inspect {__version__}, and the run is one of {prm.version}.",
                "Install the same version on every machine.",
            )
        root = Path(prm.root) if prm.root else None
        if root is None or not root.is_dir():
            # Elsewhere, what was converted and digested is kept for the next worker of this machine.
            root = user_cache_path("prm-inspect", appauthor=False) / "worker"
        prepared = prepare(Workspace(root), prm.model, **prm.prm, running=prm.running)
        if prepared.scorer.fingerprint != prm.fingerprint:
            raise InputError(
                f"what lies at {prm.model} on {platform.node()} is another model than that of the run.",
                "Put the same files there on every machine.",
            )
        return prepared

    @cached_property
    def _encoder(self) -> Encoder:
        return self._prepared.encoder()

    def _encoded(self, block: WorkBlock) -> tuple[list[EncodedCase], list[RowsToSave]]:
        window: list[EncodedCase] = []
        settled: list[RowsToSave] = []
        for missing, case in block.cases:
            made = encoded(self._encoder, missing, case, truncate=self._asked.truncate)
            (window if isinstance(made, EncodedCase) else settled).append(made)  # type: ignore[arg-type]
        return window, settled

    def _computed(self, block: WorkBlock, window: Sequence[EncodedCase], settled: list[RowsToSave]) -> BlockResult:
        spent = RunUsage()
        notices: dict[str, None] = {}
        if window:
            with self._computing:
                assert self._engine is not None  # noqa: S101  # it was opened first
                for came in read(self._engine, window, (), spent, Interrupt()):
                    if isinstance(came, Notice):
                        notices[came.sentence] = None
                    else:
                        settled += came
        places = {missing.row: place for place, (missing, _) in enumerate(block.cases)}
        results = [_result(places[case.missing.row], case) for case in settled]
        return BlockResult(block.number, results, spent, [*notices])


def _result(place: int, settled: RowsToSave) -> CaseResult:
    rows: list[dict[str, Any]] = [{**row} for row in settled.rows]
    return CaseResult(place, rows, settled.reason, settled.scored_steps)


def worker_prm(
    fingerprint: str, model: str, prm: Mapping[str, Any], running: EngineOptions, *, truncate: bool, root: Path | None
) -> WorkerPrm:
    """Return what workers need to know of a PRM; folders are named so that they are found from wherever a worker is."""
    placed = {**prm, **{name: _whole_path(prm[name]) for name in ("base", "reference")}}
    if (adapter := prm["adapter"]) and adapter.endswith(".py"):
        placed["adapter"] = _whole_path(adapter)
    home = str(root.resolve()) if root else None
    return WorkerPrm(fingerprint, _whole_path(model) or model, placed, running, truncate, home, __version__)


def _whole_path(name: str | None) -> str | None:
    """A hub's name as it is; a path that is here from the root on."""
    return str(Path(name).resolve()) if name and Path(name).exists() else name


# -- workers that are processes of this machine, one a device, spoken to through their standard input and output
#
# `python -m scoring worker` is one: the first message that it reads says which PRM it opens, each of the others is a
# block. It ends when its standard input does, so that none outlives the run, however that one ended.


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


# -- the process


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
