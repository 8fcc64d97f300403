"""A PRM's checkpoint folder, read without an engine: its config, and name, dtype and shape of every tensor.

The headers of safetensors files say how long each file must be, so a half-downloaded one is seen here, in
milliseconds and before anything of weight is imported. Pickles are not opened here: see
`scoring.engines.usable_weights`.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from scoring.data.errors import CheckpointError, PickleRefused
from scoring.data.readout import Readout, Shape
from scoring.data.storage.files import open_plain, read_plain
from scoring.models.safetensors_file import BYTES

# -- which files of a folder are its pickled weights, and what is said where files of weights are not there


PICKLED, PICKLED_INDEX = "pytorch_model.bin", "pytorch_model.bin.index.json"
PICKLED_HEAD = "reward_head.pt"
"""A head that is saved apart from its body, as ReasonFlux does."""
_NO_WEIGHTS = ("training_args", "optimizer", "scheduler", "rng_state", "scaler", "adapter_model")
"""What else a training run leaves behind as pickles."""


def pickles_in(folder: Path) -> list[Path]:
    """Whatever in a folder looks like pickled weights, by name."""
    paths = [path for pattern in ("*.bin", "*.pt", "*.pth") for path in folder.glob(pattern)]
    return sorted(path for path in paths if not path.name.startswith(_NO_WEIGHTS))


def pickled_files(folder: Path, hub: str = "") -> list[Path]:
    """Return the files of pickled weights: `pytorch_model.bin`, those of the index, or the only one there is.

    `hub`: see `again`.

    Raises:
        CheckpointError: there is none, a part is missing, or it cannot be told which are meant.
    """
    if (folder / PICKLED).is_file():
        return [folder / PICKLED]
    index = folder / PICKLED_INDEX
    if index.is_file():
        return _of_index(index, hub)
    pickles = pickles_in(folder)
    if not pickles:
        raise CheckpointError(f"{folder} holds no weights.", "Download the weights too.")
    if len(pickles) > 1:
        names = ", ".join(path.name for path in pickles[:4])
        raise CheckpointError(f"{folder} holds several pickles and no {PICKLED} ({names}).", "Leave only the weights.")
    return pickles


def _of_index(index: Path, hub: str) -> list[Path]:
    try:
        names = sorted(set(json.loads(read_plain(index))["weight_map"].values()))
        # A name with a folder in it would lead out of the checkpoint.
        inside = bool(names) and all(Path(name).name == name for name in names)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        inside = False
    if not inside:
        raise CheckpointError(f"{index} names no files of this folder.", again(hub, damaged=True))
    missing = [name for name in names if not (index.parent / name).is_file()]
    if missing:
        raise missing_files(index.parent, missing, len(names), hub)
    return [index.parent / name for name in names]


def missing_files(folder: Path, missing: Sequence[str], of: int, hub: str) -> CheckpointError:
    """Return the error for a folder that lacks files of weights, by name, `of` so many."""
    what = f"{folder / missing[0]} is missing" if len(missing) == 1 else f"{folder} lacks {_some(missing)}"
    return CheckpointError(f"{what} ({len(missing)} of {of} files of weights).", again(hub, damaged=False))


def again(hub: str, *, damaged: bool) -> str:
    """Return how to get what is missing, or damaged: of a model of the hub (`hub`, as `hf download` is given it) or,
    where that is "", of a folder.
    """
    if not hub:
        more = "" if damaged else ", or complete the folder with: hf download ORG/NAME --local-dir FOLDER"
        return f"Download the checkpoint again{more or '.'}"
    return f"Run: hf download {hub}{' --force-download' if damaged else ''}"


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (" and more" if len(names) > 3 else "")


CONFIG, TOKENIZER, SENTENCEPIECE = "config.json", "tokenizer.json", "tokenizer.model"
CHAT = ("tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "chat_template.jinja")
"""Files that say, beside the tokenizer's own, how conversations are written; no model needs all of them."""
GENERATION = "generation_config.json"
_GENERATION_SETTINGS = (
    "repetition_penalty", "presence_penalty", "frequency_penalty", "temperature", "top_k", "top_p", "min_p",
    "max_new_tokens",
)  # fmt: skip
"""What vLLM takes over from it."""
WHOLE, INDEX = "model.safetensors", "model.safetensors.index.json"
ADAPTER_CONFIG = "adapter_config.json"

_FLOATS = {"F32": "float32", "F16": "float16", "BF16": "bfloat16"}
SMALL = 1 << 30
"""Bytes of weights up to which float32 costs nothing that matters."""
_LONGEST_HEADER = 100_000_000
_POINTER = b"version https://git-lfs"


class Tensor(Struct, frozen=True):
    """Where a tensor lies: its file, dtype (safetensors' word) and shape."""

    file: Path
    dtype: str
    shape: Shape


