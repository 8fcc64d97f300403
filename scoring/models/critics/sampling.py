"""How a critic's answers are generated where nothing else is said: each protocol's own settings, with their source.

Settings are chosen by the name of the model, as the benchmarks' own programs do; what none of them says is not sent.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from scoring.data.errors import UsageError
from scoring.data.names import name_choices, near_names, without
from scoring.data.scorer import Scorer
from scoring.models.asking import Sampling


class ChosenSampling(Struct, frozen=True):
    """Settings, the seed of the first answer (None = not seeded), and in words where they come from."""

    sampling: Sampling
    source: str
    seed: int | None = None


_SEED = 42
_PROCESSBENCH = "ProcessBench, code/run_eval.py"
_PAPER = "ProcessBench, arXiv 2412.06559, appendix D"
_FORK = "ljxzs-jjlzs/ProcessBench, code/generate.py, a fork of ProcessBench and not the benchmark's own"
_GRBEN = "GR-Ben, evaluation/run_llm_eval.py"
_PRMBENCH = "PRMBench, mr_eval/models"
_GRBEN_TOKENS = 32768
_GRBEN_BUDGET = 8192

# Models of OpenAI that think: their server refuses a temperature. A snapshot's name may follow, as may a prefix
# before a slash.
_OPENAI_THINKER = re.compile(r"(?:^|/)(?:o\d|gpt-5)(?:[-.:]|$)", re.IGNORECASE)
_OPENAI = re.compile(r"(?:^|/)(?:o\d|gpt-\d|chatgpt)", re.IGNORECASE)
_GEMINI = re.compile(r"(?:^|/)gemini", re.IGNORECASE)
_FORK_NAMES = ("deepseek-r1", "qwen3")

_WAYS = {
    "reasoning_effort": _OPENAI_THINKER,
    "enable_thinking": re.compile(r"deepseek", re.IGNORECASE),
    "budget_tokens": re.compile(r"(?:^|/)claude", re.IGNORECASE),
    # The model's name says it, as Gemini's in GR-Ben's preset, or there is nothing to say.
    "none": None,
}
"""How a server is told to think or not, in GR-Ben's words, and the models that its program says each is for."""

MODES: dict[str, tuple[str, ...]] = {
    "processbench": (),
    "grben": ("fast", "slow", *(f"{speed}:{way}" for way in _WAYS for speed in ("fast", "slow"))),
    "prmbench": ("openai", "gemini", "vllm", "transformers"),
    "socratic": (),
    "agentprocessbench": (),
}
"""Protocol -> the modes that it tells apart: GR-Ben's speed and way of thinking, PRMBench's back-ends."""


def sampling_for(protocol: str, model: str, votes: int = 1, mode: str | None = None) -> ChosenSampling:
    """Return the settings of a protocol for a model.

    Args:
        protocol: a name of `scoring.models.critics.protocols`.
        model: the model's name as its server or folder has it.
        votes: how many answers a case gets, over all votes and runs; more than one are never greedy in ProcessBench.
        mode: one of MODES[protocol]; None = the protocol's own, or for PRMBench the one that the model's name shows.

    Raises:
        UsageError: there is no such protocol, or it has no such mode.
    """
    if protocol not in _CHOOSING:
        raise UsageError(
            f"there is no protocol {protocol!r} for critics.",
            f"There are: {', '.join(_CHOOSING)}.",
            instead=near_names(protocol, _CHOOSING, "protocol"),
        )
    modes = MODES[protocol]
    if mode is not None and mode not in modes:
        hint = f"Give one of {', '.join(modes)}." if modes else "Leave it out, and set effort or budget directly."
        others = name_choices("--mode", modes, "mode") or without("--mode", meaning="without a mode")
        raise UsageError(f"{protocol} has no mode {mode!r}.", hint, instead=others)
    return _CHOOSING[protocol](model, votes, mode)


def _processbench(model: str, votes: int, _: str | None) -> ChosenSampling:
    limit, whose = _limit(model)
    if _OPENAI_THINKER.search(model):
        return ChosenSampling(
            Sampling(max_tokens=limit), f"{_PAPER}: no temperature is sent to o1-mini's kind; {whose}", _SEED
        )
    if votes <= 1:
        return ChosenSampling(Sampling(temperature=0.0, max_tokens=limit), f"{_PROCESSBENCH}, greedy; {whose}", _SEED)
    lower = model.lower()
    if "qwen2.5-math" in lower:
        sampling = Sampling(temperature=0.7, top_p=0.8, top_k=20, max_tokens=limit)
        return ChosenSampling(sampling, f"{_PROCESSBENCH}, voting with Qwen2.5-Math; {whose}", _SEED)
    if any(name in lower for name in _FORK_NAMES):
        sampling = Sampling(temperature=0.7, top_p=0.8, top_k=20, max_tokens=32768)
        return ChosenSampling(sampling, f"{_FORK}: voting with DeepSeek-R1 and Qwen3", _SEED)
    sampling = Sampling(temperature=1.0, top_p=0.9, max_tokens=limit)
    return ChosenSampling(sampling, f"{_PROCESSBENCH}, voting; {whose}", _SEED)


