"""The official metrics of a selection, and what is to be said of them: averages, intervals, what is not counted."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import polars as pl

from inspector.selection import Selection
from scoring.benchmarks.registry import StepLabelled, step_labelled
from scoring.grouping import grouped
from scoring.metrics.first_error import AVERAGING as FIRST_ERROR_AVERAGING
from scoring.metrics.first_error import FirstErrors
from scoring.metrics.resampling import RESAMPLES, SMALL
from scoring.metrics.step_counts import asked_by_redundancy, without_redundancy_threshold
from scoring.metrics.step_labels import AVERAGING as STEP_AVERAGING
from scoring.official_rows import metrics_frame
from scoring.parts import parts
from scoring.twins import twin_evaluations

STRATA = "stratified by erroneous/clean and, for the average, subset"
WHOLE = "of whole problems, without strata, since cases share problems"
SMALL_WORDS = f"small: fewer than {SMALL} cases in the denominator (for f1, on either side)"


def official_figures(selection: Selection, *, intervals: bool = True) -> pl.DataFrame:
    """Columns of `scoring.official_rows.METRICS`: the chosen scorers on the shown cases, grouped as was asked for."""
    of_steps = [name for name, facts in step_benchmarks(selection) if facts.twins]
    chosen, folders = selection.chosen_evaluations, selection.folders
    twins = {name: twin_evaluations(selection.workspace, name, chosen, folders) for name in of_steps}
    request = selection.request
    counting = selection.counting if intervals else replace(selection.counting, seed=None)
    return metrics_frame(selection.evaluated, chosen, selection.mask, counting, request.by, twins)


def averaging(selection: Selection) -> str:
    """How the benchmarks of a selection average, in words."""
    stepwise = len(step_benchmarks(selection))
    whole = stepwise == len(selection.benchmarks) and stepwise > 0
    words = [*([] if whole else [FIRST_ERROR_AVERAGING]), *([STEP_AVERAGING] if stepwise else [])]
    return "; ".join(words)


def interval_notes(selection: Selection) -> Iterator[str]:
    """How intervals came to be, and what figures of steps count."""
    found = step_benchmarks(selection)
    of_steps = dict(found)
    ways = {name: resampled_words(selection, name) for name in selection.benchmarks}
    whole = {name: way for name, way in ways.items() if name not in of_steps}
    bootstrap = f"low and high: 95% bootstrap, {RESAMPLES} resamples"
    for way in dict.fromkeys(whole.values()):
        named = f"{', '.join(name for name in whole if whole[name] == way)}: " if len(set(whole.values())) > 1 else ""
        yield f"{named}{bootstrap}, {way}"
    for name, facts in found:
        others = f"; first errors {ways[name]}" if facts.without_errors else ""
        yield f"{name}: {bootstrap} of whole problems{others}"
        cases = "first, validity_rate and similarity" if facts.twins else "first and validity_rate"
        yield f"{name}: n counts steps, of {cases} cases; what has no judgement of its steps lowers validity_rate alone"
        yield from without_errors(name, facts)
        yield from _redundancy(selection, name, facts)


def resampled_words(selection: Selection, benchmark: str) -> str:
    """How the first errors of the chosen scorers are resampled on the shown cases of a benchmark, in words."""
    within = (selection.cases["benchmark"] == benchmark).to_numpy() & selection.mask
    unparsed = selection.unparsed(benchmark)
    found = {
        FirstErrors.of(one, rows, unparsed).related
        for one in selection.chosen_evaluations
        for _, rows in parts(grouped(selection.evaluated, selection.request.by), selection.request.by, within)
        if (one.tried & rows).any()
    }
    if {True, False} <= found:
        return f"{WHOLE} (of a scorer or group in which no two cases do: {STRATA})"
    return WHOLE if True in found else STRATA


def without_errors(benchmark: str, facts: StepLabelled) -> Iterator[str]:
    """Which classes have another figure in the place of PRMScore."""
    if facts.without_errors:
        told = ", ".join(sorted(facts.without_errors))
        yield f"{benchmark}: prmscore of {told} is its f1_positive, for it holds no wrong step"


def _redundancy(selection: Selection, benchmark: str, facts: StepLabelled) -> Iterator[str]:
    """A sentence for every scorer whose redundancy numbers are not used, because no threshold is known for them."""
    within = (selection.cases["benchmark"] == benchmark).to_numpy() & selection.mask
    for one in selection.chosen_evaluations:
        untold = without_redundancy_threshold(one, asked_by_redundancy(one, facts) & within)
        if untold:
            why = "no threshold is known for its redundancy numbers, so that validity decides"
            yield f"{one.scorer.name} on {benchmark}: {why} {untold} cases of {', '.join(sorted(facts.by_redundancy))}"


def step_benchmarks(selection: Selection) -> list[tuple[str, StepLabelled]]:
    """The benchmarks of the cases whose official figures are of steps."""
    facts: Mapping[str, StepLabelled | None] = {name: step_labelled(name) for name in selection.benchmarks}
    return [(name, one) for name, one in facts.items() if one is not None]
