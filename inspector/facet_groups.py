"""The facets of an inspection in the words of the screen."""

from inspector.inspection import Inspection
from inspector.sentences import GLYPHS, WORDS
from inspector.widgets.facet_list import NOTHING, Group, Value
from scoring.metrics.first_error import FAILURES

TITLES = {
    "subset_group": "group of subsets",
    "subset": "subset",
    "pattern": "reasoning pattern",
    "error_category": "error category",
    "error_type": "error type",
    "error_kind": "error kind",
    "origin": "taken from",
    "language": "language",
    "generator": "generator",
    "final_answer_correct": "final answer right",
}


def facet_groups(inspection: Inspection) -> list[Group]:
    """Every facet that tells cases apart, its values counted under the present filter and ticked where kept."""
    groups = []
    for column, counts in inspection.facet_counts().items():
        facet = inspection.filter.facet(column)
        kept = facet.values if facet else ()
        values = tuple(Value(column, value, _label(column, value), count, value in kept) for value, count in counts)
        groups.append(Group(TITLES.get(column, f"outcome of {inspection.scorer}"), values))
    return groups


def _label(column: str, value: str | bool | None) -> str:
    if column.endswith(".outcome") and isinstance(value, str):
        return f"{GLYPHS[value]} {WORDS[value]}"
    return _word(value)


def _word(value: str | int | None) -> str:
    """A facet's value as it is written; outcomes lose their underscore."""
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    return WORDS.get(str(value), str(value))


def filter_words(inspection: Inspection) -> str:
    """The filter in a few words."""
    parts = list(inspection.base)
    for facet in inspection.filter.facets:
        name = "outcome" if facet.column.endswith(".outcome") else TITLES.get(facet.column, facet.column)
        values = " or ".join(_word(value) for value in facet.values)
        if name == "outcome" and facet.values == FAILURES[inspection.unparsed]:
            values = "any failure"
        parts.append(f"{name} {'=' if facet.keep else 'not'} {values}")
    parts += inspection.filter.where
    return "filter " + " AND ".join(parts) if parts else "no filter"
