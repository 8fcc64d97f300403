"""What the two screens that show steps share: how cases are shown, and through which scorers."""

from collections.abc import Sequence
from typing import ClassVar

from msgspec.structs import replace

from inspector.case_page.open_case import DisplayOptions, OpenCase, open_case
from inspector.case_page.prose import FOUND
from inspector.render.texts.sentences import counted
from inspector.render.texts.text import clean
from inspector.screens.base import AppScreen
from inspector.screens.messages import Reads
from inspector.screens.screen_context import ScreenContext
from inspector.state.screen_state import ScreenState
from inspector.widgets.line_view import LineView
from scoring.data.errors import InspectError
from scoring.workspace.filtering.filters import Facet
from scoring.workspace.triage.actions import Action

UNREAD = ("unparsed", "refused")
"""The outcomes of cases for which a scorer was asked and has no verdict."""


class ReadingScreen(AppScreen):
    """A screen with the lines of a case in it.

    `reading` is how cases are shown, but for the room there is; the app hands it from screen to screen.
    """

    NAMED: ClassVar[bool] = True
    """Whether the case's name stands above its lines."""

    def __init__(self, context: ScreenContext, state: ScreenState) -> None:
        super().__init__(context, state)
        self.reading = DisplayOptions(80, context.glyphs)

    @property
    def beside(self) -> tuple[str, ...]:
        """The scorers beside the one in focus: those whose cases are listed, else those that a person chose."""
        return self.state.focus.beside or self.context.remembered.left.overlaid

    @property
    def blind(self) -> bool:
        """Whether gold labels, verdicts and what others said of a case are hidden."""
        return self.reading.blind

    def display_options(self, view: LineView) -> DisplayOptions:
        """Return how a case is shown in this view."""
        width, height = view.viewport
        matches = self.state.results.matches
        return replace(
            self.reading,
            width=max(20, width),
            height=max(1, height),
            named=self.NAMED,
            beside=self.beside,
            search=matches.query if matches else None,
            keys=self.context.keys,
        )

    def case_at_hand(self, row: int, view: LineView) -> OpenCase | None:
        """Return the case with this row id for what a key does with its texts; None, and say so, if unreadable."""
        try:
            return open_case(self.state, row, self.display_options(view))
        except InspectError as error:
            self.notify(clean(str(error)), severity="error", markup=False)
            return None

    def listed(self, state: ScreenState) -> ScreenState | None:
        return state

    def show_reversed(self, batch: Sequence[Action]) -> None:
        """Go where what was undone or done again can be seen."""

    def read(self, display: DisplayOptions) -> None:
        """Show cases in another way from now on, on the other screens as well."""
        self.reading = display
        self.post_message(Reads(display.kept()))
        self.show_case()

    def show_case(self) -> None:
        """Show the lines of the case anew, at the same place."""
        raise NotImplementedError

    def show_first_hit(self, view: LineView) -> None:
        """Scroll to the first text that was searched for, where it is beyond what is seen."""
        hits = [] if self.state.results.matches is None else view.lines_with(FOUND)
        if hits:
            view.scroll_to_line(hits[0])

    def action_raw(self) -> None:
        self.read(replace(self.reading, raw=not self.reading.raw))

    def action_news(self) -> None:
        """Dim what each step repeats of the one before, or nothing."""
        self.read(replace(self.reading, news=not self.reading.news))
        key = self.context.keys.of("news")
        looks = f"is dim; {key} shows all alike again" if self.reading.news else "is no longer dim"
        self.say(f"What a step repeats of the one before {looks}.")

    def action_reason(self) -> None:
        self.read(replace(self.reading, reason=not self.reading.reason))

    def action_blind(self) -> None:
        """Hide what gold labels and scorers decided, until it is asked for again."""
        self.read(replace(self.reading, blind=not self.reading.blind))

    def action_unparsed(self) -> None:
        """Show the cases without a verdict of the scorer in focus and no others.

        From there, show what was shown before, less any condition on outcomes.
        """
        state = self.state
        if state.evaluation is None:
            self.notify("There is no scorer whose answers could be unparsed.", markup=False)
            return
        column = state.focus.outcome_column
        facets = tuple(facet for facet in state.filter.facets if facet.column != column)
        queue = Facet(column, UNREAD)
        self.close_rail()
        if queue in state.filter.facets:
            self.put(state.selected(chosen=replace(state.filter, facets=facets)))
            return
        filtered = state.selected(chosen=replace(state.filter, facets=(*facets, queue)))
        if not filtered.shown.size:
            name = state.evaluation.scorer.name
            self.notify(clean(f"No case here is unparsed or refused by {name}."), markup=False)
            return
        self.put(filtered)
        others = f"{self.context.keys.of('unparsed')} shows the others again"
        self.notify(f"{counted(filtered.shown.size, 'case')} unparsed or refused; {others}.", markup=False)
