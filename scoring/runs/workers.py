"""Workers: each holds one PRM and computes blocks of cases that are handed to it, wherever it runs.

A run on several of them plans and saves as one without (see `scoring.runs.fleet`). A worker (`scoring.runs.prm_worker`)
encodes the cases of a block, runs them and gives their rows back. Those of this machine are processes
(`scoring.runs.local_workers`), those of a cluster actors (`scoring.runs.ray_workers`). What goes between is MessagePack
of the values below, of which nothing is executed.
"""

from collections.abc import Sequence
from typing import Any, Protocol

import msgspec
from msgspec import Struct
from msgspec.structs import asdict

from scoring.data.errors import CommandEdit, InspectError
from scoring.runs.engine_options import EngineOptions
from scoring.runs.plan import MissingAnswers
from scoring.runs.run import RunUsage
from scoring.runs.run_cases import RunCase

HELD = 2
"""Blocks that a worker has at a time: it encodes one while it runs the other."""


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
