"""The foreign result formats this program reads, as a table of names; a module is imported when it is asked."""

from collections.abc import Sequence
from importlib import import_module
from types import ModuleType

from scoring.reading.rows import Rows
from scoring.results.foreign import Foreign

MODULES: dict[str, str] = {
    "mr_eval": "scoring.results.mr_eval",
    "grben_prm": "scoring.results.grben_prm",
    "grben_llm": "scoring.results.grben_llm",
    "processbench_output": "scoring.results.processbench_output",
    "rprm_processbench": "scoring.results.rprm_processbench",
    "evalscope": "scoring.results.evalscope",
    "inspect_log": "scoring.results.inspect_log",
    "vllm_pooling": "scoring.results.vllm_pooling",
    "reasoneval": "scoring.results.reasoneval",
    "reasoneval_critic": "scoring.results.reasoneval_critic",
    "cached_scores": "scoring.results.cached_scores",
}
"""Name -> module with TITLE, recognises(row) and load(rows) -> the scorers in it. Order is the order of detection."""


def result_module(name: str) -> ModuleType:
    """The module of a result format."""
    return import_module(MODULES[name])


def added_keys(name: str) -> frozenset[str]:
    """What a format adds to the rows of a benchmark, whose texts and labels it repeats; () = it repeats none."""
    return frozenset(getattr(result_module(name), "ADDED", ()))


def recognised(sample: Sequence[object]) -> dict[str, int]:
    """How many of the sampled rows each format recognises."""
    return {name: sum(map(result_module(name).recognises, sample)) for name in MODULES}


def load_results(name: str, rows: Rows) -> list[Foreign]:
    """Every scorer's results in the rows."""
    loaded: list[Foreign] = result_module(name).load(rows)
    return loaded
