"""Slices of a screen state: the built-in ones, and saved ones applied to it."""

from collections.abc import Iterator

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from inspector.state.case_list.listed import searched
from inspector.state.focusing import on_benchmark
from inspector.state.screen_state import ScreenState
from inspector.state.thresholds.threshold_span import threshold_span
from scoring.data.errors import FilterError
from scoring.data.schema import Bools
from scoring.evaluation.verdicts import OUTCOMES, RIGHT, WRONG
from scoring.metrics.baselines import is_baseline
from scoring.metrics.first_error import FAILURES
from scoring.selection.result_set import found_in
from scoring.selection.saved_slices import SavedSlice
from scoring.selection.searching import matching
from scoring.workspace.filtering.facet_reading import filter_of
from scoring.workspace.filtering.filters import Facet, Filter, NumberRange
from scoring.workspace.filtering.sql_words import named

# -- slices that need not be saved: what people look at first


LONGEST = 0.1
"""The share of the cases that count as long."""
CLOSE = 0.05
"""The share of a scorer's range within which a threshold is close."""
ERRONEOUS = "earliest_error >= 0"
"""The condition on a case that one of its steps is wrong."""


class ReadySlice(Struct, frozen=True):
    """A slice with the key that chooses it, its words, and how many cases it holds, among those given at the start."""

    key: str
    title: str
    filter: Filter
    sort: str
    cases: int


def ready_slices(state: ScreenState) -> list[ReadySlice]:
    """Return the slices that make sense for a benchmark seen through its scorer, those without a case included."""
    within = state.benchmark_rows & _given(state)
    slices = []
    for key, title, chosen, sort in offered(state):
        rows = within & state.results.evaluated.passing(chosen.conditions)
        slices.append(ReadySlice(key, title, chosen, sort, int(np.count_nonzero(rows))))
    return slices


def _given(state: ScreenState) -> Bools:
    """The cases under the conditions and the search that were given when the app was opened, as a mask over all."""
    rows: Bools = state.results.evaluated.passing(state.base) & matching(
        state.base_search, state.results.evaluated.height
    )
    return rows


def condition_titles(state: ScreenState) -> dict[str, str]:
    """Return what the conditions of ready-made slices say, by their SQL."""
    offers = [*(_close_calls(state)), *_of_scorers(state)]
    return {ERRONEOUS: "the process is wrong", **{chosen.where[0]: title for _, title, chosen, _ in offers}}


SliceOffer = tuple[str, str, Filter, str]


def offered(state: ScreenState) -> Iterator[SliceOffer]:
    """Yield key, title, filter and order of each slice that makes sense; their cases are not counted."""
    if state.focus.scorer is not None:
        yield from _of_outcomes(state)
    answers = state.results.evaluated.categories("final_answer_correct")
    if answers is not None and answers.among((True, False))[state.benchmark_rows].any():
        right = Facet("final_answer_correct", (True,))
        yield "w", "right answer, wrong process", Filter((right,), (ERRONEOUS,)), ""
    yield from _of_scorers(state)
    lengths = state.cases["n_steps"].to_numpy()[state.benchmark_rows]
    if lengths.size and lengths.min() < lengths.max():
        least = max(int(np.quantile(lengths, 1 - LONGEST, method="higher")), int(lengths.min()) + 1)
        title = f"long cases: {least} steps or more"
        yield "l", title, Filter((Facet("n_steps", (NumberRange(least, None),)),)), "n_steps:desc"
    if "tags" in state.results.evaluated.columns:
        yield "t", "cases with a tag", Filter((Facet("tags", (None,), keep=False, listed=True),)), ""


