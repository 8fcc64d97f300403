"""The PRM families, as a table of names, and which of them a checkpoint belongs to.

A module is imported when its name is used. Families that are known but have no adapter are told apart too, so that a
checkpoint is refused with the name of what it is.
"""

import re
from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any, cast

from scoring.data.errors import CheckpointError, ForeignCheckpoint, UsageError
from scoring.models.checkpoint import Checkpoint
from scoring.models.prms.base import Adapter, Options
from scoring.models.prms.family_facts import facts_of
from scoring.models.prms.output_labels import OPTION, check_labels
from scoring.models.prms.own import own_family

ADAPTERS: dict[str, str] = {
    "qwen": "scoring.models.prms.qwen:QwenPrm",
    "rlhflow": "scoring.models.prms.rlhflow:RlhflowPrm",
    "skywork": "scoring.models.prms.skywork:SkyworkPrm",
    "pure": "scoring.models.prms.token_classifier:PurePrm",
    "versa": "scoring.models.prms.versa:VersaPrm",
    "scan": "scoring.models.prms.token_classifier:ScanPrm",
    "token_classifier": "scoring.models.prms.token_classifier:TokenClassifierPrm",
    "math_shepherd": "scoring.models.prms.math_shepherd:MathShepherd",
    "llemma": "scoring.models.prms.llemma:LlemmaPrm",
    "minos": "scoring.models.prms.minos:Minos",
    "reasoneval": "scoring.models.prms.reasoneval:ReasonEval",
    "universal": "scoring.models.prms.universal:UniversalPrm",
    "implicit": "scoring.models.prms.implicit:ImplicitPrm",
    "pathfinder": "scoring.models.prms.pathfinder:PathfinderPrm",
    "reasonflux": "scoring.models.prms.reasonflux:ReasonFluxPrm",
}
"""Name -> "module:Class"; the class has `of(checkpoint)`."""

_WITHOUT_SIGN = frozenset({"universal"})
"""Families that neither config nor tensors show: they are used for whoever names them, and look at the tensors."""


def adapter_of(
    checkpoint: Checkpoint, name: str | None = None, options: Mapping[str, str] = MappingProxyType({})
) -> Adapter:
    """Find the adapter for a checkpoint: the one named, or the one its config, tensors and name show.

    `options` are what was chosen of the family's OPTIONS, by name; what was not chosen is as the family has it. An
    adapter of the user's own is named by the path of its file or as the installed package calls it; whether it fits
    is for its tensors to show.

    Raises:
        UsageError: there is no adapter of that name, or the family has no such option or value.
        PluginError: the adapter is the user's own and fails or lacks something.
        ForeignCheckpoint: the checkpoint is of another family, or of one of several; which, where it can be told.
        CheckpointError: the config lacks something.
    """
    if name is not None and name not in ADAPTERS:
        own = own_family(name)
        if own is None:
            raise UsageError(f"there is no adapter {name!r}.", f"Known are {', '.join(ADAPTERS)}; or give a FILE.py.")
        return _make(own, name, checkpoint, options)
    names, what = detect(checkpoint)
    if name is not None and (name in names or _by_name(checkpoint, name)):
        return _make(family(name), name, checkpoint, options)
    if name is None and len(names) == 1 and (names[0] not in _JUDGES or _hinted(checkpoint, names[0])):
        return _make(family(names[0]), names[0], checkpoint, options)
    needs = f": it needs the adapter {' or '.join(map(repr, names))}" if names else ""
    instead = f", not {name!r}" if name else ""
    raise ForeignCheckpoint(f"{checkpoint.name} is {what}{needs}{instead}.", _advice(checkpoint, names))


def _by_name(checkpoint: Checkpoint, name: str) -> bool:
    """Whether a family can be asked for though nothing shows that the checkpoint is of it."""
    return name in _WITHOUT_SIGN or _architecture(checkpoint) in _JUDGES.get(name, ())


def _advice(checkpoint: Checkpoint, names: tuple[str, ...]) -> str:
    """Which adapters can be asked for, and for what checkpoints each is: these, or those that its tensors fit."""
    candidates = names or [
        adapter for adapter in ADAPTERS if _by_name(checkpoint, adapter) and _fits(checkpoint, adapter)
    ]
    if not candidates:
        return f"Adapters here: {', '.join(ADAPTERS)}; --adapter also takes a FILE.py with one of your own."
    advice = [f"if it is one like {_example(candidate)}, give --adapter {candidate}" for candidate in candidates]
    return f"I{'; '.join(advice)[1:]}."


