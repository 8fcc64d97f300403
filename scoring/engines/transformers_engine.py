"""The stock bodies of transformers with our own head over them, on CPU or CUDA.

No code of the checkpoint runs and no pickle is opened: the body is built from its config by the library's own class
and every tensor is read from safetensors by name. Stock head classes are not used, because they load a head of another
layout as random numbers without a word.

Padding is on the right and there is no mask: these bodies look back only, so nothing that is read sees the padding.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from scoring.checkpoint import Checkpoint
from scoring.errors import CheckpointError, EngineError, ForeignCheckpoint, MissingExtra
from scoring.readout import Answer, Batch, Encoded, Readout, Refused

try:
    import safetensors
    import torch
    import transformers
except ImportError as error:
    raise MissingExtra(error.name or "torch", "score") from None

ONE_THREAD = 64 << 20
"""Bytes of weights up to which a CPU runs one thread: more wait for each other longer than they compute."""

# Parts of the library have no types, and where it is not installed none of it has.
_library: Any = transformers

TOKEN_BUDGET = 8192
"""Tokens of a batch, padding included, unless told otherwise."""
_NOT_OURS = ("auto_map", "architectures", "torch_dtype", "dtype", "quantization_config", "transformers_version")


@dataclass
class TransformersEngine:
    """A loaded checkpoint. `token_budget` bounds a batch (cases times the longest); it falls when memory ends."""

    name: str
    body: Any
    head: Any
    readout: Readout
    device: Any
    token_budget: int = TOKEN_BUDGET

    @classmethod
    def load(
        cls,
        checkpoint: Checkpoint,
        readout: Readout,
        *,
        dtype: str,
        device: str = "auto",
        token_budget: int = TOKEN_BUDGET,
    ) -> "TransformersEngine":
        """Load a checkpoint's body and head.

        Args:
            checkpoint: read and found whole.
            readout: the head, checked against the checkpoint's tensors.
            dtype: float32, bfloat16 or float16: what body and head compute in. The transform is in float32 always.
            device: cpu, cuda, cuda:N, or auto: cuda where there is one.
            token_budget: see the class.

        Raises:
            EngineError: the device is not there, or its memory does not hold the model.
            ForeignCheckpoint: tensors are missing, unexpected or of another shape, or the architecture is not known.
            CheckpointError: a file cannot be read.
        """
        _library.utils.logging.set_verbosity_error()
        place, kind = _device(device), getattr(torch, dtype)
        if place.type == "cpu" and checkpoint.bytes <= ONE_THREAD:
            torch.set_num_threads(1)
        try:
            body = _body(checkpoint, readout, place, kind)
            head = _head(checkpoint, readout, place, kind)
        except (torch.OutOfMemoryError, MemoryError):
            raise EngineError(f"{place} has not the memory for {checkpoint.name} in {dtype}.", "Use another.") from None
        versions = f"transformers {transformers.__version__}, torch {torch.__version__}"
        return cls(f"{versions}, {place.type}, {dtype}", body, head, readout, place, token_budget)

    def read(self, cases: Sequence[Encoded]) -> Iterator[Batch]:
        """Rewards of all cases, the longest first, equal lengths in the order given. See `scoring.engines.base`."""
        waiting = sorted(range(len(cases)), key=lambda index: -len(cases[index].ids))
        tokens = padding = 0
        while waiting:
            longest = len(cases[waiting[0]].ids)
            chosen = waiting[: max(1, self.token_budget // longest)]
            batch = [cases[index] for index in chosen]
            used = sum(len(case.ids) for case in batch)
            tokens, padding = tokens + used, padding + longest * len(batch) - used
            rewards = self._try(batch)
            if rewards is None and len(batch) > 1:
                self.token_budget = longest * (len(batch) // 2)
                continue
            if rewards is None:
                reason = Refused(f"{longest:,} tokens are more than the memory of the {self.device.type} holds")
                answers: tuple[Answer, ...] = (Answer(chosen[0], reason),)
            else:
                answers = tuple(Answer(index, row) for index, row in zip(chosen, rewards, strict=True))
            yield Batch(answers, tokens, padding)
            waiting = waiting[len(chosen) :]
            tokens = padding = 0

    def _try(self, batch: Sequence[Encoded]) -> list[tuple[float, ...]] | None:
        """The rewards of a batch; None if there is not the memory for it."""
        try:
            return self._rewards(batch)
        except (torch.OutOfMemoryError, MemoryError):
            pass
        except RuntimeError as error:
            # The CPU's allocator has no class of its own.
            if "allocate memory" not in str(error):
                raise
        if self.device.type == "cuda":
            torch.cuda.empty_cache()
        return None

    def _rewards(self, batch: Sequence[Encoded]) -> list[tuple[float, ...]]:
        """One number a position of each case. The first case is the longest."""
        ids = torch.zeros((len(batch), len(batch[0].ids)), dtype=torch.int64)
        for row, case in enumerate(batch):
            ids[row, : len(case.ids)] = torch.tensor(case.ids)
        rows = [row for row, case in enumerate(batch) for _ in case.positions]
        columns = [position for case in batch for position in case.positions]
        with torch.inference_mode():
            states = self.body(input_ids=ids.to(self.device), use_cache=False).last_hidden_state
            logits = self.head(states[rows, columns]).float()
            numbers = logits.softmax(-1) if self.readout.transform == "softmax" else logits.sigmoid()
            values = iter(numbers[:, self.readout.good].tolist())
        return [tuple(next(values) for _ in case.positions) for case in batch]


def _device(name: str) -> Any:
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise EngineError(f"device {name!r} is not usable here ({_line(error)}).", "Use --device cpu.") from None
    return device


def _body(checkpoint: Checkpoint, readout: Readout, device: Any, dtype: Any) -> Any:
    """The library's body with the checkpoint's tensors; nothing missing, nothing over, nothing random."""
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
    wanted = body.state_dict()
    prefix = len(readout.body)
    named = {name[prefix:]: name for name in checkpoint.tensors if name.startswith(readout.body)}
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
    tensors = _tensors(checkpoint, list(named.values()), device, dtype)
    body.load_state_dict({name[prefix:]: tensor for name, tensor in tensors.items()}, assign=True)
    # What is computed and not stored is still on no device; made anew it keeps float32 whatever the weights are.
    body.rotary_emb = type(body.rotary_emb)(config=settings).to(device)
    left = [name for name, tensor in (*body.named_parameters(), *body.named_buffers()) if tensor.is_meta]
    if left:
        raise ForeignCheckpoint(
            f"the body of {checkpoint.name} has parts that no file holds: {', '.join(left[:3])}.", ""
        )
    return body.eval()


def _head(checkpoint: Checkpoint, readout: Readout, device: Any, dtype: Any) -> Any:
    tensors = _tensors(checkpoint, list(readout.shapes), device, dtype)
    layers: list[Any] = []
    for layer in readout.head:
        linear = torch.nn.Linear(layer.inputs, layer.outputs, bias=layer.bias, device="meta")
        state = {name.removeprefix(f"{layer.name}."): tensors[name] for name in layer.shapes}
        linear.load_state_dict(state, assign=True)
        layers += [linear, torch.nn.ReLU()]
    return torch.nn.Sequential(*layers[:-1]).eval()


def _tensors(checkpoint: Checkpoint, names: Sequence[str], device: Any, dtype: Any) -> dict[str, Any]:
    """Tensors by name, copied: what is run must not change when a file does."""
    files: dict[Any, list[str]] = {}
    for name in names:
        files.setdefault(checkpoint.tensors[name].file, []).append(name)
    found: dict[str, Any] = {}
    for path, within in files.items():
        try:
            with safetensors.safe_open(str(path), framework="pt", device="cpu") as file:
                for name in within:
                    found[name] = file.get_tensor(name).to(device=device, dtype=dtype, copy=True)
        except (OSError, safetensors.SafetensorError) as error:
            raise CheckpointError(
                f"{path} cannot be read ({_line(error)}).", "Download the checkpoint again."
            ) from None
    return found


def _line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