class Checkpoint(Struct, frozen=True, eq=False, dict=True):
    """A checkpoint folder.

    `name` is what the user called it; `commit` is set for one that came from the hub, and `merged` says that a LoRA
    adapter was merged into it here.
    """

    folder: Path
    name: str
    config: Mapping[str, Any]
    tensors: Mapping[str, Tensor]
    commit: str | None = None
    merged: bool = False

    @classmethod
    def open(cls, folder: Path, name: str = "", commit: str | None = None) -> "Checkpoint":
        """Read the folder's config and the headers of its weights.

        Raises:
            CheckpointError: something is missing, damaged, half-downloaded, or pickled; and what.
        """
        if not folder.is_dir():
            raise CheckpointError(
                f"there is no folder {folder}.", "Give a checkpoint's folder or a hub name (ORG/NAME)."
            )
        if not (folder / CONFIG).is_file() and (folder / ADAPTER_CONFIG).is_file():
            raise CheckpointError(
                f"{folder} holds only the difference to another model (LoRA).",
                "Give it as --model, and its base model as --base.",
            )
        hub = f"{name} --revision {commit}" if commit else ""
        config = _json(folder / CONFIG, hub)
        checkpoint = cls(folder, name or folder.resolve().name, config, {}, commit)
        for path in _weight_files(folder, hub):
            checkpoint = checkpoint.with_tensors(path)
        return checkpoint

    def with_tensors(self, path: Path) -> "Checkpoint":
        """Return the checkpoint with the tensors of one more safetensors file, which may lie elsewhere.

        Raises:
            CheckpointError: it is damaged, half-downloaded, or holds a tensor that is there already.
        """
        within = _header(path, f"{self.name} --revision {self.commit}" if self.commit else "")
        if twice := self.tensors.keys() & within.keys():
            raise CheckpointError(
                f"{path} holds {min(twice)}, which {self.tensors[min(twice)].file.name} holds too.",
                "Save the model anew, so that each tensor is in one file.",
            )
        return replace(self, tensors={**self.tensors, **within})

    @property
    def tokenizer(self) -> Path:
        """The tokenizer's file, which may not be there."""
        return self.folder / TOKENIZER

    @cached_property
    def added_tokens(self) -> Mapping[str, int]:
        """The tokens that the tokenizer's file adds to its vocabulary, special or not: text -> id.

        Raises:
            CheckpointError: the file is missing or damaged.
        """
        try:
            added = json.loads(read_plain(self.tokenizer))["added_tokens"]
            return {str(token["content"]): int(token["id"]) for token in added}
        except FileNotFoundError:
            raise missing_tokenizer(self.tokenizer) from None
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            words = f"{self.tokenizer} cannot be read ({type(error).__name__})."
            raise CheckpointError(words, "Download it again.") from None

    @cached_property
    def files(self) -> tuple[Path, ...]:
        """The files that decide numbers and are read: config, tokenizer, weights."""
        weights = sorted({tensor.file for tensor in self.tensors.values()})
        return (self.folder / CONFIG, self.tokenizer, *weights)

    @cached_property
    def generation(self) -> Mapping[str, Any]:
        """How the model answers where nothing else is said: what its `generation_config.json` sets, as vLLM calls it.

        Raises:
            CheckpointError: the file cannot be read.
        """
        path = self.folder / GENERATION
        if not path.is_file():
            return {}
        try:
            document = json.loads(read_plain(path))
            settings = {name: document[name] for name in _GENERATION_SETTINGS if document.get(name) is not None}
        except (OSError, ValueError, AttributeError, RecursionError) as error:
            raise CheckpointError(f"{path} cannot be read ({error}).", "Download the model again.") from None
        return {"max_tokens" if name == "max_new_tokens" else name: value for name, value in settings.items()}

    @cached_property
    def shapes(self) -> dict[str, Shape]:
        """Tensor name -> shape."""
        return {name: tensor.shape for name, tensor in self.tensors.items()}

    @cached_property
    def dtype(self) -> str:
        """The dtype most numbers of the weights are stored in: float32, float16 or bfloat16.

        Raises:
            CheckpointError: a tensor is stored in something else (a quantised checkpoint).
        """
        sizes: dict[str, int] = {}
        for name, tensor in self.tensors.items():
            if tensor.dtype not in _FLOATS:
                raise CheckpointError(
                    f"{name} is stored as {tensor.dtype}; only float32, float16 and bfloat16 weights are run.",
                    "Use the checkpoint that was not quantised.",
                )
            sizes[tensor.dtype] = sizes.get(tensor.dtype, 0) + prod(tensor.shape)
        return _FLOATS[max(sizes, key=lambda dtype: sizes[dtype])]

    @cached_property
    def bytes(self) -> int:
        """Bytes of all tensors as they are stored."""
        return sum(prod(tensor.shape) * BYTES[tensor.dtype] for tensor in self.tensors.values())


class Reference(NamedTuple):
    """The model to which a PRM's rewards are ratios, and what is read of it."""

    checkpoint: Checkpoint
    readout: Readout