def _fits(checkpoint: Checkpoint, name: str) -> bool:
    try:
        family(name).of(checkpoint)
    except CheckpointError:
        return False
    return True


def _example(name: str) -> str:
    """A published checkpoint of a family, else what the family is called."""
    facts = facts_of(family(name))
    if facts.checkpoints:
        return facts.checkpoints[0]
    return facts.scale.family if facts.scale else name


def detect(checkpoint: Checkpoint) -> tuple[tuple[str, ...], str]:
    """Return the names of the adapters that fit, () if none is known, and what the checkpoint is, in words.

    Language models whose next token is the judgement look alike: their name decides where it holds a family's.
    """
    for recognises, names, what in _FAMILIES:
        if recognises(checkpoint):
            hinted = tuple(adapter for adapter in names if _hinted(checkpoint, adapter))
            return (hinted if len(names) > 1 and len(hinted) == 1 else names), what
    architecture = _architecture(checkpoint) or "a model without a named architecture"
    return (), f"{architecture}, in which no reward head is known"


def family(name: str) -> Any:
    """Return the class of a family: `of(checkpoint, **options)` makes its adapter, OPTIONS says what can be chosen."""
    module, _, class_name = ADAPTERS[name].partition(":")
    return getattr(import_module(module), class_name)


def _make(family_class: Any, name: str, checkpoint: Checkpoint, options: Mapping[str, str]) -> Adapter:
    allowed: Options = family_class.OPTIONS
    # A user's class may have an option of that name, and then decides itself.
    generic = {OPTION} - allowed.keys()
    for option, value in options.items():
        if option in generic:
            continue
        if option not in allowed:
            hint = f"It has {', '.join(allowed)}." if allowed else "It has none."
            raise UsageError(f"adapter {name!r} has no option {option!r}.", hint)
        if value not in allowed[option]:
            raise UsageError(f"{option} of adapter {name!r} is not {value!r}.", f"Give {' or '.join(allowed[option])}.")
    adapter = family_class.of(checkpoint, **{option: options[option] for option in options if option not in generic})
    return check_labels(adapter, checkpoint, options.get(OPTION), name) if generic else cast("Adapter", adapter)


def _architecture(checkpoint: Checkpoint) -> str:
    named = checkpoint.config.get("architectures")
    return str(named[0]) if isinstance(named, list) and named else ""


def _is(architecture: str) -> Callable[[Checkpoint], bool]:
    return lambda checkpoint: _architecture(checkpoint) == architecture


def _has(*tensors: str) -> Callable[[Checkpoint], bool]:
    return lambda checkpoint: any(name in checkpoint.tensors for name in tensors)


def _all(*tests: Callable[[Checkpoint], bool]) -> Callable[[Checkpoint], bool]:
    return lambda checkpoint: all(test(checkpoint) for test in tests)


def _hinted(checkpoint: Checkpoint, name: str) -> bool:
    """Whether the checkpoint is called as those of a family are: a whole part of its name, or a long stretch of it."""
    parts, plain = set(re.split(r"[^a-z0-9]+", checkpoint.name.lower())), _plain(checkpoint.name)
    return any(hint in parts or (len(hint) >= _LONG and hint in plain) for hint in _HINTS.get(name, ()))


def _plain(name: str) -> str:
    """A name without case and punctuation, its organisation included."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _called(*hints: str) -> Callable[[Checkpoint], bool]:
    return lambda checkpoint: any(hint in _plain(checkpoint.name) for hint in hints)


def _vocabulary_over(number: int) -> Callable[[Checkpoint], bool]:
    return lambda checkpoint: checkpoint.shapes.get("model.embed_tokens.weight", (0,))[0] > number


def _classes(number: int) -> Callable[[Checkpoint], bool]:
    return lambda checkpoint: checkpoint.shapes.get("score.weight", ())[:1] == (number,)


def _adds(*tokens: str) -> Callable[[Checkpoint], bool]:
    """Whether the vocabulary has these as tokens of their own; an unreadable one is somebody else's matter."""

    def test(checkpoint: Checkpoint) -> bool:
        try:
            return {*tokens} <= checkpoint.added_tokens.keys()
        except CheckpointError:
            return False

    return test