def _limit(model: str) -> tuple[int, str]:
    """How many tokens an answer may have in ProcessBench, and in words why."""
    if "qwq" in model.lower():
        return 32768, "32,768 tokens as for QwQ"
    return 8192, "8,192 tokens as for all but QwQ"


def _grben(model: str, _: int, mode: str | None) -> ChosenSampling:
    speed, _colon, way_named = (mode or "fast").partition(":")
    slow, way = speed == "slow", way_named or _way(model)
    if slow and way == "none" and not way_named:
        ways = ", ".join(f"slow:{way}" for way in _WAYS)
        raise UsageError(f"how {model} is told to think is not known.", f"Give one of {ways} as the mode.")
    source = f"{_GRBEN}, {speed}, thinking type {way}"
    if way == "reasoning_effort":
        return ChosenSampling(Sampling(max_tokens=_GRBEN_TOKENS, effort="high" if slow else "none"), source)
    if way == "enable_thinking":
        return ChosenSampling(
            Sampling(temperature=0.6, max_tokens=_GRBEN_TOKENS, thinking=True if slow else None), source
        )
    if way == "budget_tokens":
        budget = _GRBEN_BUDGET if slow else None
        return ChosenSampling(Sampling(0.6, max_tokens=_GRBEN_TOKENS, thinking=slow, thinking_budget=budget), source)
    return ChosenSampling(Sampling(temperature=0.6, max_tokens=_GRBEN_TOKENS), source)


def _way(model: str) -> str:
    """The way of thinking that GR-Ben's program names for a kind of model; "none" where it names none."""
    return next((way for way, called in _WAYS.items() if called is not None and called.search(model)), "none")


def _prmbench(model: str, _: int, mode: str | None) -> ChosenSampling:
    if mode is None:
        mode = "openai" if _OPENAI.search(model) else "gemini" if _GEMINI.search(model) else "vllm"
    if mode == "gemini":
        sampling = Sampling(temperature=0.0, top_p=1.0, top_k=1, max_tokens=8192)
        return ChosenSampling(sampling, f"{_PRMBENCH}/gemini_models.py")
    if mode == "vllm":
        cut = "2,048 tokens, which cut long critiques"
        return ChosenSampling(
            Sampling(temperature=0.0, top_p=1.0, max_tokens=2048), f"{_PRMBENCH}/vllm_models.py: {cut}"
        )
    if mode == "transformers":
        source = f"{_PRMBENCH}/qwen_qwq.py: the model's own settings and 1,024 tokens, which cut long critiques"
        return ChosenSampling(Sampling(max_tokens=1024), source)
    if re.search(r"(?:^|/)o1-(?:mini|preview)", model, re.IGNORECASE):
        return ChosenSampling(Sampling(temperature=1.0), f"{_PRMBENCH}/openai_models.py, o1-mini and o1-preview")
    if _OPENAI_THINKER.search(model):
        source = f"{_PRMBENCH}/openai_models.py, without its temperature, which {model} does not take"
        return ChosenSampling(Sampling(), source)
    return ChosenSampling(Sampling(temperature=0.0), f"{_PRMBENCH}/openai_models.py")


def _socratic(model: str, _: int, __: str | None) -> ChosenSampling:
    limit, whose = _limit(model)
    source = f"not published for Socratic-PRMBench: greedy as in PRMBench, {whose} in ProcessBench"
    if _OPENAI_THINKER.search(model):
        return ChosenSampling(Sampling(max_tokens=limit), f"{source}; {model} takes no temperature")
    return ChosenSampling(Sampling(temperature=0.0, max_tokens=limit), source)


def _agentprocessbench(model: str, _: int, __: str | None) -> ChosenSampling:
    source = "AgentProcessBench, eval/llm_annotation.py"
    if _OPENAI_THINKER.search(model):
        return ChosenSampling(
            Sampling(max_tokens=8192), f"{source}, without its temperature, which {model} does not take"
        )
    return ChosenSampling(Sampling(temperature=1.0, top_p=1.0, max_tokens=8192), source)


_CHOOSING: dict[str, Callable[[str, int, str | None], ChosenSampling]] = {
    "processbench": _processbench,
    "grben": _grben,
    "prmbench": _prmbench,
    "socratic": _socratic,
    "agentprocessbench": _agentprocessbench,
}


# -- settings of the user's own on top of a protocol's


