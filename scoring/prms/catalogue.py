"""The PRM families, as a table of names, and which of them a checkpoint belongs to.

A module is imported when its name is used. Families that are known but have no adapter are told apart too, so that a
checkpoint is refused with the name of what it is.
"""

import json
from collections.abc import Callable
from importlib import import_module
from typing import cast

from scoring.checkpoint import Checkpoint
from scoring.errors import ForeignCheckpoint, UsageError
from scoring.prms.base import Adapter

ADAPTERS: dict[str, str] = {
    "qwen": "scoring.prms.qwen:QwenPrm",
}
"""Name -> "module:Class"; the class has `of(checkpoint)`."""

_STEP_END = "<extra_0>"


def adapter_of(checkpoint: Checkpoint, name: str | None = None) -> Adapter:
    """The adapter for a checkpoint: the one named, or the one its config and tensors show.

    Raises:
        UsageError: there is no adapter of that name.
        ForeignCheckpoint: the checkpoint is of another family; which, where it can be told.
        CheckpointError: the config lacks something.
    """
    if name is not None and name not in ADAPTERS:
        raise UsageError(f"there is no adapter {name!r}.", f"Known are {', '.join(ADAPTERS)}.")
    found, what = detect(checkpoint)
    if found in ADAPTERS and name in {None, found}:
        return _make(found, checkpoint)
    if found:
        asked = f", not {name!r}" if name else ""
        here = "" if found in ADAPTERS else " This version does not have it."
        raise ForeignCheckpoint(
            f"{checkpoint.name} is {what}: it needs the adapter {found!r}{asked}.{here}",
            f"Use --adapter {found}." if found in ADAPTERS else f"Adapters here: {', '.join(ADAPTERS)}.",
        )
    raise ForeignCheckpoint(f"{checkpoint.name} is {what}.", f"Adapters here: {', '.join(ADAPTERS)}.")


def detect(checkpoint: Checkpoint) -> tuple[str, str]:
    """The adapter's name ("" if it cannot be told) and what the checkpoint is, in words."""
    for recognises, name, what in _FAMILIES:
        if recognises(checkpoint):
            return name, what
    architecture = _architecture(checkpoint) or "a model without a named architecture"
    return "", f"{architecture}, in which no reward head is known"


def _make(name: str, checkpoint: Checkpoint) -> Adapter:
    module, _, class_name = ADAPTERS[name].partition(":")
    return cast("Adapter", getattr(import_module(module), class_name).of(checkpoint))


def _architecture(checkpoint: Checkpoint) -> str:
    named = checkpoint.config.get("architectures")
    return str(named[0]) if isinstance(named, list) and named else ""


def _is(architecture: str) -> Callable[[Checkpoint], bool]:
    return lambda checkpoint: _architecture(checkpoint) == architecture


def _has(*tensors: str) -> Callable[[Checkpoint], bool]:
    return lambda checkpoint: any(name in checkpoint.tensors for name in tensors)


def _all(*tests: Callable[[Checkpoint], bool]) -> Callable[[Checkpoint], bool]:
    return lambda checkpoint: all(test(checkpoint) for test in tests)


def _classes(number: int) -> Callable[[Checkpoint], bool]:
    return lambda checkpoint: checkpoint.shapes.get("score.weight", ())[:1] == (number,)


def _ends_steps(checkpoint: Checkpoint) -> bool:
    """Whether the vocabulary has Qwen's step end as a token of its own; an unreadable one is somebody else's matter."""
    try:
        added = json.loads(checkpoint.tokenizer.read_bytes())["added_tokens"]
        return any(token.get("content") == _STEP_END for token in added)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return False


_QWEN2_CLASSIFIER = _is("Qwen2ForTokenClassification")

_FAMILIES: tuple[tuple[Callable[[Checkpoint], bool], str, str], ...] = (
    (_is("Qwen2ForProcessRewardModel"), "qwen", "a PRM of Qwen's family"),
    (_all(_QWEN2_CLASSIFIER, _classes(2), _ends_steps), "qwen", "a token classifier with Qwen's step ends"),
    (_has("v_head.summary.weight"), "skywork", "a PRM of Skywork's family (it has a v_head)"),
    (_has("score_head.weight"), "reasoneval", "a ReasonEval model (it has a score_head)"),
    (_all(_QWEN2_CLASSIFIER, _classes(1)), "scan", "a token classifier with one label, as SCAN trains them"),
    (_all(_QWEN2_CLASSIFIER, _classes(2)), "token_classifier", "a token classifier as TRL and PURE train them"),
    (_is("MistralForTokenClassification"), "minos", "a token classifier of MATH-Minos's kind"),
    (_is("Qwen2ForRewardModel"), "", "a reward model with one number for a whole answer, not for a step"),
    (_is("Qwen2ForCausalLM"), "", "a language model without a reward head, which could only be asked as a critic"),
    (_is("MistralForCausalLM"), "math_shepherd", "a Mistral language model, as Math-Shepherd's PRM is one"),
    (_is("LlamaForCausalLM"), "", "a Llama language model, as the PRMs of RLHFlow, Llemma and VersaPRM are"),
    (_has("score.0.weight"), "qwen", "a model with the two-layer head of Qwen's PRMs"),
)
"""What shows a family, the adapter for it and what it is; the first that fits counts."""
