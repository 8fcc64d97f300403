"""What of a filter and an order still holds where columns have gone."""

from msgspec.structs import replace

from inspector.ordering import sort_key
from inspector.selection import Selection
from scoring.errors import UsageError
from scoring.filters import Filter, columns_read


def held_filter(chosen: Filter, selection: Selection, old: str, new: str) -> Filter:
    """The filter less what it says of columns that are not there; facets on the column `old` become those on `new`.

    A condition that reads nothing known is left as it is.
    """
    moved = (replace(facet, column=new) if facet.column == old else facet for facet in chosen.facets)
    facets = tuple(facet for facet in moved if facet.column in selection.schema)
    where = tuple(text for text in chosen.where if all(name in selection.schema for name in columns_read(text)))
    return Filter(facets, where)


def held_order(sort: str, selection: Selection) -> str:
    """The sort key, or "" where it names nothing there is."""
    if not sort:
        return ""
    try:
        sort_key(selection, sort)
    except UsageError:
        return ""
    return sort
