"""The result formats of other programs that this one reads; a module is imported when one of its formats is asked."""

from collections.abc import Sequence
from importlib import import_module

from scoring.results.base import ResultReader

FORMATS: dict[str, str] = {
    "mr_eval": "mr_eval",
    "grben_prm": "grben",
    "grben_llm": "grben",
    "processbench_output": "processbench",
    "rprm_processbench": "processbench",
    "evalscope": "evalscope",
    "inspect_log": "inspect_log",
    "lm_eval": "lm_eval",
    "openai_batch": "openai_batch",
    "opencompass": "opencompass",
    "phoenix": "phoenix",
    "vllm_pooling": "vllm_pooling",
    "reasoneval": "reasoneval",
    "reasoneval_critic": "reasoneval",
    "cached_scores": "cached_scores",
    "hard2verify_verifier": "hard2verify",
    "deltabench_critic": "deltabench",
    "agentprocessbench_judge": "agentprocessbench",
}
"""Name -> module of this package whose READERS have it. Order is the order of detection."""


def result_reader(name: str) -> ResultReader:
    """Return what reads a format."""
    reader: ResultReader = import_module(f"scoring.results.{FORMATS[name]}").READERS[name]
    return reader


def recognised(sample: Sequence[object]) -> dict[str, int]:
    """Count how many of the sampled rows each format recognises."""
    return {name: sum(map(result_reader(name).recognises, sample)) for name in FORMATS}
