"""Whether a condition that is being typed can be evaluated, and how many cases it would leave."""

import polars as pl

from inspector.inspection import Inspection
from inspector.selection import Selection
from inspector.sentences import counted
from scoring.errors import FilterError
from scoring.filters import needed_columns, row_passes

QUICK = 200_000
"""Cases up to which a condition is answered at every key."""


def left_by(inspection: Inspection, condition: str) -> str:
    """How many of the cases on screen a condition would leave, in words; "" where counting would hold up the keys."""
    selection = inspection.selection
    if selection.height > QUICK:
        return ""
    try:
        left = int((selection.mask & selection.passing((condition,))).sum())
    except FilterError:
        return ""
    return f"{left:,} of {counted(inspection.shown.size, 'case')} {'fulfils' if left == 1 else 'fulfil'} it"


def fault_of(selection: Selection, condition: str) -> FilterError | None:
    """What is wrong with a condition, found out without looking at a single case; None where nothing is."""
    try:
        names = needed_columns(condition, selection.columns)
        empty = pl.DataFrame(schema={name: selection.schema[name] for name in names})
        row_passes(empty, condition, 0, selection.columns)
    except FilterError as error:
        return selection.explained(error)
    return None
