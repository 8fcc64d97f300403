"""Checkpoints by name: a local folder, or a model of the Hugging Face hub at one commit."""

import re
from pathlib import Path

from scoring.checkpoint import CONFIG, INDEX, TOKENIZER, Checkpoint
from scoring.errors import HubUnavailable, MissingExtra

_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+\Z")


def find_checkpoint(model: str, revision: str | None = None) -> Checkpoint:
    """The checkpoint in the folder `model`, or that of the hub's model of this name (`ORG/NAME`).

    A hub model's config, tokenizer and safetensors files are downloaded where they are not in the cache yet; `revision`
    is a branch, tag or commit of it.

    Raises:
        CheckpointError: the folder is missing or its files cannot be used.
        HubUnavailable: offline and not in the cache, no such model, not allowed.
        MissingExtra: the package that talks to the hub is not installed.
    """
    name = model.removeprefix("hf:")
    if Path(model).is_dir() or not _NAME.match(name) or model.startswith((".", "/", "~")):
        return Checkpoint.open(Path(model).expanduser())
    folder = _snapshot(name, revision)
    return Checkpoint.open(folder, name, folder.name)


def _snapshot(name: str, revision: str | None) -> Path:
    """The local folder of a hub model; its name is the commit."""
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise MissingExtra("huggingface_hub", "score") from None
    try:
        wanted = [CONFIG, TOKENIZER, INDEX, "*.safetensors"]
        return Path(snapshot_download(name, revision=revision, allow_patterns=wanted))
    except Exception as error:  # noqa: BLE001  # hub and HTTP client each raise classes of their own
        reason = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
        raise HubUnavailable(
            f"there is no folder {name}, and no model of that name can be had ({type(error).__name__}: {reason}).",
            "Without a network, download it elsewhere and give its folder.",
        ) from None
