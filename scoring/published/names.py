"""Which printed name a scorer here has: by its name without case and punctuation, or by a listed alias; else none."""

import re

ALIASES: dict[str, tuple[str, ...]] = {
    "Math-Shepherd-PRM-7B": (
        "MathShepherd-Mistral-7B",
        "MathShepherd-7B",
        "MathShepherd",
        "Math-Shepherd-Mistral-7B-PRM",
    ),
    "RLHFlow-PRM-Mistral-8B": ("Llama3.1-8B-PRM-Mistral-Data",),
    # "RLHFlowPRM-8B" has the PRMScore of the DeepSeek one, in the same paper (PRMBench, Tables 3 and 6).
    "RLHFlow-PRM-Deepseek-8B": ("Llama3.1-8B-PRM-Deepseek-Data", "RLHFlow-DeepSeek-8B", "RLHFlowPRM-8B"),
    "Skywork-PRM-1.5B": ("Skywork-o1-Open-PRM-Qwen-2.5-1.5B",),
    "Skywork-PRM-7B": ("Skywork-o1-Open-PRM-Qwen-2.5-7B", "Skywork-7B"),
    "Qwen2.5-Math-7B-PRM800K": ("Qwen2.5-Math-7B-PRM800K (our trained)", "Qwen2.5-Math-PRM800K-7B"),
    "Qwen2.5-Math-PRM-7B": ("Qwen2.5-PRM-7B",),
    # "LlemmaPRM-7B" has the PRMScore of the one trained on PRM800K (PRMBench, Tables 3 and 6).
    "Llemma-PRM800K-7B": ("llemma-7b-prm-prm800k-level-1to3-hf", "LlemmaPRM-7B"),
    "Llemma-MetaMath-7B": ("llemma-7b-prm-metamath-level-1to3-hf",),
    "Llemma-OPRM-7B": ("llemma-7b-oprm-prm800k-level-1to3-hf",),
    "MATHMinos-Mistral-7B": ("MATHMinos-7B",),
    "VersaPRM": ("VersaPRM (8B)",),
    "GPT-4o-0806": ("gpt-4o-2024-08-06",),
    "Gemini-2.0-flash-exp": ("Gemini-2-flash",),
    "Gemini-2.0-thinking-exp-1219": ("Gemini-2-thinking", "gemini-2.0-flash-thinking-exp-1219"),
    "QwQ-32B-Preview": ("QwQ-Preview-32B",),
    "Llama-3.1-8B-Instruct": ("Meta-Llama-3.1-8B-Instruct",),
    "Llama-3.1-70B-Instruct": ("Meta-Llama-3.1-70B-Instruct",),
    "R1-Distill-Llama3.1-8B": ("DeepSeek-R1-Distill-Llama-8B",),
    "R1-Distill-Qwen-7B": ("DeepSeek-R1-Distill-Qwen-7B",),
    "R1-Distill-Qwen-32B": ("DeepSeek-R1-Distill-Qwen-32B",),
}
"""One name a model -> its other names: in other tables, in other papers, and of its checkpoint.

Equal but for case and punctuation needs no alias. Names that could be several models (`GPT-4o`, whose date one paper
gives and another does not) have none.
"""

NO_SCORERS = frozenset(
    {
        *("Avg.", "Average", "Pass@8", "Maj@8", "Random", "Human Performance"),
        *("Standard Dev (sigma)", "Standard Deviation (sigma)", "Somers' D", "Somers' D correlation"),
    }
)
"""Printed names of rows that are no scorer's."""


def normalised(name: str) -> str:
    """A name without its organisation (`Qwen/`), case and punctuation."""
    return re.sub(r"[^a-z0-9]", "", name.rpartition("/")[2].lower())


_ONE = {normalised(alias): normalised(name) for name, aliases in ALIASES.items() for alias in aliases}


def model_of(name: str) -> str:
    """What all names of one model have in common; a printed row that is no scorer's stands for itself alone."""
    if name in NO_SCORERS:
        return name
    plain = normalised(name)
    return _ONE.get(plain, plain)
