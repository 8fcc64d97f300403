"""How a critic's answers are generated where nothing else is said: each protocol's own settings, with their source.

Settings are chosen by the name of the model, as the benchmarks' own programs do; what none of them says is not sent.
"""

import re
from collections.abc import Callable

from msgspec import Struct

from scoring.asking import Sampling
from scoring.errors import UsageError


class Chosen(Struct, frozen=True):
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
}
"""Protocol -> the modes that it tells apart: GR-Ben's speed and way of thinking, PRMBench's back-ends."""


def sampling_for(protocol: str, model: str, votes: int = 1, mode: str | None = None) -> Chosen:
    """The settings of a protocol for a model.

    Args:
        protocol: a name of `scoring.critics.catalogue`.
        model: the model's name as its server or folder has it.
        votes: how many answers a case gets, over all votes and runs; more than one are never greedy in ProcessBench.
        mode: one of MODES[protocol]; None = the protocol's own, or for PRMBench the one that the model's name shows.

    Raises:
        UsageError: there is no such protocol, or it has no such mode.
    """
    if protocol not in _CHOOSING:
        raise UsageError(f"there is no protocol {protocol!r} for critics.", f"There are: {', '.join(_CHOOSING)}.")
    modes = MODES[protocol]
    if mode is not None and mode not in modes:
        told = f"Give one of {', '.join(modes)}." if modes else "Leave it out, and set effort or budget directly."
        raise UsageError(f"{protocol} has no mode {mode!r}.", told)
    return _CHOOSING[protocol](model, votes, mode)


def _processbench(model: str, votes: int, _: str | None) -> Chosen:
    limit, whose = _limit(model)
    if _OPENAI_THINKER.search(model):
        return Chosen(Sampling(max_tokens=limit), f"{_PAPER}: no temperature is sent to o1-mini's kind; {whose}", _SEED)
    if votes <= 1:
        return Chosen(Sampling(temperature=0.0, max_tokens=limit), f"{_PROCESSBENCH}, greedy; {whose}", _SEED)
    lower = model.lower()
    if "qwen2.5-math" in lower:
        sampling = Sampling(temperature=0.7, top_p=0.8, top_k=20, max_tokens=limit)
        return Chosen(sampling, f"{_PROCESSBENCH}, voting with Qwen2.5-Math; {whose}", _SEED)
    if any(name in lower for name in _FORK_NAMES):
        sampling = Sampling(temperature=0.7, top_p=0.8, top_k=20, max_tokens=32768)
        return Chosen(sampling, f"{_FORK}: voting with DeepSeek-R1 and Qwen3", _SEED)
    sampling = Sampling(temperature=1.0, top_p=0.9, max_tokens=limit)
    return Chosen(sampling, f"{_PROCESSBENCH}, voting; {whose}", _SEED)


def _limit(model: str) -> tuple[int, str]:
    """How many tokens an answer may have in ProcessBench, and in words why."""
    if "qwq" in model.lower():
        return 32768, "32,768 tokens as for QwQ"
    return 8192, "8,192 tokens as for all but QwQ"


def _grben(model: str, _: int, mode: str | None) -> Chosen:
    speed, _colon, given = (mode or "fast").partition(":")
    slow, way = speed == "slow", given or _way(model)
    if slow and way == "none" and not given:
        ways = ", ".join(f"slow:{one}" for one in _WAYS)
        raise UsageError(f"how {model} is told to think is not known.", f"Give one of {ways} as the mode.")
    source = f"{_GRBEN}, {speed}, thinking type {way}"
    if way == "reasoning_effort":
        return Chosen(Sampling(max_tokens=_GRBEN_TOKENS, effort="high" if slow else "none"), source)
    if way == "enable_thinking":
        return Chosen(Sampling(temperature=0.6, max_tokens=_GRBEN_TOKENS, thinking=True if slow else None), source)
    if way == "budget_tokens":
        budget = _GRBEN_BUDGET if slow else None
        return Chosen(Sampling(0.6, max_tokens=_GRBEN_TOKENS, thinking=slow, thinking_budget=budget), source)
    return Chosen(Sampling(temperature=0.6, max_tokens=_GRBEN_TOKENS), source)


def _way(model: str) -> str:
    """The way of thinking that GR-Ben's program names for a kind of model; "none" where it names none."""
    return next((way for way, called in _WAYS.items() if called is not None and called.search(model)), "none")


def _prmbench(model: str, _: int, mode: str | None) -> Chosen:
    if mode is None:
        mode = "openai" if _OPENAI.search(model) else "gemini" if _GEMINI.search(model) else "vllm"
    if mode == "gemini":
        sampling = Sampling(temperature=0.0, top_p=1.0, top_k=1, max_tokens=8192)
        return Chosen(sampling, f"{_PRMBENCH}/gemini_models.py")
    if mode == "vllm":
        cut = "2,048 tokens, which cut long critiques"
        return Chosen(Sampling(temperature=0.0, top_p=1.0, max_tokens=2048), f"{_PRMBENCH}/vllm_models.py: {cut}")
    if mode == "transformers":
        source = f"{_PRMBENCH}/qwen_qwq.py: the model's own settings and 1,024 tokens, which cut long critiques"
        return Chosen(Sampling(max_tokens=1024), source)
    if re.search(r"(?:^|/)o1-(?:mini|preview)", model, re.IGNORECASE):
        return Chosen(Sampling(temperature=1.0), f"{_PRMBENCH}/openai_models.py, o1-mini and o1-preview")
    if _OPENAI_THINKER.search(model):
        source = f"{_PRMBENCH}/openai_models.py, without its temperature, which {model} does not take"
        return Chosen(Sampling(), source)
    return Chosen(Sampling(temperature=0.0), f"{_PRMBENCH}/openai_models.py")


def _socratic(model: str, _: int, __: str | None) -> Chosen:
    limit, whose = _limit(model)
    source = f"not published for Socratic-PRMBench: greedy as in PRMBench, {whose} in ProcessBench"
    if _OPENAI_THINKER.search(model):
        return Chosen(Sampling(max_tokens=limit), f"{source}; {model} takes no temperature")
    return Chosen(Sampling(temperature=0.0, max_tokens=limit), source)


_CHOOSING: dict[str, Callable[[str, int, str | None], Chosen]] = {
    "processbench": _processbench,
    "grben": _grben,
    "prmbench": _prmbench,
    "socratic": _socratic,
}
