"""The metrics that single benchmarks have to themselves, by the benchmark's name; and which metric is its headline."""

from importlib import import_module

from scoring.formats.benchmarks.benchmark_registry import step_labelled
from scoring.metrics.own import OwnMetric

FIGURES = {
    "deltabench": "scoring.metrics.sections",
    "hard2verify": "scoring.metrics.balanced",
    "agentprocessbench": "scoring.metrics.agent_steps",
    "trajectories": "scoring.metrics.agent_steps",
}
"""Benchmark -> module whose FIGURES, metrics of whole cases, stand before those that all benchmarks have.

The first of them is the benchmark's headline, of all its cases together, with AS_OFFICIAL as without.

Where the authors' code has a number that FIGURES leave undefined, or counts oddly, the module has AS_OFFICIAL beside
them, for who asks for the benchmark's protocol by name.
"""


def figures_of_its_own(benchmark: str, *, official: bool = False) -> tuple[OwnMetric, ...]:
    """Return the metrics that one of this program's benchmarks has to itself; () where it has none.

    Args:
        benchmark: its name.
        official: take those that follow the authors' code in every odd case (AS_OFFICIAL), where there are such.
    """
    if benchmark not in FIGURES:
        return ()
    module = import_module(FIGURES[benchmark])
    made: tuple[OwnMetric, ...] = module.FIGURES
    return getattr(module, "AS_OFFICIAL", made) if official else made


def leading_figure(benchmark: str) -> OwnMetric | None:
    """Return the first of the metrics that a benchmark has to itself, which is its headline; None where it has none.

    The authors' protocol (AS_OFFICIAL) has the same one: it differs in figures that come after it.
    """
    return next(iter(figures_of_its_own(benchmark)), None)


def leading_figures() -> dict[str, OwnMetric]:
    """Return by title the leading figures that there are: a title says of one metric alone what it is."""
    return {made.title: made for made in map(leading_figure, FIGURES) if made is not None}


def own_titles() -> dict[str, str]:
    """Return by name the titles of all the metrics that benchmarks have to themselves."""
    return {made.name: made.title for benchmark in FIGURES for made in figures_of_its_own(benchmark)}


def official_metric(benchmark: str) -> str:
    """Name the metric that is a benchmark's headline, as it stands in the column `metric`."""
    if step_labelled(benchmark) is not None:
        return "prmscore"
    made = leading_figure(benchmark)
    return "f1" if made is None else made.name