_QWEN2_CLASSIFIER = _is("Qwen2ForTokenClassification")

_CAUSAL = "which judges a step by its next token"

_FAMILIES: tuple[tuple[Callable[[Checkpoint], bool], tuple[str, ...], str], ...] = (
    (_called("universalprm"), ("universal",), "a Universal-PRM by its name"),
    (_is("Qwen2ForProcessRewardModel"), ("qwen",), "a PRM of Qwen's family"),
    (_all(_QWEN2_CLASSIFIER, _classes(2), _adds("<extra_0>")), ("qwen",), "a token classifier with Qwen's step ends"),
    (_has("v_head.summary.weight"), ("skywork",), "a PRM of Skywork's family (it has a v_head)"),
    (_has("score_head.weight"), ("reasoneval",), "a ReasonEval model (it has a score_head)"),
    (_has("reward_head.weight"), ("reasonflux",), "a language model with ReasonFlux's reward_head"),
    (
        _all(_is("Qwen2ForCausalLM"), _adds("<+>", "<->", "<extra>")),
        ("pathfinder",),
        "a language model with PathFinder's tokens",
    ),
    (_all(_QWEN2_CLASSIFIER, _classes(1)), ("scan",), "a token classifier with one label, as SCAN trains them"),
    (_all(_QWEN2_CLASSIFIER, _classes(2)), ("pure", "token_classifier"), "a token classifier with two labels"),
    (_is("MistralForTokenClassification"), ("minos",), "a token classifier of MATH-Minos's kind"),
    (_is("Qwen2ForRewardModel"), (), "a reward model with one number for a whole answer, not for a step"),
    (
        _all(_is("Qwen2ForCausalLM"), lambda checkpoint: _hinted(checkpoint, "versa")),
        ("versa",),
        f"a language model {_CAUSAL}",
    ),
    (
        lambda checkpoint: _architecture(checkpoint) in _JUDGES["implicit"] and _hinted(checkpoint, "implicit"),
        ("implicit",),
        "a language model whose rewards are ratios to a reference model, by its name",
    ),
    (_is("Qwen2ForCausalLM"), (), "a language model without a reward head, which could only be asked as a critic"),
    (_is("MistralForCausalLM"), ("math_shepherd",), f"a Mistral language model {_CAUSAL}"),
    (
        _all(_is("LlamaForCausalLM"), _vocabulary_over(100_000)),
        ("rlhflow", "versa"),
        f"a Llama-3 language model {_CAUSAL}",
    ),
    (
        _all(_is("LlamaForCausalLM"), _called("llemma7borm")),
        (),
        "an outcome reward model by its name, with one number for a whole answer, not for a step",
    ),
    (_is("LlamaForCausalLM"), ("llemma", "math_shepherd"), f"a Llama language model {_CAUSAL}"),
    (_has("score.0.weight"), ("qwen",), "a model with the two-layer head of Qwen's PRMs"),
)
"""What shows a family, the adapters for it and what it is; the first that fits counts."""

_JUDGES: dict[str, tuple[str, ...]] = {
    "rlhflow": ("LlamaForCausalLM",),
    "versa": ("LlamaForCausalLM", "Qwen2ForCausalLM"),
    "llemma": ("LlamaForCausalLM",),
    "math_shepherd": ("LlamaForCausalLM", "MistralForCausalLM"),
    "implicit": ("LlamaForCausalLM", "Qwen2ForCausalLM", "Qwen3ForCausalLM"),
}
"""Language models that judge by their next token, by architecture: asked for by name, that is all that must fit."""

_HINTS: dict[str, tuple[str, ...]] = {
    "pure": ("pure", "qwen25math7bprm800k"),
    "token_classifier": ("shepherdprm", "instructprm", "trl", "axolotl", "sheperd"),
    "rlhflow": ("rlhflow", "prmmistral", "prmdeepseek"),
    "versa": ("versa", "versaprm", "llamaprm800k", "qwenprm800k"),
    "llemma": ("llemma", "prmprm800klevel", "prmmetamathlevel"),
    "math_shepherd": ("shepherd",),
    "implicit": ("eurusprm", "implicitprm"),
}
"""What a checkpoint of a family is called, without case and punctuation, where names must decide."""
_LONG = 7
"""Letters from which a hint is found inside other words too: a shorter one would be found in `conversational`."""