def compute_dtype(checkpoint: Checkpoint, dtype: str = "auto") -> str:
    """Choose what a checkpoint is computed in: as asked; else float32 for one of at most 1 GiB, and as stored above
    that.

    It does not depend on the machine, because it is part of what the scorer is.

    Raises:
        CheckpointError: the weights are quantised.
    """
    stored = checkpoint.dtype
    if dtype != "auto":
        return dtype
    return "float32" if checkpoint.bytes <= SMALL else stored


def missing_tokenizer(path: Path) -> CheckpointError:
    """Return the error for a checkpoint whose `tokenizer.json` (`path`) is not there."""
    if (path.parent / SENTENCEPIECE).is_file():
        return CheckpointError(
            f"{path.parent} has its tokenizer only as {SENTENCEPIECE}, which is not read.",
            f"Put the {TOKENIZER} beside it that was published with the PRM or its base model: one that is converted "
            "anew may give other ids.",
        )
    return CheckpointError(
        f"{path} is missing.", f"Download the tokenizer too; a PRM without one has the {TOKENIZER} of its base model."
    )


def positive(config: Mapping[str, Any], name: str) -> int:
    """Read a whole number above 0 that a config must hold.

    Raises:
        CheckpointError: it is missing or something else.
    """
    value = config.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise CheckpointError(f"{CONFIG} has {name} = {value!r}, which should be a whole number above 0.", "")
    return value


def _json(path: Path, hub: str) -> Mapping[str, Any]:
    try:
        document = json.loads(read_plain(path))
    except FileNotFoundError:
        raise CheckpointError(f"{path} is missing.", "Give a folder with config.json and safetensors files.") from None
    except (OSError, ValueError, RecursionError) as error:
        raise _incomplete(path, f"is not JSON ({error})", hub) from None
    if not isinstance(document, dict):
        raise _incomplete(path, "is not JSON object", hub)
    return document


def _weight_files(folder: Path, hub: str) -> list[Path]:
    """The files of the weights. Where one file and an index are there, the one file counts, as for stock loaders."""
    if (folder / WHOLE).is_file():
        return [folder / WHOLE]
    if (folder / INDEX).is_file():
        named = _json(folder / INDEX, hub).get("weight_map")
        names_listed = set(named.values()) if isinstance(named, dict) else set()
        # A name with a folder in it would lead out of the checkpoint.
        if not names_listed or any(not isinstance(name, str) or Path(name).name != name for name in names_listed):
            raise _incomplete(folder / INDEX, "names no files of this folder", hub)
        names = sorted(names_listed)
        missing = [name for name in names if not (folder / name).is_file()]
        if missing:
            raise missing_files(folder, missing, len(names), hub)
        return [folder / name for name in names]
    shards = sorted(path.name for path in folder.glob("*-of-*.safetensors"))
    if shards:
        raise CheckpointError(f"{folder} has {shards[0]} and no {INDEX}.", again(hub, damaged=False))
    pickles = pickles_in(folder)
    if pickles:
        raise PickleRefused(
            f"{folder} has its weights only as a pickle ({pickles[0].name}), which can run code and is not opened.",
            "If you trust it, --allow-pickle opens it with torch's weights-only reader.",
            instead=[("--allow-pickle", "open the pickle with torch's weights-only reader")],
        )
    raise CheckpointError(
        f"{folder} holds no {WHOLE}.",
        "Download the weights too; those of a hub model that are pickles need --allow-pickle.",
    )


def _header(path: Path, hub: str) -> dict[str, Tensor]:
    """The tensors of one safetensors file.

    Raises:
        CheckpointError: it is no safetensors file, or not all of it is there.
    """
    try:
        size = path.stat().st_size
        with open_plain(path) as file:
            start = file.read(len(_POINTER))
            if start == _POINTER:
                raise _incomplete(path, "is a git-lfs pointer and not the weights", hub)
            length = int.from_bytes(start[:8], "little")
            if size < 8 or not 2 <= length <= min(size - 8, _LONGEST_HEADER):
                raise _incomplete(path, f"is not a whole safetensors file ({size:,} bytes)", hub)
            file.seek(8)
            header = json.loads(file.read(length))
        header.pop("__metadata__", None)
        tensors = {
            name: Tensor(path, str(entry["dtype"]), tuple(int(side) for side in entry["shape"]))
            for name, entry in header.items()
        }
        end = 8 + length + max((int(entry["data_offsets"][1]) for entry in header.values()), default=0)
    except OSError as error:
        raise CheckpointError(f"{path} cannot be read: {error.strerror or error}.", "") from None
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
        raise _incomplete(path, f"has a damaged header ({error})", hub) from None
    if end != size:
        raise _incomplete(path, f"has {size:,} bytes of {end:,}", hub)
    return tensors


def _incomplete(path: Path, what: str, hub: str) -> CheckpointError:
    return CheckpointError(f"{path} {what}.", again(hub, damaged=True))
