"""Models by name: a local folder, or a model of the Hugging Face hub at one commit."""

import re
from pathlib import Path
from typing import NamedTuple

from scoring.data.errors import HubUnavailable, MissingExtra
from scoring.data.storage.files import expand_home
from scoring.models.checkpoint import ADAPTER_CONFIG, CHAT, CONFIG, GENERATION, INDEX, PICKLED_HEAD, TOKENIZER

_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+\Z")
_WANTED = (CONFIG, TOKENIZER, INDEX, ADAPTER_CONFIG, "*.safetensors", PICKLED_HEAD, *CHAT, GENERATION)
_PICKLES = ("pytorch_model*.bin", "pytorch_model.bin.index.json", "adapter_model.bin", "*.pt", "*.pth")


class ModelPlace(NamedTuple):
    """Where a model's files lie; `commit` is set for one that came from the hub."""

    folder: Path
    name: str = ""
    commit: str | None = None


def is_hub_name(model: str) -> bool:
    """Return whether a name is one of the hub's (`ORG/NAME`), going by the name alone."""
    return bool(_NAME.match(model.removeprefix("hf:")))


def find_place(model: str, revision: str | None = None, *, pickles: bool = False, download: bool = True) -> ModelPlace:
    """Return the folder of a local or hub model, which need not be there or whole.

    A hub model's config, tokenizer, chat template, own settings and safetensors files are downloaded where they are not
    in the cache yet, with a head that lies beside them, and where it has no safetensors, with `pickles`, its pickles.
    `revision` is a branch, tag or commit of it. With `download` False only the cache is looked at.

    Raises:
        HubUnavailable: offline and not in the cache, no such model, not allowed.
        MissingExtra: the package that talks to the hub is not installed.
    """
    name = model.removeprefix("hf:")
    if Path(model).is_dir() or not is_hub_name(model):
        folder = expand_home(model)
        return ModelPlace(folder, folder.resolve().name)
    folder = _snapshot(name, revision, _WANTED, download=download)
    if pickles and not any(folder.glob("*.safetensors")):
        folder = _snapshot(name, folder.name, (*_WANTED, *_PICKLES), download=download)
    return ModelPlace(folder, name, folder.name)


def _snapshot(name: str, revision: str | None, wanted: tuple[str, ...], *, download: bool) -> Path:
    """The local folder of a hub model; its name is the commit."""
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise MissingExtra("huggingface_hub", "score") from None
    try:
        folder = snapshot_download(name, revision=revision, allow_patterns=list(wanted), local_files_only=not download)
        return Path(folder)
    except Exception as error:  # noqa: BLE001  # hub and HTTP client each raise classes of their own
        reason = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
        raise HubUnavailable(
            f"there is no folder {name}, and no model of that name can be had ({type(error).__name__}: {reason}).",
            "Without a network, download it elsewhere and give its folder.",
        ) from None
