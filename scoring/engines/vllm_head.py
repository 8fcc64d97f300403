"""A read-out in vLLM's terms: which of its model classes has the head, and what of the config must be said anew.

What vLLM cannot run exactly is refused here, in words. Sources: vLLM 0.32, `vllm/model_executor/models/qwen2_rm.py`
(the two-layer head) and `adapters.py` (a linear head, and one made of rows of the output matrix).
"""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from scoring.data.errors import EngineError
from scoring.data.readout import OUTPUT, Linear, Readout, Vocabulary, two_layers
from scoring.engines.vllm_child import weights_problem
from scoring.models.checkpoint import Checkpoint

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
