"""A checkpoint's body and head as torch modules: stock bodies, and every tensor read from safetensors by name.

Stock head classes are not used, because they load a head of another layout as random numbers without a word.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

from scoring.data.errors import ForeignCheckpoint, MissingExtra
from scoring.data.readout import LogRatio, Readout, Vocabulary
from scoring.engines.placement import placed
from scoring.models.checkpoint import Checkpoint

try:
    import torch
    import transformers

    from scoring.engines.stored import stored_tensors
except ImportError as error:
    raise MissingExtra(error.name or "torch", "score") from None

# Parts of the library have no types, and where it is not installed none of it has.
_library: Any = transformers

_ROWS_AT_ONCE = 64
"""Positions whose logits over a whole vocabulary are in memory at a time."""
_NOT_OURS = (
    "auto_map", "architectures", "torch_dtype", "dtype", "quantization_config", "transformers_version",
    "return_dict", "use_return_dict", "torchscript", "output_attentions", "output_hidden_states",
)  # fmt: skip
"""Entries of a config that say where its model comes from, or in what form it answers, and not what it computes."""
_PARTS = ("layers", "norm", "rotary_emb")
"""What of a body is used by name."""
_NORMS = frozenset({"LlamaRMSNorm", "MistralRMSNorm", "Qwen2RMSNorm", "Qwen3RMSNorm"})
"""Norms that are x / rms(x) * weight, which torch computes in one piece."""
_OWN_HEADS = "sdpa_with_heads_of_their_own"
"""Torch's attention, for which the keys and values of grouped heads are written out."""
_OF_THE_BATCH = "longrope"
"""Rotary tables that depend on the longest text of a batch, so that a case's rewards would depend on the others."""
_COMPUTED = ".rotary_emb.inv_freq"
"""Tables that old checkpoints store beside the weights; they follow from the config and are made anew."""


class AtPositions(torch.nn.Module):
    """The last feed-forward layer, run only where something is read: behind it no position sees another.

    `at` are rows and columns of the batch; all other places get zeros.
    """

    def __init__(self, layer: Any) -> None:
        """Around a layer that maps [..., hidden] to [..., hidden] position by position."""
        super().__init__()
        self.layer = layer
        self.at: tuple[list[int], list[int]] = ([], [])

    def forward(self, states: Any) -> Any:
        """[batch, tokens, hidden] -> the same shape."""
        out = torch.zeros_like(states)
        out[self.at] = self.layer(states[self.at])
        return out


def load_body(checkpoint: Checkpoint, readout: Readout, devices: Sequence[Any], dtype: Any) -> Any:
    """Load the library's body with the checkpoint's tensors; nothing missing, nothing over, nothing random.

    With several devices its layers lie on them in order, and what a layer is given is moved to its device first.
    """
    body, settings = _empty(checkpoint)
    wanted = body.state_dict()
    prefix = len(readout.body)
    named = {name[prefix:]: name for name in checkpoint.tensors if name.startswith(readout.body)}
    named = {short: name for short, name in named.items() if not name.endswith(_COMPUTED)}
    problems = [f"{readout.body}{name} is missing" for name in wanted if name not in named]
    problems += [f"{name} is not expected" for short, name in named.items() if short not in wanted]
    problems += [
        f"{name} is {checkpoint.shapes[name]} and should be {tuple(wanted[short].shape)}"
        for short, name in named.items()
        if short in wanted and checkpoint.shapes[name] != tuple(wanted[short].shape)
    ]
    if problems:
        more = f" and {len(problems) - 3} more" if len(problems) > 3 else ""
        raise ForeignCheckpoint(f"the body of {checkpoint.name} is not whole: {'; '.join(problems[:3])}{more}.", "")
    places = placed({name: tensor.numel() for name, tensor in wanted.items()}, len(devices))
    by_name = {name: devices[places[short]] for short, name in named.items()}
    tensors = stored_tensors(checkpoint, list(by_name), by_name.__getitem__, dtype)
    body.load_state_dict({name[prefix:]: tensor for name, tensor in tensors.items()}, assign=True)
    # What is computed and not stored is still on no device; made anew it keeps float32 whatever the weights are.
    body.rotary_emb = type(body.rotary_emb)(config=settings).to(devices[0])
    missing = {name for name, tensor in (*body.named_parameters(), *body.named_buffers()) if tensor.is_meta}
    left = sorted(missing - {short for short, name in named.items() if by_name[name].type == "meta"})
    if left:
        raise ForeignCheckpoint(
            f"the body of {checkpoint.name} has parts that no file holds: {', '.join(left[:3])}.", ""
        )
    if any(device.type == "cuda" for device in devices):
        fuse_norms(body)
        if dtype is torch.float32:
            heads_of_their_own(body)
    if len(devices) > 1:
        _connect(body)
    return body.eval()


