"""Tensors as a checkpoint's safetensors files have them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from scoring.data.errors import CheckpointError, MissingExtra
from scoring.data.readout import Readout, Vocabulary
from scoring.models.checkpoint import Checkpoint

try:
    import safetensors
except ImportError as error:
    raise MissingExtra(error.name or "safetensors", "score") from None


def stored(checkpoint: Checkpoint, name: str) -> Any:
    """Read one tensor, on the CPU.

    Raises:
        CheckpointError: its file cannot be read.
    """
    with _opened(checkpoint.tensors[name].file) as file:
        return file.get_tensor(name)


def stored_tensors(
    checkpoint: Checkpoint, names: Sequence[str], place: Callable[[str], Any], dtype: Any
) -> dict[str, Any]:
    """Tensors by name, each on the device that `place` gives for it, in `dtype` (None = as stored).

    They are copied: what is run must not change when a file does.

    Raises:
        CheckpointError: a file cannot be read.
    """
    files: dict[Path, list[str]] = {}
    for name in names:
        files.setdefault(checkpoint.tensors[name].file, []).append(name)
    tensors: dict[str, Any] = {}
    for path, within in files.items():
        with _opened(path) as file:
            for name in within:
                tensors[name] = file.get_tensor(name).to(device=place(name), dtype=dtype, copy=True)
    return tensors


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    try:
        with safetensors.safe_open(str(path), framework="pt", device="cpu") as file:
            yield file
    except (OSError, safetensors.SafetensorError) as error:
        line = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
        raise CheckpointError(f"{path} cannot be read ({line}).", "Download the checkpoint again.") from None


# -- why a reward is not finite: numbers in the weights, or what is made of them
#
# Only asked when such a reward has come, because it reads all the weights once more.


try:
    import torch
except ImportError as error:
    raise MissingExtra(error.name or "torch", "score") from None

_WIDER = {"float16": "--dtype float32 or bfloat16", "bfloat16": "--dtype float32"}
"""What to compute in where a dtype is too narrow. float16 ends at 65,504; the others' range is that of float32."""


def why_not_finite(checkpoint: Checkpoint, readout: Readout, dtype: str) -> str:
    """Return what to say of rewards that are not finite although all weights are.

    Every tensor that is read for a reward is read from its file, one at a time.

    Args:
        checkpoint: what was loaded.
        readout: the head, which says what of the checkpoint is read.
        dtype: what is computed in.

    Raises:
        CheckpointError: a tensor holds a number that is not finite, or none that `dtype` can hold; a run ends there,
            because no case would get a reward that means anything. Or a file cannot be read.
    """
    head = readout.head
    rows = list(head.ids) if isinstance(head, Vocabulary) and not head.whole else []
    for name in readout.used(checkpoint.shapes):
        tensor = stored(checkpoint, name)
        # Of an output matrix only some rows are read; where it is the embeddings too, all of them.
        _check(checkpoint, name, tensor[rows] if rows and not name.startswith(readout.body) else tensor, dtype)
    wider = _WIDER.get(dtype)
    return f"all weights are finite, so {dtype} does not hold what is computed" + (f"; use {wider}" if wider else "")


def _check(checkpoint: Checkpoint, name: str, tensor: Any, dtype: str) -> None:
    if not tensor.numel():
        return
    # One pass and no other tensor of its size; a NaN anywhere is the smallest and the largest.
    ends = torch.stack(tensor.aminmax())
    if not ends.isfinite().all():
        raise CheckpointError(
            f"{name} in {checkpoint.tensors[name].file} holds numbers that are not finite.",
            "Download the checkpoint again; if it stays so, it was published broken.",
        )
    if not ends.to(getattr(torch, dtype)).isfinite().all():
        raise CheckpointError(
            f"{name} holds numbers up to {ends.abs().max():.3g}, more than {dtype} can hold.", f"Use {_WIDER[dtype]}."
        )
