"""What a sheet is about, as the request that a command would make."""

from collections.abc import Sequence

from msgspec.structs import replace

from inspector.inspection import Inspection
from inspector.selection import Selection, select
from scoring.filters import Facet


def subject(inspection: Inspection, scorers: Sequence[str] = ()) -> Selection:
    """The slice of the inspection and these scorers, by full name: the same cases in file order; () = every scorer.

    Only the benchmark in focus, so that the document made of it is what is on screen.
    """
    several = not inspection.benchmark_rows.all()
    only = (Facet("benchmark", (inspection.benchmark,)).sql,) if several else ()
    where = (*inspection.base, *only, *inspection.of_data.conditions)
    loaded = inspection.selection
    every = tuple(one.scorer.name for one in loaded.evaluations)
    request = replace(loaded.request, scorers=tuple(scorers), sort="", columns=(), where=where)
    return select(replace(loaded, request=request, chosen=tuple(scorers) or every))


def covering(inspection: Inspection) -> tuple[str, ...]:
    """The scorers that gave anything for the benchmark in focus, by full name."""
    return tuple(one.scorer.name for one in inspection.selection.evaluations if one.covers(inspection.benchmark))
