"""What runs a PRM: transformers in this process, a vLLM that we start, or servers elsewhere."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from scoring.data.errors import UsageError
from scoring.data.names import without
from scoring.data.readout import Readout, Vocabulary
from scoring.engines.base import Engine
from scoring.models.checkpoint import Checkpoint, Reference
from scoring.models.fingerprint import CheckpointDigests

EngineName = Literal["transformers", "vllm"]
Endpoint = Literal["pooling", "scoring"]


class EngineOptions(Struct, frozen=True):
    """The wish for an engine. It does not change what a scorer is, unless servers hold the weights.

    `token_budget` is for transformers. With `servers` (base URLs of vLLM) the model there is `served`,
    None = the only one, and `endpoint` says what the servers were started for, None = pooling for a head, scoring (a
    server that generates) for a PRM that compares two tokens.
    """

    engine: EngineName = "transformers"
    device: str = "auto"
    token_budget: int | None = None
    servers: tuple[str, ...] = ()
    served: str | None = None
    endpoint: Endpoint | None = None
    concurrency: int = 64
    timeout: float = 600.0
    tries: int = 6

    def __post_init__(self) -> None:
        if self.engine == "vllm" and self.token_budget is not None:
            others = without("--token-budget", meaning="batches as vLLM chooses them")
            raise UsageError("vLLM chooses its batches itself.", "Leave --token-budget out.", instead=others)
        if self.servers and (self.engine == "vllm" or self.device != "auto" or self.token_budget is not None):
            flags = ("--engine", "--device", "--token-budget")
            others = without(*flags, meaning="on the server")
            raise UsageError(
                "a server runs the model itself.", "Leave --engine, --device and --token-budget out.", instead=others
            )
        if not self.servers and (self.served is not None or self.endpoint is not None):
            raise UsageError("--served-model and --endpoint are about a server.", "Give --server URL.")

    def known(self) -> "EngineOptions":
        """Return the same with the name of the model on the servers, for which they are asked where it was not given.

        Raises:
            EngineError: a server does not answer, or has several models.
            UsageError: an address or a key cannot be used.
        """
        if not self.servers or self.served is not None:
            return self
        from scoring.engines.server.capabilities import greet

        return replace(self, served=greet(self.servers).model)

    def check(self, checkpoint: Checkpoint, readout: Readout) -> None:
        """Make sure that the engine can give a checkpoint's numbers, as far as that is known before it is loaded.

        Raises:
            UsageError: nothing but transformers gives what the family reads.
            EngineError: vLLM does not run this checkpoint.
        """
        if readout.several and (self.servers or self.engine != "transformers"):
            raise UsageError(
                "a reward of this family is made of several readings, which neither vLLM nor a server gives.",
                "Leave --engine and --server out: transformers runs it in this process.",
                instead=without("--engine", "--server", meaning="in this process, with transformers"),
            )
        if self.engine == "vllm" and not self.servers:
            from scoring.engines.vllm_head import vllm_head

            vllm_head(checkpoint, readout)

    def load(
        self,
        checkpoint: Checkpoint,
        readout: Readout,
        seen: CheckpointDigests,
        dtype: str,
        root: Path | None = None,
        tell: Callable[[str], object] = lambda _: None,
        *,
        reference: Reference | None = None,
    ) -> Engine:
        """Load the engine; what it loaded is what the fingerprint was taken of.

        `root` is the workspace's folder, where vLLM's log goes, and `tell` hears how a start goes that takes long.

        Raises:
            InspectError: what the engine raises.
        """
        if self.servers:
            return self._connected(readout)
        engine: Engine
        if self.engine == "vllm":
            from scoring.engines.vllm_child import log_for
            from scoring.engines.vllm_engine import VllmEngine

            log = log_for(root, checkpoint.name)
            engine = VllmEngine.load(checkpoint, readout, dtype=dtype, log=log, device=self.device, tell=tell)
        else:
            from scoring.engines.transformers_engine import TransformersEngine

            engine = TransformersEngine.load(
                checkpoint,
                readout,
                dtype=dtype,
                device=self.device,
                token_budget=self.token_budget,
                reference=reference,
            )
        seen.check()
        return engine

    def _connected(self, readout: Readout) -> Engine:
        from scoring.engines.server.connections import RetryPolicy
        from scoring.engines.server.reward_endpoints import GenerativeScoring, Pooling
        from scoring.engines.server.rewards import RewardServers

        own: Endpoint = "scoring" if isinstance(readout.head, Vocabulary) else "pooling"
        endpoint = GenerativeScoring(readout) if (self.endpoint or own) == "scoring" else Pooling(readout)
        policy = RetryPolicy(timeout=self.timeout, tries=self.tries)
        return RewardServers.connect(
            self.servers, endpoint, model=self.served, concurrency=self.concurrency, policy=policy
        )