def _of_outcomes(state: ScreenState) -> Iterator[SliceOffer]:
    """Slices of what the scorer in focus made of the cases."""

    def outcomes(*names: str) -> Filter:
        return Filter((Facet(state.focus.outcome_column, names),))

    yield "f", "all failures", outcomes(*FAILURES[state.unparsed]), "instructive"
    yield "e", "exact: the error found at its step", outcomes("exact"), ""
    yield "m", "missed errors", outcomes("missed"), "instructive"
    yield "a", "false alarms", outcomes("false_alarm"), "instructive"
    yield "p", "unparsed or refused", outcomes("unparsed", "refused"), ""
    yield from _close_calls(state)


def _close_calls(state: ScreenState) -> Iterator[SliceOffer]:
    """The cases whose outcome another threshold nearby would change."""
    if state.evaluation is None or not state.evaluation.rule.is_movable:
        return
    low, high = threshold_span(state.evaluation)
    near = round(CLOSE * (high - low), 6)
    margin = named(f"{state.focus.scorer}.margin")
    close = Filter(where=(f"{margin} BETWEEN {-near!r} AND {near!r}",))
    yield "c", f"close calls: within {near:g} of the threshold", close, ""


def _of_scorers(state: ScreenState) -> Iterator[SliceOffer]:
    """Slices of what several scorers made of the cases; one without a verdict on any is neither right nor wrong.

    Nor is a baseline one of them: it looks at nothing.
    """
    judging = [
        evaluation.scorer.name
        for evaluation in state.results.evaluations
        if evaluation.coverage.judges(state.focus.benchmark) and not is_baseline(evaluation.scorer)
    ]
    if len(judging) < 2:
        return
    right, wrong = ([OUTCOMES[code] for code in codes] for codes in (RIGHT, WRONG))
    is_right = [Facet(f"{name}.outcome", tuple(right)).sql for name in judging]
    is_wrong = [Facet(f"{name}.outcome", tuple(wrong)).sql for name in judging]
    disagree = Filter(where=(f"({' OR '.join(is_right)}) AND ({' OR '.join(is_wrong)})",))
    yield "d", "some scorers right, some wrong", disagree, ""
    yield "x", "every scorer wrong", Filter(where=(" AND ".join(is_wrong),)), ""


# -- saved slices put on a screen state, and taken from it


def sliced(state: ScreenState, saved: SavedSlice) -> ScreenState:
    """Return a screen state under a saved slice instead of its own filter, search and order.

    Raises:
        FilterError, UsageError: a condition or an order of it speaks of what is not here.
        SearchError, DamagedWorkspace: as for a search.
    """
    chosen = filter_of(text for text in saved.where if text not in state.base)
    focus, now = _benchmark_of(chosen), state
    if focus is not None:
        chosen = replace(chosen, facets=tuple(facet for facet in chosen.facets if facet is not focus))
        now = now if focus.values[0] == now.focus.benchmark else on_benchmark(now, str(focus.values[0]))
    search = now.base_search
    if saved.search:
        query = replace(now.results.query, search=saved.search, within=saved.within)
        every = np.ones(now.results.evaluated.height, dtype=np.bool_)
        search = found_in(replace(now.results, query=query, matches=None), every)
    return searched(now, search, chosen).selected(sort=saved.sort)


def slice_of(state: ScreenState, name: str) -> SavedSlice:
    """Return what is on screen as a slice of this name."""
    query = state.results.query
    return SavedSlice(name, query.where, query.search, query.within, query.sort)


def size_of(state: ScreenState, saved: SavedSlice) -> int | None:
    """Count the cases that a slice lists; None where it searches too, or names what is not here."""
    if saved.search:
        return None
    try:
        rows = _given(state) & state.results.evaluated.passing(saved.where)
    except FilterError:
        return None
    # One that names no benchmark lists cases of the one in focus.
    return int(np.count_nonzero(rows if _benchmark_of(filter_of(saved.where)) else rows & state.benchmark_rows))


def _benchmark_of(chosen: Filter) -> Facet | None:
    """The facet of a filter that names one benchmark."""
    focus = chosen.facet("benchmark", keep=True)
    return focus if focus is not None and len(focus.values) == 1 else None
