"""The sheets of the breakdown screen, a page each."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from inspector.breakdown import View, breakdown_document
from inspector.inspection import Inspection
from inspector.paint import Brush
from inspector.render.lines import Row, Sheet, heading, paragraph
from inspector.sheets.breakdown import column, types
from inspector.sheets.breakdown.aligned import aligned_lines, aligned_of
from inspector.sheets.breakdown.cells import cells_lines, grid_of, shown
from inspector.sheets.breakdown.choice import ALIGNED, CELLS, COLUMN, OFFSETS, PLACES, STEPS, TYPES, Choice
from inspector.sheets.breakdown.column import Grids, column_lines, grids_of
from inspector.sheets.breakdown.grid import Grid, focused
from inspector.sheets.breakdown.offsets import offsets_lines
from inspector.sheets.breakdown.places import bins_of, errors_of, places_lines
from inspector.sheets.breakdown.steps import steps_lines, steps_of
from inspector.sheets.breakdown.types import types_lines
from inspector.subject import subject
from scoring.export import Document

LARGE = 20_000
"""More cases than this have so many steps that counting them takes longer than a key may."""


def breakdown_sheet(
    inspection: Inspection, page: str, choice: Choice, figures: Any, brush: Brush, size: tuple[int, int]
) -> Sheet:
    """The sheet of a page for a pane of `size` cells and lines; `figures` is what `figures_of` made, or None."""
    waiting = figures is None and takes_longer(inspection, page, choice) is not None
    return Sheet(tuple(_lines(inspection, page, choice, figures, brush, size)), "Computing." if waiting else "")


def _lines(
    inspection: Inspection, page: str, choice: Choice, figures: Any, brush: Brush, size: tuple[int, int]
) -> Iterator[Row]:
    width, height = size
    if inspection.scorer is None:
        yield heading("Nothing to break down yet")
        yield from paragraph(
            f"No scorer has verdicts on {inspection.benchmark}. In a shell: prm-inspect score {inspection.benchmark} "
            "--model DIR runs one, prm-inspect import PATH reads results.",
            width,
        )
    elif not inspection.slice.any():
        yield from paragraph("No case is left by the filter.", width)
    elif page == CELLS:
        found = figures if isinstance(figures, Grid) else None
        yield from cells_lines(inspection, choice, found, brush, width)
    elif page == TYPES:
        yield from types_lines(inspection, choice, width)
    elif page == PLACES:
        yield from places_lines(inspection, choice, brush, width)
    elif page == OFFSETS:
        yield from offsets_lines(inspection, brush, width, height)
    elif page == ALIGNED:
        yield from aligned_lines(inspection, figures if isinstance(figures, list) else None, brush, width, height)
    elif page == STEPS:
        few = inspection.selection.height <= LARGE
        made = steps_of(inspection, choice) if few else figures if isinstance(figures, list) else None
        yield from steps_lines(inspection, choice, made, brush, width)
    else:
        grids = figures if isinstance(figures, Grids) else None
        yield from column_lines(inspection, choice, grids, brush, width)


def takes_longer(
    inspection: Inspection, page: str, choice: Choice
) -> tuple[Sequence[object], Callable[[], Any]] | None:
    """What of a page takes longer: what it depends on, and what computes it. None: nothing does."""
    if inspection.scorer is None or not inspection.slice.any():
        return None
    evaluation = focused(inspection)
    if page == ALIGNED:
        # No threshold changes rewards.
        return (page, evaluation.rewards, inspection.slice), partial(aligned_of, inspection)
    if page == STEPS and inspection.selection.height > LARGE:
        bins = bins_of(inspection, choice).name
        return (page, evaluation, bins, inspection.slice), partial(steps_of, inspection, choice)
    if page == COLUMN and (name := column.column_of(inspection, choice)):
        make: Callable[[], Any] = partial(grids_of, inspection, choice, bootstrap=True)
        return (page, evaluation, name, _owner(inspection, name), inspection.slice), make
    if page == CELLS and (what := shown(inspection, choice)) and what.figure == "f1" and not what.other:
        owners = (page, evaluation, what, *(_owner(inspection, name) for name in what.columns), inspection.slice)
        return owners, partial(grid_of, inspection, choice, bootstrap=True)
    return None


def _owner(inspection: Inspection, name: str) -> object:
    """What a column is made from."""
    selection = inspection.selection
    return selection.owner(name) if name in selection.schema else selection.cases


def view_of(inspection: Inspection, page: str, choice: Choice) -> View | None:
    """What a page shows, as the command breaks it down; None where there is nothing."""
    if page == CELLS:
        what = shown(inspection, choice)
        return View(rows=what.rows, cols=what.cols, difference=bool(what.other)) if what else None
    if page == TYPES:
        name = types.column_of(inspection, choice)
        return View(rows=name) if name else None
    if page == COLUMN:
        name = column.column_of(inspection, choice)
        return View(rows=name) if name else None
    if page == PLACES:
        return View("position", preset=bins_of(inspection, choice).name, errors=errors_of(inspection, choice))
    if page == STEPS:
        return View("step_position", preset=bins_of(inspection, choice).name)
    return View("offset") if page == OFFSETS else View("aligned")


def page_document(inspection: Inspection, page: str, choice: Choice, form: str = "") -> Document:
    """The document of a page: what the command prints for the same view.

    Raises:
        UsageError: there is nothing on the page.
    """
    what = shown(inspection, choice) if page == CELLS else None
    names = (str(inspection.scorer), *((what.other,) if what and what.other else ()))
    return breakdown_document(subject(inspection, names), view_of(inspection, page, choice), form)
