"""A filter in the words of the screen, in full and shorter."""

from inspector.render.texts.phrases import Phrase
from inspector.render.texts.sentences import WORDS, counted
from inspector.render.texts.short_names import short_name
from inspector.render.texts.text import NO_VALUE
from inspector.state.filtering.facets import column_words
from inspector.state.filtering.slices import condition_titles
from inspector.state.screen_state import ScreenState
from scoring.metrics.first_error import FAILURES
from scoring.selection.searching import search_words
from scoring.workspace.filtering.filters import Facet, FacetChoice, NumberRange

FEW = 2
"""Values of a facet that are named where there is little room."""
SHORT = 28
"""Cells of a condition where there is little room."""


def names_steps(column: str) -> bool:
    """Return whether the numbers of a column name steps, -1 being none."""
    return column == "earliest_error" or column.endswith(".verdict")


def value_words(value: FacetChoice, column: str = "") -> str:
    """Write a facet's value; outcomes lose their underscore, and -1 as a step is no error."""
    if value is None:
        return NO_VALUE
    if value == -1 and names_steps(column):
        return "no error"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, NumberRange):
        return f"{value.low} or more" if value.high is None else f"{value.low} to {value.high}"
    return WORDS.get(str(value), str(value))


def filter_words(state: ScreenState) -> str:
    """Write the whole filter in words."""
    return _sentence([full for full, _ in _parts(state)])


def filter_phrase(state: ScreenState) -> Phrase:
    """Write the whole filter with shorter forms for where there is less room."""
    parts = _parts(state)
    if not parts:
        return Phrase(("no filter", ""))
    counts = f"filter of {counted(len(parts), 'condition')}"
    shorter = [short for _, short in parts]
    some = (f"{_sentence(shorter[:keep])} AND {len(parts) - keep} more" for keep in range(len(parts) - 1, 0, -1))
    return Phrase((filter_words(state), _sentence(shorter), *some, counts, "filtered"))


def apart_phrases(state: ScreenState) -> list[Phrase]:
    """Say that the metric ignores outcome conditions, if the filter has any; otherwise nothing."""
    if state.data_filter == state.filter or state.summary.headline is None:
        return []
    metric = state.summary.headline.metric
    return [Phrase((f"{metric} ignores outcome filters", f"{metric} of all outcomes"), rank=2)]


def _sentence(parts: list[str]) -> str:
    return "filter " + " AND ".join(parts) if parts else "no filter"


def _parts(state: ScreenState) -> list[tuple[str, str]]:
    """Every condition in full and shorter."""
    titles = {**condition_titles(state), **state.titles}
    typed = ((titles.get(text, text), short_name(titles.get(text, text), SHORT)) for text in _texts(state))
    written, own = list(typed), [_facet_words(facet, state) for facet in state.filter.telling]
    searched = [(words, words) for words in search_words(state.results.matches)]
    return [*written[: len(state.base)], *own, *written[len(state.base) :], *searched]


def _texts(state: ScreenState) -> tuple[str, ...]:
    """The conditions that were given and typed, as they stand."""
    return (*state.base, *state.filter.where)


def _facet_words(facet: Facet, state: ScreenState) -> tuple[str, str]:
    name = "outcome" if facet.column == state.focus.outcome_column else column_words(facet.column)
    if facet.column.endswith(".outcome") and facet.keep and (failures := _failures(facet, state)):
        return f"{name} = {failures}", f"{name} = {failures}"
    values = [value_words(value, facet.column) for value in facet.values]
    between = " or " if facet.keep else " nor "
    relation = "=" if facet.keep else "not"
    few = between.join(values) if len(values) <= FEW else f"{len(values)} values"
    return f"{name} {relation} {between.join(values)}", short_name(f"{name} {relation} {few}", SHORT)


def _failures(facet: Facet, state: ScreenState) -> str:
    """Outcomes that are all failures, or all but a few; "" where they are other ones."""
    every = FAILURES[state.unparsed]
    if not set(facet.values) <= set(every):
        return ""
    lacking = [value_words(value) for value in every if value not in facet.values]
    if not lacking:
        return "any failure"
    return f"any failure but {' and '.join(lacking)}" if len(lacking) <= FEW < len(facet.values) else ""
