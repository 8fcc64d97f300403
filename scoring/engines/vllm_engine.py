"""PRMs through vLLM's pooling, in a server that is a child of this process.

vLLM can select positions itself, by the id of a step tag. That is not used: a tag's id may occur in a text, and one of
the families reads at a token that stands between words elsewhere. So it gives the logits of every token, of which ours
are read at our own positions.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from itertools import chain
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from scoring.data.errors import EngineError
from scoring.data.readout import Batch, Encoded, EngineOutput, Readout, Refused
from scoring.engines.server.reward_endpoints import NotFinite, Pooling
from scoring.engines.server.rewards import RewardServers
from scoring.engines.vllm_child import POLICY, VllmChild
from scoring.engines.vllm_head import vllm_head
from scoring.models.asking import Noticed
from scoring.models.checkpoint import Checkpoint

_IN_FLIGHT = 256
"""Sequences under way: as many as vLLM runs together."""


class VllmEngine(Struct, frozen=True):
    """A PRM that a vLLM of ours has loaded. See `scoring.engines.base.Engine`.

    Of rewards that are not finite `why` says the reason, or raises where the weights are it.
    """

    child: VllmChild
    servers: RewardServers
    dtype: str
    why: Callable[[], str]

    @classmethod
    def load(
        cls,
        checkpoint: Checkpoint,
        readout: Readout,
        *,
        dtype: str,
        log: Path,
        device: str = "auto",
        tell: Callable[[str], object] = lambda _: None,
        longest: int = -1,
    ) -> "VllmEngine":
        """Start vLLM with a checkpoint.

        Args:
            checkpoint: read and found whole.
            readout: the head, checked against the checkpoint's tensors.
            dtype: float32, bfloat16 or float16: what body and head compute in. The transform is our own.
            log: the file that what vLLM prints is added to.
            device: cpu, cuda, cuda:N, or auto: all that it sees. Over several with + between them the model is cut.
            tell: hears how the start goes.
            longest: tokens of the longest sequence; -1 for the model's own or what the memory holds.

        Raises:
            MissingExtra: vLLM is not installed.
            EngineError: vLLM cannot run here, not this head, or not this checkpoint.
        """
        head = vllm_head(checkpoint, readout)
        from scoring.engines.stored import why_not_finite

        settings = {
            "folder": str(checkpoint.folder),
            "name": checkpoint.name,
            "dtype": dtype,
            "runner": "pooling",
            "device": device,
            "longest": longest,
            "architecture": head.architecture,
            "ids": head.ids,
            "overrides": dict(head.overrides),
        }
        child = VllmChild(settings, log, tell)
        servers = RewardServers.connect(
            [child.url], Pooling(readout), model=child.served, concurrency=_IN_FLIGHT, policy=POLICY
        )
        return cls(child, servers, dtype, cache(partial(why_not_finite, checkpoint, readout, dtype)))

    @property
    def name(self) -> str:
        """What runs: versions, device, dtype."""
        return self.child.name(self.dtype)

    def read(self, cases: Sequence[Encoded]) -> Iterator[Batch | Noticed]:
        """Yield the rewards of all cases, in their order. See `scoring.engines.base`.

        Raises:
            EngineError: vLLM ended, or gives other numbers than this PRM reads.
        """
        try:
            for batch in self.servers.read(cases):
                answers = () if isinstance(batch, Noticed) else tuple(map(self._explained, batch.answers))
                yield batch if isinstance(batch, Noticed) else replace(batch, answers=answers)
        except EngineError as error:
            self.child.check()
            if isinstance(error, NotFinite):
                self.why()
            raise

    def _explained(self, answer: EngineOutput) -> EngineOutput:
        """With the reason why numbers in it are not finite."""
        if isinstance(answer.rewards, Refused):
            return answer
        numbers = chain(answer.rewards, answer.redundancy or ())
        return answer if all(map(math.isfinite, numbers)) else replace(answer, why=self.why())

    def close(self) -> None:
        """End vLLM."""
        self.child.close()
