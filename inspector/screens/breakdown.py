"""The breakdown screen: on which cases a scorer is wrong, and where in them."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Literal

from textual.binding import BindingType

from inspector.commands import bindings_of
from inspector.inspection import Inspection
from inspector.paint import Brush
from inspector.phrases import Phrase, name_forms
from inspector.render.lines import Sheet
from inspector.screens.pages import Page
from inspector.screens.picking import Picking
from inspector.screens.sheet import SheetScreen, Tables
from inspector.sheets.breakdown import cells, column, types
from inspector.sheets.breakdown.choice import (
    ALIGNED,
    CELLS,
    COLUMN,
    NONE,
    OFFSETS,
    PLACES,
    STEPS,
    TYPES,
    Choice,
)
from inspector.sheets.breakdown.columns import offered, words
from inspector.sheets.breakdown.figures import FIGURES, figures_of
from inspector.sheets.breakdown.places import bins_of, errors_of
from inspector.sheets.breakdown.sheet import breakdown_sheet, page_document, takes_longer, view_of
from inspector.sheets.breakdown.steps import STEP_FIGURES, step_figure
from inspector.subject import covering
from inspector.widgets.pick_list import Pick
from scoring.errors import InspectError
from scoring.metrics.step_bins import PRESETS

_ERRORS: dict[str, Literal["first", "all"]] = {"the earliest errors": "first", "all error steps": "all"}


class BreakdownScreen(SheetScreen):
    """The cases of the slice sorted into tables by their columns, and by where verdicts, errors and steps lie."""

    NAME = "breakdown"
    BINDINGS: ClassVar[list[BindingType]] = list(bindings_of("breakdown"))
    HELP = (
        "Where a scorer goes wrong: any two columns as a map, kinds of errors, positions, distances. Each number opens "
        "exactly its cases.\n\nThe key that opened this turns its page; the one that goes back closes it."
    )
    PAGES = (
        Page(CELLS, "two columns"),
        Page(TYPES, "error types"),
        Page(PLACES, "positions"),
        Page(OFFSETS, "offsets"),
        Page(ALIGNED, "around the error"),
        Page(STEPS, "by step"),
        Page(COLUMN, "one column"),
    )

    SOON = frozenset({CELLS, ALIGNED})

    def __init__(self, brush: Brush) -> None:
        super().__init__(brush)
        self.choice = Choice()

    def lay_out(self, inspection: Inspection, figures: Any, width: int, height: int) -> Sheet:
        return breakdown_sheet(inspection, self.page, self.choice, figures, self.brush, (width, height))

    def behind(self, inspection: Inspection) -> tuple[Sequence[object], Callable[[], Any]] | None:
        return takes_longer(inspection, self.page, self.choice)

    def subject(self, inspection: Inspection) -> list[Phrase]:
        what = cells.shown(inspection, self.choice) if self.page == CELLS and inspection.scorer else None
        if what is None or not what.other:
            return super().subject(inspection)
        a, b = name_forms(str(inspection.scorer), 24, 12), name_forms(what.other, 24, 12)
        forms = tuple(f"{one} less {two}" for one, two in zip((*a, a[-1]), (*b, b[-1]), strict=False))
        return [Phrase(forms, rank=3)]

    def tables(self, inspection: Inspection) -> Tables:
        if inspection.scorer is None or view_of(inspection, self.page, self.choice) is None:
            return ()
        title = next(page.title for page in self.PAGES if page.name == self.page)
        make = partial(page_document, inspection, self.page, self.choice)
        return ((make, f"This page, every figure: {title}"),)

    # -- choosing

    def _pick(self, title: str, picks: Sequence[Pick], choose: Callable[[str], Choice]) -> None:
        """Offer something and show the choice that is made of it."""

        def chosen(key: str | None) -> None:
            if key is not None and self.inspection is not None:
                self.choice = choose(key)
                self.show_inspection(self.inspection)

        now = next((at for at, pick in enumerate(picks) if pick.strong), 0)
        self.close_rail()
        self.app.push_screen(Picking(title, picks, now), chosen)

    def _columns(self, inspection: Inspection, now: str) -> list[Pick]:
        return [Pick(name, words(name), strong=name == now) for name in offered(inspection)]

    def _ready(self, pages: Sequence[str], what: str) -> Inspection | None:
        """The inspection where one of these pages is open and there is a scorer; else it is told why not."""
        inspection = self.inspection
        if inspection is None:
            return None
        if self.page not in pages:
            titles = " and ".join(page.title for page in self.PAGES if page.name in pages)
            self.say(f"This page has no {what} to choose: {titles} {'has' if len(pages) == 1 else 'have'}.")
            return None
        if inspection.scorer is None or not offered(inspection):
            self.say("There is nothing to choose before a scorer has verdicts.")
            return None
        return inspection

    def action_rows(self) -> None:
        """Choose the column whose values stand at the left."""
        inspection = self._ready((CELLS, TYPES, COLUMN), "rows")
        if inspection is None:
            return
        if self.page == TYPES:
            now, field = types.column_of(inspection, self.choice), "types"
        elif self.page == COLUMN:
            now, field = column.column_of(inspection, self.choice), "column"
        else:
            what = cells.shown(inspection, self.choice)
            now, field = what.rows if what else "", "rows"
        self._pick("Rows", self._columns(inspection, now), lambda key: self._with_rows(inspection, field, key))

    def _with_rows(self, inspection: Inspection, field: str, key: str) -> Choice:
        """Another first column; where it was the second, they change places."""
        what = cells.shown(inspection, self.choice)
        changed = {field: key}
        if field == "rows" and what is not None and what.cols:
            changed["cols"] = what.rows if key == what.cols else what.cols
        return replace(self.choice, **changed)  # type: ignore[arg-type]  # these fields hold words

    def action_across(self) -> None:
        """Choose the column whose values stand above."""
        inspection = self._ready((CELLS,), "columns")
        what = None if inspection is None else cells.shown(inspection, self.choice)
        if inspection is None or what is None:
            return
        picks = [pick for pick in self._columns(inspection, what.cols) if pick.key != what.rows]
        none = Pick(NONE, "none", "one column alone, as bars", strong=not what.cols)
        self._pick("Columns", [none, *picks], lambda key: replace(self.choice, rows=what.rows, cols=key))

    def action_figure(self) -> None:
        """Choose what stands in the cells."""
        inspection = self._ready((CELLS, STEPS), "figure")
        if inspection is None:
            return
        if self.page == STEPS:
            now = step_figure(self.choice)
            picks = [Pick(name, title, strong=name == now) for name, title in STEP_FIGURES.items()]
            self._pick("Figure", picks, lambda key: replace(self.choice, step_figure=key))
            return
        what = cells.shown(inspection, self.choice)
        if what is not None:
            names = figures_of(inspection, difference=bool(what.other))
            picks = [Pick(name, FIGURES[name].title, FIGURES[name].note, strong=name == what.figure) for name in names]
            self._pick("Figure", picks, lambda key: replace(self.choice, figure=key))

    def action_subtract(self) -> None:
        """Choose the scorer whose figures are subtracted, or none."""
        inspection = self._ready((CELLS,), "second scorer")
        what = None if inspection is None else cells.shown(inspection, self.choice)
        if inspection is None or what is None:
            return
        names = [name for name in covering(inspection) if name != inspection.scorer]
        if not names:
            self.say("There is no other scorer on this benchmark.")
            return
        scorers = inspection.selection
        picks = [Pick(name, name, scorers.evaluation(name).scorer.about, strong=name == what.other) for name in names]
        none = Pick("", "none", "the scorer in focus alone", strong=not what.other)
        self._pick(f"{inspection.scorer} less", [none, *picks], lambda key: replace(self.choice, other=key))

    def action_swap(self) -> None:
        """What is subtracted becomes what it is subtracted from."""
        inspection = self._ready((CELLS,), "second scorer")
        what = None if inspection is None else cells.shown(inspection, self.choice)
        if inspection is None or what is None:
            return
        if not what.other:
            self.say("There is nothing to turn round: choose a scorer to subtract first.")
            return
        self.close_rail()
        self.choice = replace(self.choice, other=str(inspection.scorer))
        try:
            self.put(inspection.focused(what.other, inspection.benchmark))
        except InspectError as error:
            self.say(str(error))

    def action_bins(self) -> None:
        """Choose how positions are put in bins, or which errors are counted."""
        inspection = self._ready((PLACES, STEPS), "bins")
        if inspection is None:
            return
        now, errors = bins_of(inspection, self.choice).name, errors_of(inspection, self.choice)
        picks = [
            Pick(f"bins {name}", f"bins of {name}", one.words, strong=name == now) for name, one in PRESETS.items()
        ]
        if self.page == PLACES:
            picks += [
                Pick(f"errors {key}", title, "counted here" if key == errors else "") for title, key in _ERRORS.items()
            ]
        self._pick("Positions", picks, self._with_bins)

    def _with_bins(self, key: str) -> Choice:
        kind, _, name = key.partition(" ")
        if kind == "bins":
            return replace(self.choice, preset=name)
        return replace(self.choice, errors="first" if name == "first" else "all")
