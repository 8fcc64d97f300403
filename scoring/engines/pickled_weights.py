"""Weights that come as pickles, opened with torch's weights-only reader and written again as safetensors.

That reader builds tensors and plain containers and nothing else: a pickle that names any other class is refused before
the class is looked up. It is code all the same, and pickles are opened only when the user said so.
"""

import json
import pickle
import re
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scoring.data.errors import CheckpointError, MissingExtra, PickleRefused
from scoring.data.storage.files import open_plain
from scoring.models.checkpoint import INDEX, WHOLE
from scoring.models.safetensors_file import write_tensors

try:
    import torch
except ImportError as error:
    raise MissingExtra(error.name or "torch", "score") from None

_DTYPES: dict[Any, str] = {
    torch.float64: "F64",
    torch.float32: "F32",
    torch.float16: "F16",
    torch.bfloat16: "BF16",
    torch.int64: "I64",
    torch.int32: "I32",
    torch.int16: "I16",
    torch.int8: "I8",
    torch.uint8: "U8",
    torch.bool: "BOOL",
}
_POINTER = b"version https://git-lfs"
_TENSORS_ALONE = "Save the model's tensors alone (its state_dict), best as safetensors, and give that folder."


def convert(files: Sequence[Path], folder: Path) -> None:
    """Write the tensors of pickled files into `folder`: one safetensors file a pickle, and an index where several.

    Raises:
        CheckpointError: a file cannot be read, is damaged, holds something beside named tensors, or a tensor that
            another holds too.
        PickleRefused: a file names a class that is none of a tensor's.
        OSError: `folder` cannot be written.
    """
    names = (
        [WHOLE]
        if len(files) == 1
        else [f"model-{at + 1:05}-of-{len(files):05}.safetensors" for at in range(len(files))]
    )
    places: dict[str, str] = {}
    size = 0
    for path, name in zip(files, names, strict=True):
        tensors = read_pickle(path)
        twice = places.keys() & tensors.keys()
        if twice:
            raise CheckpointError(f"{path} holds {min(twice)} a second time.", _TENSORS_ALONE)
        write(folder / name, tensors)
        places |= dict.fromkeys(tensors, name)
        size += sum(tensor.numel() * tensor.element_size() for tensor in tensors.values())
    if len(files) > 1:
        index = {"metadata": {"total_size": size}, "weight_map": dict(sorted(places.items()))}
        (folder / INDEX).write_text(json.dumps(index, indent=1) + "\n", encoding="utf-8")


def read_pickle(path: Path) -> dict[str, Any]:
    """Name -> tensor of a pickled file; the tensors of a large one stay on the disk until they are used.

    Raises:
        CheckpointError: it cannot be read, is damaged, or holds something beside named tensors.
        PickleRefused: it names a class that is none of a tensor's.
    """
    try:
        with open_plain(path) as file:
            start = file.read(len(_POINTER))
        if start == _POINTER:
            raise CheckpointError(f"{path} is a git-lfs pointer and not the weights.", "Download the checkpoint again.")
        # Files from before torch 1.6 are no zip archives and cannot be mapped.
        with warnings.catch_warnings():
            # It warns of pickles in another protocol than its own, and then reads or refuses them.
            warnings.simplefilter("ignore")
            tensors = torch.load(path, map_location="cpu", weights_only=True, mmap=start.startswith(b"PK"))
    except pickle.UnpicklingError as error:
        raise _refusal(path, str(error)) from None
    except (OSError, RuntimeError, ValueError, EOFError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise CheckpointError(f"{path} cannot be read ({_line(error)}).", "Download the checkpoint again.") from None
    if not isinstance(tensors, Mapping):
        raise CheckpointError(f"{path} holds no named tensors.", _TENSORS_ALONE)
    for name, tensor in tensors.items():
        if not isinstance(name, str) or not _plain(tensor):
            raise CheckpointError(f"{path} holds {str(name)[:60]!r}, which is not a plain tensor.", _TENSORS_ALONE)
    return dict(tensors)


def write(path: Path, tensors: Mapping[str, Any]) -> None:
    """Write named tensors as a safetensors file; what shares memory is written for each name.

    Raises:
        OSError: it cannot be written.
    """
    layout = {name: (_DTYPES[tensor.dtype], tuple(tensor.shape)) for name, tensor in tensors.items()}
    write_tensors(path, layout, lambda name: raw(tensors[name]))


def raw(tensor: Any) -> Any:
    """Return a tensor's bytes, row-major."""
    return tensor.detach().contiguous().reshape(-1).view(torch.uint8).numpy()


def _plain(tensor: Any) -> bool:
    """Whether this is a tensor of a dtype that can be written, dense, and with all of its numbers in the file."""
    if not isinstance(tensor, torch.Tensor) or tensor.dtype not in _DTYPES:
        return False
    if tensor.layout is not torch.strided or tensor.device.type != "cpu":
        return False
    # A few bytes can be read as a tensor of any size, which would be that large when written.
    return bool(tensor.numel() * tensor.element_size() <= tensor.untyped_storage().nbytes())


def _refusal(path: Path, words: str) -> CheckpointError:
    """The reader's refusal without its advice on how to switch it off."""
    named = re.search(r"GLOBAL (\S+)", words)
    if named:
        return PickleRefused(
            f"{path} holds more than tensors (it names {named[1][:80]}), and is not opened.", _TENSORS_ALONE
        )
    return CheckpointError(f"{path} is not a pickle of tensors, or damaged.", "Download the checkpoint again.")


def _line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")[:120]
