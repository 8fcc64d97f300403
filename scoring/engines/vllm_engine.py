"""PRMs through vLLM's pooling, in a server that is a child of this process.

vLLM can select positions itself, by the id of a step tag. That is not used: a tag's id may occur in a text, and one of
the families reads at a token that stands between words elsewhere. So it gives the logits of every token, of which ours
are read at our own positions.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from scoring.data.errors import EngineError
from scoring.data.readout import OUTPUT, Batch, Encoded, EngineOutput, Linear, Readout, Refused, Vocabulary, two_layers
from scoring.engines.server.reward_endpoints import NotFinite, Pooling
from scoring.engines.server.rewards import RewardServers
from scoring.engines.vllm_child import POLICY, VllmChild, weights_problem
from scoring.models.asking import Noticed
from scoring.models.checkpoint import Checkpoint

# -- a read-out in vLLM's terms: which of its model classes has the head, and what of the config must be said anew
#
# What vLLM cannot run exactly is refused here, in words. Sources: vLLM 0.32, `vllm/model_executor/models/qwen2_rm.py`
# (the two-layer head) and `adapters.py` (a linear head, and one made of rows of the output matrix).


_BODY, _EMBEDDINGS = "model.", "model.embed_tokens.weight"
_TWO_LAYERS = "Qwen2ForProcessRewardModel"
_OTHERWISE = "Use the transformers engine."


class VllmHead(Struct, frozen=True):
    """`architecture` is vLLM's class, None for the body's own language model with a linear head put over it.

    `ids` are the tokens whose rows of the output matrix make that head; () where the checkpoint holds it. `overrides`
    go over the checkpoint's config.
    """

    architecture: str | None = None
    ids: tuple[int, ...] = ()
    overrides: Mapping[str, Any] = field(default_factory=dict)


def vllm_head(checkpoint: Checkpoint, readout: Readout) -> VllmHead:
    """Return how vLLM reads a checkpoint's head.

    Raises:
        EngineError: it cannot, or not exactly.
    """
    problem = weights_problem(checkpoint) or _body_problem(readout)
    if problem:
        raise EngineError(f"vLLM cannot run {checkpoint.name}: {problem}.", _OTHERWISE)
    # The logits are wanted in the dtype that is computed in, as elsewhere; vLLM's own default for heads is float32.
    plain: dict[str, Any] = {"head_dtype": "model", "auto_map": {}}
    head = readout.head
    if isinstance(head, Vocabulary):
        return VllmHead(None, head.ids, plain | _rows(checkpoint, head))
    if len(head) == 1:
        return VllmHead(None, (), plain | {"num_labels": head[0].outputs})
    if checkpoint.config.get("model_type") != "qwen2":
        raise EngineError(f"vLLM has the two-layer head of {checkpoint.name} for Qwen2's body alone.", _OTHERWISE)
    return VllmHead(_TWO_LAYERS, (), plain | {"num_labels": head[-1].outputs})


def _body_problem(readout: Readout) -> str:
    if readout.body != _BODY:
        return f"its body's tensors are called {readout.body}* and not {_BODY}*"
    if isinstance(readout.head, Vocabulary):
        return _rows_problem(readout.head)
    return _layers_problem(readout.head)


def _rows_problem(head: Vocabulary) -> str:
    if head.whole:
        return "a softmax over the whole vocabulary is read at every step, and it gives none for given positions"
    if not head.ids:
        return "the mean over the whole vocabulary is read, and it has no such head"
    if head.name != OUTPUT or head.tied not in {OUTPUT, _EMBEDDINGS}:
        return f"its output matrix is called {head.name}"
    return ""


def _layers_problem(head: tuple[Linear, ...]) -> str:
    if len(head) == 1:
        return "" if head[0].name == "score" else f"its head is called {head[0].name} and not score"
    return "" if head == two_layers(head[0].inputs) else f"it has no head of {len(head)} layers like this one"


def _rows(checkpoint: Checkpoint, head: Vocabulary) -> dict[str, Any]:
    """VLLM goes by what the config says of shared matrices, the read-out by what the checkpoint holds."""
    return {
        "num_labels": len(head.ids),
        "method": "no_post_processing",
        "tie_word_embeddings": head.source(checkpoint.tensors) == _EMBEDDINGS,
    }


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
