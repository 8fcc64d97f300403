"""The benchmarks this program reads, as a table of names; a module is imported when its name is used.

And what a benchmark says of its figures, for whoever makes figures and reads no rows.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from types import ModuleType

from scoring.data.errors import UsageError
from scoring.data.names import near_names
from scoring.data.own_code import installed, is_file
from scoring.formats.benchmarks import prmbench, socratic
from scoring.formats.benchmarks.case_format import CaseFormat, StepLabelled
from scoring.formats.benchmarks.own import GROUP, OwnBenchmark, own_benchmark

MODULES: dict[str, str] = {
    "processbench": "scoring.formats.benchmarks.processbench",
    "prmbench": "scoring.formats.benchmarks.prmbench",
    "socratic": "scoring.formats.benchmarks.socratic",
    "grben": "scoring.formats.benchmarks.grben",
    "mrmath": "scoring.formats.benchmarks.mrmath",
    "mrmath_redundant": "scoring.formats.benchmarks.mrmath_redundant",
    "reasoneval_pairs": "scoring.formats.benchmarks.reasoneval_pairs",
    "prm800k": "scoring.formats.benchmarks.prm800k",
    "stepwise": "scoring.formats.benchmarks.stepwise",
    "math_shepherd": "scoring.formats.benchmarks.math_shepherd",
    "deltabench": "scoring.formats.benchmarks.deltabench",
    "hard2verify": "scoring.formats.benchmarks.hard2verify",
    "visualprocessbench": "scoring.formats.benchmarks.visualprocessbench",
    "agentprocessbench": "scoring.formats.benchmarks.agentprocessbench",
    "verl": "scoring.formats.benchmarks.verl",
    "trl_grpo": "scoring.formats.benchmarks.trl_grpo",
    "verifiers": "scoring.formats.benchmarks.verifiers",
    "toolprmbench": "scoring.formats.benchmarks.toolprmbench",
    "trajectories": "scoring.formats.benchmarks.trajectories",
    "demo": "scoring.formats.benchmarks.demo",
}
"""Name -> module with NAME, FORMAT, recognises(row) and load(rows). Order is the order of detection."""

STEP_LABELLED = ("prmbench", "socratic", "mrmath_redundant", "visualprocessbench")
"""Those whose official figures are of single steps; a module of these has STEP_LABELLED. The others': first errors."""

WITH_IMAGES = ("visualprocessbench",)
"""Those whose problems are about images: files that cases name in the metadata column `image`."""


def step_labelled(name: str) -> StepLabelled | None:
    """Describe how a benchmark makes its figures of single steps; None where the official ones are of first errors."""
    if name not in STEP_LABELLED:
        return None
    facts: StepLabelled = benchmark_module(name).STEP_LABELLED
    return facts


def benchmark_module(name: str) -> ModuleType:
    """Import the module of a benchmark.

    Raises:
        UsageError: there is none of that name.
    """
    if name not in MODULES:
        raise UsageError(
            f"there is no benchmark {name!r}.",
            f"Known are {', '.join(MODULES)}.",
            instead=near_names(name, MODULES, "benchmark"),
        )
    return import_module(MODULES[name])


def is_benchmark(word: str) -> bool:
    """Return whether a word names a benchmark, or the Python file of one; nothing is imported for it."""
    return word in MODULES or is_file(word) or word in installed(GROUP)


def case_reader(name: str) -> CaseFormat | OwnBenchmark:
    """Return what reads the rows of a benchmark: of one of this program's, or one of the user's own.

    Raises:
        UsageError: there is none of that name.
        PluginError: it is the user's own and cannot be used.
    """
    own = None if name in MODULES else own_benchmark(name, tuple(MODULES))
    if own is not None:
        return own
    declared: CaseFormat = benchmark_module(name).FORMAT
    return declared


def case_format(name: str) -> CaseFormat | None:
    """Describe how the rows of one of this program's benchmarks are declared; None of any other."""
    return benchmark_module(name).FORMAT if name in MODULES else None


def recognised_by_installed(sample: Sequence[object]) -> dict[str, int]:
    """Count the sampled rows that each benchmark of an installed package recognises, which imports them all.

    Raises:
        PluginError: one of them cannot be used.
    """
    names = [name for name in installed(GROUP) if name not in MODULES]
    readers = {name: own_benchmark(name, tuple(MODULES)) for name in names}
    return {name: sum(map(own.recognises, sample)) for name, own in readers.items() if own is not None}


def recognised(sample: Sequence[object]) -> dict[str, int]:
    """Count the sampled rows that each benchmark recognises, up to the first that recognises all of them."""
    votes = {}
    for name in MODULES:
        votes[name] = sum(map(benchmark_module(name).recognises, sample))
        if votes[name] == len(sample):
            break
    return votes


@cache
def taxonomies() -> Mapping[str, tuple[str, ...]]:
    """Return the error types of each benchmark that has a taxonomy, spelt as in its files."""
    from scoring.formats.benchmarks import grben

    return {
        prmbench.NAME: tuple(prmbench.CLASSES),
        socratic.NAME: tuple(socratic.CLASSES),
        grben.NAME: tuple(grben.ERROR_TYPES),
    }


@cache
def error_types() -> tuple[str, ...]:
    """Return the error types of all benchmarks, each once, spelt as in its files."""
    return tuple(dict.fromkeys(word for words in taxonomies().values() for word in words))


def error_type_of(tag: str) -> str | None:
    """Find the word of the error type that a tag names, whatever its letters' case and with `-` or `_`; else None."""
    return _error_type_words().get(_as_word(tag))


@cache
def _error_type_words() -> dict[str, str]:
    return {_as_word(word): word for word in error_types()}


def _as_word(text: str) -> str:
    return re.sub(r"[\s_-]+", "_", text.casefold()).strip("_")
