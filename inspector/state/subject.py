"""Result sets behind documents made on a screen, with the query of the equivalent command."""

from collections.abc import Sequence

from msgspec.structs import replace

from inspector.state.screen_state import ScreenState
from scoring.selection.result_set import ResultSet, select
from scoring.workspace.filtering.filters import Facet


def subject(state: ScreenState, scorers: Sequence[str] = ()) -> ResultSet:
    """Return the slice of the screen state and these scorers, by full name, in file order; () = every scorer.

    Only the benchmark in focus, so that the document made of it is what is on screen.
    """
    several = not state.benchmark_rows.all()
    only = (Facet("benchmark", (state.focus.benchmark,)).sql,) if several else ()
    where = (*state.base, *only, *state.data_filter.conditions)
    loaded = state.results
    every = tuple(evaluation.scorer.name for evaluation in loaded.evaluations)
    query = replace(loaded.query.of(scorers), sort="", columns=(), where=where)
    return select(replace(loaded, query=query, chosen=tuple(scorers) or every))


def every_benchmark(state: ScreenState) -> ResultSet:
    """Return all scorers under the conditions of the slice, in file order, on every benchmark."""
    query = replace(state.results.query, scorers=(), sort="", where=(*state.base, *state.data_filter.conditions))
    names = tuple(evaluation.scorer.name for evaluation in state.results.evaluations)
    return select(replace(state.results, query=query, chosen=names))
