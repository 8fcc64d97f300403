"""Workers that are actors of a Ray cluster, which says where each runs; see `scoring.runs.workers.Workers`.

Actors and not Ray Data: a run has to save what is computed as it comes, hand out less when little is left, and go on
when a worker or its machine dies, all of which `scoring.runs.fleet` does for any workers. (Of the same blocks on two
workers Ray Data made as many tokens a second, and its first row came 15 s later.) Ray is asked for no more than where
there is room, and to carry bytes. An actor is not restarted by Ray but started anew, so that what it held is handed out
again at once and elsewhere.
"""

import logging
import math
import os
import signal
import socket
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import chdir, contextmanager, suppress
from typing import IO, Any

from msgspec import Struct
from msgspec.structs import replace

from scoring.data.errors import EngineError, MissingExtra
from scoring.data.python_child import SAFE_PATH
from scoring.runs.local_workers import News
from scoring.runs.prm_worker import Worker
from scoring.runs.workers import (
    HELD,
    WorkBlock,
    WorkerFailed,
    WorkerGone,
    WorkerPrm,
    WorkerReady,
    WorkerReply,
    decode_block,
    decode_prm,
    decode_reply,
    encode_message,
)

try:
    import ray as library
    from ray.exceptions import (
        AuthenticationError,
        NodeDiedError,
        ObjectLostError,
        OutOfMemoryError,
        RayError,
        RayTaskError,
    )
except ImportError as error:
    raise MissingExtra(error.name or "ray", "ray") from None

# Where it is not installed it has no types, and where it is, only some.
ray: Any = library

_LOOKED = 5.0
"""Seconds between two looks at how large the cluster is."""
_REACH_SECONDS = 10.0
_PATIENCE, _AGAIN = 10.0, 60.0
"""Seconds after which it is said that workers wait for room in the cluster, and after which it is said again."""


class Cluster(Struct, frozen=True):
    """Which cluster, and what of it. `address` None is the cluster of this machine or of $RAY_ADDRESS.

    `workers` None is as many as there is room for, also when the cluster grows. `gpus` of each worker hold one model
    together, a share of one if below 1; None is 1 where the cluster has GPUs, and a CPU where it has none.
    """

    address: str | None = None
    workers: int | None = None
    gpus: float | None = None


class RayWorkers:
    """Actors of a cluster. While there is none that works, `tell` hears what is waited for."""

    name = "workers of a Ray cluster"

    def __init__(self, cluster: Cluster, prm: WorkerPrm, tell: Callable[[str], object]) -> None:
        """Join the cluster.

        Raises:
            EngineError: there is none at the address, it refuses us, or it runs other versions of Ray or Python.
        """
        _join(cluster.address)
        self._cluster, self._tell = cluster, tell
        self._gpus = cluster.gpus if cluster.gpus is not None else float(_resources().get("GPU", 0) > 0)
        self._prm = encode_message(replace(prm, running=replace(prm.running, device=_device(self._gpus))))
        self._actors: dict[int, Any] = {}
        self._nodes: dict[int, str] = {}
        self._gone_from: dict[int, str] = {}
        self._pending: dict[Any, tuple[int, float]] = {}
        self._wanted, self._looked, self._said = 0, -math.inf, time.monotonic()

    def wanted(self) -> int:
        """Return the number asked for, or what the cluster has room for: all of it, whatever else is at work there."""
        if self._cluster.workers is not None:
            return self._cluster.workers
        if time.monotonic() - self._looked > _LOOKED:
            self._looked = time.monotonic()
            resources = _resources()
            room = resources.get("GPU", 0) / self._gpus if self._gpus else resources.get("CPU", 0)
            self._wanted = max(self._wanted, 1, int(room))
        return self._wanted

    def label(self, number: int) -> str:
        """Name the worker by its number, from 1, and its node."""
        node = self._nodes.get(number) or self._gone_from.get(number)
        return f"worker {number + 1}" + (f" on {node}" if node else "")

    def start(self, number: int) -> None:
        """Ask the cluster for an actor, which comes when there is room."""
        resources = {"num_cpus": 1, "num_gpus": self._gpus, "max_concurrency": HELD, "max_restarts": 0}
        actor = self._actors[number] = ray.remote(_Actor).options(**resources).remote(self._prm)
        self._pending[actor.open.remote()] = number, time.monotonic()

    def give(self, number: int, block: WorkBlock) -> None:
        """Hand a block to an actor."""
        self._pending[self._actors[number].compute.remote(encode_message(block))] = number, time.monotonic()

    def news(self, seconds: float) -> Sequence[News]:
        """Return what actors said, and which have ended.

        Raises:
            EngineError: the cluster does not answer any more.
        """
        self._say_what_is_waited_for()
        if not self._pending:
            time.sleep(seconds)
            return ()
        try:
            ready, rest = ray.wait([*self._pending], num_returns=1, timeout=seconds)
            if ready and rest:
                ready += ray.wait(rest, num_returns=len(rest), timeout=0)[0]
            return [news for reference in ready if (news := self._heard(reference)) is not None]
        except (RayError, ConnectionError) as error:
            raise EngineError(
                f"the Ray cluster does not answer any more ({_line(error)}).",
                "What came before is saved: run the same again when it does.",
            ) from None

    def close(self) -> None:
        """End the actors, and leave the cluster."""
        with suppress(Exception):
            for actor in self._actors.values():
                ray.kill(actor)
            ray.shutdown()

    def _heard(self, reference: Any) -> News | None:
        if reference not in self._pending:
            # Of an actor that has ended: it was told with another of its blocks.
            return None
        number, _ = self._pending.pop(reference)
        news: WorkerReply | WorkerGone
        try:
            reply = decode_reply(ray.get(reference))
        except RayError as error:
            # Whatever became of one result is one worker's fate; that the cluster is gone, waiting for it says.
            news = _gone(error)
        else:
            if isinstance(reply, WorkerReady):
                self._nodes[number] = reply.node
            if not isinstance(reply, WorkerFailed):
                return number, reply
            news = reply
        self._pending = {kept: whose for kept, whose in self._pending.items() if whose[0] != number}
        self._gone_from[number] = self._nodes.pop(number, "")
        # Whatever it is, it computes nothing more.
        with suppress(Exception):
            ray.kill(self._actors[number])
        return number, news

    def _say_what_is_waited_for(self) -> None:
        now = time.monotonic()
        waiting = [since for number, since in self._pending.values() if number not in self._nodes]
        if self._nodes or not waiting or now - min(waiting) < _PATIENCE or now - self._said < _AGAIN:
            return
        self._said = now
        unit, here = ("GPU" if self._gpus else "CPU"), _resources()
        nodes = sum(name.startswith("node:") and "internal" not in name for name in here)
        free = ray.available_resources().get(unit, 0)
        self._tell(
            f"{len(waiting)} workers are not ready: they load the model, or wait for room; each takes "
            f"{self._gpus or 1:g} {unit} of one node, and the cluster has {here.get(unit, 0):g} on {nodes} nodes, "
            f"{free:g} of them free"
        )


