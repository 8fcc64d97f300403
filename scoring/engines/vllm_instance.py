"""A started vLLM: requests of token ids in, what comes of them out, with the queue kept full.

vLLM stands in a thread of its own, and only that thread touches it: a pass of a large model takes longer than a caller
may be kept from saving and from hearing signals.
"""

import secrets
import time
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

from scoring.engines.vllm_availability import Availability, require_vllm
from scoring.engines.vllm_occupancy import Occupancy, OccupancyRecorder
from scoring.errors import EngineError

TICK = 0.1
"""Seconds after which a caller gets None, when nothing has come."""


@dataclass(frozen=True, slots=True)
class Request:
    """Token ids to be run. `name` is the caller's own; `parameters` are vLLM's SamplingParams or PoolingParams."""

    name: str
    ids: Sequence[int]
    parameters: Any


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a request: vLLM's own output, finished; or None and why it was not run, in a sentence."""

    name: str
    output: Any = None
    refusal: str = ""


class VllmInstance:
    """One loaded model. `max_length` counts tokens, answer included; `occupancy` is of its whole life."""

    def __init__(self, **arguments: Any) -> None:
        """Load a model. `arguments` are fields of vLLM's EngineArgs.

        Raises:
            MissingExtra: vLLM is not installed.
            EngineError: it cannot run here, or not this model.
        """
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="vllm")
        self._step: Future[list[Any]] | None = None
        self._runs = 0
        self.occupancy = Occupancy()
        self.engine, self.available = self._thread.submit(_start, arguments, self.occupancy).result()
        self.max_length: int = self.engine.model_config.max_model_len
        self.occupancy.seats = self.engine.vllm_config.scheduler_config.max_num_seqs

    @property
    def name(self) -> str:
        """Versions, device, dtype."""
        import torch

        config = self.engine.vllm_config
        dtype = str(config.model_config.dtype).removeprefix("torch.")
        devices = config.parallel_config.tensor_parallel_size
        device = self.available.device + (f" x{devices}" if devices > 1 else "")
        return f"vllm {self.available.version}, torch {torch.__version__}, {device}, {dtype}"

    def run(self, requests: Iterator[Request | Done | None]) -> Generator[Done | None, None, None]:
        """What comes of requests, in the order of arrival.

        As many are in flight as vLLM runs together and a quarter more, so that a seat that becomes free is taken in the
        next step. Of `requests` no more is drawn. What is done in it already is passed on. None in it says that there
        is nothing before something else has come: it is drawn from again then. None is given when nothing has come for
        a while. Leaving the iterator takes back what is in flight. One run at a time.

        Raises:
            EngineError: vLLM failed; it runs nothing more then.
        """
        self._runs += 1
        flying: set[str] = set()
        supply, told = _Supply(requests), time.monotonic()
        try:
            while supply.more or flying:
                yield from self._fill(supply, flying)
                for done in self._finished() if flying else ():
                    flying.discard(done.name)
                    supply.resting = False
                    told = time.monotonic()
                    yield done
                if time.monotonic() - told > TICK:
                    told = time.monotonic()
                    yield None
        finally:
            self._take_back(flying)

    def _fill(self, supply: "_Supply", flying: set[str]) -> Iterator[Done | None]:
        """Put requests in flight, as long as there are any and seats for them; what of them is done at once."""
        enough = self.occupancy.seats + max(1, self.occupancy.seats // 4)
        while supply.more and not supply.resting and self._step is None and len(flying) < enough:
            request = supply.draw()
            if isinstance(request, Request):
                refusal = self._add(request)
                if not refusal:
                    flying.add(request.name)
                    continue
                yield Done(request.name, refusal=refusal)
            elif supply.more:
                # With nothing in flight there is nothing to wait for but the asker, who is given the turn.
                supply.resting = request is None and bool(flying)
                yield request

    def close(self) -> None:
        """Let go of the model's memory, and of processes that vLLM started.

        Where vLLM runs within this process (VLLM_ENABLE_V1_MULTIPROCESSING=0), other instances in it end too: they
        share its parallel groups.
        """
        self._thread.submit(self.engine.engine_core.shutdown).result()
        self._thread.shutdown()

    def _add(self, request: Request) -> str:
        """Hand a request over; why not, if vLLM does not take it."""
        from vllm.exceptions import VLLMClientError

        try:
            self._thread.submit(_add, self.engine, self._named(request.name), request).result()
        except (VLLMClientError, ValueError) as error:
            return f"vLLM does not take it ({_line(error)})"
        return ""

    def _finished(self) -> list[Done]:
        """What the running step finishes, if it ends within a tick."""
        if self._step is None:
            self._step = self._thread.submit(self.engine.step)
        if not wait([self._step], TICK).done:
            return []
        step, self._step = self._step, None
        try:
            outputs = step.result()
        except Exception as error:
            raise EngineError(f"vLLM failed while it ran ({_line(error)}).", "What it printed says more.") from error
        return [Done(output.request_id.partition(":")[2], output) for output in outputs if output.finished]

    def _take_back(self, flying: set[str]) -> None:
        # The step that still runs may finish some of them; nobody waits for these any more.
        self._step = None
        if flying:
            self._thread.submit(self.engine.abort_request, [self._named(name) for name in flying])

    def _named(self, name: str) -> str:
        # What an earlier run took back must not be taken for one of this run's.
        return f"{self._runs}:{name}"


@dataclass
class _Supply:
    """Requests to come: whether there are `more`, and whether it is `resting` until something has come."""

    requests: Iterator[Request | Done | None]
    more: bool = True
    resting: bool = False

    def draw(self) -> Request | Done | None:
        """The next; at the end None, and there are no more."""
        try:
            return next(self.requests)
        except StopIteration:
            self.more = False
            return None


def _start(arguments: dict[str, Any], occupancy: Occupancy) -> tuple[Any, Availability]:
    available = require_vllm()
    from vllm import EngineArgs
    from vllm.v1.engine.llm_engine import LLMEngine

    here: dict[str, Any] = {
        # An answer that is asked for without a seed must not be the same in every process.
        "seed": secrets.randbelow(1 << 31),
        # As much of the model's context as the memory holds.
        "max_model_len": -1,
        # Compiling for a CPU takes longer than it saves.
        "enforce_eager": available.device == "cpu",
        # A seed's generator is set back after a piece of a prompt, which torch's for the CPU cannot be: vLLM dies.
        "enable_chunked_prefill": False if available.device == "cpu" else None,
        # Pickles are never opened, and no code that a checkpoint brings is run.
        "load_format": "safetensors",
        "trust_remote_code": False,
        "tokenizer_mode": "hf",
    }
    try:
        config = EngineArgs(**(here | arguments)).create_engine_config()
        engine = LLMEngine.from_vllm_config(config, stat_loggers=[OccupancyRecorder(occupancy)])
    except Exception as error:
        raise EngineError(
            f"vLLM cannot load {arguments['model']} ({_line(error)}).", "What it printed says more."
        ) from error
    return engine, available


def _add(engine: Any, name: str, request: Request) -> None:
    from vllm.inputs import tokens_input

    engine.add_request(name, tokens_input(list(request.ids)), request.parameters)


def _line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
