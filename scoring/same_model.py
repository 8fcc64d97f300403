"""Scorers of one model in a workspace: whoever compares two of them should know in what they differ."""

from collections.abc import Mapping
from typing import Any

from scoring.checkpoint import CONFIG, TOKENIZER
from scoring.claim import scorers, told
from scoring.scorer import Scorer
from scoring.workspace import Workspace

_BESIDE = (CONFIG, TOKENIZER)
"""What of a checkpoint's files is none of its weights."""
_OF_ANY_ADAPTER = frozenset({"adapter", "dtype", "commit", *_BESIDE})
_MOST = 3
"""How many scorers, and how many settings of each, are told of."""


def same_model(workspace: Workspace, scorer: Scorer) -> list[str]:
    """A sentence for each of the workspace's scorers, the first three, that is this model and has other rewards.

    The same model is the same weights whatever lies beside them, the same name on the hub, or the same LoRA adapter
    over the same base.
    """
    model = _model(scorer)
    others = [
        other
        for other, _ in scorers(workspace)
        if model and _model(other) == model and other.fingerprint != scorer.fingerprint
    ]
    sentences = [
        f"The workspace has {other.name!r}, which is the same model with other settings ({_differing(scorer, other)})."
        for other in others[:_MOST]
    ]
    return sentences + ([f"It has {len(others) - _MOST} more of them."] if len(others) > _MOST else [])


def _model(scorer: Scorer) -> Any:
    """What a scorer's model is known by, as far as its settings say; falsy where they do not."""
    sources, weights = (_table(scorer.settings.get(name)) for name in ("sources", "weights"))
    if "lora" in sources:
        return [sources["lora"], sources.get("base")]
    if files := _table(weights.get("files")):
        return sorted(str(digest) for name, digest in files.items() if name not in _BESIDE)
    return weights.get("hub")


def _differing(scorer: Scorer, other: Scorer) -> str:
    mine, others = _settings(scorer), _settings(other)
    names = sorted(name for name in mine.keys() | others.keys() if mine.get(name) != others.get(name))
    if "adapter" in names:
        # Each adapter has settings of its own, which need not be listed.
        names = [name for name in names if name in _OF_ANY_ADAPTER]
    more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    return ", ".join(told(name, mine, others) for name in names[:_MOST]) + more


def _settings(scorer: Scorer) -> dict[str, Any]:
    """The settings, with what can differ within the weights of one model in the place of these."""
    weights = _table(scorer.settings.get("weights"))
    files = _table(weights.get("files")) or weights
    beside = {name: str(files[name])[:8] for name in ("commit", *_BESIDE) if name in files}
    return {**{name: value for name, value in scorer.settings.items() if name not in {"weights", "sources"}}, **beside}


def _table(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
