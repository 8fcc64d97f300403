"""The facets of an inspection in the words of the screen."""

from collections.abc import Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from inspector.filtering.facet_columns import FacetColumn
from inspector.filtering.facet_counts import Counts
from inspector.filtering.filter_words import value_words
from inspector.filtering.ready_slices import condition_titles
from inspector.inspection import Inspection
from inspector.sentences import GLYPHS, WORDS
from inspector.widgets.facet_list import Group, Mark, Value
from scoring.filters import Choice, Filter

LISTED = 8
"""Values of a facet that are listed before the others are asked for."""
CONDITIONS, GIVEN = "conditions", "given"
"""What stands as the column of a condition that was typed, and of one that was given when the app was opened."""


class Folds(Struct, frozen=True):
    """Which groups of facets are folded or open, where it was asked for, and of which all values are listed."""

    open: dict[str, bool] = field(default_factory=dict)
    whole: frozenset[str] = frozenset()

    def is_open(self, group: str, *, aside: bool) -> bool:
        """Whether a group is open; one that stands `aside` is folded until it is asked for."""
        return self.open.get(group, not aside)

    def turned(self, group: str, *, now_open: bool) -> "Folds":
        """With one group folded or opened."""
        return replace(self, open={**self.open, group: now_open})

    def listing(self, group: str) -> "Folds":
        """With all values of a group listed, or the first ones again."""
        return replace(self, whole=self.whole ^ {group})


def facet_groups(inspection: Inspection, folds: Folds | None = None) -> list[Group]:
    """Every facet that tells cases apart, its values counted under the present filter and marked; then conditions.

    Only groups that are open are counted.
    """
    folds = folds or Folds()
    chosen = inspection.filter
    columns = inspection.facet_columns
    opened = [one for one in columns if folds.is_open(one.column, aside=one.aside and not chosen.facet(one.column))]
    counts = inspection.facet_counts(opened)
    groups = []
    for one in columns:
        if one in opened and one.column in counts:
            groups.append(_opened(one, counts[one.column], inspection, folds))
        elif one not in opened:
            note = _marked(chosen, one.column)
            groups.append(Group(one.column, one.title, folded=True, note=note, short=_short(one)))
    return [*_conditions(inspection, folds), *groups]


def _opened(facet: FacetColumn, counts: Counts, inspection: Inspection, folds: Folds) -> Group:
    marks = [_mark(inspection, facet, value) for value, _ in counts]
    radio = facet.kind == "benchmarks"
    values = tuple(
        Value(facet.column, value, _label(facet, value), count, mark, radio=radio)
        for (value, count), mark in zip(counts, marks, strict=True)
    )
    whole = facet.column in folds.whole
    listed = values if whole else _first(values)
    more = len(values) - len(listed)
    return Group(facet.column, facet.title, listed, more=more, whole=whole, short=_short(facet))


def _short(facet: FacetColumn) -> str:
    """Of an outcome, whose it is: long names differ at their ends, and the values say what they are."""
    return facet.column.rpartition(".")[0] if facet.kind == "outcomes" else ""


def _first(values: Sequence[Value]) -> tuple[Value, ...]:
    """The first values and all that are marked; one more than the first few is listed rather than told of."""
    if len(values) <= LISTED + 1:
        return tuple(values)
    return tuple(value for place, value in enumerate(values) if place < LISTED or value.mark)


def _mark(inspection: Inspection, facet: FacetColumn, value: Choice) -> Mark:
    if facet.kind == "benchmarks":
        return "keep" if value == inspection.benchmark else ""
    for one in inspection.filter.facets:
        if one.column == facet.column and value in one.values:
            return "keep" if one.keep else "hide"
    return ""


def _marked(chosen: Filter, column: str) -> str:
    """How many values of a facet are kept and hidden, in words."""
    counts = {"kept": chosen.facet(column, keep=True), "hidden": chosen.facet(column, keep=False)}
    return ", ".join(f"{len(facet.values)} {word}" for word, facet in counts.items() if facet)


def _conditions(inspection: Inspection, folds: Folds) -> list[Group]:
    """The conditions that were typed or given, as a group of their own; none where there are none."""
    titles = condition_titles(inspection)
    given = [Value(GIVEN, text, titles.get(text, text), None, "fixed") for text in inspection.base]
    typed = [Value(CONDITIONS, text, titles.get(text, text), None, "keep") for text in inspection.filter.where]
    if not given and not typed:
        return []
    if not folds.is_open(CONDITIONS, aside=False):
        return [Group(CONDITIONS, CONDITIONS, folded=True, note=str(len(given) + len(typed)))]
    return [Group(CONDITIONS, CONDITIONS, (*given, *typed))]


def _label(facet: FacetColumn, value: Choice) -> str:
    if facet.kind == "outcomes" and isinstance(value, str):
        return f"{GLYPHS[value]} {WORDS[value]}"
    return value_words(value, facet.column)
