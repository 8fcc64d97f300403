"""Whether a LoRA adapter lies over the base that it names, as far as names tell.

Shapes do not tell: Mistral-7B's tensors are those of Llama-3-8B, and every fine-tune has its base's.
"""

import re

from scoring.data.errors import ForeignCheckpoint
from scoring.engines.model_places import ModelPlace, is_hub_name
from scoring.models.checkpoint import ADAPTER_CONFIG

_BODIES = ("llama", "qwen", "mistral", "gemma")
"""Words in the names of models, which are how the `model_type` of their configs begins."""
_TRAINED = re.compile(r"checkpoint-\d+\Z")
"""What a training run calls its folders; with the folder above it looks like a name of the hub."""


def base_sentence(named: str, base: ModelPlace) -> str:
    """Return what to say of the base that an adapter names ("" = none) and the one that it was merged into."""
    if not named:
        return f"Its {ADAPTER_CONFIG} names no base, so nothing tells whether this is the one."
    sentence = f"Its {ADAPTER_CONFIG} names {named} as the base"
    if _alike(named, base.name):
        return f"{sentence}."
    if not _proves(named) or not base.commit:
        return f"{sentence}; whether that is this one cannot be told from a path."
    sentence = f"{sentence[0].lower()}{sentence[1:]}"
    return f"Warning: {sentence}, and this one is called otherwise: another base gives other rewards."


def check_body(named: str, base: ModelPlace, model_type: object) -> None:
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
