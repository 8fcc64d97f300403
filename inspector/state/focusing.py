"""Changes of focus: another scorer, another benchmark, a case."""

from collections.abc import Sequence

import polars as pl
from msgspec.structs import replace

from inspector.state.case_list.listed import cleared
from inspector.state.screen_state import ScreenState
from scoring.metrics.benchmark_metrics import metrics_of
from scoring.workspace.filtering.filters import Facet, Filter, passing


def covering(state: ScreenState) -> tuple[str, ...]:
    """Return the scorers that gave anything for the benchmark in focus, by full name."""
    return tuple(
        evaluation.scorer.name
        for evaluation in state.results.evaluations
        if evaluation.coverage.covers(state.focus.benchmark)
    )


def best_scorer(start: ScreenState, names: Sequence[str]) -> str | None:
    """Find the scorer with the highest score, of equally good ones the first by name; those without one come last."""
    return next(iter(best_first(start, names)), None)


def best_first(start: ScreenState, names: Sequence[str]) -> list[str]:
    """Return scorers in board order: highest score first, ties by name, scorers without a score last."""

    def place(name: str) -> tuple[bool, float, str]:
        score = metrics_of(start.focus.benchmark).score(start.results.evaluation(name), start.slice, start.unparsed)
        return score is None, -(score or 0.0), name

    return sorted(names, key=place)


def next_scorer(state: ScreenState, by: int) -> ScreenState:
    """Look through the next scorer (or, with -1, the one before), round and round."""
    names, scorer = covering(state), state.focus.scorer
    if not names or scorer is None:
        return state
    # A scorer that was refused on every case here is none of them.
    at = names.index(scorer) + by if scorer in names else 0
    return state.focused(names[at % len(names)], state.focus.benchmark)


def with_case(state: ScreenState, row: int) -> ScreenState:
    """Return the same where a case is listed; where the filter leaves it out, all of its benchmark."""
    if row in state.shown:
        return state
    benchmark = state.cases["benchmark"][row]
    return cleared(state) if benchmark == state.focus.benchmark else on_benchmark(state, benchmark)


def on_benchmark(state: ScreenState, benchmark: str) -> ScreenState:
    """Focus on another benchmark, through the same scorer if that has scored any of it, else through the best.

    Facets whose values none of its cases has go: they would hide it all.
    """
    results = state.results
    there = state.cases.filter(pl.Series(state.cases["benchmark"] == benchmark))
    own = results.loaded.metadata.of(benchmark)
    facets = tuple(
        facet
        for facet in state.filter.facets
        if _occurs(facet, there) and (facet.column in own or not results.evaluated.is_metadata(facet.column))
    )
    bare = replace(state, focus=replace(state.focus, benchmark=benchmark, scorer=None))
    bare = bare.selected(chosen=Filter(facets, state.filter.where))
    names = covering(bare)
    scorer = state.focus.scorer if state.focus.scorer in names else best_scorer(bare, names)
    if scorer is None:
        return bare
    # What was sorted by one scorer is sorted by the other.
    query = replace(bare.results.query, sort=results.query.sort)
    sorted_so = replace(
        bare,
        focus=replace(bare.focus, scorer=state.focus.scorer),
        results=replace(bare.results, query=query),
    )
    return sorted_so.focused(scorer, benchmark)


def _occurs(facet: Facet, cases: pl.DataFrame) -> bool:
    """Whether any of the cases has a value of a facet; of what is no column of the cases alone, yes."""
    return facet.column not in cases.columns or bool(passing(cases, [replace(facet, keep=True).sql]).any())
