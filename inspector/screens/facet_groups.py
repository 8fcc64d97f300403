"""The facets of a screen state in the words of the screen."""

from collections.abc import Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from inspector.render.texts.sentences import GLYPHS, WORDS
from inspector.state.filtering.facets import Counts, FacetColumn, offered_counts, offered_facets
from inspector.state.filtering.filter_words import value_words
from inspector.state.filtering.slices import condition_titles
from inspector.state.screen_state import ScreenState
from inspector.widgets.facet_list import FacetGroup, FacetMark, FacetValue
from scoring.workspace.filtering.filters import FacetChoice, Filter

LISTED = 8
"""Values of a facet that are listed before the others are asked for."""
CONDITIONS, GIVEN = "conditions", "given"
"""What stands as the column of a condition that was typed, and of one that was given when the app was opened."""


class Folds(Struct, frozen=True):
    """Which groups of facets are folded or open, where it was asked for, and of which all values are listed."""

    open: dict[str, bool] = field(default_factory=dict)
    whole: frozenset[str] = frozenset()

    def is_open(self, group: str, *, aside: bool) -> bool:
        """Return whether a group is open; one that stands `aside` is folded until it is asked for."""
        return self.open.get(group, not aside)

    def turned(self, group: str, *, now_open: bool) -> "Folds":
        """Return the folds with one group folded or opened."""
        return replace(self, open={**self.open, group: now_open})

    def listing(self, group: str) -> "Folds":
        """Return the folds with all values of a group listed, or the first ones again."""
        return replace(self, whole=self.whole ^ {group})


def facet_groups(state: ScreenState, folds: Folds | None = None) -> list[FacetGroup]:
    """Return every facet that tells cases apart, its values counted under this filter and marked; then conditions.

    Only groups that are open are counted.
    """
    folds = folds or Folds()
    chosen = state.filter
    columns = offered_facets(state)
    opened = [
        facet for facet in columns if folds.is_open(facet.column, aside=facet.aside and not chosen.facet(facet.column))
    ]
    counts = offered_counts(state, opened)
    groups = []
    for facet in columns:
        if facet in opened and facet.column in counts:
            groups.append(_opened(facet, counts[facet.column], state, folds))
        elif facet not in opened:
            note = _marked(chosen, facet.column)
            groups.append(FacetGroup(facet.column, facet.title, folded=True, note=note, short=_short(facet)))
    return [*_conditions(state, folds), *groups]


def _opened(facet: FacetColumn, counts: Counts, state: ScreenState, folds: Folds) -> FacetGroup:
    marks = [_mark(state, facet, value) for value, _ in counts]
    radio = facet.kind == "benchmarks"
    values = tuple(
        FacetValue(facet.column, value, _label(facet, value), count, mark, radio=radio)
        for (value, count), mark in zip(counts, marks, strict=True)
    )
    whole = facet.column in folds.whole
    listed = values if whole else _first(values)
    more = len(values) - len(listed)
    return FacetGroup(facet.column, facet.title, listed, more=more, whole=whole, short=_short(facet))


def _short(facet: FacetColumn) -> str:
    """Of an outcome, whose it is: long names differ at their ends, and the values say what they are."""
    return facet.column.rpartition(".")[0] if facet.kind == "outcomes" else ""


def _first(values: Sequence[FacetValue]) -> tuple[FacetValue, ...]:
    """The first values and all that are marked; one more than the first few is listed rather than told of."""
    if len(values) <= LISTED + 1:
        return tuple(values)
    return tuple(value for place, value in enumerate(values) if place < LISTED or value.mark)


def _mark(state: ScreenState, facet: FacetColumn, value: FacetChoice) -> FacetMark:
    if facet.kind == "benchmarks":
        return "keep" if value == state.focus.benchmark else ""
    for marked in state.filter.facets:
        if marked.column == facet.column and value in marked.values:
            return "keep" if marked.keep else "hide"
    return ""


def _marked(chosen: Filter, column: str) -> str:
    """How many values of a facet are kept and hidden, in words."""
    counts = {"kept": chosen.facet(column, keep=True), "hidden": chosen.facet(column, keep=False)}
    return ", ".join(f"{len(facet.values)} {word}" for word, facet in counts.items() if facet)


def _conditions(state: ScreenState, folds: Folds) -> list[FacetGroup]:
    """The conditions that were typed or given, as a group of their own; none where there are none."""
    titles = condition_titles(state)
    base = [FacetValue(GIVEN, text, titles.get(text, text), None, "fixed") for text in state.base]
    typed = [FacetValue(CONDITIONS, text, titles.get(text, text), None, "keep") for text in state.filter.where]
    if not base and not typed:
        return []
    if not folds.is_open(CONDITIONS, aside=False):
        return [FacetGroup(CONDITIONS, CONDITIONS, folded=True, note=str(len(base) + len(typed)))]
    return [FacetGroup(CONDITIONS, CONDITIONS, (*base, *typed))]


def _label(facet: FacetColumn, value: FacetChoice) -> str:
    if facet.kind == "outcomes" and isinstance(value, str):
        return f"{GLYPHS[value]} {WORDS[value]}"
    return value_words(value, facet.column)
