"""Whether a LoRA adapter lies over the base that it names, as far as names tell.

Shapes do not tell: Mistral-7B's tensors are those of Llama-3-8B, and every fine-tune has its base's.
"""

import re

from scoring.checkpoint import ADAPTER_CONFIG
from scoring.errors import ForeignCheckpoint
from scoring.model_hub import Place, is_hub_name

_BODIES = ("llama", "qwen", "mistral", "gemma")
"""Words in the names of models, which are how the `model_type` of their configs begins."""
_TRAINED = re.compile(r"checkpoint-\d+\Z")
"""What a training run calls its folders; with the folder above it looks like a name of the hub."""


def base_sentence(named: str, base: Place) -> str:
    """What is told of the base that an adapter names ("" = none) and the one that it was merged into."""
    if not named:
        return f"Its {ADAPTER_CONFIG} names no base, so nothing tells whether this is the one."
    told = f"Its {ADAPTER_CONFIG} names {named} as the base"
    if _alike(named, base.name):
        return f"{told}."
    if not _proves(named) or not base.commit:
        return f"{told}; whether that is this one cannot be told from a path."
    return f"Warning: {told[0].lower()}{told[1:]}, and this one is called otherwise: another base gives other rewards."


def check_body(named: str, base: Place, model_type: object) -> None:
    """Make sure that a base is not of another kind than the one that the adapter names.

    Args:
        named: `base_model_name_or_path` of the adapter's config; "" for none.
        base: what it is to be merged into.
        model_type: of that one's config.

    Raises:
        ForeignCheckpoint: it is, by the name of the one and the config of the other.
    """
    if not _proves(named) or _alike(named, base.name):
        return
    words = [word for word in _BODIES if word in _last(named)]
    if words and not any(str(model_type).startswith(word) for word in words):
        raise ForeignCheckpoint(
            f"the adapter belongs to {named}, and {base.name} is a {model_type} model.", "Give its own base as --base."
        )


def _alike(named: str, base: str) -> bool:
    return _last(named) == _last(base)


def _last(name: str) -> str:
    return re.split(r"[/\\]", name.rstrip("/\\"))[-1].casefold()


def _proves(named: str) -> bool:
    """Whether a name is one of the hub's rather than a path on the machine of whoever trained the adapter."""
    return is_hub_name(named) and not _TRAINED.search(named)