def fuse_norms(body: Any) -> None:
    """Let the norms of a body, where they are of the plain kind, run in one piece: a tenth of the time of a 7B model.

    They round once, at the end, where the library's round in between too. Older torches have no such piece.
    """
    for part in body.modules() if hasattr(torch.ops.aten, "_fused_rms_norm") else ():
        if type(part).__name__ in _NORMS:
            part.forward = partial(_norm, part)


def _norm(part: Any, states: Any) -> Any:
    return torch.nn.functional.rms_norm(states, part.weight.shape, part.weight, part.variance_epsilon)


def heads_of_their_own(body: Any) -> None:
    """Write out the keys and values of grouped heads, where the body lets its attention be chosen.

    In float32 torch has no attention in one piece for grouped heads. What it takes instead holds all weights of a batch
    at once: six times the memory, and four times as long.
    """
    if getattr(body, "_supports_attention_backend", False):
        _library.AttentionInterface.register(_OWN_HEADS, _attention_with_own_heads)
        _library.AttentionMaskInterface.register(_OWN_HEADS, _library.masking_utils.sdpa_mask)
        body.set_attn_implementation(_OWN_HEADS)


def _attention_with_own_heads(
    _module: Any, query: Any, key: Any, value: Any, attention_mask: Any, scaling: float | None = None, **_: Any
) -> tuple[Any, None]:
    """[batch, heads, tokens, width] each -> [batch, tokens, heads, width]."""
    key, value = (heads.repeat_interleave(query.shape[1] // heads.shape[1], dim=1) for heads in (key, value))
    out = torch.nn.functional.scaled_dot_product_attention(
        query, key, value, attn_mask=attention_mask, scale=scaling, is_causal=attention_mask is None
    )
    return out.transpose(1, 2).contiguous(), None


def only_where_read(body: Any) -> AtPositions | None:
    """Make a body's last feed-forward layer run only where something is read; None if it has none of the plain kind."""
    last = body.layers[-1]
    if not type(getattr(last, "mlp", None)).__name__.endswith("MLP"):
        return None
    last.mlp = AtPositions(last.mlp)
    return last.mlp  # type: ignore[no-any-return]  # the library has no types


def load_head(checkpoint: Checkpoint, readout: Readout, device: Any, dtype: Any) -> Any:
    """Load the head as a function of states [n, hidden] -> logits [n, outputs]; of a LogRatio, of states and the tokens
    behind them -> log-probabilities [n].
    """
    if isinstance(readout.head, Vocabulary):
        return _vocabulary_head(checkpoint, readout.head, device, dtype)
    tensors = stored_tensors(checkpoint, list(readout.shapes), lambda _: device, dtype)
    layers: list[Any] = []
    for layer in readout.head:
        linear = torch.nn.Linear(layer.inputs, layer.outputs, bias=layer.bias, device="meta")
        state = {name.removeprefix(f"{layer.name}."): tensors[name] for name in layer.shapes}
        linear.load_state_dict(state, assign=True)
        layers += [linear, torch.nn.ReLU()]
    return torch.nn.Sequential(*layers[:-1]).eval()


def _empty(checkpoint: Checkpoint) -> tuple[Any, Any]:
    """The body that the config describes, without numbers, and the library's form of the config."""
    config = {name: value for name, value in checkpoint.config.items() if name not in _NOT_OURS}
    model_type = config.pop("model_type", None)
    try:
        settings = _library.AutoConfig.for_model(model_type, **config)
        with torch.device("meta"):
            body = _library.AutoModel.from_config(settings, attn_implementation="sdpa", trust_remote_code=False)
    except Exception as error:  # noqa: BLE001  # the library checks configs with many classes of errors
        raise ForeignCheckpoint(
            f"transformers {transformers.__version__} knows no body for {checkpoint.name} ({_line(error)}).", ""
        ) from None
    unfit = _unfit(body, settings)
    if unfit:
        raise ForeignCheckpoint(f"the body of {checkpoint.name} ({model_type}) cannot be run here: it {unfit}.", "")
    return body, settings


def _unfit(body: Any, settings: Any) -> str:
    """What keeps a body from being run in batches that are padded on the right and have no mask, in words."""
    lacking = [part for part in _PARTS if not hasattr(body, part)]
    if lacking:
        return f"has no {lacking[0]}"
    if getattr(settings, "is_causal", True) is False or getattr(settings, "use_bidirectional_attention", False):
        return "looks ahead in its text"
    rope = getattr(settings, "rope_parameters", None) or {}
    return f"has {_OF_THE_BATCH} positions" if rope.get("rope_type") == _OF_THE_BATCH else ""


def _connect(body: Any) -> None:
    """Let each layer, and the norm behind them, move what they are given to where their weights are."""
    for part in (*body.layers, body.norm):
        device = next(part.parameters()).device
        part.register_forward_pre_hook(partial(_moved, device), with_kwargs=True)


def _moved(device: Any, _: Any, args: Any, kwargs: Any) -> Any:
    return _to(args, device), _to(kwargs, device)


def _to(value: Any, device: Any) -> Any:
    """Whatever tensors a value holds, on a device."""
    if isinstance(value, torch.Tensor):
        return value.to(device)
    if type(value) in {tuple, list}:
        return type(value)(_to(part, device) for part in value)
    if type(value) is dict:
        return {name: _to(part, device) for name, part in value.items()}
    return value


def _vocabulary_head(checkpoint: Checkpoint, head: Vocabulary, device: Any, dtype: Any) -> Any:
    """Rows of the output matrix as a function of states [n, hidden]; only the rows that are needed stay in memory."""
    source = head.source(checkpoint.tensors)
    if isinstance(head, LogRatio):
        matrix = stored_tensors(checkpoint, [source], lambda _: device, dtype)[source]
        return partial(_of_next, matrix)
    if head.whole:
        matrix = stored_tensors(checkpoint, [source], lambda _: device, dtype)[source]
        return partial(_within_all, matrix, torch.tensor(head.ids, device=device))
    matrix = stored_tensors(checkpoint, [source], lambda _: torch.device("cpu"), None)[source]
    if head.tiled and not torch.equal(matrix[: -head.tiled], matrix[head.tiled :]):
        raise ForeignCheckpoint(
            f"{checkpoint.name} is a language model of this kind and no PRM: the rows of {source} do not repeat every "
            f"{head.tiled}.",
            "Give the PRM, not the model that it was made of.",
        )
    # In float32 the mean of 32,000 rows is exact to the last digits that half precision holds.
    rows = matrix[list(head.ids)] if head.ids else matrix.float().mean(dim=0, keepdim=True)
    return partial(torch.nn.functional.linear, weight=rows.to(device=device, dtype=dtype))


def _of_next(matrix: Any, states: Any, tokens: Any) -> Any:
    """The log-probability among all tokens of one token for each state, in float32."""
    logprobs = []
    for some, chosen in zip(states.split(_ROWS_AT_ONCE), tokens.split(_ROWS_AT_ONCE), strict=True):
        logits = torch.nn.functional.linear(some, matrix).float()
        logprobs.append(logits.gather(-1, chosen.unsqueeze(-1)).squeeze(-1) - logits.logsumexp(-1))
    return torch.cat(logprobs)


def _within_all(matrix: Any, ids: Any, states: Any) -> Any:
    """Log-probabilities of a few tokens among all: a softmax over them and the rest of the vocabulary together.

    The last column is the log-probability of every other token, so that a softmax over the columns changes nothing.
    """
    columns = []
    for some in states.split(_ROWS_AT_ONCE):
        logits = torch.nn.functional.linear(some, matrix).float()
        chosen = logits[:, ids] - logits.logsumexp(-1, keepdim=True)
        rest = torch.log1p(-chosen.exp().sum(-1, keepdim=True).clamp(max=1.0))
        columns.append(torch.cat([chosen, rest], dim=-1))
    return torch.cat(columns)


def _line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
