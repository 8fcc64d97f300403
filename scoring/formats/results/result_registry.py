"""The result formats of other programs that this one reads; a module is imported when one of its formats is asked."""

from collections.abc import Sequence
from importlib import import_module

from scoring.formats.results.result_format import ResultReader

FORMATS: dict[str, str] = {
    "mr_eval": "mr_eval",
    "grben_prm": "grben_results",
    "grben_llm": "grben_results",
    "processbench_output": "processbench_results",
    "rprm_processbench": "processbench_results",
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
    "hard2verify_verifier": "hard2verify_results",
    "deltabench_critic": "deltabench_results",
    "agentprocessbench_judge": "agentprocessbench_results",
}
"""Name -> module of this package whose READERS have it. Order is the order of detection."""


def result_reader(name: str) -> ResultReader:
    """Return what reads a format."""
    reader: ResultReader = import_module(f"scoring.formats.results.{FORMATS[name]}").READERS[name]
    return reader


def recognised(sample: Sequence[object]) -> dict[str, int]:
    """Count how many of the sampled rows each format recognises."""
    return {name: sum(map(result_reader(name).recognises, sample)) for name in FORMATS}
