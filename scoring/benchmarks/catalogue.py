"""The benchmarks this program reads, as a table of names; a module is imported when its name is used."""

from collections.abc import Sequence
from importlib import import_module
from types import ModuleType

from scoring.benchmarks.step_labelled import StepLabelled
from scoring.errors import UsageError

MODULES: dict[str, str] = {
    "processbench": "scoring.benchmarks.processbench",
    "prmbench": "scoring.benchmarks.prmbench",
    "socratic": "scoring.benchmarks.socratic",
    "grben": "scoring.benchmarks.grben",
    "mrmath": "scoring.benchmarks.mrmath",
    "prm800k": "scoring.benchmarks.prm800k",
    "stepwise": "scoring.benchmarks.stepwise",
    "math_shepherd": "scoring.benchmarks.math_shepherd",
    "demo": "scoring.benchmarks.demo",
}
"""Name -> module with NAME, TITLE, PAPER, LICENCE, recognises(row) and load(rows). Order is the order of detection."""

STEP_LABELLED = ("prmbench", "socratic")
"""Those whose official figures are of single steps; a module of these has STEP_LABELLED. The others': first errors."""


def step_labelled(name: str) -> StepLabelled | None:
    """How a benchmark makes its figures of single steps; None where the official ones are of first errors."""
    if name not in STEP_LABELLED:
        return None
    found: StepLabelled = benchmark_module(name).STEP_LABELLED
    return found


def benchmark_module(name: str) -> ModuleType:
    """The module of a benchmark.

    Raises:
        UsageError: there is none of that name.
    """
    if name not in MODULES:
        raise UsageError(f"there is no benchmark {name!r}.", f"Known are {', '.join(MODULES)}.")
    return import_module(MODULES[name])


def recognised(sample: Sequence[object]) -> dict[str, int]:
    """How many of the sampled rows each benchmark recognises."""
    return {name: sum(map(benchmark_module(name).recognises, sample)) for name in MODULES}