def _device(gpus: float) -> str:
    """What a worker calls the devices that Ray shows it: those it has, from 0."""
    return "+".join(f"cuda:{index}" for index in range(math.ceil(gpus))) if gpus else "cpu"


def _resources() -> dict[str, float]:
    return dict(ray.cluster_resources())


def _join(address: str | None) -> None:
    address = address or os.environ.get("RAY_ADDRESS")
    # Ray puts its own in their place, which end the process without saving.
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    with tempfile.TemporaryFile("w+", errors="replace") as ray_log:
        try:
            _reached(address)
            # Ray puts the driver's current folder in front of its workers' path.
            with _stderr_to(ray_log), chdir(sysconfig.get_path("stdlib")):
                ray.init(
                    address or "auto",
                    log_to_driver=False,
                    logging_level=logging.ERROR,
                    runtime_env={"env_vars": SAFE_PATH},
                )
            with suppress(ValueError):
                for number, handler in handlers.items():
                    signal.signal(number, handler)
        except (ConnectionError, AuthenticationError, RuntimeError, ValueError, OSError) as error:
            ray_log.seek(0)
            raise _not_joined(address, error, ray_log.read()) from None


def _not_joined(address: str | None, error: BaseException, ray_words: str) -> EngineError:
    """Why a cluster cannot be joined; `ray_words` are what Ray wrote meanwhile."""
    where, why = f"at {address}" if address else "on this machine", _line(error)
    step = "Give --address HOST:PORT of a running cluster, or start one with: ray start --head"
    if isinstance(error, AuthenticationError) or "InvalidAuthToken" in ray_words:
        why, step = "it asks for another token", "Give it in $RAY_AUTH_TOKEN, and set RAY_AUTH_MODE=token."
    elif "ersion mismatch" in str(error):
        step = "Install the cluster's versions of Ray and Python here."
    return EngineError(f"the Ray cluster {where} cannot be joined ({why}).", step)


@contextmanager
def _stderr_to(file: IO[str]) -> Iterator[None]:
    """What is written to standard error goes to a file: the same line for every second that Ray tries."""
    sys.stderr.flush()
    kept = os.dup(2)
    os.dup2(file.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _reached(address: str | None) -> None:
    """Make sure that somebody listens there: Ray itself tries for minutes.

    Raises:
        OSError: nobody does.
    """
    host, colon, port = (address or "").rpartition("://")[2].rpartition(":")
    if colon and port.isdecimal():
        socket.create_connection((host, int(port)), _REACH_SECONDS).close()


def _gone(error: RayError) -> WorkerFailed | WorkerGone:
    """What became of an actor, by what Ray says of it."""
    words = str(error)
    if getattr(error, "actor_init_failed", False):
        step = "Install the same prm-inspect[score,ray] on every node, in the environment that Ray runs in."
        why = "no prm-inspect" if "No module named 'scoring'" in words else "another prm-inspect"
        return WorkerFailed("Cannot do that", f"its node has {why} ({_line(error)}).", step)
    if isinstance(error, RayTaskError):
        return WorkerGone(f"failed ({_line(error.cause or error)})")
    if isinstance(error, OutOfMemoryError):
        return WorkerGone("was killed because its node had no memory left")
    lost = isinstance(error, NodeDiedError | ObjectLostError) or "its node has died" in words
    if lost or getattr(error, "preempted", False):
        return WorkerGone("was lost with its node", preempted=True)
    return WorkerGone("ended without a word")


def _line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    return lines[0].rstrip(".")[:200]


class _Actor:
    """A worker as Ray runs it: values go in and out as bytes."""

    def __init__(self, prm: bytes) -> None:
        self._worker = Worker(decode_prm(prm))

    def open(self) -> bytes:
        """Load the engine."""
        reply = self._worker.open()
        return encode_message(
            replace(reply, node=ray.util.get_node_ip_address()) if isinstance(reply, WorkerReady) else reply
        )

    def compute(self, block: bytes) -> bytes:
        """Compute a block."""
        return encode_message(self._worker.compute(decode_block(block)))
