"""Tensors as a checkpoint's safetensors files have them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from scoring.checkpoint import Checkpoint
from scoring.errors import CheckpointError, MissingExtra

try:
    import safetensors
except ImportError as error:
    raise MissingExtra(error.name or "safetensors", "score") from None


def stored(checkpoint: Checkpoint, name: str) -> Any:
    """One tensor, on the CPU.

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
    found: dict[str, Any] = {}
    for path, within in files.items():
        with _opened(path) as file:
            for name in within:
                found[name] = file.get_tensor(name).to(device=place(name), dtype=dtype, copy=True)
    return found


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    try:
        with safetensors.safe_open(str(path), framework="pt", device="cpu") as file:
            yield file
    except (OSError, safetensors.SafetensorError) as error:
        line = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
        raise CheckpointError(f"{path} cannot be read ({line}).", "Download the checkpoint again.") from None
