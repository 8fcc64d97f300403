"""All figures on the cases that every scorer has: conditions that hold for the whole app, put there and taken away."""

from collections.abc import Sequence
from dataclasses import replace

from inspector.inspection import Inspection
from inspector.protocol_card.case_sets import only_tried
from inspector.protocol_card.incomparable import Incomparable, incomparable, remedy_of
from inspector.subject import covering


def reasons_on_screen(inspection: Inspection) -> list[Incomparable]:
    """Why the figures of the scorers that cover the benchmark in focus are not comparable as they stand.

    They are those that the board tells: on all cases of the benchmark under the conditions of the whole app.
    """
    selection = inspection.selection
    request = replace(selection.request, where=inspection.base)
    shown = inspection.benchmark_rows & selection.passing(inspection.base)
    if inspection.base_search is not None:
        shown = shown & inspection.cleared().matching
    return incomparable(replace(selection, request=request), covering(inspection), inspection.benchmark, shown)


def on_common_cases(inspection: Inspection, reasons: Sequence[Incomparable]) -> Inspection | None:
    """With the conditions that leave the common cases, for the whole app; None where no reason is about cases."""
    where = tuple(one for one in remedy_of(reasons) if one not in inspection.base)
    return _based(inspection, (*inspection.base, *where)) if where else None


def on_all_cases(inspection: Inspection) -> Inspection | None:
    """Without such conditions; None where there are none."""
    kept = tuple(one for one in inspection.base if not _common(inspection, one))
    return None if kept == inspection.base else _based(inspection, kept)


def is_on_common_cases(inspection: Inspection) -> bool:
    """Whether there is such a condition."""
    return any(_common(inspection, one) for one in inspection.base)


def _common(inspection: Inspection, condition: str) -> bool:
    return any(only_tried(condition, one.scorer.name) for one in inspection.selection.evaluations)


def _based(inspection: Inspection, base: tuple[str, ...]) -> Inspection:
    return replace(inspection, base=base).filtered(inspection.filter)
