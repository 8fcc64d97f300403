"""Which files of a folder are its pickled weights, and what is said where files of weights are not there."""

import json
from collections.abc import Sequence
from pathlib import Path

from scoring.errors import CheckpointError

PICKLED, PICKLED_INDEX = "pytorch_model.bin", "pytorch_model.bin.index.json"
PICKLED_HEAD = "reward_head.pt"
"""A head that is saved apart from its body, as ReasonFlux does."""
_NO_WEIGHTS = ("training_args", "optimizer", "scheduler", "rng_state", "scaler", "adapter_model")
"""What else a training run leaves behind as pickles."""


def pickles_in(folder: Path) -> list[Path]:
    """Whatever in a folder looks like pickled weights, by name."""
    found = [path for pattern in ("*.bin", "*.pt", "*.pth") for path in folder.glob(pattern)]
    return sorted(path for path in found if not path.name.startswith(_NO_WEIGHTS))


def pickled_files(folder: Path, hub: str = "") -> list[Path]:
    """The files of pickled weights: `pytorch_model.bin`, those of the index, or the only one there is.

    `hub`: see `again`.

    Raises:
        CheckpointError: there is none, a part is missing, or it cannot be told which are meant.
    """
    if (folder / PICKLED).is_file():
        return [folder / PICKLED]
    index = folder / PICKLED_INDEX
    if index.is_file():
        return _of_index(index, hub)
    found = pickles_in(folder)
    if not found:
        raise CheckpointError(f"{folder} holds no weights.", "Download the weights too.")
    if len(found) > 1:
        names = ", ".join(path.name for path in found[:4])
        raise CheckpointError(f"{folder} holds several pickles and no {PICKLED} ({names}).", "Leave only the weights.")
    return found


def _of_index(index: Path, hub: str) -> list[Path]:
    try:
        names = sorted(set(json.loads(index.read_bytes())["weight_map"].values()))
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
    """What is said of a folder that lacks files of weights, by name, `of` so many."""
    what = f"{folder / missing[0]} is missing" if len(missing) == 1 else f"{folder} lacks {_some(missing)}"
    return CheckpointError(f"{what} ({len(missing)} of {of} files of weights).", again(hub, damaged=False))


def again(hub: str, *, damaged: bool) -> str:
    """How to get what is missing, or damaged: of a model of the hub (`hub`, as `hf download` is given it) or, where
    that is "", of a folder.
    """
    if not hub:
        more = "" if damaged else ", or complete the folder with: hf download ORG/NAME --local-dir FOLDER"
        return f"Download the checkpoint again{more or '.'}"
    return f"Run: hf download {hub}{' --force-download' if damaged else ''}"


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (" and more" if len(names) > 3 else "")
