"""Changes of the list of cases: all cases, failures, another search, other columns."""

from msgspec.structs import replace

from inspector.state.screen_state import ScreenState
from scoring.metrics.first_error import FAILURES
from scoring.selection.result_set import with_search
from scoring.workspace.filtering.filters import Facet, Filter
from scoring.workspace.filtering.text_search import SearchMatches


def cleared(state: ScreenState) -> ScreenState:
    """List all cases, as in the file."""
    results = with_search(state.results, state.base_search)
    return replace(state.selected(results=results, chosen=Filter(), sort=""), focus=state.focus.alone)


def failures(state: ScreenState) -> ScreenState:
    """List the cases that count as wrong for the scorer in focus, most instructive first."""
    chosen = Filter((Facet(state.focus.outcome_column, FAILURES[state.unparsed]),))
    results = with_search(state.results, state.base_search)
    listed = state.selected(results=results, chosen=chosen, sort="instructive")
    return replace(listed, focus=state.focus.alone)


def is_of_failures(state: ScreenState) -> bool:
    """Return whether the filter is exactly the `failures` filter."""
    failed = Facet(state.focus.outcome_column, FAILURES[state.unparsed])
    alone = not state.base and state.results.matches is None
    return alone and state.filter == Filter((failed,))


def is_unfiltered(state: ScreenState) -> bool:
    """Return whether no filter or search hides cases."""
    return not state.base and state.results.matches is None and state.filter == Filter()


def searched(state: ScreenState, search: SearchMatches | None, chosen: Filter | None = None) -> ScreenState:
    """List what another text search finds, None for none; under another filter, where one is given.

    Raises:
        DamagedWorkspace: a file of texts of cases that were not searched yet cannot be read.
    """
    return state.selected(results=with_search(state.results, search), chosen=chosen)


def unfiltered(state: ScreenState) -> ScreenState:
    """Drop filter and search, except those given on the command line."""
    listed = searched(state, state.base_search, Filter())
    return replace(listed, focus=replace(listed.focus, rewriting=""))


def arranged(state: ScreenState, columns: tuple[str, ...]) -> ScreenState:
    """Put other columns in the list, by their keys; () for the usual ones. The rows stay."""
    query = replace(state.results.query, columns=columns)
    return replace(state, results=replace(state.results, query=query))