def overridden(chosen: ChosenSampling, changes: Mapping[str, Any], answers: int = 1) -> ChosenSampling:
    """Return the settings with the changes, whose names the source then lists.

    Args:
        chosen: a protocol's settings.
        changes: any of temperature, top_p, top_k, max_tokens, effort, thinking, thinking_budget, logprobs and seed.
            None = it is not sent, and the model's or server's own default holds.
        answers: how many answers a case gets, over all votes and runs.

    Raises:
        UsageError: a name or value that cannot be sent, or values that cannot go together.
    """
    for name, value in changes.items():
        if name not in _ALLOWED:
            raise UsageError(f"there is no sampling setting {name!r}.", f"There are: {', '.join(_ALLOWED)}.")
        allowed, words = _ALLOWED[name]
        if value is not None and not allowed(value):
            raise UsageError(f"{name} cannot be {value!r}.", f"It is {words}.")
    sampling = replace(chosen.sampling, **{name: value for name, value in changes.items() if name != "seed"})
    _together(sampling, answers)
    if not changes:
        return chosen
    as_given = ", ".join(f"{name} {'not sent' if value is None else value}" for name, value in changes.items())
    return ChosenSampling(sampling, f"{chosen.source}; as given: {as_given}", changes.get("seed", chosen.seed))


def _together(sampling: Sampling, answers: int) -> None:
    """Refuse settings that leave nothing to combine or no room for an answer."""
    if answers > 1 and (sampling.temperature == 0 or sampling.top_k == 1):
        raise UsageError(
            f"{answers} answers a case are asked for and all would be the same one, for the sampling is greedy.",
            "Give a temperature above 0 and no top_k of 1, or ask for one answer.",
        )
    budget, limit = sampling.thinking_budget, sampling.max_tokens
    if budget is not None and sampling.thinking is False:
        raise UsageError("a thinking budget is given and thinking is switched off.", "Leave one of them out.")
    if budget is not None and limit is not None and budget >= limit:
        raise UsageError(
            f"the thinking budget of {budget:,} tokens leaves none of {limit:,} for the answer.",
            "Give a smaller budget, or more max_tokens.",
        )


_WORD = re.compile(r"[A-Za-z][\w-]{0,31}")


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


_ALLOWED: dict[str, tuple[Callable[[Any], bool], str]] = {
    "temperature": (lambda value: _number(value) and 0 <= value <= 2, "a number from 0 (greedy) to 2"),
    "top_p": (lambda value: _number(value) and 0 < value <= 1, "a number above 0, up to 1"),
    "top_k": (lambda value: _whole(value) and value >= 1, "a whole number from 1"),
    "max_tokens": (lambda value: _whole(value) and value >= 1, "a whole number from 1"),
    "effort": (
        lambda value: isinstance(value, str) and _WORD.fullmatch(value) is not None,
        "one word, as the model has it",
    ),
    "thinking": (lambda value: isinstance(value, bool), "true or false"),
    "thinking_budget": (lambda value: _whole(value) and value >= 1, "a whole number of tokens from 1"),
    "logprobs": (lambda value: _whole(value) and 0 <= value <= 100, "a whole number from 0 to 100"),
    "seed": (lambda value: _whole(value) and 0 <= value < 2**31, "a whole number from 0, below 2 to the power of 31"),
}
"""Setting -> what it may be, and in words."""


# -- the flags by which a critic, or a generative PRM, that was asked here is asked again


_FLAGS = ("temperature", "top_p", "top_k", "max_tokens", "effort", "thinking", "thinking_budget", "logprobs")


def asked_here(scorer: Scorer) -> bool:
    """Return whether it was asked here: whoever imports answers knows the protocol at most."""
    return {"protocol", "template", "sampling", "seed"} <= scorer.settings.keys()


def flags_again(scorer: Scorer, votes: int, runs: int, template: Path | None) -> Iterator[str]:
    """Yield the flags of `score` that make the same scorer, but for whose model it is and where that runs.

    It keeps its name, under which nothing else is saved: where no flags make its settings the run is refused.

    Args:
        scorer: one that was asked here.
        votes: answers to a case.
        runs: repetitions.
        template: a copy of its prompt; None = the protocol's own.
    """
    settings = scorer.settings
    sampling = {name: value for name in _FLAGS if (value := settings["sampling"].get(name)) is not None}
    yield f"--critic={settings['protocol']}"
    yield f"--name={scorer.name}"
    yield from (f"--{name}={count}" for name, count in (("votes", votes), ("runs", runs)) if count > 1)
    if template is not None:
        yield f"--template={template}"
    if "shots" in settings:
        yield f"--shots={settings['shots']}"
    if mode := _mode(settings, sampling, votes * runs):
        yield f"--mode={mode}"
    yield from (f"--option={name}={value}" for name, value in settings.get("options", {}).items())
    for name, value in sampling.items():
        yield f"--{name.replace('_', '-')}={'on' if value is True else 'off' if value is False else value}"
    yield f"--answer-seed={'none' if settings['seed'] is None else settings['seed']}"


def _mode(settings: Mapping[str, Any], sampling: Mapping[str, Any], answers: int) -> str | None:
    """The mode of the protocol that sends nothing beside these settings; None = its usual one, or none does."""
    protocol, model = settings["protocol"], settings["model"]
    for mode in (None, *MODES[protocol]) if protocol in MODES else ():
        # Not every mode is one for every model.
        with suppress(UsageError):
            made = overridden(sampling_for(protocol, model, answers, mode), sampling, answers).sampling
            if all(getattr(made, name) == sampling.get(name) for name in _FLAGS):
                return mode
    return None
